# From the comments of the public headers: manual pages of section 3, and the API reference, target `docs`.
find_program(ASHLAR_AWK NAMES awk mawk gawk DOC "Makes the manual pages of the C calls")
if(ASHLAR_AWK)
  # Dated as the pages that are written by hand.
  file(STRINGS ${PROJECT_SOURCE_DIR}/man/ashlar.7 date REGEX "^\\.Dd ")
  string(REGEX REPLACE "^\\.Dd " "" date "${date}")
  set(ashlar_man3 ${PROJECT_BINARY_DIR}/man3)
  file(GLOB headers CONFIGURE_DEPENDS ${PROJECT_SOURCE_DIR}/include/ashlar/*.h)
  add_custom_command(OUTPUT ${ashlar_man3}.made
                     COMMAND ${CMAKE_COMMAND} -E rm -rf ${ashlar_man3}
                     COMMAND ${CMAKE_COMMAND} -E make_directory ${ashlar_man3}
                     COMMAND ${CMAKE_COMMAND} -E env LC_ALL=C ${ASHLAR_AWK} -v out=${ashlar_man3} -v date=${date}
                             -f ${PROJECT_SOURCE_DIR}/cmake/man.awk ${headers}
                     COMMAND ${CMAKE_COMMAND} -E touch ${ashlar_man3}.made
                     DEPENDS ${headers} ${PROJECT_SOURCE_DIR}/cmake/man.awk ${PROJECT_SOURCE_DIR}/man/ashlar.7
                     COMMENT "Manual pages of the C calls in ${ashlar_man3}" VERBATIM)
  add_custom_target(man3 ALL DEPENDS ${ashlar_man3}.made)
  install(DIRECTORY ${ashlar_man3}/ DESTINATION ${CMAKE_INSTALL_MANDIR}/man3 FILES_MATCHING PATTERN "*.3")
endif()

find_program(DOXYGEN doxygen)
if(DOXYGEN)
  configure_file(${PROJECT_SOURCE_DIR}/docs/Doxyfile.in Doxyfile @ONLY)
  add_custom_target(docs COMMAND ${DOXYGEN} ${CMAKE_CURRENT_BINARY_DIR}/Doxyfile
                    COMMENT "API reference in ${CMAKE_CURRENT_BINARY_DIR}/api/html" VERBATIM)
endif()
