# Find a CBLAS and a LAPACK and make them the target ashlar_blas; leaves ASHLAR_BLAS_LINK, full paths, ASHLAR_BLAS_PC,
# the pkg-config module the BLAS came from or nothing, and ASHLAR_LAPACK_LINK, the LAPACK's path if the BLAS has none.
include(CheckSymbolExists)

set(ASHLAR_BLAS_PC "")
set(ASHLAR_BLAS_LINK ${BLAS_LIBRARIES})
set(ashlar_blas_include ${BLAS_INCLUDE_DIRS})
if(NOT BLAS_LIBRARIES)
  pkg_check_modules(ASHLAR_BLAS_MODULE QUIET ${ASHLAR_BLAS})
  if(ASHLAR_BLAS_MODULE_FOUND)
    set(ASHLAR_BLAS_PC ${ASHLAR_BLAS})
    set(ASHLAR_BLAS_LINK ${ASHLAR_BLAS_MODULE_LINK_LIBRARIES})
    set(ashlar_blas_include ${ASHLAR_BLAS_MODULE_INCLUDE_DIRS})
  else()
    # BLIS, for one, comes without a pkg-config file.
    find_library(ASHLAR_BLAS_LIBRARY_${ASHLAR_BLAS} ${ASHLAR_BLAS})
    find_path(ASHLAR_BLAS_INCLUDE_${ASHLAR_BLAS} cblas.h PATH_SUFFIXES ${ASHLAR_BLAS})
    if(NOT ASHLAR_BLAS_LIBRARY_${ASHLAR_BLAS})
      message(FATAL_ERROR "No CBLAS: neither a pkg-config module nor a library is named '${ASHLAR_BLAS}'. "
                          "Choose with -DASHLAR_BLAS=NAME, or -DBLAS_LIBRARIES=PATHS -DBLAS_INCLUDE_DIRS=PATHS.")
    endif()
    set(ASHLAR_BLAS_LINK ${ASHLAR_BLAS_LIBRARY_${ASHLAR_BLAS}})
    set(ashlar_blas_include ${ASHLAR_BLAS_INCLUDE_${ASHLAR_BLAS}})
  endif()
endif()

add_library(ashlar_blas INTERFACE)
target_link_libraries(ashlar_blas INTERFACE ${ASHLAR_BLAS_LINK})
target_include_directories(ashlar_blas SYSTEM INTERFACE ${ashlar_blas_include})

# A BLAS without its C interface is the usual mistake; better found here than at the last link.
set(CMAKE_REQUIRED_LIBRARIES ${ASHLAR_BLAS_LINK} m)
set(CMAKE_REQUIRED_INCLUDES ${ashlar_blas_include})
string(MD5 ashlar_blas_tried "${ASHLAR_BLAS_LINK};${ashlar_blas_include}")
check_symbol_exists(cblas_zgemm cblas.h ASHLAR_BLAS_HAS_CBLAS_${ashlar_blas_tried})

# Tiles of low rank need LAPACK. OpenBLAS has it; BLIS, for one, does not.
include(CheckFunctionExists)
check_function_exists(zgesvd_ ASHLAR_BLAS_HAS_LAPACK_${ashlar_blas_tried})
set(ASHLAR_LAPACK_LINK "")
if(NOT ASHLAR_BLAS_HAS_LAPACK_${ashlar_blas_tried})
  find_library(ASHLAR_LAPACK_LIBRARY lapack DOC "A LAPACK, for a BLAS without one")
  if(NOT ASHLAR_LAPACK_LIBRARY)
    message(FATAL_ERROR "zgesvd_ is neither in ${ASHLAR_BLAS_LINK} nor in a library named lapack. "
                        "Choose one with -DASHLAR_LAPACK_LIBRARY=PATH.")
  endif()
  set(ASHLAR_LAPACK_LINK ${ASHLAR_LAPACK_LIBRARY})
  target_link_libraries(ashlar_blas INTERFACE ${ASHLAR_LAPACK_LINK})
endif()
unset(CMAKE_REQUIRED_LIBRARIES)
unset(CMAKE_REQUIRED_INCLUDES)
if(NOT ASHLAR_BLAS_HAS_CBLAS_${ashlar_blas_tried})
  message(FATAL_ERROR "cblas_zgemm was not found through cblas.h in ${ASHLAR_BLAS_LINK}")
endif()
message(STATUS "BLAS: ${ASHLAR_BLAS_LINK} ${ASHLAR_LAPACK_LINK}")
