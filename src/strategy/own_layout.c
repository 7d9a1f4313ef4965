/* The layouts in which a grid of boxes needs nothing moved first. */
#include "strategy/own_layout.h"

#include "base/checked.h"
#include "base/error.h"
#include "layout/layout.h"
#include "model/forms.h"

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

static face face_of(const ashi_bricks *b, const ashlar_op op[2], ashlar_operand operand, const int64_t c_cut[2],
                    const ashi_own_orders *orders)
{
    if (operand == ASHLAR_C)
        return (face){0, 1, 2, c_cut[0], c_cut[1], orders->c_by_rows ? ASHLAR_ROW_MAJOR : ASHLAR_COL_MAJOR};
    const int minor = operand == ASHLAR_A ? 0 : 1, fibre = 1 - minor;
    const bool k_is_rows = (operand == ASHLAR_A) == (op[operand] != ASHLAR_OP_N);
    const ashlar_order order = orders->k_inside[operand] == k_is_rows ? ASHLAR_COL_MAJOR : ASHLAR_ROW_MAJOR;
    if (k_is_rows)
        return (face){2, minor, fibre, b->grid[fibre], 1, order};
    return (face){minor, 2, fibre, 1, b->grid[fibre], order};
}

static int owner_of(const ashi_bricks *b, const face *f, int64_t row, int64_t col)
{
    int64_t at[3];
    at[f->rows] = row / f->row_pieces;
    at[f->cols] = col / f->col_pieces;
    at[f->fibre] = row % f->row_pieces * f->col_pieces + col % f->col_pieces;
    return b->rank_of[(at[0] * b->grid[1] + at[1]) * b->grid[2] + at[2]];
}

/* ---- storage orders ---- */

/* A form has to be this much faster than the usual one to be worth another order: less is the noise of measuring. */
static const double WORTH = 1.01;

/* Whether pieces of a matrix are sent between the cells of a grid. */
static bool moves(const int64_t grid[3], ashlar_operand x)
{
    static const int fibre[3] = {[ASHLAR_A] = 1, [ASHLAR_B] = 0, [ASHLAR_C] = 2};
    return grid[fibre[x]] > 1;
}

/* Which orders of A or B are possible. BLAS conjugates where it transposes only: with a column-major C, A with k inside
 * and B with n inside. What is sent is multiplied with k outside, and so is what is copied to be conjugated. */
static void possible(const ashi_problem *q, const int64_t grid[3], ashlar_operand x, bool possible_inside[2])
{
    const bool turned = q->op[x] != ASHLAR_OP_N, k_is_rows = (x == ASHLAR_A) == turned;
    const bool given_inside = q->layout[x] && (q->layout[x]->order == ASHLAR_COL_MAJOR) == k_is_rows;
    for (int inside = 0; inside < 2; inside++) {
        if (moves(grid, x))
            possible_inside[inside] = !inside;
        else if (q->layout[x])
            possible_inside[inside] = inside == given_inside;
        else
            possible_inside[inside] = q->op[x] != ASHLAR_OP_C || inside == (x == ASHLAR_A);
    }
}

/* BLAS computes a row-major C as the transpose of the product: it is given B first. */
static int form_of(bool a_inside, bool b_inside, bool c_by_rows)
{
    return c_by_rows ? ashi_form_of(b_inside, !a_inside) : ashi_form_of(a_inside, !b_inside);
}

ashi_own_orders ashi_own_orders_of(const ashi_problem *q, const int64_t grid[3])
{
    const bool conjugates = q->op[0] == ASHLAR_OP_C || q->op[1] == ASHLAR_OP_C;
    const bool given_by_rows = q->layout[ASHLAR_C] && q->layout[ASHLAR_C]->order == ASHLAR_ROW_MAJOR;
    const bool fixed_c = q->layout[ASHLAR_C] || moves(grid, ASHLAR_C) || conjugates;
    bool a[2], b[2];
    double best = 0;
    ashi_own_orders orders = {{false, false}, false};
    possible(q, grid, ASHLAR_A, a);
    possible(q, grid, ASHLAR_B, b);
    for (int by_rows = 0; by_rows < 2; by_rows++)
        for (int i = 0; i < 4; i++) {
            const bool a_inside = i % 2, b_inside = i / 2;
            const double rate = ashi_form_rate(&q->machine, form_of(a_inside, b_inside, by_rows));
            if (!a[a_inside] || !b[b_inside] || (fixed_c && by_rows != given_by_rows) || rate <= WORTH * best)
                continue;
            best = rate;
            orders = (ashi_own_orders){{a_inside, b_inside}, by_rows};
        }
    return orders;
}

/* ---- layouts ---- */

ashlar_status ashi_own_layout(const ashi_bricks *b, const ashlar_op op[2], ashlar_operand operand,
                              const int64_t c_cut[2], ashi_own_orders orders, ashlar_layout **out, ashlar_error *err)
{
    const face f = face_of(b, op, operand, c_cut, &orders);
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
