/* The layouts in which a grid of boxes needs nothing moved first. */
#include "strategy/own_layout.h"

#include "base/checked.h"
#include "base/error.h"
#include "layout/layout.h"
#include "model/forms.h"

#include <stdlib.h>

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
    const int64_t m = ashi_ceil_div(q->size[0], grid[0]), n = ashi_ceil_div(q->size[1], grid[1]);
    bool a[2], b[2];
    double best = 0;
    ashi_own_orders orders = {{false, false}, false};
    possible(q, grid, ASHLAR_A, a);
    possible(q, grid, ASHLAR_B, b);
    for (int by_rows = 0; by_rows < 2; by_rows++)
        for (int i = 0; i < 4; i++) {
            const bool a_inside = i % 2, b_inside = i / 2;
            const double rate = ashi_form_rate_of_shape(&q->machine, form_of(a_inside, b_inside, by_rows),
                                                        by_rows ? n : m, by_rows ? m : n);
            if (!a[a_inside] || !b[b_inside] || (fixed_c && by_rows != given_by_rows) || rate <= WORTH * best)
                continue;
            best = rate;
            orders = (ashi_own_orders){{a_inside, b_inside}, by_rows};
        }
    return orders;
}

/* ---- layouts ---- */

ashi_parts ashi_own_parts(const int64_t size[3], const int64_t grid[3], ashlar_operand x, bool once)
{
    const int *dim = ashi_dims_of[x];
    const int64_t ranks = grid[dim[2]];
    const int64_t rows = ashi_ceil_div(size[dim[0]], grid[dim[0]]), cols = ashi_ceil_div(size[dim[1]], grid[dim[1]]);
    if (x != ASHLAR_C)
        return ashi_parts_even(1, ranks);
    if (!once)
        return ashi_parts_best(rows, cols, ranks);
    const bool by_rows = ashi_ceil_div(rows, ranks) * cols < rows * ashi_ceil_div(cols, ranks);
    return by_rows ? ashi_parts_even(ranks, 1) : ashi_parts_even(1, ranks);
}

/* Which side of a matrix its ranks cut if A or B stays: 0 the minor, 1 the major one. */
static int turned_side(ashi_stays stays, ashlar_operand x)
{
    return x == ASHLAR_C && stays == ASHI_STAYS_A ? 0 : 1;
}

int ashi_own_turned(ashi_stays stays, ashlar_operand x)
{
    return ashi_dims_of[x][turned_side(stays, x)];
}

ashi_turns ashi_own_turns(const int64_t size[3], const int64_t grid[3], ashi_stays stays, int64_t rounds,
                          ashlar_operand x)
{
    const int side = ashi_own_turned(stays, x);
    const int64_t parts = grid[ashi_dims_of[x][2]], ranks = grid[0] * grid[1] * grid[2];
    if (x == ashi_stationary(stays))
        return (ashi_turns){parts, 1, rounds};
    return ashi_turns_of(ashi_ceil_div(size[side], grid[side]), parts, rounds, ranks);
}

/* A layout to be: the faces of a grid along their minor and major side, and how each of them is cut. */
typedef struct faces {
    const ashi_bricks *bricks;
    int minor, major, fibre;
    bool turned;      /* by turns, along this side; else in parts */
    int side;
    ashi_turns turns;
    ashi_parts parts;
    int64_t rows, cols; /* pieces that a face has on its minor and its major side */
    int64_t *cut[2];    /* of all faces, minor and major */
    int *owner;         /* [minor piece][major piece] */
} faces;

static void faces_free(faces *f)
{
    free(f->cut[0]);
    free(f->cut[1]);
    free(f->owner);
}

/* How each face is cut. In bands by turns each part begins at one of two positions. */
static void find_cut(const int64_t size[3], ashlar_operand x, ashi_own_cut cut, faces *f)
{
    const int64_t *grid = f->bricks->grid;
    f->turned = cut.stays != ASHI_STAYS_C;
    if (f->turned) {
        f->turns = ashi_own_turns(size, grid, cut.stays, cut.rounds, x);
        f->side = turned_side(cut.stays, x);
        const int64_t edges = f->turns.bands > 1 ? 2 * f->turns.parts : f->turns.parts;
        f->rows = f->side == 0 ? edges : f->turns.bands;
        f->cols = f->side == 0 ? f->turns.bands : edges;
        return;
    }
    f->parts = ashi_own_parts(size, grid, x, cut.once);
    f->rows = f->parts.rows[0] + ashi_max(0, f->parts.rows[1] - 1);
    f->cols = f->parts.cols[0] + f->parts.cols[1];
}

