/* The calls of cuBLAS of a CUDA that the host plays, and what the plug-in's own kernels do. */
#include "support/fake_cuda.h"

#include "base/checked.h"
#include "base/type.h"
#include "device/cuda/kernels.h"
#include "device/emulated_kernels.h"

#include <cublas_v2.h>
#include <stdlib.h>
#include <string.h>

struct cublasContext {
    cudaStream_t stream;
    int device;
};

cublasStatus_t cublasCreate_v2(cublasHandle_t *out)
{
    const cudaError_t result = fake_enter();
    *out = result == cudaSuccess ? calloc(1, sizeof **out) : NULL;
    if (*out)
        cudaGetDevice(&(*out)->device);
    return *out ? CUBLAS_STATUS_SUCCESS : CUBLAS_STATUS_NOT_INITIALIZED;
}

cublasStatus_t cublasDestroy_v2(cublasHandle_t handle)
{
    free(handle);
    return CUBLAS_STATUS_SUCCESS;
}

cublasStatus_t cublasSetStream_v2(cublasHandle_t handle, cudaStream_t stream)
{
    handle->stream = stream;
    return CUBLAS_STATUS_SUCCESS;
}

cublasStatus_t cublasSetWorkspace_v2(cublasHandle_t handle, void *workspace, size_t bytes)
{
    return fake_behind(handle->stream, workspace, (int64_t)bytes) ? CUBLAS_STATUS_SUCCESS : CUBLAS_STATUS_INVALID_VALUE;
}

const char *cublasGetStatusString(cublasStatus_t status)
{
    return status == CUBLAS_STATUS_INVALID_VALUE      ? "an unsupported value or parameter was passed to the function"
           : status == CUBLAS_STATUS_NOT_INITIALIZED  ? "the library was not initialized"
           : status == CUBLAS_STATUS_EXECUTION_FAILED ? "the GPU program failed to execute"
                                                      : "a status of cuBLAS";
}

/* ---- products ---- */

typedef struct product {
    ashi_device_gemm gemm;
    double _Complex alpha, beta;
    int64_t count;
    cudaStream_t stream;
    void *const *list; /* in the device's memory, as the fake's threads see it; NULL: gemm has the addresses */
} product;

/* The memory behind a matrix as it is stored, or NULL. */
static void *matrix(const product *p, ashlar_type type, const void *address, int64_t rows, int64_t columns, int64_t ld)
{
    const int64_t bytes = (int64_t)ashlar_type_bytes(type);
    return rows == 0 || columns == 0 ? NULL : fake_behind(p->stream, address, ((columns - 1) * ld + rows) * bytes);
}

/* What a GPU would touch beyond an allocation is a fault of the test. */
static bool find(const product *p, ashi_device_gemm *g)
{
    const bool plain_a = g->op_a == ASHLAR_OP_N, plain_b = g->op_b == ASHLAR_OP_N;
    const bool nothing = g->m == 0 || g->n == 0;
    g->a = matrix(p, g->type, g->a, plain_a ? g->m : g->k, plain_a ? g->k : g->m, g->lda);
    g->b = matrix(p, g->type, g->b, plain_b ? g->k : g->n, plain_b ? g->n : g->k, g->ldb);
    g->c = matrix(p, ashlar_type_of_sums(g->type), g->c, g->m, g->n, g->ldc);
    return nothing || (g->c && (g->k == 0 || (g->a && g->b)));
}

static void run_product(void *context)
{
    product *p = context;
    for (int64_t i = 0; i < p->count; i++) {
        ashi_device_gemm g = p->gemm;
        g.alpha = &p->alpha;
        g.beta = &p->beta;
        if (p->list) {
            g.a = p->list[i];
            g.b = p->list[p->count + i];
            g.c = p->list[2 * p->count + i];
        }
        if (!find(p, &g))
            abort();
        if (g.m > 0 && g.n > 0)
            ashi_emulated_kernels_of(g.type)->gemm(&g);
    }
}

