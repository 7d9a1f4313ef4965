/* Slabs of a layout: some rows, or some columns, of a matrix as a layout of their own, used where they lie. */
#ifndef ASHI_LAYOUT_SLAB_H
#define ASHI_LAYOUT_SLAB_H

#include "layout/layout.h"

typedef struct ashi_layout_slab {
    bool rows;      /* rows lo .. hi - 1, else columns; lo < hi */
    int64_t lo, hi;
    int64_t first, count; /* of a tiles layout: the tile rows, or columns, that it is to have; 0, 0: all that have
                             something of it */
} ashi_layout_slab;

/* The layout of a slab on `rank`. Its tiles, or the one tile of a block-cyclic layout, are where
 * ashi_layout_slab_tiles says. ASHLAR_ERR_MEMORY. */
ashlar_status ashi_layout_slab_of(const ashlar_layout *of, const ashi_layout_slab *slab, int rank, ashlar_layout **out,
                                  ashlar_error *err);

/* Pointers to the tiles of a slab on `rank`, in their numbering there: at most as many as `of` has on the rank, and at
 * most one if it is block-cyclic. The matrix itself is in one array at `base`, or in `tile` if that is not NULL. */
void ashi_layout_slab_tiles(const ashlar_layout *of, const ashi_layout_slab *slab, int rank, size_t bytes,
                            const void *base, const void *const *tile, const void **out);

/* Slabs with the same key have the same layout on every rank; only what ashi_layout_slab_tiles says differs. */
typedef struct ashi_layout_slab_key {
    int64_t size, part, at;
} ashi_layout_slab_key;

ashi_layout_slab_key ashi_layout_slab_key_of(const ashlar_layout *of, const ashi_layout_slab *slab);

/* The rows, or columns, after which the owners are the same again: slabs whose thickness is a multiple have the same
 * key. 1 for tiles, which need not repeat. */
int64_t ashi_layout_period(const ashlar_layout *of, bool rows);

/* A tiles layout that repeats the rows (or columns) of another until it has `size`: what is beyond that is left out.
 * *of* is a tiles layout, and so is *out, with the default storage. ASHLAR_ERR_MEMORY. */
ashlar_status ashi_layout_repeat(const ashlar_layout *of, bool rows, int64_t size, ashlar_layout **out,
                                 ashlar_error *err);

#endif
