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

/* The result is that of ashi_symbolic_make for `after`; only `visited` is less: the products that come and go are
 * looked at, and the tiles of C that they touch. To find them takes a pass over op(A), and over rows of C that change
 * much. `old` is used up: it keeps its pattern, but its numbers of products are others; the caller frees it. If there
 * is a screen, a budget or retained sparsity, everything is made anew, since then a changed tile decides on products
 * of others. `out` is freed by ashi_symbolic_free, also after a failure. tiles: those of C that come and go, freed
 * likewise. ASHLAR_ERR_MEMORY. */
ashlar_status ashi_symbolic_update(const ashi_symbolic_changes *changes, ashi_symbolic *old, ashi_symbolic *out,
                                   ashi_pattern_changes *tiles, ashlar_error *err);

#endif
