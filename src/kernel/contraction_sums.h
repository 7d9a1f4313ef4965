/* Sums of products of elements that lie anywhere: one row of C at a time, or neighbours of them. */
#ifndef ASHI_CONTRACTION_SUMS_H
#define ASHI_CONTRACTION_SUMS_H

#include "base/simd.h"

#include <ashlar/base.h>

/* A block of rows and of positions of the sum. */
typedef struct ashi_thin {
    int64_t *row[3], *depth[2]; /* where they lie in A, B and C, and in A and B */
    int64_t run[3], step[3];    /* rows come in runs of `run`, which are `step` apart within it */
    bool even[3];               /* the block is in one run: of its rows the first place is given */
    bool conjugate[2];
    bool whole[2]; /* the positions of the sum are neighbours in A, in B */
    bool near[3];  /* the rows are */
    bool known;    /* the positions of the sum are these for all rows */
    char *vector;  /* room for a block's elements of B */
    bool taken;    /* they have been copied there */
    bool down;     /* one row after the other, not one position of the sum after the other */
    int64_t rows_run;  /* rows that are neighbours in A, and in B, too, or one place there: their number, or 1 */
    int64_t rows_step; /* their distance in B: 1 or 0 */
    int64_t rows_from; /* the number of the block's first row; 0 begins a run */
    int64_t depth_run; /* positions of the sum that are neighbours in A: their number. The block begins with them */
} ashi_thin;

/* Where row i lies in a matrix. */
static inline int64_t ashi_thin_row(const ashi_thin *t, int matrix, int64_t i)
{
    return t->even[matrix] ? t->row[matrix][0] + i * t->step[matrix] : t->row[matrix][i];
}

typedef struct ashi_sums {
    /* to[p] <- from[at[p]] */
    void (*gather)(const int64_t *at, int64_t count, const void *from, void *to);

    /* sum += A B for `rows` rows and `depth` positions of the sum. */
    void (*add)(const ashi_thin *t, const void *a, const void *b, int64_t rows, int64_t depth, void *sum);

    /* C <- alpha sum + beta C; beta = 0: C is not read. */
    void (*end)(const ashi_thin *t, int64_t rows, const void *alpha, const void *sum, const void *beta, void *c);

    /* sum += the sum of the products of `lines` lines of `count` neighbours, which are `stride` elements apart. */
    void (*box)(int64_t count, int64_t lines, const void *a, int64_t stride_a, const void *b, int64_t stride_b,
                const bool conjugate[2], void *sum);
} ashi_sums;

/* Those that this processor can run, the fastest first; returns how many. */
int ashi_sums_all(ashlar_type type, const ashi_sums *out[ASHI_SIMD_KINDS]);

/* The fastest ones for the type that this processor can run. */
const ashi_sums *ashi_sums_of(ashlar_type type);

#endif
