# How tests are built and started: programs, rank counts, launcher, time limits, sanitizers' settings.
include(CheckSymbolExists)

# The launcher must be that of the MPI compiled with, whatever `mpirun` means on this machine.
set(CMAKE_REQUIRED_LIBRARIES MPI::MPI_C)
check_symbol_exists(OPEN_MPI mpi.h ASHLAR_MPI_IS_OPENMPI)
check_symbol_exists(MPICH_VERSION mpi.h ASHLAR_MPI_IS_MPICH)
unset(CMAKE_REQUIRED_LIBRARIES)
if(ASHLAR_MPI_IS_OPENMPI)
  set(ASHLAR_MPI_FAMILY openmpi)
  find_program(ASHLAR_MPIEXEC NAMES mpirun.openmpi mpirun DOC "The launcher of the MPI that is compiled with")
elseif(ASHLAR_MPI_IS_MPICH)
  set(ASHLAR_MPI_FAMILY mpich)
  find_program(ASHLAR_MPIEXEC NAMES mpiexec.hydra mpiexec.mpich mpiexec
               DOC "The launcher of the MPI that is compiled with")
else()
  set(ASHLAR_MPI_FAMILY other)
  set(ASHLAR_MPIEXEC ${MPIEXEC_EXECUTABLE} CACHE FILEPATH "The launcher of the MPI that is compiled with")
endif()
message(STATUS "MPI: ${ASHLAR_MPI_FAMILY}, started with ${ASHLAR_MPIEXEC}")

# Debian's MPICH waits without giving its core away; see support/yield.c.
if(ASHLAR_MPI_FAMILY STREQUAL mpich)
  add_library(ashlar_yield MODULE ${CMAKE_CURRENT_LIST_DIR}/../tests/support/yield.c)
  target_link_libraries(ashlar_yield PRIVATE ${CMAKE_DL_LIBS})
  set_target_properties(ashlar_yield PROPERTIES C_VISIBILITY_PRESET default
                        LIBRARY_OUTPUT_DIRECTORY ${PROJECT_BINARY_DIR}/preload)
endif()
set(ASHLAR_LAUNCH ${PROJECT_BINARY_DIR}/launch)
configure_file(${PROJECT_SOURCE_DIR}/tests/support/launch.in ${ASHLAR_LAUNCH} @ONLY)

# Sanitizers: the suppressions are for MPI's and HDF5's own doing, each with its reason.
set(ashlar_support ${PROJECT_SOURCE_DIR}/tests/support)
set(ashlar_test_environment
    "ASHLAR_LAUNCH=${ASHLAR_LAUNCH}"
    "ASHLAR_SOURCE=${PROJECT_SOURCE_DIR}"
    "ASHLAR_MPI_FAMILY=${ASHLAR_MPI_FAMILY}"
    "OMP_NUM_THREADS=1"
    "OPENBLAS_NUM_THREADS=1"
    "LSAN_OPTIONS=suppressions='${ashlar_support}/lsan.supp':print_suppressions=0"
    "UBSAN_OPTIONS=print_stacktrace=1"
    "TSAN_OPTIONS=ignore_noninstrumented_modules=1:halt_on_error=1")
if(ASHLAR_MPI_FAMILY STREQUAL openmpi)
  # Most runs of the command take no longer than MPI's start. On one machine Open MPI takes ob1 in the end, but first asks
  # UCX and libfabric for networks; a program without a launcher starts a server; and where a rank ends with a status
  # the launcher sleeps for a second before it ends the others.
  list(APPEND ashlar_test_environment "OMPI_MCA_pml=ob1" "OMPI_MCA_ess_singleton_isolated=1"
              "OMPI_MCA_odls_base_sigkill_timeout=0")
endif()
# Two settings differ. A stack through MPI can be found only the slow way, without which no suppression matches; six
# frames of it are enough (support/keep_loaded.c). What MPI leaves takes a second per rank to search, so tests on more
# than four ranks do not look for leaks.
#
# intercept_tls_get_addr=0: one small block in 64 makes older runtimes read a wrong address of a thread's variables and
# end with "Tracer caught signal 11" when they look for leaks; see support/leak_checker.c.
string(CONCAT ashlar_asan "ASAN_OPTIONS=strict_string_checks=1:detect_stack_use_after_return=1:verify_asan_link_order=0"
                          ":intercept_tls_get_addr=0")