static cublasStatus_t put(cublasHandle_t h, const ashi_device_gemm *g, int64_t count, const void *list)
{
    const int64_t rows_a = g->op_a == ASHLAR_OP_N ? g->m : g->k, rows_b = g->op_b == ASHLAR_OP_N ? g->k : g->n;
    if (g->lda < ashi_max(rows_a, 1) || g->ldb < ashi_max(rows_b, 1) || g->ldc < ashi_max(g->m, 1))
        return CUBLAS_STATUS_INVALID_VALUE;
    product *p = calloc(1, sizeof *p);
    if (!p || !fake_is_current(h->stream)) {
        free(p);
        return CUBLAS_STATUS_EXECUTION_FAILED;
    }
    *p = (product){.gemm = *g, .count = count, .stream = h->stream};
    memcpy(&p->alpha, g->alpha, ashi_type_word(g->type));
    memcpy(&p->beta, g->beta, ashi_type_word(g->type));
    if (list)
        p->list = fake_behind(h->stream, list, 3 * count * (int64_t)sizeof(void *));
    const fake_work work = {.run = run_product, .context = p, .is_product = true};
    return fake_put(h->stream, &work) == cudaSuccess ? CUBLAS_STATUS_SUCCESS : CUBLAS_STATUS_EXECUTION_FAILED;
}

static ashlar_op op_of(cublasOperation_t op)
{
    return op == CUBLAS_OP_N ? ASHLAR_OP_N : op == CUBLAS_OP_T ? ASHLAR_OP_T : ASHLAR_OP_C;
}

#define CALLS(letter, type, T)                                                                                         \
    cublasStatus_t cublas##letter##gemm_v2_64(                                                                         \
        cublasHandle_t h, cublasOperation_t op_a, cublasOperation_t op_b, int64_t m, int64_t n, int64_t k,             \
        const T *alpha, const T *a, int64_t lda, const T *b, int64_t ldb, const T *beta, T *c, int64_t ldc)            \
    {                                                                                                                  \
        const ashi_device_gemm g = {type, op_of(op_a), op_of(op_b), m, n, k, alpha, beta, a, b, c, lda, ldb, ldc};     \
        return put(h, &g, 1, NULL);                                                                                    \
    }                                                                                                                  \
    cublasStatus_t cublas##letter##gemmBatched_64(                                                                     \
        cublasHandle_t h, cublasOperation_t op_a, cublasOperation_t op_b, int64_t m, int64_t n, int64_t k,             \
        const T *alpha, const T *const a[], int64_t lda, const T *const b[], int64_t ldb, const T *beta, T *const c[], \
        int64_t ldc, int64_t count)                                                                                    \
    {                                                                                                                  \
        const ashi_device_gemm g = {type, op_of(op_a), op_of(op_b), m, n, k, alpha, beta, NULL, NULL, NULL, lda, ldb,  \
                                    ldc};                                                                              \
        (void)b;                                                                                                       \
        (void)c;                                                                                                       \
        return put(h, &g, count, a); /* the plug-in's three lists are one piece */                                     \
    }

CALLS(S, ASHLAR_TYPE_S, float)
CALLS(D, ASHLAR_TYPE_D, double)
CALLS(C, ASHLAR_TYPE_C, cuComplex)
CALLS(Z, ASHLAR_TYPE_Z, cuDoubleComplex)

/* Products of 16-bit numbers with sums in float; all else that these calls can do is a fault of the test. */
static ashlar_type narrow(cudaDataType a, cudaDataType b, cudaDataType c, cublasComputeType_t sums)
{
    if (a != b || (a != CUDA_R_16F && a != CUDA_R_16BF) || c != CUDA_R_32F || sums != CUBLAS_COMPUTE_32F)
        abort();
    return a == CUDA_R_16F ? ASHLAR_TYPE_H : ASHLAR_TYPE_B;
}

cublasStatus_t cublasGemmEx_64(cublasHandle_t h, cublasOperation_t op_a, cublasOperation_t op_b, int64_t m, int64_t n,
                               int64_t k, const void *alpha, const void *a, cudaDataType of_a, int64_t lda,
                               const void *b, cudaDataType of_b, int64_t ldb, const void *beta, void *c,
                               cudaDataType of_c, int64_t ldc, cublasComputeType_t sums, cublasGemmAlgo_t how)
{
    const ashi_device_gemm g = {narrow(of_a, of_b, of_c, sums), op_of(op_a), op_of(op_b), m, n, k, alpha, beta, a, b, c,
                                lda, ldb, ldc};
    (void)how;
    return put(h, &g, 1, NULL);
}

