/* Products of a CUDA device by cuBLAS, and sums and permutations by our own kernels. */
#include "base/checked.h"
#include "base/error.h"
#include "device/cuda/cuda.h"
#include "device/cuda/kernels.h"

#include <inttypes.h>

/* ---- one product, any type: what differs is the name and the type of a pointer ---- */

/* Of 16-bit numbers: exact products, and sums in float. */
static cudaDataType_t narrow_type(ashlar_type type)
{
    return type == ASHLAR_TYPE_B ? CUDA_R_16BF : CUDA_R_16F;
}

static cublasOperation_t op_of(ashlar_op op)
{
    return op == ASHLAR_OP_N ? CUBLAS_OP_N : op == ASHLAR_OP_T ? CUBLAS_OP_T : CUBLAS_OP_C;
}

static cublasStatus_t put_gemm(cublasHandle_t blas, const ashi_device_gemm *g)
{
    const cublasOperation_t a = op_of(g->op_a), b = op_of(g->op_b);
    switch (g->type) {
    case ASHLAR_TYPE_S:
        return cublasSgemm_64(blas, a, b, g->m, g->n, g->k, g->alpha, g->a, g->lda, g->b, g->ldb, g->beta, g->c,
                              g->ldc);
    case ASHLAR_TYPE_D:
        return cublasDgemm_64(blas, a, b, g->m, g->n, g->k, g->alpha, g->a, g->lda, g->b, g->ldb, g->beta, g->c,
                              g->ldc);
    case ASHLAR_TYPE_C:
        return cublasCgemm_64(blas, a, b, g->m, g->n, g->k, g->alpha, g->a, g->lda, g->b, g->ldb, g->beta, g->c,
                              g->ldc);
    case ASHLAR_TYPE_H:
    case ASHLAR_TYPE_B:
        return cublasGemmEx_64(blas, a, b, g->m, g->n, g->k, g->alpha, g->a, narrow_type(g->type), g->lda, g->b,
                               narrow_type(g->type), g->ldb, g->beta, g->c, CUDA_R_32F, g->ldc, CUBLAS_COMPUTE_32F,
                               CUBLAS_GEMM_DEFAULT);
    default:
        return cublasZgemm_64(blas, a, b, g->m, g->n, g->k, g->alpha, g->a, g->lda, g->b, g->ldb, g->beta, g->c,
                              g->ldc);
    }
}

static cublasStatus_t put_batch(cublasHandle_t blas, const ashi_device_gemm *g, int64_t count, void **list)
{
    const cublasOperation_t a = op_of(g->op_a), b = op_of(g->op_b);
    const void *const at_a = list, *const at_b = list + count;
    void *const at_c = list + 2 * count;
    switch (g->type) {
    case ASHLAR_TYPE_S:
        return cublasSgemmBatched_64(blas, a, b, g->m, g->n, g->k, g->alpha, at_a, g->lda, at_b, g->ldb, g->beta, at_c,
                                     g->ldc, count);
    case ASHLAR_TYPE_D:
        return cublasDgemmBatched_64(blas, a, b, g->m, g->n, g->k, g->alpha, at_a, g->lda, at_b, g->ldb, g->beta, at_c,
                                     g->ldc, count);
    case ASHLAR_TYPE_C:
        return cublasCgemmBatched_64(blas, a, b, g->m, g->n, g->k, g->alpha, at_a, g->lda, at_b, g->ldb, g->beta, at_c,
                                     g->ldc, count);
    case ASHLAR_TYPE_H:
    case ASHLAR_TYPE_B:
        return cublasGemmBatchedEx_64(blas, a, b, g->m, g->n, g->k, g->alpha, at_a, narrow_type(g->type), g->lda, at_b,
                                      narrow_type(g->type), g->ldb, g->beta, at_c, CUDA_R_32F, g->ldc, count,
                                      CUBLAS_COMPUTE_32F, CUBLAS_GEMM_DEFAULT);
    default:
        return cublasZgemmBatched_64(blas, a, b, g->m, g->n, g->k, g->alpha, at_a, g->lda, at_b, g->ldb, g->beta, at_c,
                                     g->ldc, count);
    }
}

ashlar_status ashi_cuda_gemm(ashi_device *device, const ashi_device_gemm *g, ashlar_error *err)
{
    ashi_cuda *c = ashi_cuda_of(device);
    ashlar_status status = ashi_cuda_state(c, err);
    if (status != ASHLAR_OK)
        return status;
    const int before = ashi_cuda_enter(c);
    status = ashi_cuda_judge_blas(c, "cublas gemm", put_gemm(c->blas, g), err);
    ashi_cuda_leave(before);
    return status;
}

