# Sanitizers, from ASHLAR_SANITIZE: on all that is C or Fortran, so that object files and programs agree. The little C++
# among the tests is compiled by a compiler that may know other ones.
if(ASHLAR_SANITIZE)
  set(options -fsanitize=${ASHLAR_SANITIZE} -fno-sanitize-recover=all -fno-omit-frame-pointer)
  add_compile_options("$<$<COMPILE_LANGUAGE:C,Fortran>:${options}>")
  add_link_options(-fsanitize=${ASHLAR_SANITIZE})
endif()
