# The Python package in build/.../python, for tests, where there is a Python with numpy and cffi. Users install it with
# pip, from the folder python/.
option(ASHLAR_PYTHON "Build the Python package for the tests, if there is a Python with numpy and cffi" ON)
if(NOT ASHLAR_PYTHON)
  return()
endif()

# The system's Python comes first: its packages are those of packages.txt.
if(NOT ASHLAR_PYTHON_EXECUTABLE)
  foreach(candidate /usr/bin/python3 python3)
    find_program(ashlar_candidate NAMES ${candidate} NO_CACHE)
    execute_process(COMMAND ${ashlar_candidate} -c
                    "import cffi, numpy, os, sysconfig; open(sysconfig.get_paths()['include'] + '/Python.h')"
                    RESULT_VARIABLE status OUTPUT_QUIET ERROR_QUIET)
    if(status EQUAL 0)
      set(ASHLAR_PYTHON_EXECUTABLE ${ashlar_candidate} CACHE FILEPATH "The Python that the package is built for")
      break()
    endif()
    unset(ashlar_candidate)
  endforeach()
endif()
if(NOT ASHLAR_PYTHON_EXECUTABLE)
  message(STATUS "Python: no package, since there is no Python with its header, numpy and cffi")
  return()
endif()
message(STATUS "Python: ${ASHLAR_PYTHON_EXECUTABLE}")

execute_process(COMMAND ${ASHLAR_PYTHON_EXECUTABLE} -c
                "from sysconfig import *; print(get_paths()['include'], get_config_var('EXT_SUFFIX'), sep=';')"
                OUTPUT_VARIABLE found OUTPUT_STRIP_TRAILING_WHITESPACE COMMAND_ERROR_IS_FATAL ANY)
list(GET found 0 ashlar_python_include)
list(GET found 1 ashlar_python_suffix)
set(ashlar_python_folder ${PROJECT_BINARY_DIR}/python)

set(binding ${ashlar_python_folder}/_library.c)
file(GLOB headers CONFIGURE_DEPENDS ${PROJECT_SOURCE_DIR}/include/ashlar/*.h)
file(MAKE_DIRECTORY ${ashlar_python_folder}/ashlar)
add_custom_command(OUTPUT ${binding}
                   COMMAND ${ASHLAR_PYTHON_EXECUTABLE} ${PROJECT_SOURCE_DIR}/python/build_binding.py
                           ${PROJECT_SOURCE_DIR}/include ${binding}
                   DEPENDS ${PROJECT_SOURCE_DIR}/python/build_binding.py ${headers}
                   COMMENT "Binding of the Python package" VERBATIM)
add_library(ashlar_python MODULE ${binding})
set_target_properties(ashlar_python PROPERTIES PREFIX "" OUTPUT_NAME _library SUFFIX "${ashlar_python_suffix}"
                                               LIBRARY_OUTPUT_DIRECTORY ${ashlar_python_folder}/ashlar)
target_include_directories(ashlar_python SYSTEM PRIVATE ${ashlar_python_include})
target_compile_definitions(ashlar_python PRIVATE ASHLAR_PYTHON_COMMAND="$<TARGET_FILE:ashlar>")
target_link_libraries(ashlar_python PRIVATE ashlar_shared MPI::MPI_C)

# Links to the sources, so that an edited file is used as it is.
file(GLOB sources CONFIGURE_DEPENDS ${PROJECT_SOURCE_DIR}/python/ashlar/*.py ${PROJECT_SOURCE_DIR}/python/ashlar/*.pyi
     ${PROJECT_SOURCE_DIR}/python/ashlar/py.typed)
foreach(source ${sources})
  get_filename_component(name ${source} NAME)
  file(CREATE_LINK ${source} ${ashlar_python_folder}/ashlar/${name} SYMBOLIC)
endforeach()
