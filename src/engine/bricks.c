/* Which box of the iteration space each rank computes, along axes on which layouts' parts are intervals. */
#include "engine/grid_schedule.h"

#include "base/checked.h"
#include "base/error.h"

#include <stdlib.h>
#include <string.h>

const int ashi_dims_of[3][3] = {[ASHLAR_A] = {0, 2, 1}, [ASHLAR_B] = {1, 2, 0}, [ASHLAR_C] = {0, 1, 2}};

bool ashi_minor_is_row(const ashlar_op op[2], ashlar_operand operand)
{
    return operand == ASHLAR_C || (operand == ASHLAR_A) == (op[operand] == ASHLAR_OP_N);
}

void ashi_bricks_free(ashi_bricks *bricks)
{
    for (int d = 0; d < 3; d++)
        free(bricks->cut[d]);
    free(bricks->box);
    free(bricks->rank_of);
    if (bricks->k)
        ashi_arrangement_free(bricks->k);
    free(bricks->k);
    *bricks = (ashi_bricks){0};
}

ashlar_status ashi_bricks_even(const int64_t grid[3], const int64_t size[3], ashi_bricks *out, ashlar_error *err)
{
    const int64_t cells = grid[0] * grid[1] * grid[2];
    *out = (ashi_bricks){.grid = {grid[0], grid[1], grid[2]}, .count = cells, .lead = {.operand = ASHLAR_C}};
    out->rank_of = malloc((size_t)cells * sizeof *out->rank_of);
    bool ok = out->rank_of != NULL;
    for (int d = 0; d < 3; d++) {
        out->cut[d] = malloc((size_t)(grid[d] + 1) * sizeof *out->cut[d]);
        ok = ok && out->cut[d];
    }
    if (!ok) {
        ashi_bricks_free(out);
        return ashi_fail_memory(err, "grid", cells * (int64_t)sizeof *out->rank_of);
    }
    for (int d = 0; d < 3; d++)
        for (int64_t i = 0; i <= grid[d]; i++)
            out->cut[d][i] = ashi_cut(size[d], grid[d], i);
    for (int64_t cell = 0; cell < cells; cell++)
        out->rank_of[cell] = (int)cell;
    return ASHLAR_OK;
}

bool ashi_bricks_same_cuts(const ashi_bricks *x, const ashi_bricks *y)
{
    bool same = !x->box && !y->box && x->count == y->count;
    for (int d = 0; d < 3 && same; d++)
        same = x->grid[d] == y->grid[d] &&
               memcmp(x->cut[d], y->cut[d], (size_t)(x->grid[d] + 1) * sizeof *x->cut[d]) == 0;
    return same;
}

static bool has_volume(const ashi_cuboid *box)
{
    return box->lo[0] < box->hi[0] && box->lo[1] < box->hi[1] && box->lo[2] < box->hi[2];
}

ashlar_status ashi_bricks_of(const ashi_cuboid *box, const int *rank, int64_t count, ashi_bricks *out,
                             ashlar_error *err)
{
    *out = (ashi_bricks){.lead = {.operand = ASHLAR_C}};
    out->box = malloc((size_t)(count + 1) * sizeof *out->box);
    out->rank_of = malloc((size_t)(count + 1) * sizeof *out->rank_of);
    if (!out->box || !out->rank_of) {
        ashi_bricks_free(out);
        return ashi_fail_memory(err, "boxes", count * (int64_t)sizeof *out->box);
    }
    for (int64_t i = 0; i < count; i++)
        if (has_volume(&box[i])) {
            out->box[out->count] = box[i];
            out->rank_of[out->count] = rank ? rank[i] : (int)out->count;
            out->count++;
        }
    return ASHLAR_OK;
}

/* Cuts and places of a grid as another has them. */
static void copy_grid(const ashi_bricks *from, ashi_bricks *out)
{
    for (int d = 0; d < 3; d++)
        memcpy(out->cut[d], from->cut[d], (size_t)(from->grid[d] + 1) * sizeof *out->cut[d]);
    memcpy(out->rank_of, from->rank_of, (size_t)from->count * sizeof *out->rank_of);
}

ashlar_status ashi_bricks_copy(const ashi_bricks *from, ashi_bricks *out, ashlar_error *err)
{
    ashlar_status status = from->box ? ashi_bricks_of(from->box, from->rank_of, from->count, out, err)
                                     : ashi_bricks_even(from->grid, (const int64_t[3]){0, 0, 0}, out, err);
    if (status != ASHLAR_OK)
        return status;
    if (!from->box)
        copy_grid(from, out);
    out->lead = from->lead;
    if (!from->lead.k)
        return ASHLAR_OK;
    out->lead.k = out->k = calloc(1, sizeof *out->k);
    status = out->k ? ashi_arrangement_copy(from->lead.k, out->k, err) : ashi_fail_memory(err, "boxes", 0);
    if (status != ASHLAR_OK)
        ashi_bricks_free(out);
    return status;
}

