/* A product of matrices of tiles on all ranks: who needs which tiles, which tiles C has, and the program. */
#ifndef ASHI_TILES_PRODUCT_H
#define ASHI_TILES_PRODUCT_H

#include "engine/tile_program.h"
#include "exec/player.h"
#include "layout/symbolic.h"
#include "tiles/matrix.h"
#include "tiles/ranges.h"

typedef struct ashi_tiles_product {
    const ashlar_tiles *x[2]; /* A and B */
    ashlar_tiles *c;
    ashlar_op op[2];
    ashi_ranges ranges;         /* what is outside takes no part, and is not touched */
    bool retain;
    int window;                 /* 0: chosen */
    ashi_screen screen;         /* what is too small to be formed or kept; `type` NULL: everything is, and the error is
                                   not bounded */
    double budget;              /* above 0: the error that C may have on all ranks together; the screen leaves nothing
                                   out then */
    double share;               /* of the budget: what products may use */
    double rest;                /* set: what tiles that are dropped may use */
    ashi_pattern needed[2];     /* of op(A) the tiles of its process row, of op(B) those of its process column */
    ashi_pattern both[2];       /* and the rank's own tiles */
    double *norm[2];            /* of the tiles of `needed`, by number; NULL without a screen */
    ashi_pattern before;        /* C's tiles in the ranges, if there are ranges */
    double *c_norm;             /* of these tiles as they are, or of all */
    ashi_symbolic symbolic;
    int64_t *first_bit;         /* for each tile of needed[0], if products are left out */
    ashi_tile_choice choice;
    ashi_held grown;            /* C with other tiles than it has; without data if it has the same */
    int64_t *at;                /* with ranges: where the tiles of `symbolic.c` begin in it */
    ashi_tile_needs needs;
    int64_t *first;             /* of each iteration: the first tile of k */
    ashi_tile_problem problem;
    ashi_program program;
    ashi_tile_run run;
    ashi_player *player;
} ashi_tiles_product;

/* Cuts of m, n and k. */
static inline const ashi_cuts *ashi_tiles_product_cuts(const ashi_tiles_product *p, int side)
{
    const bool turned[2] = {p->op[0] != ASHLAR_OP_N, p->op[1] != ASHLAR_OP_N};
    const ashlar_tiles *a = p->x[0], *b = p->x[1];
    if (side == 0)
        return turned[0] ? &a->col : &a->row;
    return side == 1 ? (turned[1] ? &b->row : &b->col) : (turned[0] ? &a->row : &a->col);
}

/* All tiles that C will have. */
static inline const ashi_held *ashi_tiles_product_sums(const ashi_tiles_product *p)
{
    return p->grown.offset ? &p->grown : &p->c->held;
}

/* Find all of it, and make the player. Collective; status and text are the same on all ranks. Freed by
 * ashi_tiles_product_free, also after a failure. */
ashlar_status ashi_tiles_product_make(ashi_tiles_product *product, ashlar_error *err);
void ashi_tiles_product_free(ashi_tiles_product *product);

#endif
