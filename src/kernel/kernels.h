/* Arithmetic on elements: the one place where s, d, c and z differ. */
#ifndef ASHI_KERNELS_H
#define ASHI_KERNELS_H

#include <ashlar/base.h>

/* A matrix in memory: element (x, y) at data + (x * minor_stride + y * major_stride) elements. */
typedef struct ashi_matrix {
    const void *data;
    int64_t minor_stride, major_stride;
} ashi_matrix;

typedef struct ashi_kernels {
    /* Y <- alpha X (or its conjugate) + beta Y over minor x major elements. beta = 0: Y is not read. */
    void (*axpby)(int64_t minor, int64_t major, const void *alpha, const ashi_matrix *x, bool conjugate,
                  const void *beta, void *y, int64_t minor_stride, int64_t major_stride);

    /* C <- alpha A B + beta C: A is m x k with m minor, B is k x n with n minor, C is m x n with m minor. Each has a
     * stride of 1 on one side. Conjugation only where C's minor stride is 1, A's major stride, B's minor stride: the
     * cases that BLAS has. Sizes and strides are any: what BLAS cannot count in an int is cut into several calls. */
    void (*gemm)(int64_t m, int64_t n, int64_t k, const void *alpha, const ashi_matrix *a, bool conjugate_a,
                 const ashi_matrix *b, bool conjugate_b, const void *beta, void *c, int64_t minor_stride,
                 int64_t major_stride);

    /* A number as two integers, equal where the numbers are: -0 is 0. NaNs are equal where their bits are. */
    void (*key)(const void *value, int64_t out[2]);

    const void *zero, *one;
    bool (*is_zero)(const void *value);
} ashi_kernels;

/* Those of C, alpha, beta and sums: for types whose A and B are others, see narrow.h. NULL for a value that is no
 * type. */
const ashi_kernels *ashi_kernels_of(ashlar_type type);

#endif
