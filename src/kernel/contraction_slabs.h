/* Products whose sum is cut into slabs, one for each thread: C has few elements, so there are too few parts of it. Each
 * slab has a matrix of its own in the workspace; these are added into C in the end. */
#ifndef ASHI_CONTRACTION_SLABS_H
#define ASHI_CONTRACTION_SLABS_H

#include "kernel/contraction.h"

typedef struct ashi_contraction_slabs {
    int count;
    int64_t step[2];                   /* elements from one slab to the next in A, in B */
    ashi_contraction_plan usual, last; /* the last slab may be shorter */
    ashi_stride_group own;             /* C's indices: stride[0] in the matrix of a slab, stride[2] in C */
    int64_t words;                     /* C's elements */
} ashi_contraction_slabs;

/* Whether slabs are better than parts of C for this number of threads. */
bool ashi_contraction_slabs_pay(const ashi_contraction_plan *whole, int threads);

/* Cut the sum into at most `threads` slabs; false if no index of the sum can be cut. */
bool ashi_contraction_slabs_make(const ashi_contraction *product, int threads, ashi_contraction_slabs *out);

/* Bytes of the workspace of all slabs. */
int64_t ashi_contraction_slabs_bytes(const ashi_contraction_slabs *slabs);

/* alpha A B of one slab. alpha = 0: A and B are not read, and may be NULL. Several threads may do this at the same time
 * with the same workspace, each for another slab; see ashi_contraction_run. */
void ashi_contraction_slabs_run(const ashi_contraction_slabs *slabs, const void *alpha, const void *a, const void *b,
                                int slab, void *workspace);

/* C <- the sum of all slabs + beta C; beta = 0: C is not read. */
void ashi_contraction_slabs_end(const ashi_contraction_slabs *slabs, const void *beta, void *c, const void *workspace);

#endif