/* The lists are pageable memory, which the runtime has read when it returns. */
static cudaError_t put_lists(ashi_cuda *c, int64_t count, const void *const *a, const void *const *b, void *const *of_c)
{
    const void *const from[3] = {a, b, of_c};
    cudaError_t result = cudaSuccess;
    for (int i = 0; i < 3 && result == cudaSuccess; i++)
        result = cudaMemcpyAsync(c->lists + i * count, from[i], (size_t)count * sizeof *c->lists,
                                 cudaMemcpyHostToDevice, c->stream[ASHI_DEVICE_WORK]);
    return result;
}

ashlar_status ashi_cuda_gemm_batched(ashi_device *device, const ashi_device_gemm *g, int64_t count,
                                     const void *const *a, const void *const *b, void *const *of_c, ashlar_error *err)
{
    ashi_cuda *c = ashi_cuda_of(device);
    ashlar_status status = ashi_cuda_state(c, err);
    if (status != ASHLAR_OK || count == 0)
        return status;
    const int before = ashi_cuda_enter(c);
    for (int64_t i = 0; i < count && status == ASHLAR_OK; i += ASHI_CUDA_BATCH) { /* the queue keeps their order */
        const int64_t part = ashi_min(count - i, ASHI_CUDA_BATCH);
        status = ashi_cuda_judge(c, "cudaMemcpyAsync", put_lists(c, part, a + i, b + i, of_c + i), err);
        if (status == ASHLAR_OK)
            status = ashi_cuda_judge_blas(c, "cublas gemmBatched", put_batch(c->blas, g, part, c->lists), err);
    }
    ashi_cuda_leave(before);
    return status;
}

/* ---- sums and permutations ---- */

static bool is_zero(ashlar_type type, const void *x)
{
    const float *s = x;
    const double *d = x;
    switch (type) {
    case ASHLAR_TYPE_S:
        return s[0] == 0;
    case ASHLAR_TYPE_D:
        return d[0] == 0;
    case ASHLAR_TYPE_C:
        return s[0] == 0 && s[1] == 0;
    default:
        return d[0] == 0 && d[1] == 0;
    }
}

ashlar_status ashi_cuda_axpby(ashi_device *device, const ashi_device_sum *s, ashlar_error *err)
{
    ashi_cuda *c = ashi_cuda_of(device);
    ashlar_status status = ashi_cuda_state(c, err);
    if (status != ASHLAR_OK || s->m == 0 || s->n == 0)
        return status;
    if (s->type > ASHLAR_TYPE_Z)
        return ashi_fail(err, ASHLAR_ERR_UNSUPPORTED, "device: %s: numbers of 16 bits have no sums", c->name);
    const ashi_cuda_sum sum = {.type = (int)s->type, .conjugate = s->conjugate, .has_beta = !is_zero(s->type, s->beta),
                               .m = s->m, .n = s->n, .alpha = s->alpha, .beta = s->beta, .x = s->x, .y = s->y,
                               .ldx = s->ldx, .ldy = s->ldy};
    const int before = ashi_cuda_enter(c);
    status = ashi_cuda_judge(c, "a sum", ashi_cuda_start_sum(&sum, c->stream[ASHI_DEVICE_WORK]), err);
    ashi_cuda_leave(before);
    return status;
}

ashlar_status ashi_cuda_permute(ashi_device *device, const ashi_device_permutation *p, ashlar_error *err)
{
    ashi_cuda *c = ashi_cuda_of(device);
    ashi_cuda_box box = {.indices = p->indices, .all = 1};
    ashlar_status status = ashi_cuda_state(c, err);
    if (status != ASHLAR_OK)
        return status;
    if (p->type > ASHLAR_TYPE_Z)
        return ashi_fail(err, ASHLAR_ERR_UNSUPPORTED, "device: %s: numbers of 16 bits have no permutations", c->name);
    if (p->indices < 1 || p->indices > ASHI_DEVICE_INDICES)
        return ashi_fail(err, ASHLAR_ERR_ARG, "device: %s: a box of %d indices; 1 to %d are possible", c->name,
                         p->indices, ASHI_DEVICE_INDICES);
    for (int i = 0; i < p->indices; i++) {
        box.extent[i] = p->extent[i];
        box.from_stride[i] = p->from_stride[i];
        box.to_stride[i] = p->to_stride[i];
        box.all *= p->extent[i];
    }
    if (box.all == 0)
        return ASHLAR_OK;
    const int before = ashi_cuda_enter(c);
    status = ashi_cuda_judge(c, "a permutation",
                             ashi_cuda_start_permutation((int)p->type, p->conjugate, &box, p->from, p->to,
                                                         c->stream[ASHI_DEVICE_WORK]), err);
    ashi_cuda_leave(before);
    return status;
}

_Static_assert((int)ASHI_CUDA_BOX_MOST == (int)ASHI_DEVICE_INDICES, "a box of the kernels has as many indices");