# ashlar_add_test(NAME LABEL kind [LOCK what] [PROCESSORS n] [TIMEOUT seconds] [COUNTS_LEAKS] COMMAND ...): a test under
# the rules of all: a time limit, 77 means skipped, and the environment above. A sanitized program is given twice as
# long. COUNTS_LEAKS: the program counts its own allocations, so the sanitizer need not look for leaks, and stacks may be
# found the quick way.
function(ashlar_add_test name)
  cmake_parse_arguments(PARSE_ARGV 1 arg "COUNTS_LEAKS" "LABEL;LOCK;PROCESSORS;TIMEOUT" "COMMAND")
  if(NOT arg_TIMEOUT)
    set(arg_TIMEOUT 300)
  endif()
  if(ASHLAR_SANITIZE)
    math(EXPR arg_TIMEOUT "2 * ${arg_TIMEOUT}")
  endif()
  # The launcher ends its ranks first; ctest's own limit is for what ignores that.
  math(EXPR last "${arg_TIMEOUT} + 30")
  add_test(NAME ${name} COMMAND ${arg_COMMAND})
  set_tests_properties(${name} PROPERTIES LABELS ${arg_LABEL} TIMEOUT ${last} SKIP_RETURN_CODE 77)
  set(asan ${ashlar_asan})
  if(NOT arg_LABEL STREQUAL unit AND NOT arg_COUNTS_LEAKS)
    string(APPEND asan ":fast_unwind_on_malloc=0:malloc_context_size=6")
  endif()
  if(arg_PROCESSORS GREATER 4 OR arg_COUNTS_LEAKS)
    string(APPEND asan ":detect_leaks=0")
  endif()
  set_property(TEST ${name} PROPERTY ENVIRONMENT ${ashlar_test_environment} ${asan} "ASHLAR_TIMEOUT=${arg_TIMEOUT}")
  if(TARGET ashlar)
    set_property(TEST ${name} APPEND PROPERTY ENVIRONMENT "ASHLAR=$<TARGET_FILE:ashlar>")
  endif()
  if(TARGET scenarios)
    set_property(TEST ${name} APPEND PROPERTY ENVIRONMENT "ASHLAR_SCENARIOS=$<TARGET_FILE:scenarios>")
  endif()
  if(TARGET ashlar_pblas)
    set_property(TEST ${name} APPEND PROPERTY ENVIRONMENT "ASHLAR_PBLAS=$<TARGET_FILE:ashlar_pblas>")
  endif()
  if(TARGET hdf5_files)
    set_property(TEST ${name} APPEND PROPERTY ENVIRONMENT "ASHLAR_HDF5_FILES=$<TARGET_FILE:hdf5_files>")
  endif()
  if(TARGET pblas_plain)
    set_property(TEST ${name} APPEND PROPERTY ENVIRONMENT "ASHLAR_PBLAS_USE=$<TARGET_FILE_DIR:pblas_plain>")
  endif()
  if(arg_LOCK)
    set_property(TEST ${name} PROPERTY RESOURCE_LOCK ${arg_LOCK})
  endif()
  if(arg_PROCESSORS)
    set_property(TEST ${name} PROPERTY PROCESSORS ${arg_PROCESSORS})
  endif()
endfunction()

# A test program over the rooms' own names, not only the public ones.
function(ashlar_test_program target)
  add_executable(${target} ${ARGN})
  target_include_directories(${target} PRIVATE ${PROJECT_SOURCE_DIR}/tests)
  ashlar_compile_options(${target})
  target_link_libraries(${target} PRIVATE ashlar_pure ashlar_store m)
endfunction()

# The programs of all tests on several ranks, and of those in which a rank has several threads, for builds that run only
# those.
add_custom_target(mpi_programs)
add_custom_target(thread_programs)

# Ends a test that starts threads and is not marked THREADS.
add_library(ashlar_no_threads OBJECT ${CMAKE_CURRENT_LIST_DIR}/../tests/support/no_threads.c)
ashlar_compile_options(ashlar_no_threads)

