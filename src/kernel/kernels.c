/* Arithmetic on elements, over CBLAS. */
#include "kernel/kernels.h"

#include "base/checked.h"

#include <cblas.h>
#include <complex.h>
#include <string.h>

/* The largest integer that BLAS is given. A test makes it small. */
#ifndef ASHI_BLAS_MOST
#define ASHI_BLAS_MOST INT_MAX
#endif

/* BLAS_SIZE_MOST: the most rows, columns or k of one call. */
enum { TILE = 32, SQUARE = 8, BLAS_SIZE_MOST = ASHI_BLAS_MOST / 2 + 1 };

/* An operand in terms of BLAS. */
typedef struct operand {
    CBLAS_TRANSPOSE transpose;
    bool by_minor; /* minor positions are contiguous, the leading dimension is the distance of k; else vice versa */
    int64_t ld;
} operand;

/* minor is m for the first operand, n for the second; BLAS wants m x k, and k x n. A side of length one may have any
 * stride, so its leading dimension is raised to what BLAS accepts. */
static operand operand_of(const ashi_matrix *x, int64_t minor, int64_t k, bool conjugate, bool first)
{
    const bool by_minor = x->minor_stride == 1 && !(first && conjugate && x->major_stride == 1);
    const int64_t ld = by_minor ? ashi_max(x->major_stride, minor) : ashi_max(x->minor_stride, k);
    const CBLAS_TRANSPOSE turned = conjugate ? CblasConjTrans : CblasTrans;
    return (operand){by_minor == first ? CblasNoTrans : turned, by_minor, ashi_max(ld, 1)};
}

/* If a leading dimension exceeds what BLAS can be given, each call gets one column of that matrix, so that any leading
 * dimension serves: `step` is how many columns a call gets. Such columns are gigabytes apart, so there are few. */
static void fit_ld(int64_t *ld, int64_t *step)
{
    if (*ld <= ASHI_BLAS_MOST)
        return;
    *ld = BLAS_SIZE_MOST;
    *step = 1;
}

#define T float
#define NAME(f) s_##f
#define CONJUGATE(x) (x)
#define GEMM cblas_sgemm
#define GEMV cblas_sgemv
#define GEMV_SERVES(t) true
#define BLAS_SCALAR(p) (*(const float *)(p))
#include "kernel/kernels.inc"

#define T double
#define NAME(f) d_##f
#define CONJUGATE(x) (x)
#define GEMM cblas_dgemm
#define GEMV cblas_dgemv
#define GEMV_SERVES(t) true
#define BLAS_SCALAR(p) (*(const double *)(p))
#include "kernel/kernels.inc"

/* OpenBLAS 0.3.21 multiplies a complex matrix of 4 i + 2 rows that is not transposed with one element more than the
 * vector has, which may lie on a page that is not the program's. */
#define T float _Complex
#define NAME(f) c_##f
#define CONJUGATE(x) conjf(x)
#define GEMM cblas_cgemm
#define GEMV cblas_cgemv
#define GEMV_SERVES(t) ((t) != CblasNoTrans)
#define BLAS_SCALAR(p) (p)
#include "kernel/kernels.inc"

#define T double _Complex
#define NAME(f) z_##f
#define CONJUGATE(x) conj(x)
#define GEMM cblas_zgemm
#define GEMV cblas_zgemv
#define GEMV_SERVES(t) ((t) != CblasNoTrans)
#define BLAS_SCALAR(p) (p)
#include "kernel/kernels.inc"

static const ashi_kernels table[] = {
    [ASHLAR_TYPE_S] = {s_axpby, s_gemm, s_key, &s_zero, &s_one, s_is_zero},
    [ASHLAR_TYPE_D] = {d_axpby, d_gemm, d_key, &d_zero, &d_one, d_is_zero},
    [ASHLAR_TYPE_C] = {c_axpby, c_gemm, c_key, &c_zero, &c_one, c_is_zero},
    [ASHLAR_TYPE_Z] = {z_axpby, z_gemm, z_key, &z_zero, &z_one, z_is_zero},
};

const ashi_kernels *ashi_kernels_of(ashlar_type type)
{
    return ashlar_type_bytes(type) > 0 ? &table[ashlar_type_of_sums(type)] : NULL;
}
