/* The symbolic product after a few tiles of A and B have changed. */
#ifndef ASHI_SYMBOLIC_UPDATE_H
#define ASHI_SYMBOLIC_UPDATE_H

#include "layout/pattern_change.h"
#include "layout/symbolic.h"

/* Changes of op(A) and op(B). What C had before the product, and `half`, do not change. */
typedef struct ashi_symbolic_changes {
    const ashi_sparse_product *before, *after;
    const ashi_pattern_changes *a, *b;
} ashi_symbolic_changes;

/* Change the result in place to that of ashi_symbolic_make for `after`; only `visited` is less: the products that come
 * and go are looked at, and the tiles of C that they touch. To find them takes a pass over op(A), and over rows of C
 * that change much. If there is a screen or a budget everything is made anew, since then a changed tile decides on
 * products of others. tiles: those of C that come and go; splice: how arrays with something for each
 * tile of C change. Both are freed also after a failure, which leaves a result that can only be freed.
 * ASHLAR_ERR_MEMORY. */
ashlar_status ashi_symbolic_update(const ashi_symbolic_changes *changes, ashi_symbolic *symbolic,
                                   ashi_pattern_changes *tiles, ashi_splice *splice, ashlar_error *err);

/* Tiles of C come and go in place; products: of those that come, NULL: they have none. `splice` is freed also after a
 * failure, and likewise. ASHLAR_ERR_MEMORY. */
ashlar_status ashi_symbolic_change_tiles(ashi_symbolic *symbolic, const ashi_pattern_changes *tiles,
                                         const int32_t *products, ashi_splice *splice, ashlar_error *err);

#endif
