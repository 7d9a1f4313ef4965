/* A symbolic product while it is made: the row of C at hand, and what its products are decided by. */
#ifndef ASHI_SYMBOLIC_MAKING_H
#define ASHI_SYMBOLIC_MAKING_H

#include "base/bits.h"
#include "layout/plain_loops.h"
#include "layout/symbolic.h"

/* A tile of the row of C at hand. */
typedef struct ashi_slot {
    int64_t col;
    int64_t products;
    int64_t before;  /* its number in C as it was, -1: it was absent */
    bool dropped;    /* surely below `drop` */
} ashi_slot;

/* The row of op(A) that was counted last, if C had no tiles in it before: its slots hold the products. */
typedef struct ashi_counted {
    int64_t rows;   /* of op(A), up to this one; 0: none, or the slots have changed */
    int64_t slots, formed;
    int64_t each;   /* multiply-adds for each row of elements; INT64_MAX if there are more */
} ashi_counted;

/* If all norms are of usual sizes, what is known of the tiles of the row at hand, by column from first_col. The numbers
 * are those of ashi_tile_error, as doubles. */
typedef struct ashi_plain {
    double limit;           /* products below it are skipped */
    double *left_out, *formed;
    int64_t *terms, *products;
    unsigned char *seen;    /* 1: the column has a slot */
    double *norm, *size;    /* of a run of B, and of products with it */
    unsigned char *below;   /* 1: that is below the limit */
    const ashi_plain_loops *loops;
} ashi_plain;

/* What is held while the result is made, row by row. */
typedef struct ashi_making {
    const ashi_sparse_product *product;
    ashi_symbolic *out;
    ashi_pattern_maker c;
    int64_t products_room, left_room;
    ashi_error_sums sums;
    ashi_slot *slots;
    int64_t count, slots_room;
    ashi_counted counted;
    bool is_plain;
    ashi_plain plain;
    ashi_tile_error *error;        /* of each slot, with a screen */
    int64_t error_room;
    int64_t first_col, cols;       /* the columns that can occur */
    unsigned char *dropped;        /* [cols], with a screen that drops: 1: the tile of this column is dropped */
    int64_t *drop;                 /* [cols]: the columns that are, of those that have products */
    int64_t drops;
    int64_t *slot_of;              /* [cols]: a guess, right if that slot has the column */
    int64_t *sorted, *spare;       /* columns of the row */
    int64_t sorted_room, spare_room;
    ashi_budget_item *item;        /* with a budget: the products of the row */
    int64_t items, item_room;
    bool *item_out;
    int64_t out_room;
    ashi_up within;                /* above 0: the rounding of all tiles is counted as units of its square */
    int64_t rounding;
} ashi_making;

static inline ashi_slot *ashi_slot_at(ashi_making *m, int64_t col)
{
    const int64_t guess = m->slot_of[col - m->first_col];
    return guess < m->count && m->slots[guess].col == col ? &m->slots[guess] : NULL;
}

static inline ashi_tile_error *ashi_slot_error(const ashi_making *m, const ashi_slot *tile)
{
    return &m->error[tile - m->slots];
}

/* Tiles in row x of op(A), of which this may be a part. */
static inline int64_t ashi_product_row_tiles(const ashi_sparse_product *product, int64_t x)
{
    const int64_t *of_rows = product->screen->row_tiles;
    return of_rows ? of_rows[x] : ashi_factor_tiles(product->a, x);
}

/* Whether the product of this bit is left out. */
static inline bool ashi_symbolic_is_left(const ashi_symbolic *symbolic, int64_t bit)
{
    return symbolic->first && ashi_bit(symbolic->left, bit);
}

/* All products that the patterns allow for the row a->row[x]. */
static inline ashi_candidates ashi_product_candidates(const ashi_sparse_product *product, int64_t x)
{
    return ashi_candidates_begin(product->a, x, product->b, product->half ? product->a->row[x] : INT64_MIN);
}

/* The multiply-adds of a product of tiles. */
static inline int64_t ashi_product_multiplies(const ashi_sparse_product *product, int64_t row,
                                              const ashi_allowed_product *now)
{
    return ashi_mul_most(ashi_mul_most(ashi_cuts_size(product->rows, row), ashi_cuts_size(product->cols, now->col)),
                         ashi_cuts_size(product->inner, now->k));
}

/* Room for what all rows need. False: there is not enough memory, here and below. */
bool ashi_making_room(ashi_making *m);
void ashi_making_free(ashi_making *m);

/* A tile of the row that is not there yet; NULL: there is not enough memory. */
ashi_slot *ashi_making_add_slot(ashi_making *m, int64_t col);

/* Room for the bits of `count` more products, if there are bits; new ones are 0. False if memory lacks. */
bool ashi_making_add_bits(ashi_making *m, int64_t bit, int64_t count);

/* Begin a row with what C has in it before, c->row[y]; y = -1: nothing. */
bool ashi_making_begin_row(ashi_making *m, int64_t y);

/* The products of the row a->row[x] in the order in which a budget leaves them out, if C may have their tiles. */
bool ashi_making_list_items(ashi_making *m, int64_t x);

/* Decide on each product of the row a->row[x], and count it for its tile of C. */
bool ashi_making_weigh_row(ashi_making *m, int64_t x);

/* The same if m->is_plain: all products of a tile of A with a row of B at once. */
bool ashi_plain_weigh_row(ashi_making *m, int64_t x);

/* Tiles that will surely be dropped are not formed, and their products are left out after all: those of the row
 * a->row[x], whose first bit is `bit`; x = -1: it has none. */
void ashi_making_drop(ashi_making *m, int64_t x, int64_t bit);

/* Make the result. within: an error, 0: none is given. *rounding: what rounding takes, in units of its square. */
ashlar_status ashi_making_within(const ashi_sparse_product *product, double within, int64_t *rounding,
                                 ashi_symbolic *out, ashlar_error *err);

#endif
