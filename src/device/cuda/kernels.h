/* What cuBLAS lacks: sums with a conjugate, and permutations. */
#ifndef ASHI_CUDA_KERNELS_H
#define ASHI_CUDA_KERNELS_H

#include <cuda_runtime_api.h>
#include <stdbool.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

enum { ASHI_CUDA_TYPES = 4, ASHI_CUDA_BOX_MOST = 6 };

/* Elements are of ashlar_type 0 to 3: s, d, c, z. alpha and beta are one element each, of the host. m, n >= 1. */
typedef struct ashi_cuda_sum {
    int type;
    bool conjugate, has_beta;
    int64_t m, n;
    const void *alpha, *beta;
    const void *x;
    void *y;
    int64_t ldx, ldy;
} ashi_cuda_sum;

/* Of `all` = product of the extents >= 1 elements. */
typedef struct ashi_cuda_box {
    int indices;
    int64_t all;
    int64_t extent[ASHI_CUDA_BOX_MOST], from_stride[ASHI_CUDA_BOX_MOST], to_stride[ASHI_CUDA_BOX_MOST];
} ashi_cuda_box;

cudaError_t ashi_cuda_start_sum(const ashi_cuda_sum *sum, cudaStream_t stream);
cudaError_t ashi_cuda_start_permutation(int type, bool conjugate, const ashi_cuda_box *box, const void *from, void *to,
                                        cudaStream_t stream);

#ifdef __cplusplus
}
#endif

#endif
