/* Arithmetic on whole tiles that BLAS does not have: squares that cannot overflow, mirroring, element-wise products. */
#ifndef ASHI_TILE_KERNELS_H
#define ASHI_TILE_KERNELS_H

#include <ashlar/base.h>

/* A sum of squares: sum * 4^exponent. */
typedef struct ashi_square {
    double sum;
    int64_t exponent;
} ashi_square;

/* A number of any type, with the precision of double. */
typedef struct ashi_number {
    double re, im;
} ashi_number;

/* What an element below the diagonal is to the one above: minus it, its conjugate, both or neither. */
typedef struct ashi_mirror {
    bool minus, conjugate;
} ashi_mirror;

typedef struct ashi_tile_kernels {
    /* The sum of |x|^2 over n elements. NaN if one is, infinite if one is and none is NaN. */
    ashi_square (*square)(int64_t n, const void *x);

    /* An n x n tile, columns n apart: what is below the diagonal follows from what is above, and the diagonal loses
     * what it may not have. */
    void (*follow)(int64_t n, const ashi_mirror *mirror, void *x);

    /* Copy rows x cols elements, minus them, their conjugates or both: of x as below, to y with columns `rows` apart.
     */
    void (*reflect)(int64_t rows, int64_t cols, const ashi_mirror *mirror, const void *x, int64_t xs, int64_t xl,
                    void *y);

    /* y += x. */
    void (*add)(int64_t n, const void *x, void *y);

    /* The sum of x y over rows x cols elements, x or its conjugate. Columns of x are `xl` apart, elements of a column
     * `xs`, likewise of y. */
    ashi_number (*dot)(int64_t rows, int64_t cols, const void *x, bool conjugate, int64_t xs, int64_t xl, const void *y,
                       bool conjugate_y, int64_t ys, int64_t yl);

    /* z <- x y, element by element; z may be x or y. */
    void (*times)(int64_t n, const void *x, const void *y, void *z);

    /* Rows, or columns, of a tile times the elements of d. */
    void (*scale_rows)(int64_t rows, int64_t cols, const void *d, void *x);
    void (*scale_cols)(int64_t rows, int64_t cols, const void *d, void *x);

    /* sum[i] += |x(i, j)|, or sum[j] += |x(i, j)|. */
    void (*add_rows)(int64_t rows, int64_t cols, const void *x, double *sum);
    void (*add_cols)(int64_t rows, int64_t cols, const void *x, double *sum);

    /* y += X x, or y += X^H x, for a tile X. Elements of x and y are one double each, or two of complex types. */
    void (*apply)(int64_t rows, int64_t cols, const void *tile, const double *x, double *y);
    void (*apply_turned)(int64_t rows, int64_t cols, const void *tile, const double *x, double *y);

    ashi_number (*number)(const void *x);
    void (*element)(ashi_number number, void *x); /* rounded to the type; of a real one the real part */
} ashi_tile_kernels;

/* NULL for a value that is no type. */
const ashi_tile_kernels *ashi_tile_kernels_of(ashlar_type type);

ashi_square ashi_square_add(ashi_square x, ashi_square y);

/* The square root. */
double ashi_square_root(ashi_square x);

#endif