cublasStatus_t cublasGemmBatchedEx_64(cublasHandle_t h, cublasOperation_t op_a, cublasOperation_t op_b, int64_t m,
                                      int64_t n, int64_t k, const void *alpha, const void *const a[],
                                      cudaDataType of_a, int64_t lda, const void *const b[], cudaDataType of_b,
                                      int64_t ldb, const void *beta, void *const c[], cudaDataType of_c, int64_t ldc,
                                      int64_t count, cublasComputeType_t sums, cublasGemmAlgo_t how)
{
    const ashi_device_gemm g = {narrow(of_a, of_b, of_c, sums), op_of(op_a), op_of(op_b), m, n, k, alpha, beta, NULL,
                                NULL, NULL, lda, ldb, ldc};
    (void)b;
    (void)c;
    (void)how;
    return put(h, &g, count, a); /* the plug-in's three lists are one piece */
}

/* ---- kernels ---- */

#define ANYWHERE
#include "device/cuda/elements_types.inc"

typedef struct sum_work {
    ashi_cuda_sum sum;
    ashi_pair_d alpha, beta; /* of the sum's type */
} sum_work;

#define RUN(p, T)                                                                                                      \
    static void p##_run_sum(void *context)                                                                             \
    {                                                                                                                  \
        const sum_work *w = context;                                                                                   \
        const ashi_cuda_sum *s = &w->sum;                                                                              \
        T alpha, beta;                                                                                                 \
        memcpy(&alpha, &w->alpha, sizeof alpha);                                                                       \
        memcpy(&beta, &w->beta, sizeof beta);                                                                          \
        for (int64_t i = 0; i < s->m * s->n; i++)                                                                      \
            p##_sum_element(i, s->m, s->conjugate, alpha, s->has_beta, beta, s->x, s->ldx, s->y, s->ldy);              \
    }                                                                                                                  \
    static void p##_run_box(void *context)                                                                             \
    {                                                                                                                  \
        const box_work *w = context;                                                                                   \
        for (int64_t i = 0; i < w->box.all; i++)                                                                       \
            p##_box_element(i, &w->box, w->conjugate, w->from, w->to);                                                 \
    }

typedef struct box_work {
    ashi_cuda_box box;
    bool conjugate;
    const void *from;
    void *to;
} box_work;

RUN(s, float)
RUN(d, double)
RUN(c, ashi_pair_s)
RUN(z, ashi_pair_d)

cudaError_t ashi_cuda_start_sum(const ashi_cuda_sum *s, cudaStream_t stream)
{
    static void (*const run[])(void *) = {s_run_sum, d_run_sum, c_run_sum, z_run_sum};
    const size_t bytes = ashlar_type_bytes((ashlar_type)s->type);
    sum_work *w = calloc(1, sizeof *w);
    if (!w || !fake_is_current(stream))
        abort();
    w->sum = *s;
    w->sum.x = fake_behind(stream, s->x, ((s->n - 1) * s->ldx + s->m) * (int64_t)bytes);
    w->sum.y = fake_behind(stream, s->y, ((s->n - 1) * s->ldy + s->m) * (int64_t)bytes);
    if (!w->sum.x || !w->sum.y)
        abort();
    memcpy(&w->alpha, s->alpha, bytes);
    memcpy(&w->beta, s->beta, bytes);
    const fake_work work = {.run = run[s->type], .context = w};
    return fake_put(stream, &work);
}

cudaError_t ashi_cuda_start_permutation(int type, bool conjugate, const ashi_cuda_box *box, const void *from, void *to,
                                        cudaStream_t stream)
{
    static void (*const run[])(void *) = {s_run_box, d_run_box, c_run_box, z_run_box};
    const int64_t bytes = (int64_t)ashlar_type_bytes((ashlar_type)type);
    int64_t last[2] = {1, 1};
    box_work *w = calloc(1, sizeof *w);
    if (!w || !fake_is_current(stream))
        abort();
    for (int d = 0; d < box->indices; d++) {
        last[0] += (box->extent[d] - 1) * box->from_stride[d];
        last[1] += (box->extent[d] - 1) * box->to_stride[d];
    }
    *w = (box_work){*box, conjugate, fake_behind(stream, from, last[0] * bytes),
                    fake_behind(stream, to, last[1] * bytes)};
    if (!w->from || !w->to)
        abort();
    const fake_work work = {.run = run[type], .context = w};
    return fake_put(stream, &work);
}
