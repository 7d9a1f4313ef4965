/* The run of a product of matrices of tiles that is planned, and what becomes of C at its end. */
#ifndef ASHI_TILES_MULTIPLY_H
#define ASHI_TILES_MULTIPLY_H

#include "tiles/asked.h"

/* C <- beta C in the ranges; no tile comes to be. */
void ashi_tiles_rescale(const ashi_tiles_asked *asked);

/* Run a product that is made: C has the tiles from before, or those that it has afterwards. Collective. */
ashlar_status ashi_tiles_product_run(ashi_tiles_product *product, const ashi_tiles_asked *asked,
                                     ashlar_tiles_result *result, ashlar_error *err);

#endif
