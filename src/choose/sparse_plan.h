/* What a product of matrices of tiles takes on some number of ranks, for several ways to deal tiles out. */
#ifndef ASHI_SPARSE_PLAN_H
#define ASHI_SPARSE_PLAN_H

#include "model/in_flight.h"
#include "simulate/sparse_count.h"

#include <ashlar/machine.h>

/* How rows and columns of tiles come to process rows and columns. */
typedef enum ashi_tile_dealing {
    ASHI_DEALT_BY_TURNS,  /* cyclically, as the library does of itself */
    ASHI_DEALT_AT_RANDOM, /* by turns after a random permutation, DBCSR's way */
    ASHI_DEALT_BY_WORK,   /* search/deal_work.h */
    ASHI_TILE_DEALINGS
} ashi_tile_dealing;

/* "by turns" */
const char *ashi_tile_dealing_name(ashi_tile_dealing dealing);

typedef struct ashi_sparse_request {
    const ashi_sparse_product *product; /* without a screen */
    const ashi_factor *a_columns;       /* of the transpose of op(A) */
    bool turned[2];                     /* op(A), op(B) is a transpose */
    bool half[2];                       /* A's, B's tiles with row > column are mirror images */
    int64_t ranks;
    int64_t grid[2];                    /* 0: chosen */
    int64_t window;                     /* iterations in flight, each of one tile of k; 0: chosen */
    int64_t memory_words;               /* the most that a rank may hold; 0: no limit */
    const ashlar_machine *machine;
    int64_t bytes;                      /* of a word */
    int flops;                          /* of a multiply-add */
} ashi_sparse_request;

/* The deals of A and B as they are stored and of C; arrays are owned. */
typedef struct ashi_tile_deals {
    ashi_deal a, b, c;
    int *rank[2];       /* of C's grid, and of its transpose */
    int *row, *col;     /* maps of C; NULL: by turns */
    double left;        /* dealt by work: the busiest process's work over the mean, estimated from rows and columns if
                           there are very many products */
} ashi_tile_deals;

typedef struct ashi_sparse_figures {
    ashi_sparse_totals totals;
    double seconds;     /* of the busiest rank, nothing overlapping */
} ashi_sparse_figures;

typedef struct ashi_sparse_plan {
    int64_t grid[2];
    int64_t window;                /* iterations in flight */
    bool fitted;                   /* the window is the largest that the memory allows */
    int64_t paper_window;          /* equation (1) */
    ashi_in_flight_words paper;    /* equation (2): of one iteration */
    ashi_sparse_figures of[ASHI_TILE_DEALINGS];
} ashi_sparse_plan;

/* How many products of tiles the patterns allow. */
double ashi_sparse_products(const ashi_sparse_request *request);

/* Tile (i, k) of op(A) is in C's process row of i, k dealt by turns; tile (k, j) of op(B) in C's process column of j.
 * `out` is freed by ashi_tile_deals_free, also after a failure. ASHLAR_ERR_MEMORY. */
ashlar_status ashi_tile_deal(const ashi_sparse_request *request, const int64_t grid[2], ashi_tile_dealing dealing,
                             ashi_tile_deals *out, ashlar_error *err);
void ashi_tile_deals_free(ashi_tile_deals *deals);

/* Count for all dealings. Without a window it is equation (1)'s, and with a limit the largest for which each rank's
 * tiles of A, B and C and the words of its worst iterations in flight fit, dealt by turns. ASHLAR_ERR_LIMIT: not even
 * one iteration fits, and which limit would do; ASHLAR_ERR_ARG: the grid has more processes than there are ranks;
 * ASHLAR_ERR_MEMORY. */
ashlar_status ashi_sparse_plan_make(const ashi_sparse_request *request, ashi_sparse_plan *out, ashlar_error *err);

#endif