ashi_cuboid ashi_bricks_box(const ashi_bricks *b, int64_t n)
{
    if (b->box)
        return b->box[n];
    const int64_t *i = &b->cut[0][n / b->grid[2] / b->grid[1]], *j = &b->cut[1][n / b->grid[2] % b->grid[1]];
    const int64_t *l = &b->cut[2][n % b->grid[2]];
    return (ashi_cuboid){{i[0], j[0], l[0]}, {i[1], j[1], l[1]}};
}

ashi_box ashi_cuboid_face(const ashi_cuboid *c, ashlar_operand x)
{
    const int minor = ashi_dims_of[x][0], major = ashi_dims_of[x][1];
    return (ashi_box){c->lo[minor], c->hi[minor], c->lo[major], c->hi[major]};
}

static const ashi_dim *rows(const ashlar_layout *layout, ashlar_op op)
{
    return op == ASHLAR_OP_N ? &layout->row : &layout->col;
}

static const ashi_dim *cols(const ashlar_layout *layout, ashlar_op op)
{
    return op == ASHLAR_OP_N ? &layout->col : &layout->row;
}

/* By whose parts the axis of m, n or k is ordered first, and by whose within them: NULL for none. */
static void find_order(const ashlar_layout *const layout[3], const ashlar_op op[2], ashi_lead lead, int d,
                       const ashi_dim *order[2])
{
    const ashlar_layout *a = layout[ASHLAR_A], *b = layout[ASHLAR_B], *c = layout[ASHLAR_C];
    const ashlar_operand of[2] = {d == 2 ? ASHLAR_A : ASHLAR_C, d == 0 ? ASHLAR_A : ASHLAR_B};
    const ashi_dim *const dim[2] = {d == 0 ? &c->row : d == 1 ? &c->col : cols(a, op[0]),
                                    d == 0 ? rows(a, op[0]) : d == 1 ? cols(b, op[1]) : rows(b, op[1])};
    const int first = of[1] == lead.operand;
    order[0] = dim[first];
    order[1] = (lead.alone && of[first] == lead.operand) || ashi_dim_same(dim[0], dim[1]) ? NULL : dim[1 - first];
}

bool ashi_grid_same_axes(const ashlar_layout *const layout[3], const ashlar_op op[2], ashi_lead x, ashi_lead y)
{
    bool same = !x.k && !y.k;
    for (int d = 0; d < 3 && same; d++) {
        const ashi_dim *of[2][2];
        find_order(layout, op, x, d, of[0]);
        find_order(layout, op, y, d, of[1]);
        for (int i = 0; i < 2; i++)
            same = same && (of[0][i] == of[1][i] || (of[0][i] && of[1][i] && ashi_dim_same(of[0][i], of[1][i])));
    }
    return same;
}

ashlar_status ashi_grid_axes(const ashlar_layout *const layout[3], const ashlar_op op[2], const int64_t size[3],
                             ashi_lead lead, ashi_axis axis[3], ashlar_error *err)
{
    ashlar_status status = ASHLAR_OK;
    for (int d = 0; d < 3; d++)
        axis[d] = (ashi_axis){0};
    for (int d = 0; d < 3 && status == ASHLAR_OK; d++) {
        const ashi_dim *order[2];
        find_order(layout, op, lead, d, order);
        status = ashi_axis_build(size[d], order[0], order[1], &axis[d], err);
    }
    if (status == ASHLAR_OK && lead.k)
        status = ashi_axis_rearrange(&axis[2], lead.k->runs, lead.k->from, lead.k->count, err);
    for (int d = 0; d < 3 && status != ASHLAR_OK; d++)
        ashi_axis_free(&axis[d]);
    return status;
}

ashlar_status ashi_grid_view(const ashlar_layout *const layout[3], const ashlar_op op[2], const ashi_axis axis[3],
                             int64_t ranks, ashlar_operand x, ashi_view *view, ashlar_error *err)
{
    const ashlar_status status =
        ashi_view_build(layout[x], x == ASHLAR_C ? ASHLAR_OP_N : op[x], x != ASHLAR_B, &axis[ashi_dims_of[x][0]],
                        &axis[ashi_dims_of[x][1]], ranks, view, err);
    if (status == ASHLAR_OK && x != ASHLAR_C && layout[ASHLAR_C]->order == ASHLAR_COL_MAJOR)
        view->conjugated_by = x == ASHLAR_A ? ASHI_MAJOR : ASHI_MINOR;
    return status;
}

ashlar_status ashi_grid_views(const ashlar_layout *const layout[3], const ashlar_op op[2], const ashi_axis axis[3],
                              int64_t ranks, ashi_view view[3], ashlar_error *err)
{
    ashlar_status status = ASHLAR_OK;
    for (int x = 0; x < 3; x++)
        view[x] = (ashi_view){0};
    for (int x = 0; x < 3 && status == ASHLAR_OK; x++)
        status = ashi_grid_view(layout, op, axis, ranks, (ashlar_operand)x, &view[x], err);
    for (int x = 0; x < 3 && status != ASHLAR_OK; x++)
        ashi_view_free(&view[x]);
    return status;
}
