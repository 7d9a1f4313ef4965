# What `cmake --install` puts where: library, headers, command, completions, man pages, licence, CMake package, pkg-config file.
include(CMakePackageConfigHelpers)

install(TARGETS ashlar_shared ashlar_static ashlar_pblas EXPORT ashlarTargets
        LIBRARY DESTINATION ${CMAKE_INSTALL_LIBDIR} ARCHIVE DESTINATION ${CMAKE_INSTALL_LIBDIR})
install(DIRECTORY ${PROJECT_SOURCE_DIR}/include/ashlar DESTINATION ${CMAKE_INSTALL_INCLUDEDIR}
        FILES_MATCHING PATTERN "*.h")
if(TARGET ashlar)
  install(TARGETS ashlar RUNTIME DESTINATION ${CMAKE_INSTALL_BINDIR})
endif()
# Completion scripts, which the command prints itself: it has to run here for that.
if(TARGET ashlar AND NOT CMAKE_CROSSCOMPILING AND NOT ASHLAR_SANITIZE)
  set(ashlar_completion_bash ashlar bash-completion/completions)
  set(ashlar_completion_fish ashlar.fish fish/vendor_completions.d)
  set(ashlar_completion_zsh _ashlar zsh/site-functions)
  set(ashlar_completions "")
  foreach(shell bash fish zsh)
    list(GET ashlar_completion_${shell} 0 name)
    list(GET ashlar_completion_${shell} 1 folder)
    set(file ${CMAKE_CURRENT_BINARY_DIR}/completion/${shell}/${name})
    file(MAKE_DIRECTORY ${CMAKE_CURRENT_BINARY_DIR}/completion/${shell})
    add_custom_command(OUTPUT ${file} COMMAND ashlar completion ${shell} > ${file} DEPENDS ashlar
                       COMMENT "Completion script of ${shell}" VERBATIM)
    list(APPEND ashlar_completions ${file})
    install(FILES ${file} DESTINATION ${CMAKE_INSTALL_DATADIR}/${folder})
  endforeach()
  add_custom_target(ashlar_completions ALL DEPENDS ${ashlar_completions})
endif()
foreach(section 1 3 7)
  file(GLOB pages CONFIGURE_DEPENDS ${PROJECT_SOURCE_DIR}/man/*.${section})
  if(pages)
    install(FILES ${pages} DESTINATION ${CMAKE_INSTALL_MANDIR}/man${section})
  endif()
endforeach()
install(FILES ${PROJECT_SOURCE_DIR}/LICENSE DESTINATION ${CMAKE_INSTALL_DOCDIR})

# CMake package. The library is bound to the MPI it was compiled with, so the package looks for that one.
string(REGEX REPLACE "mpicc([^/]*)$" "mpicxx\\1" ASHLAR_MPICXX "${MPI_C_COMPILER}")
string(REGEX REPLACE "mpicc([^/]*)$" "mpifort\\1" mpifort "${MPI_C_COMPILER}")
find_program(ASHLAR_MPIFORT NAMES "${mpifort}" DOC "The Fortran compiler of the MPI that the library is compiled with")
set(ashlar_package_dir ${CMAKE_INSTALL_LIBDIR}/cmake/ashlar)
install(EXPORT ashlarTargets NAMESPACE ashlar:: DESTINATION ${ashlar_package_dir})
configure_package_config_file(${PROJECT_SOURCE_DIR}/cmake/ashlarConfig.cmake.in ashlarConfig.cmake
                              INSTALL_DESTINATION ${ashlar_package_dir})
write_basic_package_version_file(ashlarConfigVersion.cmake COMPATIBILITY SameMinorVersion)
install(FILES ${CMAKE_CURRENT_BINARY_DIR}/ashlarConfig.cmake ${CMAKE_CURRENT_BINARY_DIR}/ashlarConfigVersion.cmake
        DESTINATION ${ashlar_package_dir})

# pkg-config. The prefix is found from the place of the file, so that `cmake --install --prefix` may name any folder.
set(ASHLAR_PC_PREFIX ${CMAKE_INSTALL_PREFIX})
if(NOT IS_ABSOLUTE ${CMAKE_INSTALL_LIBDIR})
  file(RELATIVE_PATH ashlar_pc_up /prefix/${CMAKE_INSTALL_LIBDIR}/pkgconfig /prefix)
  set(ASHLAR_PC_PREFIX "\${pcfiledir}/${ashlar_pc_up}")
endif()
# A BLAS that came from pkg-config is named as a module, any other by its path.
set(ashlar_pc_requires ${ASHLAR_BLAS_PC})
set(ashlar_pc_libs "")
if(NOT ASHLAR_BLAS_PC)
  list(JOIN ASHLAR_BLAS_LINK " " ashlar_pc_libs)
endif()
list(JOIN ASHLAR_LAPACK_LINK " " ashlar_pc_lapack)
list(JOIN HDF5_C_LIBRARIES " " ashlar_pc_hdf5)
set(ashlar_pc_dl "")
if(CMAKE_DL_LIBS)
  set(ashlar_pc_dl "-l${CMAKE_DL_LIBS}")
endif()
configure_file(${PROJECT_SOURCE_DIR}/cmake/ashlar.pc.in ashlar.pc @ONLY)
configure_file(${PROJECT_SOURCE_DIR}/cmake/ashlar_pblas.pc.in ashlar_pblas.pc @ONLY)
install(FILES ${CMAKE_CURRENT_BINARY_DIR}/ashlar.pc ${CMAKE_CURRENT_BINARY_DIR}/ashlar_pblas.pc
        DESTINATION ${CMAKE_INSTALL_LIBDIR}/pkgconfig)
