/* Where the products of tiles are formed: on C's process grid, or on another one, for partial sums of C. */
#ifndef ASHI_TILES_PRODUCT_GRID_H
#define ASHI_TILES_PRODUCT_GRID_H

#include "choose/tile_ways.h"
#include "tiles/product.h"

/* A process grid that is not C's own, and the sums on it. */
typedef struct ashi_tiles_grid {
    ashlar_tiles *sums; /* owned; cut as C, without tiles */
    ashi_tile_layers layers;
    int *layer_of;      /* owned: layers.of */
} ashi_tiles_grid;

/* Why A (x is ASHLAR_A) or B cannot stay in a product that is begun, in *why; NULL: it can. The same on all ranks.
 * ASHLAR_ERR_MEMORY. */
ashlar_status ashi_tiles_grid_refuses(const ashi_tiles_product *product, int x, const char **why, ashlar_error *err);

/* The grid on which the products of a product that is begun are formed. Local. `out` is freed by ashi_tiles_grid_free,
 * also after a failure. ASHLAR_ERR_MEMORY. */
ashlar_status ashi_tiles_grid_make(const ashi_tiles_product *product, const ashi_tile_way *way, ashi_tiles_grid *out,
                                   ashlar_error *err);
void ashi_tiles_grid_free(ashi_tiles_grid *grid);

/* The way to plan beside C in one layer, or this. `any`: A or B may stay, too. Local, and the same on all ranks.
 * ASHLAR_ERR_MEMORY. */
ashlar_status ashi_tiles_promising_way(const ashi_tiles_product *product, bool any, ashi_tile_way *out,
                                       ashlar_error *err);

#endif
