/* Where a rank is in the grid, what it owns of it, and the emission of single operations. */
#include "strategy/grid_emission.h"

#include "base/checked.h"

#include <string.h>

ashi_cell ashi_cell_of(const ashi_grid_own *g, int64_t rank)
{
    const int64_t n = g->cell_of[rank], *grid = g->bricks.grid;
    if (n < 0)
        return (ashi_cell){{0, 0, 0}, true};
    return (ashi_cell){{n / grid[2] / grid[1], n / grid[2] % grid[1], n % grid[2]}, false};
}

/* Kept until another fibre is asked for. */
int64_t ashi_grid_members(ashi_grid_own *g, const int64_t at[3], int along)
{
    const int64_t *grid = g->bricks.grid;
    int64_t here[4] = {at[0], at[1], at[2], along};
    here[along] = 0;
    if (memcmp(here, g->member_of, sizeof here) == 0)
        return grid[along];
    memcpy(g->member_of, here, sizeof here);
    for (int64_t x = 0; x < grid[along]; x++) {
        here[along] = x;
        g->member[x] = g->bricks.rank_of[(here[0] * grid[1] + here[1]) * grid[2] + here[2]];
    }
    return grid[along];
}

int64_t ashi_grid_index(const ashi_grid_own *g, int64_t rank, const int64_t at[3], int along)
{
    const ashi_cell c = ashi_cell_of(g, rank);
    for (int d = 0; d < 3; d++)
        if (c.idle || (d != along && c.at[d] != at[d]))
            return -1;
    return c.at[along];
}

ashlar_status ashi_grid_emit(const ashi_emission *e, const ashi_op *op)
{
    return e->visit(e->context, op, e->err);
}

ashlar_status ashi_grid_emit_plain(const ashi_emission *e, ashi_op_kind kind, ashlar_operand operand, int slot,
                                   int64_t words)
{
    const ashi_op op = {.kind = kind, .operand = operand, .slot = slot, .words = words};
    return ashi_grid_emit(e, &op);
}

ashi_reach ashi_grid_parts(const int64_t *cut, int64_t parts, int64_t first, int64_t last)
{
    ashi_reach r = {0, parts};
    while (r.hi - r.lo > 1) { /* cut[lo] <= first */
        const int64_t mid = r.lo + (r.hi - r.lo) / 2;
        if (cut[mid] <= first)
            r.lo = mid;
        else
            r.hi = mid;
    }
    while (r.hi < parts && cut[r.hi] < last)
        r.hi++;
    return r;
}

ashi_reach ashi_grid_owned(const ashi_view *view, int64_t rank, bool minor)
{
    const ashi_strip *strip = minor ? &view->minor : &view->major;
    ashi_reach range = {strip->size, 0};
    for (int64_t i = view->start[rank]; i < view->start[rank + 1]; i++) {
        const int64_t r = view->pair[i] / view->layout->col.parts, c = view->pair[i] % view->layout->col.parts;
        const int64_t part = minor == view->minor_is_row ? r : c;
        if (strip->start[part] == strip->start[part + 1])
            continue;
        const int64_t last = strip->list[strip->start[part + 1] - 1];
        range.lo = ashi_min(range.lo, strip->at[strip->list[strip->start[part]]]);
        range.hi = ashi_max(range.hi, strip->at[last + 1]);
    }
    return range;
}

ashi_box ashi_grid_domain(const ashi_schedule *schedule, int64_t rank)
{
    const ashi_grid_own *g = schedule->own;
    const ashi_cell me = ashi_cell_of(g, rank);
    if (me.idle)
        return (ashi_box){0, 0, 0, 0};
    const int64_t *m = &g->bricks.cut[0][me.at[0]], *n = &g->bricks.cut[1][me.at[1]];
    return (ashi_box){m[0], m[1], n[0], n[1]};
}

ashi_home ashi_grid_home(const ashi_schedule *schedule, int64_t rank)
{
    const ashi_box box = ashi_grid_domain(schedule, rank);
    return ashi_home_find(&schedule->view[ASHLAR_C], rank, &box);
}
