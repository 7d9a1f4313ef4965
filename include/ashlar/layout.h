/** Layouts: who owns which part of a matrix, and how a rank's part lies in its memory. No MPI is needed. */
#ifndef ASHLAR_LAYOUT_H
#define ASHLAR_LAYOUT_H

#include <ashlar/base.h>

#ifdef __cplusplus
extern "C" {
#endif

/**
 * A layout: two tilings (row cuts, column cuts), an owner for each tile, and where this rank's tiles lie. All ranks
 * describe the same tiling and owners; leading dimensions, offsets and pointers are each rank's own. A layout does not
 * change once made and may be used by any number of plans. It may be freed before them: they keep copies.
 */
typedef struct ashlar_layout ashlar_layout;

/**
 * The two-dimensional block-cyclic layout of ScaLAPACK.
 *
 * Block (I, J) of mb x nb elements belongs to process ((I + row_source) mod grid_rows, (J + col_source) mod grid_cols)
 * of a process grid. Each rank holds its part as one matrix in ScaLAPACK's local order.
 *
 * @param rows, cols  of the whole matrix; at least 0
 * @param mb, nb      rows and columns of a block; at least 1
 * @param grid_rows, grid_cols  the process grid; at least 1 each
 * @param row_source, col_source  the process row and column that own the first block
 * @param ranks       grid_rows * grid_cols different ranks, process (r, c) at r * grid_cols + c;
 *                    NULL for r * grid_cols + c itself (BLACS "Row" order). Copied.
 * @param order       of this rank's local matrix
 * @param ld          this rank's leading dimension in elements; 0 for the least that is possible. It is checked
 *                    against the local shape when a plan is made, since only then is the rank known.
 * @param out         the new layout, freed by ashlar_layout_free; NULL on failure
 * @return ASHLAR_OK; ASHLAR_ERR_ARG; ASHLAR_ERR_OVERFLOW (rows * cols beyond 2^63 - 1); ASHLAR_ERR_MEMORY
 *
 * Local: not collective.
 */
ASHLAR_API ashlar_status ashlar_layout_block_cyclic(int64_t rows, int64_t cols, int64_t mb, int64_t nb, int grid_rows,
                                                    int grid_cols, int row_source, int col_source, const int *ranks,
                                                    ashlar_order order, int64_t ld, ashlar_layout **out,
                                                    ashlar_error *err);

/**
 * Make the first block of a block-cyclic layout another size than the others: ScaLAPACK's IMB and INB.
 *
 * @param layout      made by ashlar_layout_block_cyclic, and not yet used by a plan or for a submatrix
 * @param rows, cols  of the first block row and block column; at least 1, and they may exceed mb and nb
 * @return ASHLAR_OK; ASHLAR_ERR_ARG
 *
 * Local: not collective.
 */
ASHLAR_API ashlar_status ashlar_layout_first_block(ashlar_layout *layout, int64_t rows, int64_t cols,
                                                   ashlar_error *err);

/**
 * The layout of a submatrix of a block-cyclic matrix, where it lies: arrays given at execution are those of the whole
 * matrix, and only elements of the submatrix are touched.
 *
 * @param of          made by ashlar_layout_block_cyclic or by this call; may be freed afterwards
 * @param row, col    where the submatrix begins in `of`, counted from zero
 * @param rows, cols  of the submatrix; at least 0
 * @param out         the new layout, freed by ashlar_layout_free; NULL on failure
 * @return ASHLAR_OK; ASHLAR_ERR_ARG (not block-cyclic, not inside `of`); ASHLAR_ERR_MEMORY
 *
 * Local: not collective.
 */
ASHLAR_API ashlar_status ashlar_layout_submatrix(const ashlar_layout *of, int64_t row, int64_t col, int64_t rows,
                                                 int64_t cols, ashlar_layout **out, ashlar_error *err);

/**
 * A layout of uneven tiles with any owners.
 *
 * Tile (r, c) holds rows row_cuts[r] .. row_cuts[r+1]-1 and columns col_cuts[c] .. col_cuts[c+1]-1. A rank's tiles are
 * numbered in the order of r * tile_cols + c. Unless ashlar_layout_set_storage says otherwise they lie one after the
 * other in that order, each with the least leading dimension.
 *
 * @param tile_rows, tile_cols  how many tiles; at least 1 each
 * @param row_cuts    tile_rows + 1 numbers that do not decrease, the first 0, the last the matrix's rows. Copied.
 * @param col_cuts    tile_cols + 1 numbers likewise. Copied.
 * @param owner       tile_rows * tile_cols ranks, tile (r, c) at r * tile_cols + c. Copied.
 * @param order       of the elements inside each tile
 * @param out         the new layout, freed by ashlar_layout_free; NULL on failure
 * @return ASHLAR_OK; ASHLAR_ERR_ARG; ASHLAR_ERR_OVERFLOW; ASHLAR_ERR_MEMORY
 *
 * Local: not collective.
 */
ASHLAR_API ashlar_status ashlar_layout_tiles(int64_t tile_rows, int64_t tile_cols, const int64_t *row_cuts,
                                             const int64_t *col_cuts, const int *owner, ashlar_order order,
                                             ashlar_layout **out, ashlar_error *err);

/**
 * Say where this rank's tiles lie: tile t (as ashlar_layout_tiles numbers them) begins offset[t] elements after the
 * pointer given at execution and has leading dimension ld[t]. Used for one's own local blocks inside larger arrays.
 *
 * @param layout  made by ashlar_layout_tiles
 * @param rank    this rank, in the communicator that plans will use
 * @param offset  one number a tile of this rank, in elements. Copied. NULL when pointers are given at execution
 *                (ashlar_plan_execute_tiles, ashlar_mover_execute_tiles), each to the first element of its tile.
 * @param ld      one leading dimension a tile of this rank, in elements. Copied.
 * @return ASHLAR_OK; ASHLAR_ERR_ARG (no tiles layout, a leading dimension too small, a negative offset);
 *         ASHLAR_ERR_MEMORY
 *
 * Local: not collective. That tiles do not overlap in memory is the caller's care.
 */
ASHLAR_API ashlar_status ashlar_layout_set_storage(ashlar_layout *layout, int rank, const int64_t *offset,
                                                   const int64_t *ld, ashlar_error *err);

/** Free a layout and set the pointer to NULL. NULL, and a pointer to NULL, do nothing. */
ASHLAR_API void ashlar_layout_free(ashlar_layout **layout);

/** Rows and columns of the whole matrix. */
ASHLAR_API int64_t ashlar_layout_rows(const ashlar_layout *layout);
ASHLAR_API int64_t ashlar_layout_cols(const ashlar_layout *layout);

/**
 * How many tiles of a tiles layout a rank owns; for a block-cyclic layout 1 if the rank owns any element, else 0: the
 * pointers that ashlar_plan_execute_tiles and ashlar_mover_execute_tiles take.
 */
ASHLAR_API int64_t ashlar_layout_tile_count(const ashlar_layout *layout, int rank);

/** How many elements of the matrix a rank owns: its local share, in words. */
ASHLAR_API int64_t ashlar_layout_words(const ashlar_layout *layout, int rank);

/**
 * How many elements an array needs so that it holds a rank's part as the layout says: at least ashlar_layout_words,
 * more if leading dimensions or offsets leave gaps. If the layout has this rank's leading dimension or offsets, the
 * answer is right for this rank only.
 */
ASHLAR_API int64_t ashlar_layout_extent(const ashlar_layout *layout, int rank);

/** The rank that owns element (row, col), counted from zero; -1 if there is no such element. */
ASHLAR_API int ashlar_layout_owner(const ashlar_layout *layout, int64_t row, int64_t col);

/**
 * The place of element (row, col) in the array of the rank that owns it, in elements; -1 if there is no such
 * element. With leading dimensions or offsets of its own the answer is right on the owning rank only.
 */
ASHLAR_API int64_t ashlar_layout_offset(const ashlar_layout *layout, int64_t row, int64_t col);

/** A rectangle of a matrix that one rank owns, and how it lies in the rank's array. */
typedef struct ashlar_tile {
    int64_t row;        /**< its first row in the whole matrix, counted from zero */
    int64_t col;        /**< its first column likewise */
    int64_t rows;       /**< at least 0 */
    int64_t cols;       /**< at least 0 */
    ashlar_order order; /**< of its elements */
    int64_t ld;         /**< leading dimension, in elements */
    int64_t offset;     /**< the place of its first element in the rank's array, in elements; 0 if it has no elements,
                             or if every tile has an array of its own (ashlar_plan_execute_tiles) */
} ashlar_tile;

/** What ashlar_layout_list_tiles calls: `tiles` are structures of `size` bytes each. */
ASHLAR_API ashlar_status ashlar_layout_list_tiles_sized(const ashlar_layout *layout, int rank, int64_t room,
                                                        ashlar_tile *tiles, size_t size, int64_t *count,
                                                        ashlar_error *err);

/**
 * List all that a rank owns of a matrix, as rectangles: of a tiles layout its tiles, in their numbering and with those
 * that have no elements; of a block-cyclic layout its blocks, row by row of blocks. A dimension that is not divided
 * among processes is one block.
 *
 * With leading dimensions or offsets that are each rank's own, `ld` and `offset` are right for this rank only.
 *
 * @param rank   at least 0; one that owns nothing has no tiles
 * @param room   how many tiles fit in `tiles`; at least 0
 * @param tiles  the first `room` tiles; may be NULL if room is 0
 * @param count  how many there are, which may be more than `room`
 * @return ASHLAR_OK; ASHLAR_ERR_ARG
 *
 * Local: not collective. Allocates nothing.
 */
static inline ashlar_status ashlar_layout_list_tiles(const ashlar_layout *layout, int rank, int64_t room,
                                                     ashlar_tile *tiles, int64_t *count, ashlar_error *err)
{
    return ashlar_layout_list_tiles_sized(layout, rank, room, tiles, sizeof *tiles, count, err);
}

#ifdef __cplusplus
}
#endif
#endif
