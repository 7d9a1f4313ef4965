# The plug-in for CUDA devices: built with -DASHLAR_CUDA=ON, beside the library. Its sources are also compiled over a
# CUDA that the host plays, for tests, where the toolkit's headers are (tests/device.cmake).
option(ASHLAR_CUDA "Build libashlar_cuda, the plug-in for NVIDIA's GPUs: wants the CUDA toolkit, 12.5 or newer" OFF)

# The plug-in's sources but for the kernels; what it needs of the library is compiled into it.
file(GLOB ashlar_cuda_sources CONFIGURE_DEPENDS ${PROJECT_SOURCE_DIR}/src/device/cuda/*.c)
list(APPEND ashlar_cuda_sources ${PROJECT_SOURCE_DIR}/src/base/error.c ${PROJECT_SOURCE_DIR}/src/base/number.c)

# ashlar_cuda_plugin(TARGET FOLDER EXPORTS SOURCE...): libashlar_cuda.so in that folder, of which only the names in a
# linker's map are seen.
function(ashlar_cuda_plugin target folder exports)
  add_library(${target} MODULE ${ashlar_cuda_sources} ${ARGN})
  ashlar_compile_options(${target})
  target_include_directories(${target} PRIVATE ${PROJECT_SOURCE_DIR}/include ${PROJECT_SOURCE_DIR}/src)
  target_include_directories(${target} SYSTEM PRIVATE ${CUDAToolkit_INCLUDE_DIRS})
  target_link_libraries(${target} PRIVATE Threads::Threads m)
  target_link_options(${target} PRIVATE -Wl,--version-script=${exports})
  set_target_properties(${target} PROPERTIES OUTPUT_NAME ashlar_cuda LIBRARY_OUTPUT_DIRECTORY ${folder})
endfunction()

if(ASHLAR_CUDA)
  find_package(CUDAToolkit 12.5 REQUIRED)
  if(NOT DEFINED CMAKE_CUDA_ARCHITECTURES)
    set(CMAKE_CUDA_ARCHITECTURES all-major)
  endif()
  enable_language(CUDA)
  # The kernels apart from the rest: our options are a C compiler's.
  add_library(ashlar_cuda_kernels OBJECT ${PROJECT_SOURCE_DIR}/src/device/cuda/kernels.cu)
  target_include_directories(ashlar_cuda_kernels PRIVATE ${PROJECT_SOURCE_DIR}/src)
  ashlar_cuda_plugin(ashlar_cuda ${PROJECT_BINARY_DIR} ${PROJECT_SOURCE_DIR}/src/device/cuda/exports.map
                     $<TARGET_OBJECTS:ashlar_cuda_kernels>)
  target_link_libraries(ashlar_cuda PRIVATE CUDA::cudart CUDA::cublas)
  set_target_properties(ashlar_cuda_kernels PROPERTIES CUDA_RUNTIME_LIBRARY Shared)
  set_target_properties(ashlar_cuda PROPERTIES LINKER_LANGUAGE C CUDA_RUNTIME_LIBRARY Shared
                        BUILD_RPATH ${CUDAToolkit_LIBRARY_DIR} INSTALL_RPATH ${CUDAToolkit_LIBRARY_DIR})
  install(TARGETS ashlar_cuda LIBRARY DESTINATION ${CMAKE_INSTALL_LIBDIR})
  message(STATUS "CUDA: ${CUDAToolkit_VERSION}, for ${CMAKE_CUDA_ARCHITECTURES}")
endif()
