/* The tiles of a layout, or what lies of them in a box, one after the other with their places in memory. */
#ifndef ASHI_TILES_H
#define ASHI_TILES_H

#include "layout/layout.h"
#include "store/bands.h"

/* A tile is what lies together: a tile of a tiles layout, a block of a block-cyclic one. */
typedef struct ashi_tile {
    int owner;
    int64_t row, rows, col, cols;            /* in the matrix, clipped to the box */
    int64_t offset, row_stride, col_stride;  /* element (i, j) at offset + i * row_stride + j * col_stride */
} ashi_tile;

typedef struct ashi_tiles {
    const ashlar_layout *layout; /* each rank's part is one array */
    int rank;
    ashi_file_box within;
    ashlar_order order;
    int64_t row, col; /* where the next tile begins */
} ashi_tiles;

/* The tiles of `rank`, or of all ranks if that is -1, that meet a box; along `order`, as a file is read fastest. */
ashi_tiles ashi_tiles_of(const ashlar_layout *layout, int rank, ashi_file_box within, ashlar_order order);

/* All tiles of a rank, row by row of tiles. */
ashi_tiles ashi_tiles_all(const ashlar_layout *layout, int rank);

/* False after the last. Empty tiles are passed over. */
bool ashi_tiles_next(ashi_tiles *tiles, ashi_tile *out);

#endif
