/* The layouts in which a grid of boxes needs nothing moved first. */
#include "strategy/own_layout.h"

#include "base/checked.h"
#include "base/error.h"

#include <stdlib.h>

/* Cut each of `parts` intervals evenly in `pieces`. */
static void refine(const int64_t *cut, int64_t parts, int64_t pieces, int64_t *out)
{
    for (int64_t l = 0; l < parts; l++)
        for (int64_t i = 0; i < pieces; i++)
            out[l * pieces + i] = cut[l] + ashi_cut(cut[l + 1] - cut[l], pieces, i);
    out[parts * pieces] = cut[parts];
}

/* The cell of a face's tile: where it is along the face's two dimensions, and along the fibre. */
typedef struct face {
    int rows, cols, fibre;         /* dimensions of the grid: 0, 1, 2 for m, n, k */
    int64_t row_pieces, col_pieces; /* how the fibre's ranks cut each block */
    ashlar_order order;
} face;

static face face_of(const ashi_bricks *b, const ashlar_op op[2], ashlar_operand operand, const int64_t c_cut[2])
{
    if (operand == ASHLAR_C)
        return (face){0, 1, 2, c_cut[0], c_cut[1], ASHLAR_COL_MAJOR};
    const int minor = operand == ASHLAR_A ? 0 : 1, fibre = 1 - minor;
    const bool k_is_rows = (operand == ASHLAR_A) == (op[operand] != ASHLAR_OP_N);
    if (k_is_rows)
        return (face){2, minor, fibre, b->grid[fibre], 1, ASHLAR_ROW_MAJOR};
    return (face){minor, 2, fibre, 1, b->grid[fibre], ASHLAR_COL_MAJOR};
}

static int owner_of(const ashi_bricks *b, const face *f, int64_t row, int64_t col)
{
    int64_t at[3];
    at[f->rows] = row / f->row_pieces;
    at[f->cols] = col / f->col_pieces;
    at[f->fibre] = row % f->row_pieces * f->col_pieces + col % f->col_pieces;
    return b->rank_of[(at[0] * b->grid[1] + at[1]) * b->grid[2] + at[2]];
}

ashlar_status ashi_own_layout(const ashi_bricks *b, const ashlar_op op[2], ashlar_operand operand,
                              const int64_t c_cut[2], ashlar_layout **out, ashlar_error *err)
{
    const face f = face_of(b, op, operand, c_cut);
    const int64_t rows = b->grid[f.rows] * f.row_pieces, cols = b->grid[f.cols] * f.col_pieces;
    int64_t *row_cut = malloc((size_t)(rows + 1) * sizeof *row_cut);
    int64_t *col_cut = malloc((size_t)(cols + 1) * sizeof *col_cut);
    int *owner = malloc((size_t)(rows * cols) * sizeof *owner);
    *out = NULL;
    ashlar_status status = ASHLAR_OK;
    if (!row_cut || !col_cut || !owner) {
        status = ashi_fail_memory(err, "layout", (rows + cols) * 8 + rows * cols * 4);
    } else {
        refine(b->cut[f.rows], b->grid[f.rows], f.row_pieces, row_cut);
        refine(b->cut[f.cols], b->grid[f.cols], f.col_pieces, col_cut);
        for (int64_t i = 0; i < rows * cols; i++)
            owner[i] = owner_of(b, &f, i / cols, i % cols);
        status = ashlar_layout_tiles(rows, cols, row_cut, col_cut, owner, f.order, out, err);
    }
    free(row_cut);
    free(col_cut);
    free(owner);
    return status;
}
