# Find libxsmm, which makes kernels for small tiles; leaves ASHLAR_XSMM_LINK, it and what it needs beside the BLAS or
# nothing, and ASHLAR_XSMM_PC, the same for a linker's line.
option(ASHLAR_XSMM "Multiply small tiles by libxsmm, if it is found" ON)

set(ASHLAR_XSMM_LINK "")
set(ASHLAR_XSMM_PC "")
if(ASHLAR_XSMM)
  find_library(ASHLAR_XSMM_LIBRARY xsmm)
  find_path(ASHLAR_XSMM_INCLUDE libxsmm.h)
  if(ASHLAR_XSMM_LIBRARY AND ASHLAR_XSMM_INCLUDE)
    set(ASHLAR_XSMM_LINK ${ASHLAR_XSMM_LIBRARY} ${CMAKE_DL_LIBS})
    set(ASHLAR_XSMM_PC ${ASHLAR_XSMM_LIBRARY})
    if(CMAKE_DL_LIBS)
      set(ASHLAR_XSMM_PC "${ASHLAR_XSMM_LIBRARY} -l${CMAKE_DL_LIBS}")
    endif()
  endif()
  mark_as_advanced(ASHLAR_XSMM_LIBRARY ASHLAR_XSMM_INCLUDE)
endif()

# Its archive asks for __real_malloc and the like, weak and hidden, so that no program that is linked with --wrap=malloc
# can be linked with it. What is built here, tests that count allocations among it, has a copy in which they have other
# names; without these it takes malloc.
set(ashlar_xsmm_own ${ASHLAR_XSMM_LINK})
if(ASHLAR_XSMM_LIBRARY MATCHES "\\.a$" AND ASHLAR_XSMM_LINK AND CMAKE_OBJCOPY)
  set(ashlar_xsmm_copy ${PROJECT_BINARY_DIR}/xsmm/libxsmm.a)
  file(MAKE_DIRECTORY ${PROJECT_BINARY_DIR}/xsmm)
  set(ashlar_xsmm_names "")
  foreach(name malloc calloc realloc memalign free)
    list(APPEND ashlar_xsmm_names --redefine-sym __real_${name}=ashi_xsmm_real_${name})
  endforeach()
  execute_process(COMMAND ${CMAKE_OBJCOPY} ${ashlar_xsmm_names} ${ASHLAR_XSMM_LIBRARY} ${ashlar_xsmm_copy}
                  RESULT_VARIABLE ashlar_xsmm_failed)
  if(NOT ashlar_xsmm_failed)
    set(ashlar_xsmm_own ${ashlar_xsmm_copy} ${CMAKE_DL_LIBS})
  endif()
endif()

add_library(ashlar_xsmm INTERFACE)
if(ASHLAR_XSMM_LINK)
  target_compile_definitions(ashlar_xsmm INTERFACE ASHI_XSMM)
  target_include_directories(ashlar_xsmm SYSTEM INTERFACE ${ASHLAR_XSMM_INCLUDE})
  # It calls the BLAS for what it has no kernels for.
  target_link_libraries(ashlar_xsmm INTERFACE ${ashlar_xsmm_own} ${ASHLAR_BLAS_LINK})
  message(STATUS "libxsmm: ${ASHLAR_XSMM_LIBRARY}")
else()
  message(STATUS "libxsmm: none, so the BLAS multiplies small tiles too")
endif()
