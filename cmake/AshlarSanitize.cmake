# Sanitizers, from ASHLAR_SANITIZE: on all that is C, so that object files and programs agree. The little C++ among the
# tests is compiled by a compiler that may know other ones; in Fortran, gfortran's own reading of formats, which do not
# end with a zero, would be reported.
if(ASHLAR_SANITIZE)
  set(options -fsanitize=${ASHLAR_SANITIZE} -fno-sanitize-recover=all -fno-omit-frame-pointer)
  add_compile_options("$<$<COMPILE_LANGUAGE:C>:${options}>")
  add_link_options(-fsanitize=${ASHLAR_SANITIZE})
  if(ASHLAR_SANITIZE MATCHES address)
    add_library(ashlar_keep_loaded OBJECT ${CMAKE_CURRENT_LIST_DIR}/../tests/support/keep_loaded.c)
    set_target_properties(ashlar_keep_loaded PROPERTIES C_VISIBILITY_PRESET default)
    set(program "$<STREQUAL:$<TARGET_PROPERTY:TYPE>,EXECUTABLE>")
    link_libraries("$<${program}:$<TARGET_OBJECTS:ashlar_keep_loaded>>")
    add_link_options("$<${program}:-Wl,--export-dynamic-symbol=dlclose>")
  endif()
endif()
