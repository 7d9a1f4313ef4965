/* Where the products of tiles are formed: on C's process grid, or on another one, for partial sums of C. */
#ifndef ASHI_TILES_PRODUCT_GRID_H
#define ASHI_TILES_PRODUCT_GRID_H

#include "tiles/product.h"

/* Which matrix stays where it is, and with C in how many layers. */
typedef struct ashi_tiles_way {
    ashlar_stays stays; /* A, B or C */
    int64_t layers;     /* at least 1; with A or B it follows from the matrix */
} ashi_tiles_way;

/* A process grid that is not C's own, and the sums on it. */
typedef struct ashi_tiles_grid {
    ashlar_tiles *sums; /* owned; cut as C, without tiles */
    ashi_tile_layers layers;
    int *layer_of;      /* owned: layers.of */
} ashi_tiles_grid;

/* Why A (x is ASHLAR_A) or B cannot stay in a product that is begun; NULL: it can. The same on all ranks. */
const char *ashi_tiles_grid_refuses(const ashi_tiles_product *product, int x);

/* The grid on which the products of a product that is begun are formed. Local. `out` is freed by ashi_tiles_grid_free,
 * also after a failure. ASHLAR_ERR_MEMORY.
 *
 * A stays: a layer is a process column of op(A)'s grid, and a rank forms the products of its tiles of op(A) with whole
 * rows of op(B). B likewise. C stays: of L layers each has every L-th process column of C's grid, or row if there are
 * more rows, so that one of the sums of a tile is where the tile is; if L divides neither, or a function deals C's
 * tiles out, each layer has a grid of ranks / L ranks. That is the 2.5D algorithm of Lazzaro, VandeVondele, Hutter and
 * Schuett, "Increasing the efficiency of sparse matrix-matrix multiplication with a 2.5D algorithm and one-sided MPI"
 * (PASC 2017), without their copies of A and B before the product. */
ashlar_status ashi_tiles_grid_make(const ashi_tiles_product *product, const ashi_tiles_way *way, ashi_tiles_grid *out,
                                   ashlar_error *err);
void ashi_tiles_grid_free(ashi_tiles_grid *grid);

#endif
