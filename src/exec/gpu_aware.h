/* Whether the MPI that runs takes addresses in a GPU's memory, as it says itself. */
#ifndef ASHI_GPU_AWARE_H
#define ASHI_GPU_AWARE_H

typedef enum ashi_gpu_aware {
    ASHI_GPU_AWARE_UNKNOWN, /* it has no call by which it could be asked */
    ASHI_GPU_AWARE_NO,
    ASHI_GPU_AWARE_YES
} ashi_gpu_aware;

/* Ask it, about CUDA: by MPIX_GPU_query_support (MPICH), else by MPIX_Query_cuda_support (Open MPI), as the headers had
 * them when this was compiled. Local; between MPI_Init and MPI_Finalize. */
ashi_gpu_aware ashi_mpi_gpu_aware(void);

/* What that means here, for a line of a report. */
const char *ashi_gpu_aware_text(ashi_gpu_aware answer);

#endif
