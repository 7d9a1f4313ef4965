/* A sum of products of matrices of tiles on all ranks: who needs which tiles, which tiles C has, and the program. */
#ifndef ASHI_TILES_PRODUCT_H
#define ASHI_TILES_PRODUCT_H

#include "engine/tile_program.h"
#include "exec/player.h"
#include "layout/symbolic.h"
#include "plan/on_device.h"
#include "tiles/matrix.h"
#include "tiles/naming.h"
#include "tiles/ranges.h"

/* One of the products that are added up. */
typedef struct ashi_tiles_factors {
    const ashlar_tiles *x[2];    /* A and B: cuts, deals, symmetries and which tiles this rank has */
    const ashlar_tiles *from[2]; /* the same matrices with their elements */
    ashlar_op op[2];
    const void *scalar;          /* alpha */
    double alpha;                /* |alpha|, not below the true value; with a screen */
    int64_t first;               /* its first tile of k: all terms have one k, that of the first term first */
} ashi_tiles_factors;

/* What planning took: tiles, products and operations that were looked at one by one. */
typedef struct ashi_tiles_steps {
    int64_t named;    /* tiles of A and B that were named to other ranks, or that were named to this one */
    int64_t products; /* of tiles that were looked at, and tiles of C */
    int64_t needs;    /* tiles of A and B by which it was found who needs what */
    int64_t lined;    /* tiles of all lines */
    int64_t ready;    /* tiles in products that were made ready */
} ashi_tiles_steps;

/* With what each tile of `needed` forms a product on this rank, by number: `with` has a column of op(B) for a tile of
 * op(A), a row of op(A) for one of op(B); -1: with nothing. NULL: all tiles that meet form products, or there is one
 * rank. */
typedef struct ashi_tiles_used {
    int64_t *with[2];
    int64_t room[2];  /* tiles that `with` has room for, and one more */
    bool some_unused; /* another rank's tile would come for nothing */
} ashi_tiles_used;

typedef struct ashi_tiles_product {
    const char *who;            /* the call, for errors */
    ashi_tiles_factors *term;   /* owned */
    int64_t terms;
    const ashlar_tiles *c;      /* as A and B in a term: its tiles are those before the product */
    const ashlar_tiles *from_c;
    const ashi_tile_layers *layers; /* of c's process grid; NULL: one. c has the sums of this rank's layer */
    const ashlar_tiles *whole;  /* C itself, if c has partial sums of it; else NULL */
    ashi_screen adding;         /* what is too small once the sums are added to C: the screen is for the sums alone */
    int64_t *row_tiles;         /* of each row of needed[0]: the tiles of all of op(A), where layers have parts of it */
    int64_t adding_words;       /* beside sums and C: C's other tiles and the buffers of messages while sums are added;
                                   known with a limit, and in a plan that is kept */
    bool kept;                  /* pool and buffers stay while sums are added */
    ashi_ranges ranges;         /* what is outside takes no part, and is not touched; k's is each term's */
    bool retain;
    int window;                 /* 0: chosen */
    int64_t memory_words;       /* that a rank may hold at most; 0: no limit */
    ashi_cuts inner;            /* of all terms' k, owned; none: there is one term */
    ashi_screen screen;         /* what is too small to be formed or kept; `type` NULL: everything is, and the error is
                                   not bounded */
    double budget;              /* above 0: the error that C may have on all ranks together; the screen leaves nothing
                                   out then */
    double share;               /* of the budget: what products may use */
    double rest;                /* set: what tiles that are dropped may use */
    ashi_pattern needed[2];     /* of op(A) the tiles of its process row, of op(B) those of its process column */
    ashi_pattern both[2];       /* and the rank's own tiles */
    bool same[2];               /* these are among those needed: `both` is `needed`, and has no memory of its own */
    bool low;                   /* tiles of A or B are stored as U V^T, on any rank */
    int64_t *rank[2];           /* set then: of the tiles of `both`, by number; -1: it is dense */
    int64_t *inner_tiles[2];    /* for each k, how many of `needed` have it and have elements */
    double *norm[2];            /* of the tiles of `needed`, by number; NULL without a screen */
    ashi_pattern before;        /* C's tiles in the ranges, if there are ranges; those that sums are retained for */
    bool stood;                 /* C had tiles, in the ranges, when `symbolic` was found */
    double *c_norm;             /* of these tiles as they are, or of all */
    ashi_symbolic symbolic;     /* its pattern is C's after the product, in the ranges */
    ashi_pattern after;         /* with ranges: all of C's tiles after the product */
    int64_t offset_room;        /* tiles that `offset` has room for, if these were changed */
    int64_t *offset;            /* where the tiles of symbolic.c begin in C then, and where C ends */
    int64_t *first_bit;         /* for each tile of needed[0], if products are left out */
    ashi_tile_choice choice;
    ashi_tiles_used used;       /* stays in a product that is kept */
    ashi_tile_needs needs;
    double imbalance;           /* the multiply-adds of the busiest rank over the mean of all; 1 if there are none */
    int64_t *first;             /* of each iteration: the first tile of k */
    ashi_tile_term *problem_term;
    ashi_tile_problem problem;
    ashi_program program;
    ashi_tile_run *run;         /* for each term */
    ashi_player *player;
    const ashlar_machine *machine; /* by which it is decided whether a device is faster; NULL: the default one */
    bool apart;                 /* C's tiles are made beside those that it has, which stay until all ranks have theirs:
                                   some rank may have a device, which may fail */
    ashi_on_device on_device;   /* what the products take of this rank's device; all 0: it has none for them */
    ashi_tiles_steps steps;
} ashi_tiles_product;

