/* What a product of matrices of tiles is asked for: checked by all ranks, and described. */
#ifndef ASHI_TILES_ASKED_H
#define ASHI_TILES_ASKED_H

#include "tiles/product.h"

#include <ashlar/tiles_plan.h>

/* C <- beta C + the sum of the terms. */
typedef struct ashi_tiles_asked {
    const char *who; /* the call, for errors */
    const ashlar_context *context;
    int64_t terms;
    const ashlar_tiles_term *term;
    bool shapes;     /* only shapes matter: alphas and beta are not looked at */
    ashlar_tiles *const *kept; /* of a plan: A and B of each term, then C, without elements; NULL: nothing is kept */
    const void *beta;
    ashlar_tiles *c; /* not NULL */
    ashlar_tiles_options options; /* without ranges */
    ashi_ranges ranges;
} ashi_tiles_asked;

/* Take the options. Local. */
ashlar_status ashi_tiles_take_options(ashi_tiles_asked *asked, const ashlar_tiles_options *options, ashlar_error *err);

/* Check everything. Collective; status and text are the same on all ranks, `mine` is what this rank comes with. */
ashlar_status ashi_tiles_ask(const ashi_tiles_asked *asked, ashlar_status mine, ashlar_error *err);

/* Whether alpha is 0 in all terms: nothing is multiplied. */
bool ashi_tiles_asks_nothing(const ashi_tiles_asked *asked);

/* Describe the product for ashi_tiles_product_make, without the terms whose alpha is 0 unless all_terms. Local.
 * ASHLAR_ERR_MEMORY. */
ashlar_status ashi_tiles_product_begin(const ashi_tiles_asked *asked, bool all_terms, ashi_tiles_product *out,
                                       ashlar_error *err);

/* What depends on scalars and on the matrices themselves, once alpha, beta or a matrix is another: their elements, and
 * what is too small. `term` is as long as the product's list of terms. */
void ashi_tiles_product_give(const ashi_tiles_asked *asked, ashi_tiles_product *product);

/* Let `sums` be what the product that is begun makes, in layers: C, which it is for, is scaled and looked at when they
 * are added to it. */
void ashi_tiles_product_part(ashi_tiles_product *product, const ashlar_tiles *sums, const ashi_tile_layers *layers);

#endif
