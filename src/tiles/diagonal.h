/* The diagonal of a matrix of tiles, whose tiles may be cut differently along rows and columns. */
#ifndef ASHI_TILES_DIAGONAL_H
#define ASHI_TILES_DIAGONAL_H

#include "tiles/matrix.h"

/* Elements of the diagonal that are in one tile: `count` from `first` on. */
typedef struct ashi_diagonal_part {
    int64_t first, count;
    ashi_tile_at tile;
    int64_t number; /* of the tile among those held; -1: not here */
    const char *from; /* if it is here: the first of them, only to be read (ashi_held_view) */
    int64_t stride; /* to the next, in elements */
} ashi_diagonal_part;

/* Begin with {0}; false after the last. */
bool ashi_diagonal_next(const ashlar_tiles *tiles, const ashi_held *held, ashi_diagonal_part *part);

#endif
