/* The process grid over which tiles are dealt out if nobody says one. */
#ifndef ASHI_TILE_GRID_H
#define ASHI_TILE_GRID_H

#include "layout/cuts.h"

/* The grid of all ranks on which a product whose result has these tiles, dealt out by turns, takes the fewest seconds
 * by ashlar_machine_default, nothing overlapping: the busiest process multiplies its ceil(rows / grid rows) x
 * ceil(columns / grid columns) tiles, of the mean size, and receives its rows of A and its columns of B. A word counts
 * as 160 multiply-adds. The length of k does not matter, since both grow with it. The work is at most 1.1 times that of
 * the evenest grid, which has no fewer words. Of equal grids it is the one nearest to a square.
 *
 * Full matrices are assumed: absent tiles make products rarer than words. */
void ashi_tile_grid(const ashi_cuts *rows, const ashi_cuts *cols, int64_t ranks, int64_t grid[2]);

#endif
