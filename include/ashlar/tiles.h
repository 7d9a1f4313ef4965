/** Matrices of uneven tiles, of which any may be absent: making, filling and reading them, algebra. Needs MPI. */
#ifndef ASHLAR_TILES_H
#define ASHLAR_TILES_H

#include <ashlar/base.h>
#include <ashlar/context.h>
#include <ashlar/layout.h>
#include <ashlar/machine.h>
#include <ashlar/plan.h>

#ifdef __cplusplus
extern "C" {
#endif

/**
 * A matrix of tiles that is spread over the ranks of a context. The tiles may have any sizes. A tile that is absent
 * stands for zeros and costs no memory and no message; all other tiles are present, also if all their elements are 0.
 * Each tile belongs to one rank, which has it in column-major order with its number of rows as leading dimension.
 *
 * If the matrix has a symmetry, only tiles (i, j) with i <= j are stored. The tiles below the diagonal follow from
 * them: a call that is given one takes its mirror image. Of a tile on the diagonal the upper triangle counts. The
 * elements below it are made to follow, and those on the diagonal lose the part that the symmetry forbids: all of an
 * antisymmetric matrix, the imaginary part of a Hermitian one, the real part of an anti-Hermitian one.
 */
typedef struct ashlar_tiles ashlar_tiles;

/** How a matrix of tiles is cut, and which rank has which tile. Equal on all ranks. */
typedef struct ashlar_tiles_description {
    size_t size;               /**< sizeof(ashlar_tiles_description), or 0: see base.h */
    ashlar_type type;          /**< of the elements */
    ashlar_symmetry symmetry;  /**< if not ASHLAR_GENERAL, rows and columns are cut alike */
    int64_t tile_rows;         /**< rows of tiles; at least 0 */
    int64_t tile_cols;         /**< columns of tiles; at least 0 */
    const int64_t *row_sizes;  /**< tile_rows numbers: the rows of elements of each row of tiles; at least 0 */
    const int64_t *col_sizes;  /**< tile_cols numbers likewise; NULL: as row_sizes, if there are as many */
    int64_t grid_rows;         /**< process rows; 0 with grid_cols 0: a grid of all ranks is chosen, on which a product
                                    that forms such tiles, all of them there, would take the least time by
                                    ashlar_machine_default; the busiest process has at most 1.1 times the tiles that it
                                    would have on the evenest grid */
    int64_t grid_cols;         /**< process columns; the grid has at most as many processes as there are ranks */
    const int *grid_ranks;     /**< the rank of process (r, c) at r * grid_cols + c; NULL: that number itself */
    const int *row_map;        /**< tile_rows numbers: the process row of each row of tiles; NULL: its number modulo
                                    grid_rows */
    const int *col_map;        /**< tile_cols numbers: the process column of each column of tiles; NULL likewise */
    int (*owner)(void *user, int64_t row, int64_t col); /**< NULL: the grid decides; else the rank of tile (row, col).
                                    It returns the same on all ranks and at all times; grid and maps are not used then.
                                    Of a matrix with a symmetry it is asked for row <= col only. */
    void *user;                /**< handed to `owner`; stays valid as long as the matrix and its copies */
} ashlar_tiles_description;

/**
 * Make a matrix of which all tiles are absent.
 *
 * @param context  outlives the matrix
 * @param description  not kept, nor are its arrays
 * @param out      the matrix, freed by ashlar_tiles_free; NULL on failure
 * @return the same on every rank: ASHLAR_OK; ASHLAR_ERR_ARG (a NULL pointer, no type, no symmetry, a negative size, a
 *         symmetry of rows and columns that are cut differently, a grid, map or function that names what does not
 *         exist, a structure's size that no version has or a member that this one lacks, ranks that disagree);
 *         ASHLAR_ERR_OVERFLOW (rows * cols beyond 2^63 - 1); ASHLAR_ERR_MEMORY; ASHLAR_ERR_MPI
 *
 * Each rank holds the cuts and the maps: 8 bytes for each row and column of tiles, and 4 more if it has a map. Whether
 * all ranks have the same function `owner` is tried for some of the tiles only.
 *
 * Collective over the context's communicator.
 */
ASHLAR_API ashlar_status ashlar_tiles_create(ashlar_context *context, const ashlar_tiles_description *description,
                                             ashlar_tiles **out, ashlar_error *err);

/**
 * Free a matrix and what is buffered for it, and set the pointer to NULL. NULL, and a pointer to NULL, do nothing.
 * Local, also after MPI_Finalize.
 */
ASHLAR_API void ashlar_tiles_free(ashlar_tiles **tiles);

/** What is asked about a matrix of tiles. Pointers are valid as long as the matrix. */
typedef struct ashlar_tiles_info {
    ashlar_type type;          /**< of the elements */
    ashlar_symmetry symmetry;  /**< as described */
    int64_t rows;              /**< of elements */
    int64_t cols;              /**< of elements */
    int64_t tile_rows;         /**< rows of tiles */
    int64_t tile_cols;         /**< columns of tiles */
    const int64_t *row_cuts;   /**< tile_rows + 1 numbers: the first row of elements of each row of tiles, then rows */
    const int64_t *col_cuts;   /**< tile_cols + 1 numbers likewise */
    int64_t grid_rows;         /**< of the process grid; 0 if a function says who owns what */
    int64_t grid_cols;         /**< likewise */
    int64_t local_tiles;       /**< tiles that this rank has stored */
    int64_t local_words;       /**< elements that these take: of a tile that is stored as U V^T those of U and V */
    int64_t tiles;             /**< tiles that all ranks have stored */
    int64_t words;             /**< elements that these take likewise */
    double density;            /**< elements of present tiles as a part of all elements, 0 to 1; of a matrix with a
                                    symmetry mirrored tiles count, too; 0 if the matrix has no elements */
    int64_t low_rank_tiles;    /**< tiles that all ranks have stored as U V^T (ashlar/tiles_low_rank.h) */
} ashlar_tiles_info;

/** What ashlar_tiles_inspect calls: `out` is a structure of `size` bytes. */
ASHLAR_API ashlar_status ashlar_tiles_inspect_sized(const ashlar_tiles *tiles, ashlar_tiles_info *out, size_t size,
                                                    ashlar_error *err);

/** What a matrix is and how much of it is present, without what is buffered. Local. @return ASHLAR_OK; ASHLAR_ERR_ARG
 */
static inline ashlar_status ashlar_tiles_inspect(const ashlar_tiles *tiles, ashlar_tiles_info *out, ashlar_error *err)
{
    return ashlar_tiles_inspect_sized(tiles, out, sizeof *out, err);
}

/**
 * The rank that a tile belongs to, present or absent; -1 if there is no such tile. Of a tile below the diagonal of a
 * matrix with a symmetry it is the rank of its mirror image. Local.
 */
ASHLAR_API int ashlar_tiles_owner(const ashlar_tiles *tiles, int64_t row, int64_t col);

/**
 * Ask for tiles to be present: with the next ashlar_tiles_finish those that are absent come to be, with zeros.
 *
 * @param count     of tiles; at least 0
 * @param row, col  `count` numbers each: which tiles, of any rank. A tile may be named several times.
 * @return on this rank: ASHLAR_OK; ASHLAR_ERR_ARG (NULL, or a tile that does not exist); ASHLAR_ERR_MEMORY. After an
 *         error ashlar_tiles_finish fails on all ranks.
 *
 * Local: what is asked for is buffered, in about 100 bytes for each tile.
 */
ASHLAR_API ashlar_status ashlar_tiles_reserve(ashlar_tiles *tiles, int64_t count, const int64_t *row,
                                              const int64_t *col, ashlar_error *err);

/**
 * Put a tile, of any rank. It has these elements after the next ashlar_tiles_finish, whatever it had before.
 *
 * @param row, col    which tile, counted from zero
 * @param rows, cols  of the tile; they are given to be compared with what the matrix has
 * @param order       of the elements in `data`
 * @param ld          leading dimension in elements, at least the tile's rows (column-major) or columns (row-major)
 * @param data        rows x cols elements of the matrix's type. Copied. NULL is allowed if the tile has none.
 * @return on this rank: ASHLAR_OK; ASHLAR_ERR_ARG (NULL, a tile that does not exist, another shape than it has, ld too
 *         small); ASHLAR_ERR_MEMORY. After an error ashlar_tiles_finish fails on all ranks.
 *
 * Local: the tile is buffered. If two ranks put one tile, or one rank puts it twice, ashlar_tiles_finish fails.
 */
ASHLAR_API ashlar_status ashlar_tiles_put(ashlar_tiles *tiles, int64_t row, int64_t col, int64_t rows, int64_t cols,
                                          ashlar_order order, int64_t ld, const void *data, ashlar_error *err);

/**
 * Add to a tile, of any rank: to what was put since the last ashlar_tiles_finish, else to what the tile had, else to
 * zeros. Any number of ranks may add to one tile any number of times. Their contributions are added in the order of the
 * ranks, and those of one rank in the order of its calls, so that the same calls always give the same bits.
 *
 * @param row, col, rows, cols, order, ld, data  as of ashlar_tiles_put
 * @return as of ashlar_tiles_put
 *
 * Local: the contribution is buffered.
 */
ASHLAR_API ashlar_status ashlar_tiles_accumulate(ashlar_tiles *tiles, int64_t row, int64_t col, int64_t rows,
                                                 int64_t cols, ashlar_order order, int64_t ld, const void *data,
                                                 ashlar_error *err);

/**
 * Bring what was buffered on any rank to the tiles that it is for, and free the buffers.
 *
 * @return the same on every rank: ASHLAR_OK; ASHLAR_ERR_ARG (a NULL matrix; what a rank was refused since the last
 *         call: the text names the rank; two puts of one tile: the text names the tile and both ranks);
 *         ASHLAR_ERR_MEMORY; ASHLAR_ERR_OVERFLOW; ASHLAR_ERR_MPI (the tiles that were to be
 *         filled have unspecified elements). After any other error the matrix is as it was. What was buffered is lost
 *         in any case.
 *
 * If tiles come to be, the rank that they belong to moves its tiles to new memory, and then holds its old and its new
 * storage at once. Else each element is written where it is to be. Beside that a rank holds about 100 bytes for each
 * tile that it sends or receives, and two buffers of at most 1 MiB. Pointers to tiles are valid until the next call
 * that changes which tiles are present.
 *
 * Collective over the context's communicator.
 */
ASHLAR_API ashlar_status ashlar_tiles_finish(ashlar_tiles *tiles, ashlar_error *err);

/** A tile, as a rank finds it. */
typedef struct ashlar_stored_tile {
    int64_t row;    /**< of tiles, counted from zero */
    int64_t col;    /**< of tiles, counted from zero */
    int64_t rows;   /**< of elements */
    int64_t cols;   /**< of elements */
    int64_t ld;     /**< leading dimension: at least 1, else equal to `rows` */
    int64_t owner;  /**< the rank that it belongs to */
    int64_t number; /**< among the tiles that this rank has stored, in the order of rows of tiles, then columns; -1: the
                         tile is absent, or another rank's */
    void *data;     /**< its elements in column-major order; NULL if `number` is -1, it has no elements, or it is stored
                         as U V^T. They may be changed; of a tile on the diagonal of a matrix with a symmetry so that
                         it keeps that. */
    int64_t rank;   /**< of a tile that is stored as U V^T (ashlar/tiles_low_rank.h); -1: it is dense */
    void *u;        /**< rows x rank elements, `rows` apart; NULL without a rank, or if it is 0. They may be changed. */
    void *v;        /**< cols x rank elements, `cols` apart, likewise */
} ashlar_stored_tile;

/** What ashlar_tiles_get calls: `out` is a structure of `size` bytes. */
ASHLAR_API ashlar_status ashlar_tiles_get_sized(const ashlar_tiles *tiles, int64_t row, int64_t col,
                                                ashlar_stored_tile *out, size_t size, ashlar_error *err);

/**
 * Find a tile. That it is absent, or another rank's, is no error.
 *
 * @param row, col  which tile, counted from zero. Of a matrix with a symmetry row <= col: what lies below the diagonal
 *                  is not stored.
 * @param out       where it is
 * @return ASHLAR_OK; ASHLAR_ERR_ARG (NULL, a tile that does not exist, or is below the diagonal)
 *
 * Local. What is buffered is not seen before ashlar_tiles_finish.
 */
static inline ashlar_status ashlar_tiles_get(const ashlar_tiles *tiles, int64_t row, int64_t col,
                                             ashlar_stored_tile *out, ashlar_error *err)
{
    return ashlar_tiles_get_sized(tiles, row, col, out, sizeof *out, err);
}

/** What ashlar_tiles_local calls: `out` is a structure of `size` bytes. */
ASHLAR_API ashlar_status ashlar_tiles_local_sized(const ashlar_tiles *tiles, int64_t number, ashlar_stored_tile *out,
                                                  size_t size, ashlar_error *err);

/**
 * A tile that this rank has stored, by its number: all of them are 0 to ashlar_tiles_info.local_tiles - 1, in the order
 * of rows of tiles, then columns. Tiles of one row that follow each other lie one after the other in memory.
 *
 * @return ASHLAR_OK; ASHLAR_ERR_ARG (NULL, or no such number)
 *
 * Local.
 */
static inline ashlar_status ashlar_tiles_local(const ashlar_tiles *tiles, int64_t number, ashlar_stored_tile *out,
                                               ashlar_error *err)
{
    return ashlar_tiles_local_sized(tiles, number, out, sizeof *out, err);
}

/**
 * Copy any tiles, of any ranks, to this rank.
 *
 * @param count     tiles that this rank asks for; at least 0, and each rank has its own
 * @param row, col  `count` numbers each: which tiles. A tile may be named several times, and may lie below the diagonal
 *                  of a matrix with a symmetry.
 * @param data      receives the tiles one after the other in column-major order, without gaps; zeros for absent ones.
 *                  NULL is allowed if they have no elements.
 * @param present   NULL, or receives 1 for each tile that is present and 0 for each that is absent
 * @return the same on every rank: ASHLAR_OK; ASHLAR_ERR_ARG (NULL, or a tile that does not exist); ASHLAR_ERR_MEMORY;
 *         ASHLAR_ERR_OVERFLOW; ASHLAR_ERR_MPI
 *
 * Collective over the context's communicator. What is buffered is not seen before ashlar_tiles_finish.
 */
ASHLAR_API ashlar_status ashlar_tiles_fetch(const ashlar_tiles *tiles, int64_t count, const int64_t *row,
                                            const int64_t *col, void *data, int *present, ashlar_error *err);

/**
 * The Frobenius norm of the matrix, as if a matrix with a symmetry had all of its tiles. The squares neither overflow
 * nor underflow: entries of 1e200 or 1e-200 do no harm. If an element is NaN, so is the norm.
 *
 * @param norm  the same bits on all ranks
 * @return the same on every rank: ASHLAR_OK; ASHLAR_ERR_ARG; ASHLAR_ERR_MEMORY; ASHLAR_ERR_MPI
 *
 * Collective over the context's communicator. The tiles of a rank are added up in their order, then the ranks in
 * theirs.
 */
ASHLAR_API ashlar_status ashlar_tiles_norm(const ashlar_tiles *tiles, double *norm, ashlar_error *err);

/**
 * The Frobenius norm of each tile that this rank has stored, likewise.
 *
 * @param norms  ashlar_tiles_info.local_tiles numbers, in the order of ashlar_tiles_local; NULL is allowed if there are
 *               none
 * @return ASHLAR_OK; ASHLAR_ERR_ARG
 *
 * Local.
 */
ASHLAR_API ashlar_status ashlar_tiles_norms(const ashlar_tiles *tiles, double *norms, ashlar_error *err);

/**
 * Copy the matrix to an array of any layout: zeros where tiles are absent, and all of a matrix with a symmetry.
 *
 * @param layout  of as many rows and columns as the matrix; with offsets
 * @param data    this rank's part; NULL is allowed if the rank owns nothing
 * @return the same on every rank: ASHLAR_OK; ASHLAR_ERR_ARG (NULL, another shape, a layout of ranks that do not exist
 *         or without offsets, a leading dimension too small, ranks that disagree); ASHLAR_ERR_OVERFLOW;
 *         ASHLAR_ERR_MEMORY; ASHLAR_ERR_MPI (the array is unspecified)
 *
 * Collective over the context's communicator. Only elements of present tiles travel. A rank holds about 100 bytes for
 * each piece of a tile that it sends or receives, and two buffers of at most 1 MiB.
 */
ASHLAR_API ashlar_status ashlar_tiles_to_dense(const ashlar_tiles *tiles, const ashlar_layout *layout, void *data,
                                               ashlar_error *err);

/**
 * Take the matrix from an array of any layout: what it had is replaced.
 *
 * @param layout     of as many rows and columns as the matrix; with offsets
 * @param data       this rank's part; only read. NULL is allowed if the rank owns nothing. Of a matrix with a symmetry
 *                   what lies below the diagonal is not used.
 * @param threshold  at least 0, equal on all ranks: tiles whose Frobenius norm is below it are dropped, so that they
 *                   are absent; never one with a NaN
 * @return the same on every rank: ASHLAR_OK; ASHLAR_ERR_ARG (as of ashlar_tiles_to_dense, or a threshold below 0);
 *         ASHLAR_ERR_OVERFLOW; ASHLAR_ERR_MEMORY; ASHLAR_ERR_MPI. After an error the matrix is as it was.
 *
 * Collective over the context's communicator. Rows of tiles are taken over in turns, as many at a time as have 2^22
 * elements for each rank, and at least one, so that dropped tiles need memory for a while only. Beside that a rank
 * holds what ashlar_tiles_to_dense says, and until the end the tiles that it had.
 */
ASHLAR_API ashlar_status ashlar_tiles_from_dense(ashlar_tiles *tiles, const ashlar_layout *layout, const void *data,
                                                 double threshold, ashlar_error *err);

/**
 * to <- op(from): a copy with other tiles, another deal, another symmetry, or transposed.
 *
 * @param op    ASHLAR_OP_N, ASHLAR_OP_T or ASHLAR_OP_C; equal on all ranks
 * @param from  only read
 * @param to    another matrix of the same context and type, and of as many rows and columns as op(from); what it had is
 *              replaced. A tile of it is present if any of its elements is in a present tile of op(from). If it has a
 *              symmetry, it gets the upper triangle of op(from), and what is below follows from that.
 * @return the same on every rank: ASHLAR_OK; ASHLAR_ERR_ARG (NULL, the same matrix twice, types, contexts or shapes
 *         that do not fit, no op, ranks that disagree); ASHLAR_ERR_OVERFLOW; ASHLAR_ERR_MEMORY; ASHLAR_ERR_MPI. After
 *         an error `to` is as it was.
 *
 * Collective over the context's communicator. A rank holds its old and its new tiles of `to` at once, about 100 bytes
 * for each piece that a tile of one matrix shares with a tile of the other, and two buffers of at most 1 MiB.
 */
ASHLAR_API ashlar_status ashlar_tiles_move(ashlar_op op, const ashlar_tiles *from, ashlar_tiles *to,
                                           ashlar_error *err);

/**
 * Drop all tiles whose Frobenius norm is below a threshold; never one with a NaN.
 *
 * @param threshold  at least 0, equal on all ranks
 * @return the same on every rank: ASHLAR_OK; ASHLAR_ERR_ARG; ASHLAR_ERR_MEMORY; ASHLAR_ERR_MPI
 *
 * Collective over the context's communicator. The memory of dropped tiles is given back.
 */
ASHLAR_API ashlar_status ashlar_tiles_filter(ashlar_tiles *tiles, double threshold, ashlar_error *err);

/**
 * Copy a matrix: its description and its tiles, without what is buffered.
 *
 * @param out  the copy, freed by ashlar_tiles_free; NULL on failure
 * @return the same on every rank: ASHLAR_OK; ASHLAR_ERR_ARG; ASHLAR_ERR_MEMORY; ASHLAR_ERR_MPI
 *
 * Collective over the context's communicator.
 */
ASHLAR_API ashlar_status ashlar_tiles_copy(const ashlar_tiles *tiles, ashlar_tiles **out, ashlar_error *err);

/**
 * Drop all tiles, and what is buffered. Called on all ranks; nothing is sent.
 *
 * @return ASHLAR_OK; ASHLAR_ERR_ARG (NULL)
 */
ASHLAR_API ashlar_status ashlar_tiles_clear(ashlar_tiles *tiles, ashlar_error *err);

/**
 * X <- alpha X. With alpha = 0 the tiles are not read; they stay present, with zeros.
 *
 * @param alpha  one element of the matrix's type, equal on all ranks; real if the matrix is Hermitian or anti-Hermitian
 * @return the same on every rank: ASHLAR_OK; ASHLAR_ERR_ARG; ASHLAR_ERR_MPI
 *
 * Collective over the context's communicator. No tile travels.
 */
ASHLAR_API ashlar_status ashlar_tiles_scale(const void *alpha, ashlar_tiles *tiles, ashlar_error *err);

/**
 * C <- alpha A + beta B. C has the tiles that A or B has; what it had before is replaced.
 *
 * @param alpha, beta  one element of the type each, equal on all ranks; if one is 0, its matrix is not read, and its
 *                     tiles do not count. Real if the matrices are Hermitian or anti-Hermitian.
 * @param a, b, c  cut and dealt out alike and of one type, symmetry and context; ashlar_tiles_move makes them so. C may
 *                 be A or B.
 * @return the same on every rank: ASHLAR_OK; ASHLAR_ERR_ARG; ASHLAR_ERR_MEMORY; ASHLAR_ERR_OVERFLOW; ASHLAR_ERR_MPI.
 *         After an error C is as it was.
 *
 * Collective over the context's communicator. No tile travels. The old and the new tiles of C are held at once.
 */
ASHLAR_API ashlar_status ashlar_tiles_add(const void *alpha, const ashlar_tiles *a, const void *beta,
                                          const ashlar_tiles *b, ashlar_tiles *c, ashlar_error *err);

/**
 * C <- A times B, element by element. C has the tiles that both have; what it had before is replaced.
 *
 * @param a, b, c  cut and dealt out alike and of one type and context. All are general, or A and B have symmetries that
 *                 both conjugate or both do not, and C has that of the product: symmetric or Hermitian if both or
 *                 none change the sign, else antisymmetric or anti-Hermitian. C may be A or B.
 * @return as of ashlar_tiles_add
 *
 * Collective over the context's communicator. No tile travels. The old and the new tiles of C are held at once.
 */
ASHLAR_API ashlar_status ashlar_tiles_multiply_elements(const ashlar_tiles *a, const ashlar_tiles *b, ashlar_tiles *c,
                                                        ashlar_error *err);

/**
 * The trace of a square matrix, whose rows and columns may be cut differently.
 *
 * @param value  one element of the matrix's type; the same bits on all ranks
 * @return the same on every rank: ASHLAR_OK; ASHLAR_ERR_ARG (NULL, not square); ASHLAR_ERR_MEMORY; ASHLAR_ERR_MPI
 *
 * Collective over the context's communicator. Each rank adds in the order of the diagonal, then the ranks in theirs, in
 * double precision.
 */
ASHLAR_API ashlar_status ashlar_tiles_trace(const ashlar_tiles *tiles, void *value, ashlar_error *err);

/**
 * The trace of op(A) B, without the product.
 *
 * @param op     ASHLAR_OP_N, ASHLAR_OP_T or ASHLAR_OP_C; equal on all ranks
 * @param a, b   of one type and context, and such that op(A) B is a square matrix; tiles, deals and symmetries are any
 * @param value  one element of the type; the same bits on all ranks
 * @return the same on every rank: ASHLAR_OK; ASHLAR_ERR_ARG; ASHLAR_ERR_MEMORY; ASHLAR_ERR_OVERFLOW; ASHLAR_ERR_MPI
 *
 * Collective over the context's communicator. If A and B are alike and op transposes, or both have the same symmetry,
 * no tile travels. Else a copy of B is made that lies as A does, and is freed at the end; a symmetry that only one of
 * the two has is written out for the time of the call. Sums are made in double precision, those of a rank in the order
 * of its tiles, then those of the ranks.
 */
ASHLAR_API ashlar_status ashlar_tiles_trace_product(ashlar_op op, const ashlar_tiles *a, const ashlar_tiles *b,
                                                    void *value, ashlar_error *err);

/**
 * The diagonal of a square matrix, whose rows and columns may be cut differently.
 *
 * @param diagonal  receives all of it on all ranks: as many elements as the matrix has rows, 0 where tiles are absent
 * @return the same on every rank: ASHLAR_OK; ASHLAR_ERR_ARG (NULL, not square); ASHLAR_ERR_MPI
 *
 * Collective over the context's communicator.
 */
ASHLAR_API ashlar_status ashlar_tiles_diagonal(const ashlar_tiles *tiles, void *diagonal, ashlar_error *err);

/**
 * Set the diagonal of a square matrix; all other elements stay as they are. Tiles that it passes through come to be.
 *
 * @param diagonal  as many elements as the matrix has rows, equal on all ranks: each reads those of its own tiles. What
 *                  a symmetry forbids is left out.
 * @return the same on every rank: ASHLAR_OK; ASHLAR_ERR_ARG (NULL, not square, antisymmetric); ASHLAR_ERR_MEMORY;
 *         ASHLAR_ERR_OVERFLOW; ASHLAR_ERR_MPI. After an error the matrix is as it was.
 *
 * Collective over the context's communicator. The old and the new tiles are held at once.
 */
ASHLAR_API ashlar_status ashlar_tiles_set_diagonal(ashlar_tiles *tiles, const void *diagonal, ashlar_error *err);

/**
 * X <- X + alpha D for a diagonal matrix D. Tiles that the diagonal passes through come to be. After
 * ashlar_tiles_clear, with alpha = 1 and NULL, X is the unit matrix.
 *
 * @param alpha     one element of the type, equal on all ranks
 * @param diagonal  as of ashlar_tiles_set_diagonal; NULL: all of it is 1, and alpha must be a number that the symmetry
 *                  allows on the diagonal: real for a Hermitian matrix, imaginary for an anti-Hermitian one
 * @return as of ashlar_tiles_set_diagonal, and ASHLAR_ERR_ARG for a number that the symmetry forbids
 *
 * Collective over the context's communicator. The old and the new tiles are held at once.
 */
ASHLAR_API ashlar_status ashlar_tiles_add_diagonal(const void *alpha, const void *diagonal, ashlar_tiles *tiles,
                                                   ashlar_error *err);

/**
 * X <- L X R for diagonal matrices L and R.
 *
 * @param left   as many elements as X has rows, or NULL: L is the unit matrix. Equal on all ranks: each reads those
 *               of its own tiles.
 * @param right  as many elements as X has columns, or NULL likewise
 * @param tiles  X, a matrix without a symmetry
 * @return the same on every rank: ASHLAR_OK; ASHLAR_ERR_ARG; ASHLAR_ERR_MPI
 *
 * Collective over the context's communicator. No tile travels.
 */
ASHLAR_API ashlar_status ashlar_tiles_scale_by_diagonal(const void *left, const void *right, ashlar_tiles *tiles,
                                                        ashlar_error *err);

/**
 * Bounds of the spectrum from Gershgorin's circles: each eigenvalue is within some row's sum of the moduli beside the
 * diagonal from that row's element on the diagonal. The real parts of all eigenvalues are between the bounds, rounding
 * included; for a symmetric or Hermitian matrix these are the eigenvalues themselves.
 *
 * @param tiles    square, rows and columns cut alike
 * @param lowest   the same bits on all ranks; NaN if the matrix has one, infinite if it has no elements
 * @param highest  likewise
 * @return the same on every rank: ASHLAR_OK; ASHLAR_ERR_ARG; ASHLAR_ERR_MEMORY; ASHLAR_ERR_MPI
 *
 * Collective over the context's communicator. A rank holds 16 bytes for each row of elements of its tiles, and for each
 * of those that it adds up, one in p of p ranks.
 * Source: S. Gerschgorin, Izvestiya Akademii Nauk SSSR, 1931.
 */
ASHLAR_API ashlar_status ashlar_tiles_gershgorin(const ashlar_tiles *tiles, double *lowest, double *highest,
                                                 ashlar_error *err);

/**
 * Bounds of the spectrum by Lanczos' method: mostly much nearer to the eigenvalues than Gershgorin's circles, for
 * `steps` products of the matrix with a vector. All eigenvalues are between the bounds, rounding included. The method
 * begins with a random vector, always the same; with a probability of at most 1e-9 for each bound, over random vectors,
 * this has so small a part of an eigenvector that its eigenvalue is beyond the bound.
 *
 * @param tiles    square, rows and columns cut alike: a symmetric matrix of real numbers, a Hermitian one, or one
 *                 without a symmetry. Of the last the bounds are those of half the sum of it and its conjugate
 *                 transpose: the real parts of all its eigenvalues are between them.
 * @param steps    at least 0, equal on all ranks; at most as many as the matrix has rows are made, and fewer if fewer
 *                 find all there is. More steps make the bounds narrower. 0: 40.
 * @param lowest   the same bits on all ranks and from run to run; NaN if the matrix has one, infinite if it has no
 *                 elements or an infinite one
 * @param highest  likewise
 * @param inner    NULL, or receives two numbers: the lowest and the highest eigenvalue that the method has found
 *                 (Ritz values). Up to rounding they are between the lowest and the highest eigenvalue of the matrix:
 *                 their distance to the bounds says how much the bounds may be too wide. NaN if elements are not
 *                 finite. On all ranks or on none.
 * @return the same on every rank: ASHLAR_OK; ASHLAR_ERR_ARG; ASHLAR_ERR_MEMORY; ASHLAR_ERR_OVERFLOW; ASHLAR_ERR_MPI
 *
 * Collective over the context's communicator. A rank holds `steps` + 2 vectors of its rows, one in p of p ranks, and
 * two vectors of those rows and columns in which it has tiles, in double precision (complex if the matrix is). Sums are
 * made in the order of the ranks. Gershgorin's circles are found too, and limit the bounds of a matrix with a symmetry.
 * Sources: C. Lanczos, J. Res. Nat. Bur. Standards 45, 1950, with full orthogonalisation; the bounds are those of
 * Chebyshev, Markov and Stieltjes on what a measure with known moments can have at a point (Szego, Orthogonal
 * Polynomials, section 3.4).
 */
ASHLAR_API ashlar_status ashlar_tiles_lanczos(const ashlar_tiles *tiles, int64_t steps, double *lowest,
                                              double *highest, double *inner, ashlar_error *err);

/* ---- products ---- */

/** Which matrix a product leaves where it is. */
typedef enum ashlar_stays {
    ASHLAR_STAYS_CHOSEN = 0, /**< the library chooses */
    ASHLAR_STAYS_A = 1,      /**< products are formed where op(A)'s tiles are; tiles of B and sums of C travel */
    ASHLAR_STAYS_B = 2,      /**< likewise with B */
    ASHLAR_STAYS_C = 3       /**< products are formed where C's tiles are, or in layers beside them */
} ashlar_stays;

/** How ashlar_tiles_multiply makes a product. Equal on all ranks; all 0 is the usual way. */
typedef struct ashlar_tiles_options {
    size_t size; /**< sizeof(ashlar_tiles_options), or 0: see base.h */
    int retain;  /**< not 0: C gets no new tiles; products for tiles that it lacks are not formed */
    int window;  /**< iterations of SUMMA in flight, 1 to 16; 0: 2, or what memory_words allows. More hide more latency
                      and take more memory. */
    int keep_small_products; /**< not 0: `threshold` leaves out no products */
    int keep_small_tiles;    /**< not 0: `threshold` drops no tiles of C */
    int bound;               /**< not 0: bound the error, also if the threshold is 0; norms are computed for that */
    double threshold;        /**< eps, at least 0. A product of tiles is left out if |alpha| ||A_ik|| ||B_kj|| is below
                                  eps / (tiles in row i of op(A)), and a tile of C is dropped if its norm is below eps
                                  once everything has been added to it, unless C retains its tiles. Norms are Frobenius
                                  norms. These are the rules of DBCSR. A tile with NaN is never left out or dropped. */
    const int64_t *ranges;   /**< NULL: the whole product. Else six numbers: the first tile and the one behind the last
                                  of m (rows of tiles of op(A)), then of n (columns of op(B)), then of k. C's tiles in
                                  the ranges of m and n become beta C + alpha op(A) op(B), in which only the tiles of
                                  k's range count; C's other tiles are not touched. */
    double budget;           /**< at least 0; above 0, with threshold = 0: the error that C may have, in the Frobenius
                                  norm. Products of tiles are left out, those first that save the most work for what
                                  they cost, and then tiles of C dropped, the smallest first, as long as error_bound
                                  stays within it. Each may use half of what rounding may leave; if
                                  keep_small_products or keep_small_tiles is set, or C retains its tiles, the other
                                  has all of it. If rounding alone may take more, nothing is left out, and error_bound
                                  is above the budget. Which products are left out does not depend on how many ranks
                                  there are, nor on who has which tile; tiles are dropped by their norms as they are
                                  computed. Not with tiles of A or B that are stored as U V^T: their products round
                                  more than is counted when the budget is shared out. */
    const char *trace;       /**< NULL, or the name of a file: what each rank did and when, as ashlar_plan_trace_end
                                  writes it and `ashlar trace` draws it. Steps are iterations, and the words of a
                                  product are the multiply-adds that the tiles of A and B allow. NULL on all ranks or on
                                  none; the name is read on rank 0 only. A file that is there is replaced. If alpha is 0
                                  there is none. A plan keeps the pointer, and each execution writes the file. The
                                  addition of partial sums is not in it. */
    int stays;               /**< ashlar_stays. A or B can stay if it is on a process grid, and all terms have it on the
                                  same one, and there is no budget. */
    int layers;              /**< at least 0, at most the ranks. If C stays: how many groups of ranks share k; each
                                  forms partial sums of C, which are then added (2.5D). More take less of A and B to
                                  each rank, and more memory and words for sums. 0: chosen, with sums that fit into
                                  memory_words, or without a limit no larger than A, B and C together or than 8388608
                                  elements on each rank; 1: C is summed up where it is. With a budget C stays, in one
                                  layer, since what a budget leaves out does not depend on the ranks. */
    double tolerance;        /**< at least 0; above 0: once all has been added up and small tiles are dropped, C's tiles
                                  are compressed as by ashlar_tiles_compress (ashlar/tiles_low_rank.h), and error_bound
                                  has what that loses. 0: C's tiles are dense, and with ranges those that take part. If
                                  C's elements would take more memory than A, B and C as they are stored, C is formed
                                  in panels of rows of tiles, or of columns if B is larger than A: only one of them
                                  is dense at a time. Each needs all of B (or of A), which travels as often. Not with a
                                  plan, since it is made for tiles whose sizes stay; nor with a budget or memory_words,
                                  since how large C becomes is known only once it is computed. With a trace C is formed
                                  at once. */
    int relative;            /**< as of ashlar_tiles_compress */
    int64_t memory_words;    /**< 0: no limit; else the most elements that a rank may hold at once: its tiles of A and
                                  of B, those of C before and after the product, partial sums of C, tiles that come from
                                  other ranks or are packed for them, and the buffers for multiplying. k is cut into
                                  shorter iterations if need be, and without `window` as many iterations are in flight
                                  as fit, up to 16. Tables are not elements: ashlar_tiles_multiply says how long they
                                  are. */
    void (*progress)(void *user, int64_t done, int64_t all); /**< NULL, or called on this rank, by the calling thread,
                                  as iterations end: `done` of `all`. It may not call Ashlar or MPI, and may be NULL
                                  on some ranks. A plan keeps it. */
    void *progress_user;     /**< handed to `progress` */
    const ashlar_machine *machine; /**< NULL: ashlar_machine_default; else by which it is predicted whether a device
                                  (ashlar_context_set_device) that is there as "auto" is faster than the host. A plan
                                  keeps the pointer: the machine outlives it. Need not be the same on all ranks. */
} ashlar_tiles_options;

/** What a product had to plan. */
typedef enum ashlar_planned {
    ASHLAR_PLANNED_NEW = 0,     /**< everything */
    ASHLAR_PLANNED_CHANGED = 1, /**< what follows from the tiles that came or went since the plan was made */
    ASHLAR_PLANNED_REUSED = 2   /**< nothing: the plan was made for these patterns */
} ashlar_planned;

/** What ashlar_tiles_multiply did, on this rank. */
typedef struct ashlar_tiles_result {
    int64_t products;        /**< of tiles that this rank formed */
    int64_t left_out;        /**< of tiles that the patterns of A and B allow and that it did not form */
    int64_t dropped;         /**< tiles of C that it dropped after the product */
    int64_t flops;           /**< of the products that this rank formed: 2 for each multiply-add of real numbers, 8 of
                                  complex ones; tiles that are stored as U V^T count as dense ones, although they take
                                  fewer */
    int64_t words;           /**< elements that arrived from other ranks */
    int64_t messages;        /**< in which they came */
    int64_t workspace_words; /**< of the pool and of the buffers for multiplying, in elements */
    int64_t iterations;      /**< of SUMMA: into how many parts k was cut */
    int window;              /**< iterations in flight */
    double error_bound;      /**< of the Frobenius norm of C's error, on all ranks alike: products left out, tiles
                                  dropped, and rounding, if products are formed as they are defined (not by Strassen's
                                  method). If C retains its tiles the error is that of these tiles. Infinite if no bound
                                  was asked for. */
    double seconds;          /**< from the first task to the last; planning is not in it */
    int planned;             /**< ashlar_planned; the same on all ranks */
    int64_t planning_steps;  /**< tiles and products of tiles that planning looked at one by one */
    double planning_seconds; /**< on this rank, agreements among the ranks included */
    int64_t predicted_words; /**< `words`, as they were counted before the first tile was sent */
    int stays;               /**< ashlar_stays: which matrix stayed; 0 if nothing was multiplied. The same on all
                                  ranks, as the next two */
    int64_t layers;          /**< groups of ranks that shared k; with A or B that stays, the parts of its process grid
                                  into which k falls */
    double imbalance;        /**< multiply-adds of the busiest rank over the mean of all ranks */
    int64_t memory_words;    /**< elements that this rank held at once: its tiles of A, of B, and of C before and after
                                  the product (once if they are the same), of partial sums, and what takes more: the
                                  pool and the buffers for multiplying, or what adding the sums takes */
} ashlar_tiles_result;

/** What ashlar_tiles_multiply calls: `result` is NULL or a structure of `result_size` bytes. */
ASHLAR_API ashlar_status ashlar_tiles_multiply_sized(const void *alpha, ashlar_op op_a, const ashlar_tiles *a,
                                                     ashlar_op op_b, const ashlar_tiles *b, const void *beta,
                                                     ashlar_tiles *c, const ashlar_tiles_options *options,
                                                     ashlar_tiles_result *result, size_t result_size,
                                                     ashlar_error *err);

/**
 * C <- alpha op(A) op(B) + beta C.
 *
 * Tiles of C that the product needs come to be, unless options->retain says otherwise; those that are there stay. Only
 * tiles that another rank multiplies with are sent to it, and absent ones cost nothing. Mostly C's tiles stay where
 * they are, and the products of each are added in ascending order of k. If that moves much fewer words, and the
 * options allow it, A or B stays, or C lies in several layers: then there are partial sums, each in ascending order of
 * its k, which are added in the order of the ranks that have them. The same call gives the same bits in any case.
 * Thresholds, retained tiles and bounds mean the same then: the tiles in row i of op(A) are those of all layers, C's
 * tiles are dropped once the sums are added, and error_bound adds up the errors of the layers. With memory_words a way
 * that does not fit is not chosen. If beta is 0 C's elements are not read, and if alpha is 0 A's and B's are not.
 *
 * With options->ranges all that is said here, of thresholds and of what is counted too, is about the tiles in the
 * ranges. If C has a symmetry, m's range may neither begin nor end behind n's, so that each tile of the ranges below
 * the diagonal has its mirror image in them.
 *
 * A and B with a symmetry are multiplied as they are stored. If C has one, op(A) op(B) and C are taken to have it: only
 * its stored tiles are formed, and what their diagonal tiles have below the diagonal follows from what is above it.
 *
 * Tiles of A and B that are stored as U V^T travel so, and are multiplied so: a product with a tile of rank r is one of
 * rank r, and with one of rank 0 nothing is added, whatever the other tile has. It is added to a tile of C that is
 * dense while the product runs; such tiles of C are expanded first. Their norms are bounded by the sum of |u_i| |v_i|
 * over the columns of U and V.
 *
 * The schedule is SUMMA's over tiles, with several iterations in flight: Calvin, Lewis and Valeev, "Scalable task-based
 * algorithm for multiplication of block-rank-sparse matrices" (2015), section 3.
 *
 * @param alpha, beta  one element of the matrices' type each, the same on all ranks
 * @param op_a, op_b   of A and B: N, T or C
 * @param a, b, c      of one context and one type. The columns of op(A) are cut as the rows of op(B), C's rows as those
 *                     of op(A), and C's columns as those of op(B). Who has which tile does not matter. C is neither A
 *                     nor B.
 * @param options      NULL, or how
 * @param result       NULL, or receives what was done
 * @return the same on every rank: ASHLAR_OK; ASHLAR_ERR_ARG (NULL, no operation, matrices that do not fit: the text
 *         names the first tile that differs, ranges that are no ranges of tiles, ranks that disagree); ASHLAR_ERR_LIMIT
 *         (options->memory_words cannot be kept: ashlar_context_memory_words has what can; or a rank's device memory is
 *         less than the largest tile of C and twice those of A and of B: the text has what would do, and
 *         ashlar_context_memory_words is 0); ASHLAR_ERR_UNSUPPORTED (A or B cannot stay; with a budget, with a
 *         tolerance or with tiles that are stored as U V^T: A or B that stays, more than one layer; a C that a function
 *         deals out with a tolerance, with such tiles, or with a budget and memory_words; a tolerance with a budget; a
 *         budget with such tiles of A or B; memory_words with a tolerance, or with ranges and such tiles of C);
 *         ASHLAR_ERR_MEMORY; ASHLAR_ERR_OVERFLOW; ASHLAR_ERR_MPI. After ASHLAR_ERR_MPI, or if memory lacks while a
 *         product of very many iterations runs, C's elements are unspecified; after any other error C is as it was.
 *
 * While it plans, a rank holds 48 bytes for each of its tiles, and for each tile of A in its process row of C's grid
 * and of B in its process column; while the product runs about 100 for each of the latter, and `workspace_words`
 * elements. If C gets other tiles, or a rank has a device, its old storage is there until the product ends. If C is not
 * summed up where it is, a rank has its partial sums besides, which are counted in `workspace_words`, 48 bytes for each
 * of their tiles, and two buffers of at most 1 MiB; a C that a function deals out is there twice with a budget.
 *
 * Source of the layers: Lazzaro, VandeVondele, Hutter and Schuett, "Increasing the efficiency of sparse matrix-matrix
 * multiplication with a 2.5D algorithm and one-sided MPI" (PASC 2017).
 *
 * Collective over the context's communicator. What is buffered for A, B or C is not seen before ashlar_tiles_finish.
 */
static inline ashlar_status ashlar_tiles_multiply(const void *alpha, ashlar_op op_a, const ashlar_tiles *a,
                                                  ashlar_op op_b, const ashlar_tiles *b, const void *beta,
                                                  ashlar_tiles *c, const ashlar_tiles_options *options,
                                                  ashlar_tiles_result *result, ashlar_error *err)
{
    return ashlar_tiles_multiply_sized(alpha, op_a, a, op_b, b, beta, c, options, result,
                                       result ? sizeof *result : 0, err);
}

/** What ashlar_tiles_device calls: `out` is a structure of `size` bytes. */
ASHLAR_API ashlar_status ashlar_tiles_device_sized(ashlar_context *context, ashlar_device_figures *out, size_t size,
                                                   ashlar_error *err);

/**
 * What the ranks' devices (ashlar_context_set_device) did in the last call over a context that multiplied matrices of
 * tiles, or executed a plan of such a product, and what had been predicted of them, over all ranks.
 *
 * Words and memory are exact, except that a term whose alpha is 0 in an execution of a plan takes none, and that they
 * are those of the attempt if a device has failed. `seconds` are a prediction, from what a device states of itself,
 * else from the machine's figures. Device memory has C's tiles, and twice as much of A's and B's as are multiplied at
 * once: tiles of A and B go to the device for each iteration of SUMMA, each once if that memory is large enough, and
 * tiles of C that are added to go there and back once if all of C fits beside one tile of A and of B, twice; else once
 * for each iteration. Where a rank's C has no tiles before, they do not go there before they have elements, except in a
 * plan. With tiles that are stored as U V^T the host multiplies, and all but the strings is 0.
 *
 * If a device fails, all ranks begin the product anew without theirs, and the call succeeds: C's old tiles are kept
 * until then. The rank whose device has failed uses it for tiles no more.
 *
 * @param out  strings are valid as long as the context, and `failure` until the next call of this function
 * @return the same on every rank: ASHLAR_OK; ASHLAR_ERR_ARG (NULL); ASHLAR_ERR_MPI
 *
 * Collective over the context's communicator.
 */
static inline ashlar_status ashlar_tiles_device(ashlar_context *context, ashlar_device_figures *out, ashlar_error *err)
{
    return ashlar_tiles_device_sized(context, out, sizeof *out, err);
}

/**
 * Maps for C's description by which the processes of its grid have about equal work in C <- op(A) op(B).
 *
 * By turns (the default) uneven or sparse tiles leave some processes more work than others. Here the rows and columns
 * of tiles with most work are dealt first, each where loads become least uneven, and then change places while that
 * helps. Deal op(A)'s rows of tiles by row_map and op(B)'s columns by col_map, too: else each of their tiles may travel
 * once more.
 *
 * @param op_a, op_b  of A and B: N, T or C; equal on all ranks
 * @param a, b        as of ashlar_tiles_multiply; only their patterns matter
 * @param c           type, symmetry, grid_rows and grid_cols of C; nothing else is looked at
 * @param row_map     receives a number for each row of tiles of op(A): the process row for it
 * @param col_map     receives a number for each column of tiles of op(B): the process column for it
 * @param left        NULL, or receives the work of the busiest process over the mean, 1 if all have as much. If there
 *                    are more than 5e7 products of tiles, rows and columns are dealt by the work of each alone, and
 *                    this is an estimate.
 * @return the same on every rank: ASHLAR_OK; ASHLAR_ERR_ARG (NULL, no operation, matrices that do not fit, a grid or
 *         symmetry that C cannot have, ranks that disagree); ASHLAR_ERR_MEMORY; ASHLAR_ERR_OVERFLOW (2^31 rows and
 *         columns of tiles or more); ASHLAR_ERR_MPI. After an error the maps are unspecified.
 *
 * Collective over the context's communicator. All ranks find the maps together: each holds 32 bytes for each tile of A
 * and B that it would need if C were dealt out by turns, up to 5e7 products 40 for each tile of C that it would have
 * then, 40 for each row and column of tiles, and 16 MiB. The same matrices give the same maps on any number of ranks
 * with the same grid.
 */
ASHLAR_API ashlar_status ashlar_tiles_deal_by_work(ashlar_op op_a, const ashlar_tiles *a, ashlar_op op_b,
                                                   const ashlar_tiles *b, const ashlar_tiles_description *c,
                                                   int *row_map, int *col_map, double *left, ashlar_error *err);

#ifdef __cplusplus
}
#endif
#endif
