/* Errors that a product may have on all ranks together: what the ranks count, and tiles that are dropped. */
#include "tiles/within.h"

#include "base/error.h"
#include "tiles/totals.h"

#include <float.h>

bool ashi_tiles_join(void *user, bool mine, int64_t *numbers, int64_t count)
{
    ashi_tiles_joining *const j = user;
    ashlar_error err = {0};
    if (!mine)
        (void)ashi_fail_memory(&err, "what products cost", count * (int64_t)sizeof *numbers);
    const ashlar_status status = ashi_totals_count(j->context, err.status, numbers, count, &err);
    if (status != ASHLAR_OK && j->err.status == ASHLAR_OK)
        j->err = err;
    return status == ASHLAR_OK;
}

typedef struct choosing {
    const ashlar_tiles *c;
    const ashi_ranges *ranges;
} choosing;

/* A tile's norm, not below the true one, is what it costs to drop it. */
static ashi_budget_item item_of(const ashlar_tiles *c, const ashi_held_walk *w)
{
    const int64_t words = ashi_tiles_words(c, w->at.row, w->at.col);
    const ashi_square square = c->tile_kernels->square(words, ashi_tiles_view(c, w->number, w->at));
    const double norm = ashi_square_root(square) * (1 + 2 * ((double)words + 2) * DBL_EPSILON);
    ashi_budget_item item = {.col = w->at.col, .size = ashi_up_of(norm), .work = 1};
    ashi_budget_put_in_order(&item, 1);
    return item;
}

static bool count_tiles(void *user, const ashi_budget *budget, int64_t *cost, bool shares)
{
    const choosing *const of = user;
    for (ashi_held_walk w = {.number = -1}; ashi_held_next(&of->c->held, &w);) {
        if (!ashi_ranges_have(of->ranges, 0, w.at.row, 1, w.at.col))
            continue;
        const ashi_budget_item item = item_of(of->c, &w);
        if (shares)
            ashi_budget_count_shares(budget, w.at.row, &item, 1, cost);
        else
            ashi_budget_count(budget, &item, 1, cost);
    }
    return true;
}

ashlar_status ashi_tiles_choose_small(const ashlar_tiles *c, const ashi_ranges *ranges, double error, bool *keep,
                                      int64_t *room, ashlar_error *err)
{
    choosing of = {c, ranges};
    ashi_tiles_joining joining = {.context = c->context};
    const ashi_budget_sum sum = {ashi_tiles_join, &joining};
    ashi_budget budget = ashi_budget_begin(ashi_up_of(error));
    if (!ashi_budget_choose(&budget, count_tiles, &of, &sum, room))
        return ashi_fail(err, joining.err.status, "%s", joining.err.text);
    for (ashi_held_walk w = {.number = -1}; ashi_held_next(&c->held, &w);) {
        bool drops = false;
        const ashi_budget_item item = item_of(c, &w);
        if (ashi_ranges_have(ranges, 0, w.at.row, 1, w.at.col))
            ashi_budget_apply(&budget, w.at.row, &item, 1, &drops);
        keep[w.number] = !drops;
    }
    return ASHLAR_OK;
}