static ashlar_status faces_build(const ashi_bricks *b, ashlar_operand x, ashi_own_cut cut, faces *f, ashlar_error *err)
{
    const int *dim = ashi_dims_of[x];
    int64_t size[3];
    for (int d = 0; d < 3; d++)
        size[d] = b->cut[d][b->grid[d]];
    *f = (faces){.bricks = b, .minor = dim[0], .major = dim[1], .fibre = dim[2]};
    find_cut(size, x, cut, f);
    const int64_t rows = b->grid[f->minor] * f->rows, cols = b->grid[f->major] * f->cols;
    f->cut[0] = malloc((size_t)(rows + 1) * sizeof *f->cut[0]);
    f->cut[1] = malloc((size_t)(cols + 1) * sizeof *f->cut[1]);
    f->owner = malloc((size_t)(rows * cols) * sizeof *f->owner);
    if (!f->cut[0] || !f->cut[1] || !f->owner)
        return ashi_fail_memory(err, "layout", (rows + cols) * 8 + rows * cols * 4);
    return ASHLAR_OK;
}

/* Both bands' edges on the minor side of each face, in order; the bands beside each other on its major side. */
static void cut_faces(faces *f)
{
    const ashi_parts *p = &f->parts;
    const int64_t *minor = f->bricks->cut[f->minor], *major = f->bricks->cut[f->major];
    const int64_t minors = f->bricks->grid[f->minor], majors = f->bricks->grid[f->major];
    for (int64_t i = 0; i < minors; i++) {
        const int64_t rows = minor[i + 1] - minor[i];
        int64_t at[2] = {0, 1};
        for (int64_t n = 0; n < f->rows; n++) {
            const int64_t edge[2] = {ashi_cut(rows, p->rows[0], ashi_min(at[0], p->rows[0])),
                                     at[1] < p->rows[1] ? ashi_cut(rows, p->rows[1], at[1]) : rows};
            const int band = at[0] >= p->rows[0] || edge[1] < edge[0];
            f->cut[0][i * f->rows + n] = minor[i] + edge[band];
            at[band]++;
        }
    }
    for (int64_t i = 0; i < majors; i++) {
        const int64_t first = major[i + 1] - major[i] - p->rest;
        for (int64_t n = 0; n < f->cols; n++)
            f->cut[1][i * f->cols + n] =
                major[i] + (n < p->cols[0] ? ashi_cut(first, p->cols[0], n)
                                           : first + ashi_cut(p->rest, p->cols[1], n - p->cols[0]));
    }
    f->cut[0][minors * f->rows] = minor[minors];
    f->cut[1][majors * f->cols] = major[majors];
}

/* The same by turns: along one side where parts may begin, along the other where bands do. */
static void cut_by_turns(faces *f)
{
    const ashi_turns *t = &f->turns;
    const int dim[2] = {f->minor, f->major};
    const int64_t pieces[2] = {f->rows, f->cols};
    for (int side = 0; side < 2; side++) {
        const int64_t *lo = f->bricks->cut[dim[side]], faces_along = f->bricks->grid[dim[side]], n = pieces[side];
        for (int64_t i = 0; i < faces_along * n; i++) {
            const int64_t first = lo[i / n], length = lo[i / n + 1] - first, at = i % n;
            if (side != f->side)
                f->cut[side][i] = first + ashi_turns_band(t, length, at);
            else if (t->bands == 1 || at % 2 == 0)
                f->cut[side][i] = first + ashi_turns_edge(t, length, 0, t->bands == 1 ? at : at / 2);
            else
                f->cut[side][i] = ashi_min(f->cut[side][i - 1] + 1,
                                           first + ashi_turns_edge(t, length, 0, at / 2 + 1));
        }
        f->cut[side][faces_along * n] = lo[faces_along];
    }
}

