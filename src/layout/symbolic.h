/* The symbolic product: which tiles C has, and which products of tiles make them. */
#ifndef ASHI_SYMBOLIC_H
#define ASHI_SYMBOLIC_H

#include "layout/budget.h"
#include "layout/candidates.h"
#include "layout/cuts.h"
#include "layout/screen.h"

/* C <- alpha op(A) op(B) + beta C. The factors are those rows that somebody has: of a row of op(A) all tiles, and of
 * op(B) the rows that these meet. */
typedef struct ashi_sparse_product {
    const ashi_factor *a, *b;
    const ashi_cuts *rows, *inner, *cols; /* of C's rows, of k, of C's columns */
    const ashi_pattern *c;     /* what C has before: it stays; NULL: nothing */
    bool retain;               /* C has no other tiles than before; nothing is dropped then */
    bool met;                  /* C has no tiles for which no product is formed, also not those from before */
    bool half;                 /* only tiles (i, j) with i <= j are formed: C has a symmetry */
    const ashi_screen *screen; /* NULL: everything is formed, and no bound is given */
    const ashi_budget *budget; /* with a screen: which products it leaves out beside; NULL: none */
} ashi_sparse_product;

/* The result. What a screen leaves out is kept as one bit for each product that the patterns allow, in the order of
 * ashi_candidates, and only if something is left out. Without a screen products are left out only for tiles that C does
 * not get, and there are no bits. The products themselves are found again by walking the patterns. */
typedef struct ashi_symbolic {
    ashi_pattern c;
    int64_t room[2];        /* tiles that c.col and `products` were given room for when they were changed */
    int32_t *products;      /* for each tile of C, how many are formed, INT32_MAX: or more; 0: it is only scaled */
    int64_t formed, left_out; /* in all: products of tiles, of those that the patterns allow */
    int64_t multiplies;     /* multiply-adds of elements that the formed ones take; INT64_MAX if there are more */
    int64_t visited;        /* the work of finding this: products that were looked at, and tiles of A and C */
    int64_t *first;         /* a->rows + 1: where the bits of each row of op(A) begin; NULL: there are none */
    uint64_t *left;         /* 1: left out */
    ashi_error_bound bound; /* 0 without a screen */
} ashi_symbolic;

/* `out` is freed by ashi_symbolic_free, also after a failure. ASHLAR_ERR_MEMORY. */
ashlar_status ashi_symbolic_make(const ashi_sparse_product *product, ashi_symbolic *out, ashlar_error *err);
void ashi_symbolic_free(ashi_symbolic *symbolic);

/* An error that products and tiles of C may have, on all ranks together. */
typedef struct ashi_allowance {
    double error;
    double share;               /* what products may use of it, 0 to 1; the rest is for C's tiles afterwards */
    const ashi_budget_sum *sum; /* NULL: there is one rank */
    double rest;                /* set: what remains when products have their share, and rounding what it may take */
} ashi_allowance;

/* The result if products may be left out as long as `bound.all`, of all ranks together, stays within the share of an
 * error: those are left out that save the most work. The screen's rules are off, and no budget is given. If rounding
 * alone takes more than the error allowed, nothing is left out, and bound.all says by how much it is missed. What is
 * left out does not depend on how many ranks there are, if each has all products of its tiles of C. Collective if the
 * sum is; a failure on another rank is not seen. */
ashlar_status ashi_symbolic_within(const ashi_sparse_product *product, ashi_allowance *allowance, ashi_symbolic *out,
                                   ashlar_error *err);

/* The products that are formed in the row a->row[x]; `tile` is C's tile of walk->now:
 *
 *     ashi_formed walk = ashi_formed_begin(&product, &symbolic, x);
 *     while (ashi_formed_next(&walk)) */
typedef struct ashi_formed {
    ashi_candidates walk;
    const ashi_symbolic *symbolic;
    int64_t bit;             /* of the next candidate */
    int64_t c_first, c_end;  /* C's tiles of the row */
    int64_t k, tile;
} ashi_formed;

ashi_formed ashi_formed_begin(const ashi_sparse_product *product, const ashi_symbolic *symbolic, int64_t x);
bool ashi_formed_next(ashi_formed *formed);

/* The multiply-adds of each tile of C: `work` has room for symbolic->c.tiles numbers. */
void ashi_symbolic_work(const ashi_sparse_product *product, const ashi_symbolic *symbolic, double *work);

#endif
