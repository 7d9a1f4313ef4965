/* Tiles that are stored as U V^T: compressed to a tolerance, expanded, multiplied by a number, bounded. */
#ifndef ASHI_LOW_RANK_H
#define ASHI_LOW_RANK_H

#include "kernel/compress.h"
#include "tiles/matrix.h"

/* What it takes to compress tiles, made before anything is changed. */
typedef struct ashi_compressing {
    const ashlar_tiles *tiles;
    ashi_compressor *compressor; /* one for each thread */
    int threads;
    ashi_held_low *low;
    double *error;               /* for each tile */
} ashi_compressing;

/* For all tiles of a pattern, with the ranks that they have in `held`; NULL: they will be dense. Local. Freed by
 * ashi_compressing_free, also after a failure. ASHLAR_ERR_MEMORY. */
ashlar_status ashi_compressing_make(const ashlar_tiles *tiles, const ashi_pattern *pattern, const ashi_held *held,
                                    ashi_compressing *out, ashlar_error *err);
void ashi_compressing_free(ashi_compressing *compressing);

/* Compress the tiles of `held`, those on the diagonal of a matrix with a symmetry excepted. Local. Returns the
 * Frobenius norm of what they lose, not below the true one. Called once. */
double ashi_compressing_run(ashi_compressing *compressing, ashi_held *held, double tolerance, bool relative);

/* A tile's norm, not below the true one: of U V^T the sum of |u_i| |v_i| over its columns. It bounds |U| |V|^T, too. */
double ashi_tiles_norm_bound(const ashlar_tiles *tiles, int64_t number, ashi_tile_at at);

/* What rounding does to all tiles when those that have a rank are expanded, in the Frobenius norm. */
double ashi_tiles_expansion_bound(const ashlar_tiles *tiles);

/* Multiply all tiles by a number: of U V^T only U. If the number is 0 they are not read. */
void ashi_held_times(const ashlar_tiles *tiles, const void *alpha, ashi_held *held);

/* All tiles of a matrix, dense. Local. ASHLAR_ERR_MEMORY, ASHLAR_ERR_OVERFLOW. */
ashlar_status ashi_tiles_dense_copy(const ashlar_tiles *tiles, ashi_held *out, ashlar_error *err);

#endif
