# What is delivered rather than what it computes: the source tree's structure, documentation, headers, installation.

# The source tree itself.
ashlar_add_test(structure.includes LABEL structure
                COMMAND sh ${CMAKE_CURRENT_SOURCE_DIR}/structure.sh ${PROJECT_SOURCE_DIR})
ashlar_add_test(structure.catches LABEL structure
                COMMAND sh ${CMAKE_CURRENT_SOURCE_DIR}/structure_catches.sh ${CMAKE_CURRENT_SOURCE_DIR}/structure.sh)
if(CMAKE_NM AND TARGET ashlar_cli)
  set(objects ${CMAKE_CURRENT_BINARY_DIR}/objects.txt)
  set(listed)
  foreach(target ashlar_pure ashlar_store ashlar_kernel ashlar_mpi ashlar_pblas_objects ashlar_cli ashlar)
    string(APPEND listed "$<JOIN:$<TARGET_OBJECTS:${target}>,\n>\n")
  endforeach()
  file(GENERATE OUTPUT ${objects} CONTENT "${listed}")
  ashlar_add_test(structure.circles LABEL structure
                  COMMAND sh ${CMAKE_CURRENT_SOURCE_DIR}/circles.sh ${PROJECT_SOURCE_DIR} ${CMAKE_NM} ${objects})
endif()
ashlar_add_test(structure.circles_catches LABEL structure
                COMMAND sh ${CMAKE_CURRENT_SOURCE_DIR}/circles_catches.sh ${CMAKE_CURRENT_SOURCE_DIR}/circles.sh)
find_package(Python3 QUIET COMPONENTS Interpreter)
if(Python3_FOUND)
  ashlar_add_test(docs.readme LABEL structure
                  COMMAND ${Python3_EXECUTABLE} ${CMAKE_CURRENT_SOURCE_DIR}/readme.py ${PROJECT_SOURCE_DIR})
  ashlar_add_test(structure.against LABEL structure
                  COMMAND sh ${CMAKE_CURRENT_SOURCE_DIR}/against.sh ${Python3_EXECUTABLE} ${PROJECT_SOURCE_DIR})
endif()
find_program(MANDOC mandoc)
file(GLOB pages CONFIGURE_DEPENDS ${PROJECT_SOURCE_DIR}/man/*.[1-9])
if(MANDOC AND pages)
  ashlar_add_test(man.lint LABEL structure COMMAND ${MANDOC} -T lint -W warning ${pages})
endif()
if(ASHLAR_AWK)
  ashlar_add_test(man.calls LABEL structure
                  COMMAND sh ${CMAKE_CURRENT_SOURCE_DIR}/man.sh ${PROJECT_SOURCE_DIR} ${ashlar_man3})
endif()
if(DOXYGEN)
  ashlar_add_test(docs.api LABEL structure COMMAND ${DOXYGEN} ${PROJECT_BINARY_DIR}/Doxyfile)
endif()

# The headers, each alone, as C++ reads them.
include(CheckLanguage)
check_language(CXX)
if(CMAKE_CXX_COMPILER)
  enable_language(CXX)
  file(GLOB headers CONFIGURE_DEPENDS RELATIVE ${PROJECT_SOURCE_DIR}/include ${PROJECT_SOURCE_DIR}/include/ashlar/*.h)
  foreach(header ${headers})
    get_filename_component(name ${header} NAME_WE)
    set(source ${CMAKE_CURRENT_BINARY_DIR}/header_${name}.cpp)
    file(GENERATE OUTPUT ${source} CONTENT "#include <${header}>\n")
    list(APPEND header_sources ${source})
  endforeach()
  add_library(headers_in_cxx OBJECT ${header_sources})
  target_include_directories(headers_in_cxx PRIVATE ${PROJECT_SOURCE_DIR}/include)
  target_link_libraries(headers_in_cxx PRIVATE MPI::MPI_C)
  target_compile_options(headers_in_cxx PRIVATE -Wall -Wextra -Wpedantic -Werror)
endif()

# The library as others get it.
if(TARGET ashlar_shared)
  file(GLOB library_headers CONFIGURE_DEPENDS RELATIVE ${PROJECT_SOURCE_DIR}/include/ashlar
       ${PROJECT_SOURCE_DIR}/include/ashlar/*.h)
  list(REMOVE_ITEM library_headers pblas.h)
  ashlar_add_test(install.symbols LABEL install
                  COMMAND sh ${CMAKE_CURRENT_SOURCE_DIR}/symbols.sh ${PROJECT_SOURCE_DIR} $<TARGET_FILE:ashlar_shared>
                          symbols.txt ${library_headers})
  ashlar_add_test(install.symbols_pblas LABEL install
                  COMMAND sh ${CMAKE_CURRENT_SOURCE_DIR}/symbols.sh ${PROJECT_SOURCE_DIR} $<TARGET_FILE:ashlar_pblas>
                          symbols_pblas.txt pblas.h)
  ashlar_add_test(install.consumers LABEL install LOCK install
                  COMMAND sh ${CMAKE_CURRENT_SOURCE_DIR}/consumers.sh ${PROJECT_BINARY_DIR} ${MPI_C_COMPILER})
endif()
if(TARGET ashlar_fortran_shared AND TARGET MPI::MPI_Fortran AND EXISTS "${ASHLAR_MPIFORT}")
  ashlar_add_test(install.consumers_fortran LABEL install LOCK install
                  COMMAND sh ${CMAKE_CURRENT_SOURCE_DIR}/consumers_fortran.sh ${PROJECT_BINARY_DIR}
                          ${ASHLAR_MPIFORT} ${ASHLAR_SCALAPACK})
endif()
