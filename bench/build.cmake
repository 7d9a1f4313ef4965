# Writes bench_build.h, at every build: a report must name the commit that was built, not the one first configured.
# Run with -DSOURCE, -DINPUT, -DOUTPUT, -DCOMPILER and -DFLAGS.
execute_process(COMMAND git -C ${SOURCE} describe --always --dirty --abbrev=12
                OUTPUT_VARIABLE ASHI_BUILD_COMMIT OUTPUT_STRIP_TRAILING_WHITESPACE ERROR_QUIET RESULT_VARIABLE failed)
if(failed)
  set(ASHI_BUILD_COMMIT unknown)
endif()
set(ASHI_BUILD_COMPILER "${COMPILER}")
string(STRIP "${FLAGS}" ASHI_BUILD_FLAGS)
configure_file(${INPUT} ${OUTPUT} @ONLY) # writes only what has changed