/* Cuts of m, n and of a term's k. */
const ashi_cuts *ashi_tiles_factors_cuts(const ashi_tiles_factors *term, int side);

/* All tiles that C has after the product. */
static inline const ashi_pattern *ashi_tiles_product_after(const ashi_tiles_product *product)
{
    return product->ranges.given ? &product->after : &product->symbolic.c;
}

/* Find all of it from `who` to `window` and the screen, which the caller has set, and make the player. Collective;
 * status and text are the same on all ranks, `mine` is what this rank comes with. Freed by ashi_tiles_product_free,
 * also after a failure. */
ashlar_status ashi_tiles_product_make(ashi_tiles_product *product, ashlar_status mine, ashlar_error *err);

/* Find anew what follows from norms and from C's tiles, for other elements of the same tiles of A and B: who has and
 * needs which of them stays. Collective, like ashi_tiles_product_make, and clears the product if it fails. */
ashlar_status ashi_tiles_product_weigh(ashi_tiles_product *product, ashlar_status mine, ashlar_error *err);

/* List what a stored tile of A or B stands for in op(A) or op(B), with k of all terms: one tile, or two if the matrix
 * has a symmetry. ASHLAR_ERR_MEMORY. */
ashlar_status ashi_tiles_factors_name(const ashi_tiles_product *product, const ashi_tiles_factors *term, int x,
                                      const ashi_name *stored, ashi_names *out, ashlar_error *err);

/* Forget what was found; what the caller has set stays. */
void ashi_tiles_product_clear(ashi_tiles_product *product);
void ashi_tiles_product_free(ashi_tiles_product *product);

/* Whether the player and all that it needs are there. */
static inline bool ashi_tiles_product_is_made(const ashi_tiles_product *product)
{
    return product->player != NULL;
}

static inline int64_t ashi_tiles_steps_all(const ashi_tiles_steps *s)
{
    return s->named + s->products + s->needs + s->lined + s->ready;
}

/* Words of this rank's tiles of A and B, each matrix once, and of C, once what it has now has become what it has
 * afterwards: if these are other tiles both are held. Partial sums are held beside C. */
int64_t ashi_tiles_product_words(const ashi_tiles_product *product, const ashlar_tiles *c);

/* The most words that are held at once: `held` and the workspace's, or more if adding the sums takes more. */
int64_t ashi_tiles_product_peak(const ashi_tiles_product *product, int64_t held, int64_t workspace);

/* Bytes that this rank holds for it, the pool among them; cuts, deals and patterns of A, B and C as they are stored are
 * not counted. */
int64_t ashi_tiles_product_bytes(const ashi_tiles_product *product);

#endif
