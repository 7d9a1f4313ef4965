/* The ways to form a product of matrices of tiles: which matrix stays, in how many layers C lies, on which process
 * grid, and about how many words travel. */
#ifndef ASHI_TILE_WAYS_H
#define ASHI_TILE_WAYS_H

#include "layout/cuts.h"
#include "layout/deal.h"
#include "schedule/tile_problem.h"

/* A or B of a term, as it is stored. */
typedef struct ashi_way_factor {
    const ashi_deal *deal;
    bool turned;  /* op(X) is its transpose */
    bool half;    /* its tiles with row > column are mirror images */
    double words; /* of op(X), mirror images among them */
} ashi_way_factor;

typedef struct ashi_way_term {
    ashi_way_factor x[2];
    const ashi_cuts *cuts[3]; /* of m, n and k */
} ashi_way_term;

/* C <- beta C + the sum of the terms. */
typedef struct ashi_way_problem {
    const ashi_way_term *term; /* all have one m and one n */
    int64_t terms;
    const ashi_deal *c;
    bool half;                 /* only C's tiles with row <= column are formed */
    bool retain;               /* C has no other tiles than it has */
    double c_words;            /* that it has */
    int64_t first[3], end[3];  /* the tiles of m, of n and of each term's k that take part; a term may have fewer */
    int64_t ranks;
} ashi_way_problem;

/* Which matrix stays where it is, and with C in how many layers. */
typedef struct ashi_tile_way {
    ashlar_operand stays;
    int64_t layers;     /* at least 1; with A or B it follows from the matrix */
} ashi_tile_way;

/* A process grid for partial sums of C. */
typedef struct ashi_way_grid {
    ashi_deal deal;     /* its arrays are owned */
    ashi_tile_layers layers;
    int *layer_of;      /* owned: layers.of */
} ashi_way_grid;

/* Why A (x is ASHLAR_A) or B cannot stay; NULL: it can. */
const char *ashi_way_refuses(const ashi_way_problem *problem, int x);

/* The grid on which products are formed. `out` is freed by ashi_way_grid_free, also after a failure.
 * ASHLAR_ERR_MEMORY.
 *
 * A stays: a layer is a process column of op(A)'s grid, and a rank forms the products of its tiles of op(A) with whole
 * rows of op(B). B likewise. C stays: of L layers each has every L-th process column of C's grid, or row if there are
 * more rows, so that one of the sums of a tile is where the tile is; if L divides neither, or a function deals C's
 * tiles out, each layer has a grid of ranks / L ranks. That is the 2.5D algorithm of Lazzaro, VandeVondele, Hutter and
 * Schuett, "Increasing the efficiency of sparse matrix-matrix multiplication with a 2.5D algorithm and one-sided MPI"
 * (PASC 2017), without their copies of A and B before the product. */
ashlar_status ashi_way_grid_make(const ashi_way_problem *problem, const ashi_tile_way *way, ashi_way_grid *out,
                                 ashlar_error *err);
void ashi_way_grid_free(ashi_way_grid *grid);

/* ---- words (way_words.c) ---- */

/* The words that about arrive at all ranks together, if products are formed on C's own grid (NULL) or on another one:
 * tiles of A and B are taken to be spread evenly over rows and columns, as they are in a random pattern; how many of
 * them lie already where they are needed is found from some of them. */
double ashi_way_words(const ashi_way_problem *problem, const ashi_way_grid *grid);

/* A way, and the words that it about needs. */
typedef struct ashi_way_estimate {
    ashi_tile_way way;
    double words;
} ashi_way_estimate;

enum { ASHI_WAYS_MOST = 10 };

/* All ways that are weighed, C in one layer first unless a function deals C out, which then has other sums.
 * `any`: A or B may stay, too. Their number. ASHLAR_ERR_MEMORY. */
ashlar_status ashi_ways_list(const ashi_way_problem *problem, bool any, ashi_way_estimate out[ASHI_WAYS_MOST],
                             int *count, ashlar_error *err);

/* The number of the one to plan beside C in one layer; 0: that alone, since no other needs much less, or since there
 * are too few words to matter. */
int ashi_ways_promising(const ashi_way_problem *problem, const ashi_way_estimate *way, int count);

/* What a way takes that is planned. */
typedef struct ashi_way_figures {
    int64_t words;       /* that travel to all ranks */
    int64_t sums;        /* words of partial sums, of all ranks */
    int64_t sums_most;   /* of the rank that has most of them */
    double imbalance;    /* the busiest rank's work over the mean */
} ashi_way_figures;

/* Words of partial sums that each rank may have if nobody has limited its memory, whatever the matrices have: 64 MiB of
 * doubles. Machines have a GiB and more for each rank. Larger sums would save little: those of full matrices in L
 * layers then belong to blocks of C of at least 2896 / sqrt(L) rows and columns on a rank, for which words take at most
 * 0.11 sqrt(L) of the time of the products by ashlar_machine_default. */
enum { ASHI_SUMS_WORDS = 8388608 };

/* Whether another way is taken instead of C in one layer: it needs fewer words, its work is about as even, and there is
 * memory for its sums. `limited`: the memory of a rank has a limit, and both ways fit. Else sums may have as many words
 * as the `matrices`, or ASHI_SUMS_WORDS on each rank. */
bool ashi_way_is_better(const ashi_way_figures *other, const ashi_way_figures *at_c, bool limited, int64_t matrices);

#endif