static int64_t turned_part_of(const faces *f, int64_t row, int64_t col)
{
    const int64_t piece = f->side == 0 ? row : col, pieces = f->side == 0 ? f->rows : f->cols;
    const int64_t *lo = &f->bricks->cut[f->side == 0 ? f->minor : f->major][piece / pieces];
    const int64_t at = f->cut[f->side][piece] - lo[0], length = lo[1] - lo[0];
    const int64_t band = f->side == 0 ? col % f->cols : row % f->rows;
    return at < length ? ashi_turns_part(&f->turns, length, band, at) : 0;
}

/* The part of its face that a piece belongs to. Empty pieces belong to any. */
static int64_t part_of(const faces *f, int64_t row, int64_t col)
{
    if (f->turned)
        return turned_part_of(f, row, col);
    const ashi_parts *p = &f->parts;
    const int64_t *minor = f->bricks->cut[f->minor];
    const int64_t face = row / f->rows, rows = minor[face + 1] - minor[face], at = f->cut[0][row] - minor[face];
    const int64_t beside = col % f->cols;
    const int band = beside >= p->cols[0];
    const int64_t above = p->rows[1] == 0 ? row % f->rows : at < rows ? ashi_cut_find(rows, p->rows[band], at) : 0;
    return band ? ashi_parts_first(p) + above * p->cols[1] + beside - p->cols[0] : above * p->cols[0] + beside;
}

static void find_owners(faces *f)
{
    const ashi_bricks *b = f->bricks;
    const int64_t rows = b->grid[f->minor] * f->rows, cols = b->grid[f->major] * f->cols;
    for (int64_t r = 0; r < rows; r++)
        for (int64_t c = 0; c < cols; c++) {
            int64_t at[3];
            at[f->minor] = r / f->rows;
            at[f->major] = c / f->cols;
            at[f->fibre] = part_of(f, r, c);
            f->owner[r * cols + c] = b->rank_of[(at[0] * b->grid[1] + at[1]) * b->grid[2] + at[2]];
        }
}

/* The same the other way round. */
static ashlar_status turn(faces *f, int64_t rows, int64_t cols, ashlar_error *err)
{
    int *turned = malloc((size_t)(rows * cols) * sizeof *turned);
    if (!turned)
        return ashi_fail_memory(err, "layout", rows * cols * 4);
    for (int64_t r = 0; r < rows; r++)
        for (int64_t c = 0; c < cols; c++)
            turned[c * rows + r] = f->owner[r * cols + c];
    free(f->owner);
    f->owner = turned;
    return ASHLAR_OK;
}

static ashlar_order order_of(const ashi_own_orders *orders, ashlar_operand x, bool minor_is_row)
{
    if (x == ASHLAR_C)
        return orders->c_by_rows ? ASHLAR_ROW_MAJOR : ASHLAR_COL_MAJOR;
    return orders->k_inside[x] != minor_is_row ? ASHLAR_COL_MAJOR : ASHLAR_ROW_MAJOR;
}

ashlar_status ashi_own_layout(const ashi_bricks *b, const ashlar_op op[2], ashlar_operand x, ashi_own_cut cut,
                              ashi_own_orders orders, ashlar_layout **out, ashlar_error *err)
{
    const bool minor_is_row = ashi_minor_is_row(op, x);
    faces f;
    *out = NULL;
    ashlar_status status = faces_build(b, x, cut, &f, err);
    const int64_t rows = b->grid[f.minor] * f.rows, cols = b->grid[f.major] * f.cols;
    if (status == ASHLAR_OK) {
        if (f.turned)
            cut_by_turns(&f);
        else
            cut_faces(&f);
        find_owners(&f);
    }
    if (status == ASHLAR_OK && !minor_is_row)
        status = turn(&f, rows, cols, err);
    if (status == ASHLAR_OK)
        status = ashlar_layout_tiles(minor_is_row ? rows : cols, minor_is_row ? cols : rows, f.cut[!minor_is_row],
                                     f.cut[minor_is_row], f.owner, order_of(&orders, x, minor_is_row), out, err);
    faces_free(&f);
    return status;
}
