/* What each process receives and multiplies in one iteration of SUMMA over tiles of which many are absent. */
#ifndef ASHI_SPARSE_ITERATION_H
#define ASHI_SPARSE_ITERATION_H

#include "layout/deal.h"
#include "layout/symbolic.h"

/* C stays on a process grid. Iteration k brings tile (i, k) of op(A) to the processes in row part(i) that multiply it
 * with a tile (k, j), and each tile (k, j) likewise; nothing goes to others, and nothing to a tile's owner. How a tile
 * gets there (a tree, one after the other) changes no process's words. If a matrix has a symmetry, a process may need a
 * stored tile in two iterations, once turned: it comes twice. Tiles without words, of rank 0 or without elements, do
 * not move, and nothing comes to be multiplied with them; the work is that of dense tiles. The product's `c`, `retain`
 * and `half` count; its screen does not. */
typedef struct ashi_sparse_summa {
    const ashi_sparse_product *product;
    const ashi_factor *a_columns;           /* of the transpose of op(A) */
    const ashi_deal *a_deal, *b_deal;       /* of the stored tiles */
    const ashi_deal *c_deal;                /* a grid, not a function */
} ashi_sparse_summa;

/* Process (r, c) of C's grid is number r * grid_cols + c. */
typedef struct ashi_sparse_event {
    int64_t process;
    int64_t words, tiles; /* that arrive; each tile is a message */
    int64_t multiplies;
} ashi_sparse_event;

typedef struct ashi_sparse_iteration {
    const ashi_sparse_summa *summa;
    int64_t ranks;               /* 1 + the highest rank of C's grid */
    int64_t *process_of_rank;    /* -1: not in C's grid */
    int64_t *place[2];           /* of process rows and columns: which of the parts below, -1: none of this iteration */
    int64_t *part[2];            /* process rows and columns that the iteration concerns */
    int64_t parts[2];
    int64_t *side[2];            /* height of A's tiles in each such row, width of B's in each column */
    bool *filled[2];             /* whether some of these tiles have words */
    bool *meets;                 /* scratch: parts that a tile meets */
    int64_t meets_room;
    ashi_sparse_event *event;    /* the result: processes that multiply something */
    int64_t events, event_room;
} ashi_sparse_iteration;

/* Freed by ashi_sparse_iteration_free, also after a failure. ASHLAR_ERR_MEMORY; ASHLAR_ERR_ARG if C's deal is a
 * function. */
ashlar_status ashi_sparse_iteration_begin(const ashi_sparse_summa *summa, ashi_sparse_iteration *out,
                                          ashlar_error *err);
void ashi_sparse_iteration_free(ashi_sparse_iteration *iteration);

/* The events of k = a_columns->row[x]; none if nothing is multiplied. False if memory lacks. */
bool ashi_sparse_iteration_at(ashi_sparse_iteration *iteration, int64_t x);

#endif
