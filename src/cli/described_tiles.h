/* Matrices of tiles that are described and not read: how they are cut, and which tiles are present. */
#ifndef ASHI_DESCRIBED_TILES_H
#define ASHI_DESCRIBED_TILES_H

#include "layout/cuts.h"
#include "layout/random_tiles.h"

/* random:MEAN[:SPREAD], even:MEAN or file:CUTS. */
typedef struct ashi_tiling {
    const char *file; /* a part of the text; NULL: random or even */
    bool even;
    int64_t mean;
    double spread;
} ashi_tiling;

/* ASHLAR_ERR_ARG: one line that says what is wanted. */
ashlar_status ashi_tiling_read(const char *text, ashi_tiling *out, ashlar_error *err);

/* One side of `size` indices, of a tiling that is not in a file. `out` is freed by ashi_cuts_free, also after a
 * failure. What ashi_random_cuts returns. */
ashlar_status ashi_tiling_cut(const ashi_tiling *tiling, int64_t size, uint64_t seed, const char *name, ashi_cuts *out,
                              ashlar_error *err);

/* A matrix as `ashlar generate --tiling` makes it: each tile is present by itself, and elements fall off with the
 * distance from the diagonal, so that tiles further away than `reach` are absent. */
typedef struct ashi_described {
    ashi_random_pattern present; /* without decay */
    ashi_random_pattern near;    /* how elements fall off */
    int64_t reach;
} ashi_described;

ashi_described ashi_described_of(int64_t tile_rows, int64_t tile_cols, uint64_t seed, double density, double decay);

/* The present tiles of the rows from `first` to `end` - 1. `out` is freed by ashi_pattern_free, also after a failure.
 * ASHLAR_ERR_MEMORY. */
ashlar_status ashi_described_pattern(const ashi_described *matrix, int64_t first, int64_t end, ashi_pattern *out,
                                     ashlar_error *err);

#endif
