/* Whether the MPI that runs takes addresses in a GPU's memory, as it says itself. */
#include "exec/gpu_aware.h"

#include <mpi.h>
#ifdef ASHI_MPI_EXT_ASKS
#include <mpi-ext.h>
#endif

ashi_gpu_aware ashi_mpi_gpu_aware(void)
{
#if defined ASHI_MPI_GPU_ASKS
    int takes = 0;
    if (MPIX_GPU_query_support(MPIX_GPU_SUPPORT_CUDA, &takes) != MPI_SUCCESS)
        return ASHI_GPU_AWARE_UNKNOWN;
    return takes ? ASHI_GPU_AWARE_YES : ASHI_GPU_AWARE_NO;
#elif defined ASHI_MPI_EXT_ASKS
    return MPIX_Query_cuda_support() ? ASHI_GPU_AWARE_YES : ASHI_GPU_AWARE_NO;
#else
    return ASHI_GPU_AWARE_UNKNOWN;
#endif
}

const char *ashi_gpu_aware_text(ashi_gpu_aware answer)
{
    switch (answer) {
    case ASHI_GPU_AWARE_NO:
        return "from memory of the host: MPI says that it does not take device memory";
    case ASHI_GPU_AWARE_YES:
        return "from memory of the host, though MPI says that it takes device memory";
    default:
        return "from memory of the host: this MPI cannot be asked whether it takes device memory";
    }
}
