/* A call of p?gemm: its arguments read, checked by the rules of the PBLAS, and named. */
#ifndef ASHI_GEMM_CALL_H
#define ASHI_GEMM_CALL_H

#include "pblas/check.h"

/* As Fortran passes them; x[0 .. 2] are A, B and C. */
typedef struct ashi_gemm_arguments {
    const char *transa, *transb;
    const int *m, *n, *k;
    const void *alpha, *beta;
    const void *a, *b;
    void *c;
    const int *i[3], *j[3], *desc[3];
} ashi_gemm_arguments;

typedef struct ashi_gemm_call {
    ashlar_type type;
    ashi_gemm_arguments given;
    char trans[2];               /* in capitals */
    ashlar_op op[2];
    int m, n, k;
    bool nothing;                /* alpha or k is zero: C <- beta C */
    ashi_submatrix sub[3];
} ashi_gemm_call;

ashi_gemm_call ashi_gemm_read(ashlar_type type, const ashi_gemm_arguments *given);

/* "PDGEMM" */
const char *ashi_gemm_routine(ashlar_type type);

/**
 * What is wrong, as ashi_blacs_report takes it; 0 for nothing. Each error is explained on stderr. A's context exists.
 *
 * @param context  for each matrix the one that it must have, and `at` its grid
 * Source: ScaLAPACK 2.2, PBLAS/SRC/pdgemm_.c.
 */
int ashi_gemm_check(const ashi_gemm_call *call, const int context[3], const ashi_coordinates at[3]);

/* Add what must be equal on all processes. */
void ashi_gemm_compare(const ashi_gemm_call *call, ashi_call_check *check);

/* True where C stays as it is. */
bool ashi_gemm_is_done(const ashi_gemm_call *call);

/* The shape, on the grids of the three matrices. */
ashi_call_shape ashi_gemm_shape(const ashi_gemm_call *call, ashi_grid *const grid[3]);

/* "pdgemm NT 100x90x80, blocks 32x32 32x32 32x32, grid 2x2" */
void ashi_gemm_describe(const ashi_gemm_call *call, const ashi_grid *grid, char *out, size_t room);

#endif
