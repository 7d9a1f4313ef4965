/* The norms of the tiles of a matrix in a file. */
#ifndef ASHI_TILES_FILE_NORMS_H
#define ASHI_TILES_FILE_NORMS_H

#include "store/tile_file.h"

/* The Frobenius norm of each tile: from the file's list, or if that has none from the elements, of which the largest
 * tile is held. `norms` has room for all of them. ASHLAR_ERR_IO; ASHLAR_ERR_MEMORY. Local. */
ashlar_status ashi_tile_file_norms(ashi_tile_file *file, double *norms, ashlar_error *err);

#endif
