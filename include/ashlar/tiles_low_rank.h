/** Tiles of low rank in matrices of tiles: stored as U V^T, compressed to a tolerance, expanded. Needs MPI. */
#ifndef ASHLAR_TILES_LOW_RANK_H
#define ASHLAR_TILES_LOW_RANK_H

#include <ashlar/tiles.h>

#ifdef __cplusplus
extern "C" {
#endif

/**
 * Put a tile as U V^T (V is not conjugated), of any rank of the communicator. It is stored so after the next
 * ashlar_tiles_finish, whatever it was before, in rank (rows + columns) words. If that is not less than rows x columns,
 * or if the tile is on the diagonal of a matrix with a symmetry, it is stored as a dense tile.
 *
 * All calls take such tiles as they take dense ones: a call that reads elements expands one tile at a time, and a rank
 * has scratch room for the largest of them. ashlar_tiles_get and ashlar_tiles_local give U and V; ashlar_tiles_fetch
 * gives the elements. Scaling and copies keep U and V; sums of two such tiles are U and V side by side if that takes
 * less memory than a dense tile. ashlar_tiles_move keeps them if rows and columns of op(from) and of `to` are cut
 * alike: a transposed tile is V U^T. A tile that is put, or to which something is added, is dense afterwards. So are
 * the tiles of element-wise products, and those that a diagonal is set in or added to. Files have U and V.
 *
 * @param row, col  which tile, counted from zero. Below the diagonal of a matrix with a symmetry its mirror image is
 *                  stored.
 * @param rank      columns of U and of V: 0 to the smaller side of the tile. 0: the tile is present, and all 0.
 * @param u         rows x rank elements of the matrix's type, column-major. Copied. NULL is allowed if rank is 0.
 * @param ldu       leading dimension of u, at least the tile's rows
 * @param v         columns x rank elements likewise
 * @param ldv       leading dimension of v, at least the tile's columns
 * @return on this rank: ASHLAR_OK; ASHLAR_ERR_ARG (NULL, a tile that does not exist, a rank that is too large, a
 *         leading dimension too small); ASHLAR_ERR_MEMORY. After an error ashlar_tiles_finish fails on all ranks.
 *
 * Local: the tile is buffered. If two ranks put one tile, or something is added to it before it is finished,
 * ashlar_tiles_finish fails.
 */
ASHLAR_API ashlar_status ashlar_tiles_put_low_rank(ashlar_tiles *tiles, int64_t row, int64_t col, int64_t rank,
                                                   const void *u, int64_t ldu, const void *v, int64_t ldv,
                                                   ashlar_error *err);

/**
 * Store tiles as U V^T of the smallest rank whose error, in the Frobenius norm, is within a tolerance, if U and V take
 * at most half of the dense tile's memory: with a larger rank products would not be faster. Dense tiles that would need
 * a larger rank stay dense, and so do tiles with elements that are not finite and those on the diagonal of a matrix
 * with a symmetry. Of tiles that are stored so already the rank is reduced if the tolerance allows it.
 *
 * @param tolerance  at least 0, equal on all ranks: of each tile
 * @param relative   not 0: times the norm of the tile, so that the matrix's error is at most tolerance times its norm
 * @param error      NULL, or receives a bound of the Frobenius norm of what the matrix has lost, rounding included; the
 *                   same bits on all ranks
 * @return the same on every rank: ASHLAR_OK; ASHLAR_ERR_ARG; ASHLAR_ERR_MEMORY: the matrix is as it was; ASHLAR_ERR_MPI
 *
 * A QR factorisation with column pivoting ends once what is left is below a quarter of the tolerance; LAPACK's singular
 * values of its triangle decide the rank. Tiles that have a rank already are factored by LAPACK's QR on both sides.
 * Sources: P. A. Businger and G. H. Golub, Numer. Math. 7, 1965 (pivoting); M. Bebendorf, Hierarchical Matrices, 2008,
 * section 1.1.4 (recompression).
 *
 * Collective over the context's communicator. No tile travels. A rank holds about two of its largest tiles for each of
 * its threads beside the matrix; memory that tiles no longer need is given back.
 */
ASHLAR_API ashlar_status ashlar_tiles_compress(ashlar_tiles *tiles, double tolerance, int relative, double *error,
                                               ashlar_error *err);

/**
 * Store all tiles as dense ones.
 *
 * @return the same on every rank: ASHLAR_OK; ASHLAR_ERR_ARG; ASHLAR_ERR_MEMORY, ASHLAR_ERR_OVERFLOW: the matrix is as
 *         it was; ASHLAR_ERR_MPI
 *
 * Collective over the context's communicator. No tile travels. The old and the new tiles are held at once.
 */
ASHLAR_API ashlar_status ashlar_tiles_expand(ashlar_tiles *tiles, ashlar_error *err);

#ifdef __cplusplus
}
#endif
#endif
