/* A drawing of a matrix of tiles: which are present, their norms as shades, their ranks, the processes of a grid as
 * colours. */
#ifndef ASHI_TILES_SVG_H
#define ASHI_TILES_SVG_H

#include "store/tile_file.h"

typedef struct ashi_tile_picture {
    const ashi_tile_head *head;
    const int64_t *starts, *columns; /* of the file's lists */
    const double *norms;
    const int64_t *ranks;            /* of tiles that are stored as U V^T, -1 for dense ones; NULL: all are dense */
    int64_t grid_rows, grid_cols;    /* tiles are dealt out cyclically over such a grid; 0 x 0: no colours */
} ashi_tile_picture;

/* As SVG. Mirror images of stored tiles are drawn, too. If there are more tiles than can be told apart, a cell of the
 * drawing shows the largest of the norms in it, and no ranks or colours. *out is freed by the caller; NULL on failure.
 * ASHLAR_ERR_MEMORY. */
ashlar_status ashi_tiles_svg(const ashi_tile_picture *picture, char **out, ashlar_error *err);

#endif
