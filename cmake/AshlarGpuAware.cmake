# By which call the MPI is asked whether it takes a GPU's memory: ASHLAR_MPI_ASKS is what is to be defined for that.
include(CheckSymbolExists)
set(CMAKE_REQUIRED_LIBRARIES MPI::MPI_C)
check_symbol_exists(MPIX_GPU_query_support mpi.h ASHLAR_MPI_GPU_ASKS)            # MPICH
check_symbol_exists(MPIX_Query_cuda_support "mpi.h;mpi-ext.h" ASHLAR_MPI_EXT_ASKS) # Open MPI
unset(CMAKE_REQUIRED_LIBRARIES)
set(ASHLAR_MPI_ASKS)
if(ASHLAR_MPI_GPU_ASKS)
  set(ASHLAR_MPI_ASKS ASHI_MPI_GPU_ASKS)
elseif(ASHLAR_MPI_EXT_ASKS)
  set(ASHLAR_MPI_ASKS ASHI_MPI_EXT_ASKS)
endif()
set_source_files_properties(src/exec/gpu_aware.c PROPERTIES COMPILE_DEFINITIONS "${ASHLAR_MPI_ASKS}")
