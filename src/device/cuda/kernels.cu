/* The kernels of a CUDA device: a thread for each element of a sum or a permutation, or for several if there are more
 * than a grid has threads. */
#include "device/cuda/kernels.h"

#define ANYWHERE __device__
#include "device/cuda/elements_types.inc"

namespace {

enum { THREADS = 256, BLOCKS_MOST = 1 << 16 };

unsigned blocks_for(int64_t elements)
{
    const int64_t blocks = (elements + THREADS - 1) / THREADS;
    return (unsigned)(blocks < BLOCKS_MOST ? blocks : BLOCKS_MOST);
}

#define EACH(i, all)                                                                                                   \
    for (int64_t i = (int64_t)blockIdx.x * THREADS + threadIdx.x, step = (int64_t)gridDim.x * THREADS; i < (all);     \
         i += step)

#define KERNELS(p, T)                                                                                                  \
    __global__ void p##_sum(ashi_cuda_sum s, T alpha, T beta)                                                          \
    {                                                                                                                  \
        EACH (i, s.m * s.n)                                                                                            \
            p##_sum_element(i, s.m, s.conjugate, alpha, s.has_beta, beta, (const T *)s.x, s.ldx, (T *)s.y, s.ldy);     \
    }                                                                                                                  \
    __global__ void p##_permute(ashi_cuda_box box, bool conjugate, const T *from, T *to)                               \
    {                                                                                                                  \
        EACH (i, box.all)                                                                                              \
            p##_box_element(i, &box, conjugate, from, to);                                                             \
    }                                                                                                                  \
    void p##_start_sum(const ashi_cuda_sum *s, cudaStream_t stream)                                                    \
    {                                                                                                                  \
        p##_sum<<<blocks_for(s->m * s->n), THREADS, 0, stream>>>(*s, *(const T *)s->alpha, *(const T *)s->beta);       \
    }                                                                                                                  \
    void p##_start_permutation(const ashi_cuda_box *box, bool conjugate, const void *from, void *to,                   \
                               cudaStream_t stream)                                                                    \
    {                                                                                                                  \
        p##_permute<<<blocks_for(box->all), THREADS, 0, stream>>>(*box, conjugate, (const T *)from, (T *)to);          \
    }

KERNELS(s, float)
KERNELS(d, double)
KERNELS(c, ashi_pair_s)
KERNELS(z, ashi_pair_d)

} // namespace

extern "C" cudaError_t ashi_cuda_start_sum(const ashi_cuda_sum *s, cudaStream_t stream)
{
    static void (*const start[ASHI_CUDA_TYPES])(const ashi_cuda_sum *, cudaStream_t) = {s_start_sum, d_start_sum,
                                                                                        c_start_sum, z_start_sum};
    start[s->type](s, stream);
    return cudaGetLastError();
}

extern "C" cudaError_t ashi_cuda_start_permutation(int type, bool conjugate, const ashi_cuda_box *box, const void *from,
                                                   void *to, cudaStream_t stream)
{
    static void (*const start[ASHI_CUDA_TYPES])(const ashi_cuda_box *, bool, const void *, void *, cudaStream_t) = {
        s_start_permutation, d_start_permutation, c_start_permutation, z_start_permutation};
    start[type](box, conjugate, from, to, stream);
    return cudaGetLastError();
}
