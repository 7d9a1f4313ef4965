# The Python package's tests: by pytest, alone and on several ranks, and installed by pip.
execute_process(COMMAND ${ASHLAR_PYTHON_EXECUTABLE} -c "import pytest, h5py" RESULT_VARIABLE status
                OUTPUT_QUIET ERROR_QUIET)
if(NOT status EQUAL 0)
  message(STATUS "Python: no tests, since there is no pytest or no h5py")
  return()
endif()

# ashlar_python_test(NAME [RANKS n] FILES ...): files of python/tests. A sanitizer's runtime comes first in the process.
function(ashlar_python_test name)
  cmake_parse_arguments(PARSE_ARGV 1 arg "" "RANKS" "FILES")
  set(launch)
  set(where)
  if(arg_RANKS)
    set(launch ${ASHLAR_LAUNCH} ${arg_RANKS})
    set(where PROCESSORS ${arg_RANKS})
    set(name ${name}.${arg_RANKS})
  endif()
  list(TRANSFORM arg_FILES PREPEND ${PROJECT_SOURCE_DIR}/python/tests/)
  ashlar_add_test(python.${name} LABEL python ${where} COUNTS_LEAKS COMMAND
                  ${launch} ${ASHLAR_PYTHON_EXECUTABLE} -m pytest -q -p no:cacheprovider --tb=short ${arg_FILES})
  set_property(TEST python.${name} APPEND PROPERTY ENVIRONMENT "PYTHONPATH=${ashlar_python_folder}"
               "PYTHONDONTWRITEBYTECODE=1" "ASHLAR_MYPY_CACHE=${ashlar_python_folder}/mypy")
  if(ASHLAR_SANITIZE MATCHES address)
    execute_process(COMMAND ${CMAKE_C_COMPILER} -print-file-name=libasan.so OUTPUT_VARIABLE runtime
                    OUTPUT_STRIP_TRAILING_WHITESPACE)
    set_property(TEST python.${name} APPEND PROPERTY ENVIRONMENT "LD_PRELOAD=${runtime}" "ASHLAR_SANITIZED=1")
  endif()
  # Elsewhere the working directory would be searched for modules first.
  set_property(TEST python.${name} PROPERTY WORKING_DIRECTORY ${ashlar_python_folder})
endfunction()

if(ASHLAR_SANITIZE)
  if(ASHLAR_SANITIZE MATCHES address AND CMAKE_C_COMPILER_ID STREQUAL GNU)
    ashlar_python_test(alone FILES test_einsum.py test_files.py)
  endif()
  return()
endif()
ashlar_python_test(alone FILES test_einsum.py test_files.py test_runtime.py test_plan.py test_docs.py)
# mpi4py must be that of the MPI compiled with.
execute_process(COMMAND ${ASHLAR_PYTHON_EXECUTABLE} -c "import mpi4py.MPI; print(mpi4py.MPI.Get_library_version())"
                OUTPUT_VARIABLE version ERROR_QUIET)
if((ASHLAR_MPI_FAMILY STREQUAL openmpi AND version MATCHES "Open MPI") OR
   (ASHLAR_MPI_FAMILY STREQUAL mpich AND version MATCHES "MPICH"))
  foreach(ranks 1 4)
    ashlar_python_test(ranks RANKS ${ranks} FILES test_ranks.py test_tiles.py test_device.py)
  endforeach()
endif()
ashlar_add_test(install.python LABEL install COMMAND sh ${CMAKE_CURRENT_SOURCE_DIR}/python_install.sh
                ${PROJECT_BINARY_DIR} ${ASHLAR_PYTHON_EXECUTABLE})
