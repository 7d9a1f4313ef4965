/* Products of small tiles whose rows do not fill the registers of AVX2. */
#ifndef ASHI_OVERLAP_H
#define ASHI_OVERLAP_H

#include <ashlar/base.h>

/* C += A B, or A B^T: A is m x k, B is k x n (or n x k), C is m x n, each with its rows as the leading dimension. */
typedef void ashi_overlap(int m, int n, int k, bool turned_b, const void *a, const void *b, void *c);

/* For tiles of A of m rows. NULL: the type is complex, the processor has no AVX2, or the rows fill the registers or
 * less than one. */
ashi_overlap *ashi_overlap_of(ashlar_type type, int64_t m);

/* Whether it is faster than libxsmm's kernels for AVX2, and the processor has no AVX-512, whose registers can be stored
 * in part. */
bool ashi_overlap_is_faster(ashlar_type type, int64_t m);

#endif
