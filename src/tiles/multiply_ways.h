/* The ways to make a product of matrices of tiles: C is summed up where it is, or somewhere else. */
#ifndef ASHI_TILES_MULTIPLY_WAYS_H
#define ASHI_TILES_MULTIPLY_WAYS_H

#include "tiles/asked.h"
#include "tiles/product_grid.h"

/* Plan a product, run it, keep nothing. Collective; status and text are the same on all ranks. */
ashlar_status ashi_tiles_multiply_once(const ashi_tiles_asked *asked, ashlar_tiles_result *result, ashlar_error *err);

#endif