# ashlar_mpi_test(NAME [SOURCE file] [COUNTS_LEAKS] [THREADS] RANKS 1 2 ... [ARGS ...] [TIMEOUT seconds]): mpi/NAME.c,
# or another source if one is tested with several sets of arguments, as one test for each rank count: mpi.NAME.RANKS. Two
# that share the machine would both crawl, so they take turns. In ARGS the word {ranks} stands for the rank count.
# THREADS: a rank has several threads of its own, so races are looked for: its tests have the label `threads`, too.
function(ashlar_mpi_test name)
  cmake_parse_arguments(PARSE_ARGV 1 arg "COUNTS_LEAKS;THREADS" "SOURCE;TIMEOUT" "RANKS;ARGS")
  set(counts)
  if(arg_COUNTS_LEAKS)
    set(counts COUNTS_LEAKS)
  endif()
  if(NOT arg_SOURCE)
    set(arg_SOURCE ${name})
  endif()
  if(NOT TARGET mpi_${arg_SOURCE})
    ashlar_test_program(mpi_${arg_SOURCE} mpi/${arg_SOURCE}.c)
    target_link_libraries(mpi_${arg_SOURCE} PRIVATE MPI::MPI_C)
    if(TARGET ashlar_mpi)
      target_link_libraries(mpi_${arg_SOURCE} PRIVATE ashlar_kernel ashlar_mpi)
    endif()
  endif()
  add_dependencies(mpi_programs mpi_${arg_SOURCE})
  if(arg_THREADS)
    add_dependencies(thread_programs mpi_${arg_SOURCE})
  else()
    target_link_options(mpi_${arg_SOURCE} PRIVATE -Wl,--wrap=pthread_create)
    target_link_libraries(mpi_${arg_SOURCE} PRIVATE ashlar_no_threads)
  endif()
  foreach(ranks ${arg_RANKS})
    string(REPLACE "{ranks}" ${ranks} args "${arg_ARGS}")
    ashlar_add_test(mpi.${name}.${ranks} LABEL mpi PROCESSORS ${ranks} TIMEOUT "${arg_TIMEOUT}"
                    ${counts} COMMAND ${ASHLAR_LAUNCH} ${ranks} $<TARGET_FILE:mpi_${arg_SOURCE}> ${args})
    if(arg_THREADS)
      set_property(TEST mpi.${name}.${ranks} APPEND PROPERTY LABELS threads)
    endif()
  endforeach()
endfunction()

# ScaLAPACK for the MPI compiled with, which the drop-in is compared with; the tests that need it are left out without.
find_library(ASHLAR_SCALAPACK_${ASHLAR_MPI_FAMILY} NAMES scalapack-${ASHLAR_MPI_FAMILY} scalapack
             DOC "ScaLAPACK for the MPI that is compiled with")
set(ASHLAR_SCALAPACK ${ASHLAR_SCALAPACK_${ASHLAR_MPI_FAMILY}})
if(ASHLAR_SCALAPACK)
  message(STATUS "ScaLAPACK: ${ASHLAR_SCALAPACK}")
else()
  message(STATUS "ScaLAPACK: none for this MPI, so the drop-in's tests are left out")
endif()

# ashlar_pblas_test(NAME [FROM_OBJECTS] RANKS 1 2 ... [ARGS ...] [TIMEOUT seconds]): mpi/NAME.c, a program that calls
# ScaLAPACK by its names and Ashlar by `ashlar_` before them. FROM_OBJECTS: Ashlar is part of the program.
function(ashlar_pblas_test name)
  cmake_parse_arguments(PARSE_ARGV 1 arg "FROM_OBJECTS" "" "")
  if(NOT ASHLAR_SCALAPACK)
    return()
  endif()
  if(arg_FROM_OBJECTS)
    ashlar_test_program(mpi_${name} mpi/${name}.c)
    target_link_libraries(mpi_${name} PRIVATE ashlar_pblas_objects ashlar_kernel ashlar_mpi ${CMAKE_DL_LIBS})
  else()
    add_executable(mpi_${name} mpi/${name}.c)
    target_include_directories(mpi_${name} PRIVATE ${PROJECT_SOURCE_DIR}/tests)
    ashlar_compile_options(mpi_${name})
  endif()
  target_link_libraries(mpi_${name} PRIVATE ${ASHLAR_SCALAPACK} MPI::MPI_C Threads::Threads m)
  if(NOT arg_FROM_OBJECTS)
    target_link_libraries(mpi_${name} PRIVATE ashlar_pblas)
  endif()
  ashlar_mpi_test(${name} ${arg_UNPARSED_ARGUMENTS})
endfunction()
