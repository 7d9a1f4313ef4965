/* Whether A or B is sent with k contiguous, as its owners hold it. */
#include "engine/turned.h"

#include "base/checked.h"

/* Whether its owners have k contiguous. */
static bool has_k_inside(const ashi_view *view)
{
    return (view->layout->order == ASHLAR_COL_MAJOR) != view->minor_is_row;
}

/* Whether no rank has tiles of two parts along k. */
static bool has_one_part_each(const ashi_view *view)
{
    for (int64_t rank = 0; rank < view->ranks; rank++)
        for (int64_t i = view->start[rank] + 1; i < view->start[rank + 1]; i++)
            if (ashi_view_major_part(view, view->pair[i]) != ashi_view_major_part(view, view->pair[i - 1]))
                return false;
    return true;
}

/* How many owners' stretches an interval of k has; -1 if one has several of them. */
static int64_t count_stretches(const ashi_strip *strip, int64_t lo, int64_t hi)
{
    int64_t count = 0, first;
    for (int64_t at = lo, end; at < hi; at = end, count++) {
        const int64_t part = strip->part[ashi_strip_find(strip, at)];
        end = ashi_min(hi, ashi_owner_edge(strip, at));
        if (ashi_strip_between(strip, part, lo, hi, &first) != end - at)
            return -1;
    }
    return count;
}

int64_t ashi_turned_stretches(const ashi_grid_own *g, const ashi_view *view, ashlar_operand x, int64_t thinnest)
{
    const ashi_slabs *slabs = &g->slabs;
    const int64_t parts = g->domains.parts, k = view->major.size;
    int64_t most = 0, all = 0;
    if (g->domains.of[x].count == 0 || ashi_mul_most(parts, slabs->rounds) > k / thinnest ||
        !has_k_inside(view) || !has_one_part_each(view))
        return 0;
    for (int64_t part = 0; part < parts; part++)
        for (int64_t round = 0; round < slabs->rounds; round++) {
            const int64_t lo = ashi_slab(slabs, part, round), hi = ashi_slab(slabs, part, round + 1);
            const int64_t stretches = count_stretches(&view->major, lo, hi);
            if (stretches < 0)
                return 0;
            most = ashi_max(most, stretches);
            all += stretches;
        }
    return all <= k / thinnest ? most : 0;
}
