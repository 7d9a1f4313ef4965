/* Putting a copy into a stream, as the runtime has it. */
#include "device/cuda/cuda.h"

/* The runtime's copies of rectangles take no greater distance between lines. */
static const int64_t GREATEST_PITCH = INT64_C(0x7fffffff);

cudaError_t ashi_cuda_put_copy(const ashi_device_copy *c, cudaStream_t stream)
{
    const size_t bytes = (size_t)c->bytes;
    if (c->from_stride == c->bytes && c->to_stride == c->bytes)
        return cudaMemcpyAsync(c->to, c->from, bytes * (size_t)c->lines, cudaMemcpyDefault, stream);
    if (c->lines > 1 && c->from_stride <= GREATEST_PITCH && c->to_stride <= GREATEST_PITCH)
        return cudaMemcpy2DAsync(c->to, (size_t)c->to_stride, c->from, (size_t)c->from_stride, bytes, (size_t)c->lines,
                                 cudaMemcpyDefault, stream);
    cudaError_t result = cudaSuccess;
    for (int64_t i = 0; i < c->lines && result == cudaSuccess; i++)
        result = cudaMemcpyAsync((char *)c->to + i * c->to_stride, (const char *)c->from + i * c->from_stride, bytes,
                                 cudaMemcpyDefault, stream);
    return result;
}
