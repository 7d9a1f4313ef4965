/* What CUDA's results mean for a device, and the current device of the calling thread. */
#include "base/error.h"
#include "device/cuda/cuda.h"

#include <inttypes.h>

int ashi_cuda_enter(const ashi_cuda *c)
{
    int before = 0;
    if (cudaGetDevice(&before) != cudaSuccess)
        before = (int)c->options.number;
    if (before != (int)c->options.number)
        cudaSetDevice((int)c->options.number);
    return before;
}

void ashi_cuda_leave(int before)
{
    int now = before;
    if (cudaGetDevice(&now) == cudaSuccess && now != before)
        cudaSetDevice(before);
}

ashlar_status ashi_cuda_state(const ashi_cuda *c, ashlar_error *err)
{
    return c->failure.status == ASHLAR_OK ? ASHLAR_OK : ashi_fail(err, c->failure.status, "%s", c->failure.text);
}

ashlar_status ashi_cuda_judge(ashi_cuda *c, const char *what, cudaError_t result, ashlar_error *err)
{
    if (result == cudaSuccess)
        return ashi_cuda_state(c, err);
    cudaGetLastError(); /* what can be cleared is not to be found by a later call */
    if (result == cudaErrorMemoryAllocation)
        return ashi_fail(err, ASHLAR_ERR_MEMORY, "device: %s: %s: %s", c->name, what, cudaGetErrorString(result));
    if (c->failure.status == ASHLAR_OK)
        ashi_fail(&c->failure, ASHLAR_ERR_DEVICE, "device: %s: %s: %s (%s)", c->name, what, cudaGetErrorString(result),
                  cudaGetErrorName(result));
    return ashi_cuda_state(c, err);
}

ashlar_status ashi_cuda_judge_blas(ashi_cuda *c, const char *what, cublasStatus_t result, ashlar_error *err)
{
    if (result == CUBLAS_STATUS_SUCCESS)
        return ashi_cuda_state(c, err);
    const cudaError_t below = cudaPeekAtLastError(); /* cuBLAS does not say why a kernel could not be started */
    if (result == CUBLAS_STATUS_INVALID_VALUE)
        return ashi_fail(err, ASHLAR_ERR_ARG, "device: %s: %s: %s", c->name, what, cublasGetStatusString(result));
    if (below != cudaSuccess && below != cudaErrorMemoryAllocation)
        return ashi_cuda_judge(c, what, below, err);
    if (result == CUBLAS_STATUS_ALLOC_FAILED)
        return ashi_cuda_judge(c, what, cudaErrorMemoryAllocation, err);
    if (c->failure.status == ASHLAR_OK)
        ashi_fail(&c->failure, ASHLAR_ERR_DEVICE, "device: %s: %s: %s", c->name, what, cublasGetStatusString(result));
    return ashi_cuda_state(c, err);
}
