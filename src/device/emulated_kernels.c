/* The kernels of an emulated device: of four types one text, included four times, and products of 16-bit numbers. */
#include "device/emulated_kernels.h"

#include "base/half.h"

#include <complex.h>

#define T float
#define NAME(f) s##f
#define CONJUGATE(x) (x)
#include "device/emulated_kernels.inc"
#undef T
#undef NAME

#define T double
#define NAME(f) d##f
#include "device/emulated_kernels.inc"
#undef T
#undef NAME
#undef CONJUGATE

#define T float _Complex
#define NAME(f) c##f
#define CONJUGATE(x) conjf(x)
#include "device/emulated_kernels.inc"
#undef T
#undef NAME
#undef CONJUGATE

#define T double _Complex
#define NAME(f) z##f
#define CONJUGATE(x) conj(x)
#include "device/emulated_kernels.inc"

/* As the text for floats, with elements of A and B as `value` makes them. */
static void narrow_gemm(const ashi_device_gemm *g, float (*value)(uint16_t))
{
    const float alpha = *(const float *)g->alpha, beta = *(const float *)g->beta;
    const uint16_t *a = g->a, *b = g->b;
    const bool plain_a = g->op_a == ASHLAR_OP_N, plain_b = g->op_b == ASHLAR_OP_N;
    const int64_t a_along_m = plain_a ? 1 : g->lda, a_along_k = plain_a ? g->lda : 1;
    const int64_t b_along_n = plain_b ? g->ldb : 1, b_along_k = plain_b ? 1 : g->ldb;
    for (int64_t j = 0; j < g->n; j++) {
        float *const y = (float *)g->c + j * g->ldc;
        for (int64_t i = 0; i < g->m; i++)
            y[i] = beta == 0 ? 0 : beta * y[i];
        for (int64_t l = 0; l < g->k && alpha != 0; l++) {
            const float t = alpha * value(b[l * b_along_k + j * b_along_n]);
            for (int64_t i = 0; i < g->m; i++)
                y[i] += t * value(a[l * a_along_k + i * a_along_m]);
        }
    }
}

static void hgemm(const ashi_device_gemm *g)
{
    narrow_gemm(g, ashi_half_to_float);
}

static void bgemm(const ashi_device_gemm *g)
{
    narrow_gemm(g, ashi_brief_to_float);
}

static const ashi_emulated_kernels kernels[] = {
    [ASHLAR_TYPE_S] = {sgemm, saxpby, spermute},
    [ASHLAR_TYPE_D] = {dgemm, daxpby, dpermute},
    [ASHLAR_TYPE_C] = {cgemm, caxpby, cpermute},
    [ASHLAR_TYPE_Z] = {zgemm, zaxpby, zpermute},
    [ASHLAR_TYPE_H] = {.gemm = hgemm},
    [ASHLAR_TYPE_B] = {.gemm = bgemm},
};

const ashi_emulated_kernels *ashi_emulated_kernels_of(ashlar_type type)
{
    return &kernels[type];
}
