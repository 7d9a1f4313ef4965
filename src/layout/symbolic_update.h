/* The symbolic product after a few tiles of A and B have changed. */
#ifndef ASHI_SYMBOLIC_UPDATE_H
#define ASHI_SYMBOLIC_UPDATE_H

#include "layout/pattern_change.h"
#include "layout/symbolic.h"

/* Changes of op(A) and op(B). a_columns is the factor of the transpose of op(A) as it was: which rows have a tile in
 * column k. What C had before the product, and `half`, do not change. */
typedef struct ashi_symbolic_changes {
    const ashi_sparse_product *before, *after;
    const ashi_factor *a_columns;
    const ashi_pattern_changes *a, *b;
} ashi_symbolic_changes;

/* The result is that of ashi_symbolic_make for `after`; only `visited` is less: the products that come and go are
 * looked at, and the tiles of C that they touch. If there is a screen, a budget or retained sparsity, everything is
 * made anew, since then a changed tile decides on products of others. `out` is freed by ashi_symbolic_free, also after
 * a failure. ASHLAR_ERR_MEMORY. */
ashlar_status ashi_symbolic_update(const ashi_symbolic_changes *changes, const ashi_symbolic *old, ashi_symbolic *out,
                                   ashlar_error *err);

#endif
