/* Tiles of C that are dropped at the end of a product, and the bound on its error on all ranks. */
#ifndef ASHI_TILES_DROPPING_H
#define ASHI_TILES_DROPPING_H

#include "layout/screen.h"
#include "tiles/matrix.h"
#include "tiles/ranges.h"

/* keep[number]: whether a tile is outside the ranges, or its norm is not below the threshold. Local. */
void ashi_tiles_choose_below(const ashlar_tiles *c, const ashi_ranges *ranges, double threshold, bool *keep);

/* Drop the others. Their number; *norm: of what they had together, not below the true one. Local. */
int64_t ashi_tiles_drop(ashlar_tiles *c, const bool *keep, double *norm);

/* What each rank brings to a bound, in `room`. */
enum { ASHI_BOUND_NUMBERS = 5 };

/* The bound of C's error from those of all ranks, joined in their order. In a layer ranks have different tiles; tiles
 * of several layers are sums of one tile, whose errors add up. Tiles that stand for their mirror image count twice.
 * `layer`: this rank's. room: ASHI_BOUND_NUMBERS for each rank. Collective; a failure is noted. */
double ashi_tiles_join_bounds(const ashlar_tiles *c, const ashi_error_bound *own, int64_t layer, int64_t layers,
                              double *room);

#endif
