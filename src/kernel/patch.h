/* Patches: the elements that one match of rows and one of columns have in common, moved between two memories. */
#ifndef ASHI_PATCH_H
#define ASHI_PATCH_H

#include "layout/match.h"

/* Where a patch lies: run r of x and run q of y begin at offset + x[r] * x_stride + y[q] * y_stride elements. */
typedef struct ashi_patch_side {
    const int64_t *x, *y;
    int64_t offset, x_stride, y_stride;
} ashi_patch_side;

/* Which patch, and which of its positions of y: lo .. hi-1. */
typedef struct ashi_patch {
    const ashi_match *x, *y;
    int64_t lo, hi;
} ashi_patch;

/* What is done on the way: T <- alpha S, or its conjugate, + beta T. beta = 0: T is not read. alpha = 1 with beta = 0
 * and without conjugation copies bits. */
typedef struct ashi_patch_factors {
    const void *alpha, *beta;
    bool conjugate;
} ashi_patch_factors;

typedef void (*ashi_patch_kernel)(const ashi_patch *patch, const ashi_patch_factors *factors, const void *source,
                                  const ashi_patch_side *from, void *target, const ashi_patch_side *to);

/* The one for these factors; NULL factors copy. */
ashi_patch_kernel ashi_patch_kernel_of(ashlar_type type, const ashi_patch_factors *factors);

#endif
