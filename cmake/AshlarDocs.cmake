# Target `docs`: the API reference, from the comments of the public headers.
find_program(DOXYGEN doxygen)
if(DOXYGEN)
  configure_file(${PROJECT_SOURCE_DIR}/docs/Doxyfile.in Doxyfile @ONLY)
  add_custom_target(docs COMMAND ${DOXYGEN} ${CMAKE_CURRENT_BINARY_DIR}/Doxyfile
                    COMMENT "API reference in ${CMAKE_CURRENT_BINARY_DIR}/api/html" VERBATIM)
endif()
