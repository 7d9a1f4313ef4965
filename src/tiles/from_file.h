/* A dense matrix in a file cut into tiles, which go to another file. */
#ifndef ASHI_TILES_FROM_FILE_H
#define ASHI_TILES_FROM_FILE_H

#include "layout/cuts.h"
#include "plan/context.h"

typedef struct ashi_tile_cutting {
    const char *from, *to;  /* places */
    const ashi_cuts *row, *col;
    double threshold;       /* tiles of a smaller Frobenius norm are left out, and those of zeros always */
    double tolerance;       /* above 0: tiles become U V^T if that loses at most this part of their norm, and takes at
                             * most half of their memory (kernel/compress.h) */
} ashi_tile_cutting;

/* Each rank cuts some rows of tiles. It reads them twice, first to see which tiles there are, unless they fit in 64 MiB
 * together; it holds 128 MiB, or twice the largest tile if that is more, and with a tolerance about two more tiles.
 * A NaN is never left out. Collective; the status is the same on all ranks. ASHLAR_ERR_ARG: the cuts are not those of
 * the matrix's rows and columns, and what opening and creating the files return. */
ashlar_status ashi_tiles_cut_file(ashlar_context *context, const ashi_tile_cutting *cutting, ashlar_error *err);

#endif
