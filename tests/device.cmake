# Plug-ins for devices: wrong ones, and the one for CUDA over a CUDA that the host plays (support/fake_cuda.h). The
# devices' tests run with that once more, and once more on a GPU, where they are skipped with the reason if there is none.

# wrong_plugin(NAME INTERFACE VERSION KIND VARIABLE): in a folder of that name.
set(wrong_plugins ${CMAKE_CURRENT_BINARY_DIR}/plugins)
function(wrong_plugin name interface version kind variable)
  add_library(wrong_plugin_${name} MODULE support/wrong_plugin.c)
  ashlar_compile_options(wrong_plugin_${name})
  target_include_directories(wrong_plugin_${name} PRIVATE ${PROJECT_SOURCE_DIR}/include ${PROJECT_SOURCE_DIR}/src)
  target_compile_definitions(wrong_plugin_${name} PRIVATE WRONG_INTERFACE=${interface} "WRONG_VERSION=\"${version}\""
                             "WRONG_KIND=\"${kind}\"" WRONG_NAME=${variable})
  set_target_properties(wrong_plugin_${name} PROPERTIES OUTPUT_NAME ashlar_cuda
                        LIBRARY_OUTPUT_DIRECTORY ${wrong_plugins}/${name})
  add_dependencies(unit_plugin wrong_plugin_${name})
endfunction()

wrong_plugin(interface ASHI_DEVICE_INTERFACE+1 ${PROJECT_VERSION} cuda ashlar_device_plugin)
wrong_plugin(version ASHI_DEVICE_INTERFACE 99.0.0 cuda ashlar_device_plugin)
wrong_plugin(kind ASHI_DEVICE_INTERFACE ${PROJECT_VERSION} hip ashlar_device_plugin)
wrong_plugin(name ASHI_DEVICE_INTERFACE ${PROJECT_VERSION} cuda another_variable)
file(WRITE ${wrong_plugins}/text/libashlar_cuda.so "text\n")
ashlar_add_test(unit.plugin LABEL unit COMMAND unit_plugin ${wrong_plugins})

# The kinds of devices by which a program is run once more, each with its plug-in's folder.
set(device_kinds cuda)
set(device_plugins_cuda ${PROJECT_BINARY_DIR})
find_package(CUDAToolkit 12.5 QUIET)
if(CUDAToolkit_FOUND)
  ashlar_cuda_plugin(fake_cuda ${CMAKE_CURRENT_BINARY_DIR}/fake_cuda ${CMAKE_CURRENT_SOURCE_DIR}/support/fake_cuda.map
                     support/fake_cuda.c support/fake_cublas.c ${PROJECT_SOURCE_DIR}/src/device/emulated_memory.c
                     ${PROJECT_SOURCE_DIR}/src/device/emulated_kernels.c ${PROJECT_SOURCE_DIR}/src/base/type.c
                     ${PROJECT_SOURCE_DIR}/src/base/half.c)
  target_include_directories(fake_cuda PRIVATE ${CMAKE_CURRENT_SOURCE_DIR})
  set_target_properties(fake_cuda PROPERTIES C_VISIBILITY_PRESET default) # its map says what is seen
  list(APPEND device_kinds fake)
  set(device_plugins_fake ${CMAKE_CURRENT_BINARY_DIR}/fake_cuda)
else()
  message(STATUS "CUDA: no toolkit, so the plug-in for it is not tried")
endif()

# device_test(NAME LABEL kind COMMAND ...): as NAME.cuda and NAME.fake.
function(device_test name)
  foreach(kind ${device_kinds})
    ashlar_add_test(${name}.${kind} ${ARGN})
    set_property(TEST ${name}.${kind} APPEND PROPERTY ENVIRONMENT "ASHLAR_TEST_DEVICE=${kind}"
                 "ASHLAR_PLUGINS=${device_plugins_${kind}}")
  endforeach()
endfunction()

foreach(name device onto_contract onto_device)
  if(TARGET fake_cuda)
    add_dependencies(unit_${name} fake_cuda)
  endif()
  device_test(unit.${name} LABEL unit COMMAND unit_${name})
endforeach()

# Of several ranks, each with the same device, or those there are by turns.
foreach(name device_operands on_device on_device_fails)
  if(TARGET fake_cuda)
    add_dependencies(mpi_${name} fake_cuda)
  endif()
endforeach()
foreach(ranks 1 3)
  device_test(mpi.device_operands.${ranks} LABEL mpi PROCESSORS ${ranks}
              COMMAND ${ASHLAR_LAUNCH} ${ranks} $<TARGET_FILE:mpi_device_operands>)
endforeach()
foreach(name on_device on_device_fails)
  device_test(mpi.${name}.3 LABEL mpi LOCK mpi PROCESSORS 3 COMMAND ${ASHLAR_LAUNCH} 3 $<TARGET_FILE:mpi_${name}>)
endforeach()
