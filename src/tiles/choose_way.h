/* Which matrix stays in a product of matrices of tiles, and in how many layers C lies, by the words that travel. */
#ifndef ASHI_TILES_CHOOSE_WAY_H
#define ASHI_TILES_CHOOSE_WAY_H

#include "tiles/asked.h"
#include "tiles/product_grid.h"

/* The way that about needs the fewest words, among those that the options allow: C in one layer, unless another one
 * needs fewer than LESS times as many and there are enough of them to matter. Local, and the same on all ranks.
 * ASHLAR_ERR_MEMORY. */
ashlar_status ashi_tiles_choose_way(const ashi_tiles_product *product, const ashlar_tiles_options *options,
                                    ashi_tiles_way *out, ashlar_error *err);

#endif
