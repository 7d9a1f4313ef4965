# The published COSMA, to be compared with, if somebody has installed it: bench/run peers. It was built with ScaLAPACK,
# for the same MPI and with the same BLAS; its library with the prefixed calls is used.
set(ASHLAR_COSMA "" CACHE PATH "The prefix under which COSMA is installed, with its lib and include")
foreach(part cosma_prefixed_pxgemm cosma costa)
  unset(ASHLAR_COSMA_${part} CACHE) # another prefix may be named
  find_library(ASHLAR_COSMA_${part} NAMES ${part} HINTS ${ASHLAR_COSMA} PATH_SUFFIXES lib lib64)
endforeach()
unset(ASHLAR_COSMA_INCLUDE CACHE)
find_path(ASHLAR_COSMA_INCLUDE cosma/multiply.hpp HINTS ${ASHLAR_COSMA} PATH_SUFFIXES include)
if(NOT ASHLAR_COSMA_cosma_prefixed_pxgemm OR NOT ASHLAR_COSMA_cosma OR NOT ASHLAR_COSMA_costa OR
   NOT ASHLAR_COSMA_INCLUDE)
  message(STATUS "COSMA: not found, so it is not compared with (-DASHLAR_COSMA=PREFIX says where it is)")
  return()
endif()
message(STATUS "COSMA: ${ASHLAR_COSMA_cosma}")

enable_language(CXX) # COSMA's own interface
add_library(ashlar_cosma_own OBJECT cosma_own.cpp)
set_target_properties(ashlar_cosma_own PROPERTIES CXX_STANDARD 17 CXX_STANDARD_REQUIRED ON)
target_compile_definitions(ashlar_cosma_own PRIVATE OMPI_SKIP_MPICXX MPICH_SKIP_MPICXX)
target_include_directories(ashlar_cosma_own SYSTEM PRIVATE ${ASHLAR_COSMA_INCLUDE} ${MPI_C_INCLUDE_DIRS}
                                                           $<TARGET_PROPERTY:ashlar_blas,INTERFACE_INCLUDE_DIRECTORIES>)
ashlar_bench_program(peers peers.c way_cosma.c way_own.c way_scalapack.c $<TARGET_OBJECTS:ashlar_cosma_own>)
set_target_properties(bench_peers PROPERTIES LINKER_LANGUAGE CXX BUILD_RPATH
                      "${ASHLAR_COSMA}/lib;${ASHLAR_COSMA}/lib64")
target_link_libraries(bench_peers PRIVATE ${ASHLAR_COSMA_cosma_prefixed_pxgemm} ${ASHLAR_COSMA_cosma}
                                          ${ASHLAR_COSMA_costa} ${SCALAPACK_LIBRARY})
