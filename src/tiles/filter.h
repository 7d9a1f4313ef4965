/* Dropping tiles that are small. */
#ifndef ASHI_TILES_FILTER_H
#define ASHI_TILES_FILTER_H

#include "tiles/matrix.h"

/* Drop the tiles of a rank whose Frobenius norm is below a threshold; never one with a NaN. `tiles` has the cuts and
 * the type. Local. ASHLAR_ERR_MEMORY: nothing is dropped. */
ashlar_status ashi_held_filter(const ashlar_tiles *tiles, double threshold, ashi_held *held, ashlar_error *err);

#endif
