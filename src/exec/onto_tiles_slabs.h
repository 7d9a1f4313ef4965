/* How C's tiles are cut into slabs for a device that has no room for all of them. */
#ifndef ASHI_ONTO_TILES_SLABS_H
#define ASHI_ONTO_TILES_SLABS_H

#include "kernel/tile_rows.h"
#include "schedule/tile_problem.h"

/* The tiles of C in some rows of its pattern (those of numbers row_lo to row_hi - 1 that have tiles) and in columns of
 * tiles col_lo to col_hi - 1. */
typedef struct ashi_tile_slab {
    int64_t row_lo, row_hi, col_lo, col_hi;
} ashi_tile_slab;

typedef struct ashi_tile_slabs {
    const ashi_pattern *pattern; /* of C; not owned */
    ashi_tile_slab *slab;
    int64_t count;
    int64_t *words, *place;      /* of each tile of C, and where it is in the area while its slab is there */
    int64_t area;                /* words of the largest slab */
    int64_t half;                /* words of each half */
} ashi_tile_slabs;

/* The words of device memory that a problem needs at least: one tile of C and twice one of A and one of B, each of the
 * largest that the cuts allow. The same on all ranks. */
int64_t ashi_tile_slabs_least(const ashi_tile_problem *problem);

/* Cut C's tiles for `words` words of the device, at least ashi_tile_slabs_least: one slab if all of them fit beside the
 * least that A and B need. Else slabs are rows of tiles within groups of columns, about squares, since tiles of A and B
 * come once for each slab in whose rows or columns they are; how many groups there are, and how much memory is C's,
 * is chosen by the words that A and B are estimated to need if all their tiles are there. `out` is freed by
 * ashi_tile_slabs_free, also after a failure. ASHLAR_ERR_MEMORY. */
ashlar_status ashi_tile_slabs_make(const ashi_tile_set *c, const ashi_tile_problem *problem, int64_t words,
                                   ashi_tile_slabs *out, ashlar_error *err);
void ashi_tile_slabs_free(ashi_tile_slabs *slabs);

/* The tiles of a row of C's pattern that are in a slab: *lo to *hi - 1. */
void ashi_tile_slab_row(const ashi_tile_slabs *slabs, int64_t slab, int64_t row, int64_t *lo, int64_t *hi);

#endif
