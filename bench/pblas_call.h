/* One call of p?gemm on submatrices of block-cyclic matrices, as a command line says it, with its data. */
#ifndef ASHI_BENCH_PBLAS_CALL_H
#define ASHI_BENCH_PBLAS_CALL_H

#include "scalapack.h"

#include <ashlar/ashlar.h>

/* One rank's part of one matrix, and the submatrix of it that is meant. */
typedef struct ashi_pblas_matrix {
    int rows, cols;             /* of the submatrix */
    int mb, nb;                 /* of a block */
    int row, col;               /* where the submatrix begins, from 1 */
    int row_source, col_source; /* who owns the first block */
    int desc[ASHI_DESC_LENGTH];
    int64_t count;              /* elements of data */
    double *data;
    ashlar_layout *layout;      /* of the submatrix, where it lies in data */
} ashi_pblas_matrix;

typedef struct ashi_pblas_call {
    char op[2]; /* 'n' or 't', of A and of B */
    int m, n, k;
    ashi_pblas_matrix a, b, c;
} ashi_pblas_call;

#define ASHI_PBLAS_CALL_FORM                                                                                           \
    "A call is written nt:500x400x300/64x64, its ops, M x N x K and the blocks of all three matrices, and may go on\n" \
    "with /a=32x48+3+5@1,0 (or b, or c): other blocks, the row and column (from 1) where the submatrix begins, and\n"  \
    "the process that owns the first block."

/* Read a call; ends the program where it is not in this form. */
ashi_pblas_call ashi_pblas_call_parse(const char *text);

/* Make the matrices on a grid of processes, A and B filled with what follows from each element's place in memory, C
 * full of NaN, and the layouts, for ranks in "Row" order. */
void ashi_pblas_call_open(ashi_pblas_call *call, int context, int grid_rows, int grid_cols, int rank);

void ashi_pblas_call_close(ashi_pblas_call *call);

/* The same call for Ashlar, referring to the call's layouts. */
ashlar_problem ashi_pblas_call_problem(const ashi_pblas_call *call);

#endif
