/* One call of p?gemm on submatrices of block-cyclic matrices, as a command line says it, with its data. */
#ifndef ASHI_BENCH_PBLAS_CALL_H
#define ASHI_BENCH_PBLAS_CALL_H

#include "scalapack.h"

#include <ashlar/ashlar.h>
#include <jansson.h>

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

/* Make the call by a routine, with alpha = 1 and beta = 0, into an array like C's. */
void ashi_pblas_call_run(const ashi_pblas_call *call, ashi_pdgemm gemm, double *c);

/* End the program if two results of it differ by more than two right ones may. Collective over MPI_COMM_WORLD. */
void ashi_pblas_call_verify(const ashi_pblas_call *call, const double *c, const double *other);

/* Add the call, as it was written and in numbers, the ranks and the grid. */
void ashi_pblas_call_report(const ashi_pblas_call *call, const char *text, int grid_rows, int grid_cols,
                            json_t *report);

/* Make a grid of all ranks, "2x3", in "Row" order. Ends the program where that does not fit.
 * @return the handle to be given to Cfree_blacs_system_handle after Cblacs_gridexit */
int ashi_pblas_grid(const char *text, int *context, int *rows, int *cols, int *rank);

/* The same call for Ashlar, referring to the call's layouts. */
ashlar_problem ashi_pblas_call_problem(const ashi_pblas_call *call);

#endif
