/* Whether MPI takes device memory is what MPI says: here this program answers in its place. */
#define PROGRAM "gpu_aware"

#include "exec/gpu_aware.h"
#include "mpi/ranks.h"

static int says; /* what MPI is to say */

#ifdef ASHI_MPI_GPU_ASKS
static int code; /* what its call returns */

int MPIX_GPU_query_support(int kind, int *out)
{
    *out = kind == MPIX_GPU_SUPPORT_CUDA && says;
    return code;
}
#else
int MPIX_Query_cuda_support(void);

int MPIX_Query_cuda_support(void)
{
    return says;
}
#endif

int main(int argc, char **argv)
{
#if defined ASHI_MPI_GPU_ASKS || defined ASHI_MPI_EXT_ASKS
    const ashi_gpu_aware want[2] = {ASHI_GPU_AWARE_NO, ASHI_GPU_AWARE_YES};
#else
    const ashi_gpu_aware want[2] = {ASHI_GPU_AWARE_UNKNOWN, ASHI_GPU_AWARE_UNKNOWN};
#endif
    rig r;
    if (!ranks_begin(&r, &argc, &argv, 1))
        return 1;
    for (says = 0; says < 2; says++) {
        const ashi_gpu_aware found = ashi_mpi_gpu_aware();
        CHECK(&r.test, found == want[says], "%d where %d is right", (int)found, (int)want[says]);
    }
#ifdef ASHI_MPI_GPU_ASKS
    code = MPI_ERR_OTHER;
    CHECK(&r.test, ashi_mpi_gpu_aware() == ASHI_GPU_AWARE_UNKNOWN, "an error is an answer");
#endif
    CHECK(&r.test, strcmp(ashi_gpu_aware_text(ASHI_GPU_AWARE_NO), ashi_gpu_aware_text(ASHI_GPU_AWARE_YES)) != 0,
          "one text");
    return ranks_end(&r, PROGRAM);
}
