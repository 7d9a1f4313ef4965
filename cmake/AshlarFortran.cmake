# The Fortran module: built and installed where there is a Fortran compiler, libashlar_fortran and its .mod files.
option(ASHLAR_FORTRAN "Build the Fortran module, if there is a Fortran compiler" ON)
if(NOT ASHLAR_FORTRAN)
  return()
endif()
# Sanitized programs have one runtime, that of the C compiler.
if(ASHLAR_SANITIZE AND NOT CMAKE_C_COMPILER_ID STREQUAL GNU)
  message(STATUS "Fortran: no module, since gfortran does not share the sanitizers of ${CMAKE_C_COMPILER_ID}")
  return()
endif()
include(CheckLanguage)
check_language(Fortran)
if(NOT CMAKE_Fortran_COMPILER)
  message(STATUS "Fortran: no compiler, so no module")
  return()
endif()
enable_language(Fortran)

# What every Fortran file of ours is compiled with.
function(ashlar_fortran_options target)
  if(CMAKE_Fortran_COMPILER_ID STREQUAL GNU)
    target_compile_options(${target} PRIVATE
      "$<$<COMPILE_LANGUAGE:Fortran>:-Wall;-Wextra;-Wimplicit-interface;-std=f2018;-Werror>")
  endif()
endfunction()

# .mod files are good for one compiler, mostly for one major version of it.
string(REGEX MATCH "^[0-9]+" version "${CMAKE_Fortran_COMPILER_VERSION}")
string(TOLOWER "${CMAKE_Fortran_COMPILER_ID}-${version}" ashlar_fortran_compiler)
set(ASHLAR_FMODDIR ${CMAKE_INSTALL_LIBDIR}/fortran/${ashlar_fortran_compiler} CACHE STRING
    "Where the .mod files are installed, under the prefix")
set(ashlar_modules ${PROJECT_BINARY_DIR}/fortran/modules)

# The shared library compiles the files, so that what links to it and uses its modules is compiled anew with them.
file(GLOB sources CONFIGURE_DEPENDS fortran/*.f90 fortran/*.F90 fortran/*.c)
add_library(ashlar_fortran_shared SHARED ${sources})
add_library(ashlar_fortran_static STATIC $<TARGET_OBJECTS:ashlar_fortran_shared>)
set_target_properties(ashlar_fortran_shared PROPERTIES Fortran_MODULE_DIRECTORY ${ashlar_modules})
set_property(SOURCE fortran/typed.F90 APPEND PROPERTY OBJECT_DEPENDS ${PROJECT_SOURCE_DIR}/fortran/typed.inc)
ashlar_fortran_options(ashlar_fortran_shared)
target_include_directories(ashlar_fortran_shared PRIVATE include)
target_link_libraries(ashlar_fortran_shared PRIVATE MPI::MPI_C)

foreach(kind shared static)
  set(target ashlar_fortran_${kind})
  set_target_properties(${target} PROPERTIES OUTPUT_NAME ashlar_fortran EXPORT_NAME ${target} LINKER_LANGUAGE Fortran)
  target_include_directories(${target} INTERFACE $<BUILD_INTERFACE:${ashlar_modules}>
                                                 $<INSTALL_INTERFACE:${ASHLAR_FMODDIR}>)
  target_link_libraries(${target} PUBLIC ashlar_${kind})
endforeach()
set_target_properties(ashlar_fortran_shared PROPERTIES VERSION ${PROJECT_VERSION} SOVERSION ${ASHLAR_SOVERSION}
                      EXPORT_NAME ashlar_fortran INSTALL_RPATH "$ORIGIN")

install(TARGETS ashlar_fortran_shared ashlar_fortran_static EXPORT ashlarFortranTargets
        LIBRARY DESTINATION ${CMAKE_INSTALL_LIBDIR} ARCHIVE DESTINATION ${CMAKE_INSTALL_LIBDIR})
install(DIRECTORY ${ashlar_modules}/ DESTINATION ${ASHLAR_FMODDIR} FILES_MATCHING PATTERN "*.mod")
install(EXPORT ashlarFortranTargets NAMESPACE ashlar:: DESTINATION ${CMAKE_INSTALL_LIBDIR}/cmake/ashlar)
configure_file(${PROJECT_SOURCE_DIR}/cmake/ashlar_fortran.pc.in ashlar_fortran.pc @ONLY)
install(FILES ${CMAKE_CURRENT_BINARY_DIR}/ashlar_fortran.pc DESTINATION ${CMAKE_INSTALL_LIBDIR}/pkgconfig)

# The module needs no MPI of its own; tests and examples do: that which the library is compiled with.
if(NOT MPI_Fortran_COMPILER AND EXISTS "${ASHLAR_MPIFORT}")
  set(MPI_Fortran_COMPILER ${ASHLAR_MPIFORT})
endif()
find_package(MPI QUIET COMPONENTS Fortran)
message(STATUS "Fortran: ${CMAKE_Fortran_COMPILER}, modules go to ${ASHLAR_FMODDIR}")
