/* What a layout is inside: two cut dimensions, an owner for each pair of parts, the storage of each owned pair. */
#ifndef ASHI_LAYOUT_H
#define ASHI_LAYOUT_H

#include "layout/dim.h"

#include <ashlar/layout.h>

struct ashlar_layout {
    ashi_dim row, col;
    int *owner;         /* the rank of pair (row part r, column part c) at r * col.parts + c */
    int64_t *tile;      /* the pair's number among those of its owner, likewise */
    int64_t *first;     /* where the default storage of each pair begins, in elements */
    ashlar_order order;
    int64_t ld;         /* block-cyclic: the leading dimension given, 0 for the least */
    int storage_rank;   /* tiles: whose storage was set; -1 for nobody's */
    int64_t storage_tiles;
    int64_t *offset;    /* of each tile of storage_rank; NULL: pointers at execution */
    int64_t *lead;      /* leading dimension of each tile of storage_rank */
};

/* How a pair lies in its owner's memory. Its array begins at element `start` of the only pointer, or is pointer number
 * `tile` if pointers are given one for each tile. Element (lr, lc) of the pair is at offset + lr * row_stride +
 * lc * col_stride of the array: `offset` is above 0 only for a submatrix, whose array is that of the whole matrix. */
typedef struct ashi_storage {
    int64_t tile, start, offset, row_stride, col_stride;
} ashi_storage;

/* The storage of pair (r, c). */
ashi_storage ashi_layout_storage(const ashlar_layout *layout, int64_t r, int64_t c);

/* True where the layout needs one pointer a tile, given at execution. */
bool ashi_layout_needs_pointers(const ashlar_layout *layout, int rank);

/* The largest rank that owns anything, plus one. */
int64_t ashi_layout_ranks(const ashlar_layout *layout);

/* ASHLAR_ERR_ARG if the leading dimension is too small for what `rank` holds; ASHLAR_ERR_OVERFLOW if it is so large
 * that places in memory do not fit in 64 bits. */
ashlar_status ashi_layout_check(const ashlar_layout *layout, int rank, const char *name, ashlar_error *err);

/* A copy that the caller frees. */
ashlar_status ashi_layout_copy(const ashlar_layout *layout, ashlar_layout **out, ashlar_error *err);

/* Some of the ranks, one of every `step` of them: number r is rank first + r * step. */
typedef struct ashi_some_ranks {
    int count, first, step;
} ashi_some_ranks;

/* A layout of these ranks' numbers as one of ranks: a copy that the caller frees. */
ashlar_status ashi_layout_spread(const ashlar_layout *layout, const ashi_some_ranks *some, ashlar_layout **out,
                                 ashlar_error *err);

/* The reverse, a copy that the caller frees; NULL if other ranks own something. */
ashlar_status ashi_layout_within(const ashlar_layout *layout, const ashi_some_ranks *some, ashlar_layout **out,
                                 ashlar_error *err);

/* Tiles of which number r / step owns what rank r owns in the layout. ASHLAR_ERR_UNSUPPORTED: more than `most`. */
ashlar_status ashi_layout_fold(const ashlar_layout *layout, int step, int64_t most, ashlar_layout **out,
                               ashlar_error *err);

/* A number that two layouts share only if (almost certainly) all ranks would see the same tiling and owners. */
uint64_t ashi_layout_digest(const ashlar_layout *layout);

#endif
