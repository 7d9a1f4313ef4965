/** Matrices of uneven tiles in HDF5 files: saved and loaded by all ranks. Needs MPI. */
#ifndef ASHLAR_TILES_FILE_H
#define ASHLAR_TILES_FILE_H

#include <ashlar/base.h>
#include <ashlar/context.h>
#include <ashlar/tiles.h>

#ifdef __cplusplus
extern "C" {
#endif

/**
 * Save a matrix of tiles to a group of an HDF5 file, which docs/FILES.md describes: its tiling, which tiles are
 * present, their norms and elements, or the U and V of those that are stored so (ashlar/tiles_low_rank.h).
 *
 * @param tiles  what is buffered and not finished is not saved
 * @param place  PATH:/GROUP, PATH ending in .h5 or .hdf5; not kept. A matrix of tiles, or a data set, of that name is
 *               replaced; what else an existing file has is kept.
 * @return the same on every rank: ASHLAR_OK; ASHLAR_ERR_ARG (NULL, no such place, ranks that name different places);
 *         ASHLAR_ERR_IO (the folder cannot be written to, the disk is too full, a group with anything else has that
 *         name); ASHLAR_ERR_OVERFLOW (a rank has, or describes, 2^30 tiles); ASHLAR_ERR_MEMORY; ASHLAR_ERR_MPI
 *
 * Collective over the matrix's context. All ranks write at once, and the file has the same bytes whatever ranks have
 * the tiles. It appears whole or not at all: after an error an existing file is as it was. Beside the matrix a rank
 * holds about 64 bytes for each of its tiles and as much for each tile that it describes to the file, which are those
 * of some rows.
 */
ASHLAR_API ashlar_status ashlar_tiles_save(const ashlar_tiles *tiles, const char *place, ashlar_error *err);

/**
 * Make a matrix of tiles from a file, on any number of ranks and however its tiles are to be dealt out.
 *
 * @param context  outlives the matrix
 * @param place    PATH:/GROUP as of ashlar_tiles_save; not kept
 * @param deal     how tiles are dealt out: of its members those from grid_rows on. Type, symmetry and sizes are the
 *                 file's. With row_map or col_map, tile_rows and tile_cols say for how many tiles they are. NULL: over
 *                 a grid that is chosen
 * @param out      the matrix, freed by ashlar_tiles_free; NULL on failure
 * @return the same on every rank: ASHLAR_OK; ASHLAR_ERR_ARG (NULL, no such place, maps for another number of tiles,
 *         ranks that see different files, and what ashlar_tiles_create returns it for); ASHLAR_ERR_IO (missing,
 *         truncated, no matrix of tiles, or wrong in any other way); ASHLAR_ERR_OVERFLOW; ASHLAR_ERR_MEMORY;
 *         ASHLAR_ERR_MPI
 *
 * Collective over the context's communicator. Each rank looks at the list of all tiles, a part at a time, and reads the
 * elements of its own.
 */
ASHLAR_API ashlar_status ashlar_tiles_load(ashlar_context *context, const char *place,
                                           const ashlar_tiles_description *deal, ashlar_tiles **out,
                                           ashlar_error *err);

#ifdef __cplusplus
}
#endif
#endif
