/* A product of matrices of tiles, and which rank has which tile of it. */
#ifndef ASHI_TILE_PROBLEM_H
#define ASHI_TILE_PROBLEM_H

#include "layout/cuts.h"
#include "layout/deal.h"
#include "layout/left_out.h"
#include "layout/pattern.h"

enum { ASHI_TILE_PANELS_MAX = 8 };

/* Who needs what is multiplied with tile k of the inner index: [0], of A: a bit for each process column of C's grid
 * that has tiles of op(B) in row k; [1], of B: one for each process row that has tiles of op(A) in column k. */
typedef struct ashi_tile_needs {
    int64_t words[2];  /* of 64 bits, for each k */
    uint64_t *bit[2];
    uint64_t *sums[2]; /* [0]: for each process row of C's grid, its processes that have tiles of C, words[0] numbers;
                          [1]: for each process column likewise. Who has none needs nothing. */
    uint64_t *work;    /* for each rank, a number of whoever joins these bits with those of other ranks */
    uint64_t *all;     /* `bit`, `sums` and `work` in one piece */
    int64_t all_words;
    uint64_t *exact[2]; /* for each tile of op(A)'s and of op(B)'s pattern likewise: which of these processes form a
                          product with it. NULL: all that `bit` says */
    int64_t exact_tiles[2]; /* for how many tiles that is */
} ashi_tile_needs;

/* Layers of processes, each for a part of k. C's grid has `count` * `rows` process rows: layer l has those from l *
 * rows on, and forms the products of the tiles k with of[k] = l. In each layer row i of C's tiles belongs to process
 * row l * rows + ashi_deal_row_part(i), so that the layers have partial sums of the same tiles. Whoever runs the
 * program adds them up. With A's or B's process grid and its map of k as layers, that matrix stays where it is. */
typedef struct ashi_tile_layers {
    int64_t count, rows;
    const int *of;            /* of each tile of k: 0 to count - 1 */
    const ashi_pattern *sums; /* of each layer: of which tiles it has sums; NULL: all have those of C's pattern */
} ashi_tile_layers;

/* The first process row of the layer that has a tile of k; NULL: there is one layer. */
static inline int64_t ashi_tile_layer_row(const ashi_tile_layers *layers, int64_t k)
{
    return layers ? layers->of[k] * layers->rows : 0;
}

/* op(A), op(B) or C. */
typedef struct ashi_tile_operand {
    const ashi_pattern *pattern; /* of op(A), op(B), C: at least the tiles that a rank has or needs */
    const int64_t *rank;         /* of each tile of `pattern` that is stored as U V^T, -1: it is dense; NULL: all are */
    const ashi_deal *deal;       /* of the matrix as it is stored; C's has a process grid */
    bool turned;                 /* op(X) is the transpose of X, or its conjugate transpose */
    bool half;                   /* only X's tiles with row <= column are stored; the others mirror them */
    bool conjugates;             /* tiles that are turned and mirrored are conjugated when they are packed, since no
                                    BLAS does that: the rank multiplies none of them where it has them */
} ashi_tile_operand;

/* One of several products that are added up. All of them together are one product: the columns of op(A) and the rows of
 * op(B) are those of the first term, then those of the second, and so on. */
typedef struct ashi_tile_term {
    int64_t first;                /* its first tile of k */
    ashi_tile_operand operand[2]; /* A and B; their `pattern` and `rank` are not used */
} ashi_tile_term;

/* Which stored tile stands for a tile of op(X). */
typedef struct ashi_tile_source {
    ashi_tile_at at;
    int64_t term; /* of whose matrix it is */
    bool mirrored;
} ashi_tile_source;

/* C <- alpha op(A) op(B) + beta C, where C's pattern has a tile. Everything named outlives it. */
typedef struct ashi_tile_problem {
    int64_t ranks;
    const ashi_cuts *cuts[3];     /* of m, n and k */
    ashi_tile_operand operand[3]; /* A, B, C; with `term` only patterns and ranks are used of the first two */
    const ashi_tile_term *term;   /* in ascending order of `first`; NULL: one product */
    int64_t terms;
    const ashi_tile_needs *needs;
    const ashi_tile_layers *layers; /* NULL: C's grid is one layer */
    int64_t *sums_start;          /* where the tiles of C's pattern begin in the memory of the rank that runs the
                                     program, and where the last one ends: it has all of them, one after the other.
                                     NULL: that is not said */
    const ashi_tile_choice *choice; /* of the rank that runs the program; NULL: every product is formed */
    int64_t iterations;
    const int64_t *first;         /* iterations + 1: the first tile of k of each; none has k of several terms */
    int window;                   /* iterations in flight, 1 to ASHI_WINDOW_MAX */
    int panels[2];                /* into how many panels the rows and the columns of each rank's C are cut, at most
                                     ASHI_TILE_PANELS_MAX; 0 is 1. A panel is summed up by itself, so that a late tile
                                     of A or B holds up those panels alone which it is multiplied for */
    bool tree;                    /* what goes to several ranks goes along binomial trees */
} ashi_tile_problem;

/* The term that has a tile of k: its number, 0 if there is one product only. */
int64_t ashi_tile_term_of(const ashi_tile_problem *problem, int64_t k);

/* How the matrix is stored that a tile of op(A), op(B) or C is from. */
const ashi_tile_operand *ashi_tile_operand_of(const ashi_tile_problem *problem, ashlar_operand x,
                                              const ashi_tile_at *at);

ashi_tile_source ashi_tile_source_of(const ashi_tile_problem *problem, ashlar_operand x, const ashi_tile_at *at);

/* The tile of op(A) or op(B) that a stored tile stands for: the inverse of ashi_tile_source_of. */
ashi_tile_at ashi_tile_of_op(const ashi_tile_problem *problem, ashlar_operand x, const ashi_tile_source *source);

/* The process row and column of a rank in C's grid; false: it has none, and they are -1. */
bool ashi_tile_process(const ashi_tile_problem *problem, int64_t rank, int64_t process[2]);

/* The tiles of C of which a layer has sums. */
const ashi_pattern *ashi_tile_sums(const ashi_tile_problem *problem, int64_t layer);

/* Whether C's process row `row` and column `col` have, or would have, a sum of a tile of C. */
bool ashi_tile_is_at(const ashi_tile_problem *problem, const ashi_tile_at *c, int64_t row, int64_t col);

/* The rank that has a tile of op(A), op(B) or, if there is one layer, C. */
int ashi_tile_owner(const ashi_tile_problem *problem, ashlar_operand x, const ashi_tile_at *at);

/* Into how many panels C's rows (ASHLAR_A) or columns (ASHLAR_B) are cut. */
static inline int ashi_tile_panels(const ashi_tile_problem *problem, int x)
{
    return problem->panels[x] > 1 ? problem->panels[x] : 1;
}

/* The rank of a tile of op(A) or op(B) that is stored as U V^T; -1: it is dense. */
int64_t ashi_tile_rank(const ashi_tile_problem *problem, ashlar_operand x, const ashi_tile_at *at);

/* The words of a tile as it is stored. */
int64_t ashi_tile_words(const ashi_tile_problem *problem, ashlar_operand x, const ashi_tile_at *at);

#endif
