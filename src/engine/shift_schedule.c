/* The schedule of blocks that are handed on, and how it is made. */
#include "engine/shift_program.h"

#include "base/checked.h"
#include "base/error.h"

#include <stdlib.h>

static int64_t parts_of(const ashi_schedule *schedule, int64_t rank)
{
    return ashi_max(1, ashi_shift_parts(schedule->own, rank));
}

static ashi_box domain(const ashi_schedule *schedule, int64_t rank, int64_t number)
{
    const ashi_shift_own *g = schedule->own;
    if (ashi_shift_parts(g, rank) == 0)
        return (ashi_box){0, 0, 0, 0};
    return g->rule.box(g->rule.own, g->part[g->start[rank] + number]);
}

static ashi_home home(const ashi_schedule *schedule, int64_t rank, int64_t number)
{
    const ashi_box box = domain(schedule, rank, number);
    return ashi_home_find(&schedule->view[ASHLAR_C], rank, &box, false);
}

static void free_own(ashi_schedule *schedule)
{
    ashi_shift_own *g = schedule->own;
    if (!g)
        return;
    if (g->rule.free_own)
        g->rule.free_own(g->rule.own);
    for (int d = 0; d < 3; d++)
        ashi_axis_free(&g->axis[d]);
    ashi_places_free(&g->block[0]);
    ashi_places_free(&g->block[1]);
    ashi_places_free(&g->sum);
    ashi_pieces_free(&g->pieces);
    free(g->rank_of);
    free(g->start);
    free(g->part);
    free(g->number);
    free(g->handing);
    free(g->member);
    free(g);
    schedule->own = NULL;
}

/* Which parts each rank stands for. */
static ashlar_status assign(ashi_shift_own *g, int64_t ranks, ashlar_error *err)
{
    const size_t parts = (size_t)g->rule.parts;
    g->rank_of = malloc((parts + 1) * sizeof *g->rank_of);
    g->start = calloc((size_t)ranks + 2, sizeof *g->start);
    g->part = malloc((parts + 1) * sizeof *g->part);
    g->number = malloc((parts + 1) * sizeof *g->number);
    if (!g->rank_of || !g->start || !g->part || !g->number)
        return ashi_fail_memory(err, "schedule", g->rule.parts * 20 + ranks * 8);
    for (int64_t v = 0; v < g->rule.parts; v++) {
        g->rank_of[v] = g->rule.rank_of(g->rule.own, v);
        g->number[v] = g->start[g->rank_of[v] + 1]++;
    }
    for (int64_t r = 0; r < ranks; r++)
        g->start[r + 1] += g->start[r];
    for (int64_t v = 0; v < g->rule.parts; v++)
        g->part[g->start[g->rank_of[v]] + g->number[v]] = v;
    return ASHLAR_OK;
}

/* One part's blocks in the first round, and its box of C. */
static ashlar_status list_part(ashi_shift_own *g, int64_t v, ashlar_error *err)
{
    const ashi_shift_rule *rule = &g->rule;
    ashi_place place = {.box = rule->box(rule->own, v), .part = v, .rank = g->rank_of[v]};
    ashlar_status status = ASHLAR_OK;
    if (ashi_box_words(&place.box) > 0)
        status = ashi_places_add(&g->sum, &place, err);
    for (place.piece = 0; place.piece < rule->pieces && status == ASHLAR_OK; place.piece++) {
        for (int x = 0; x < 2 && status == ASHLAR_OK; x++) {
            place.box = ashi_shift_whole(g, (ashlar_operand)x, v, 0, place.piece);
            const ashi_box slab = ashi_shift_block(g, (ashlar_operand)x, v, 0, place.piece);
            g->cell_words[x] = ashi_max(g->cell_words[x], ashi_box_words(&slab));
            if (ashi_box_words(&place.box) > 0)
                status = ashi_places_add(&g->block[x], &place, err);
        }
    }
    return status;
}

static ashlar_status list_places(ashi_shift_own *g, int64_t ranks, ashlar_error *err)
{
    ashlar_status status = ASHLAR_OK;
    for (int64_t v = 0; v < g->rule.parts && status == ASHLAR_OK; v++)
        status = list_part(g, v, err);
    for (int x = 0; x < 2 && status == ASHLAR_OK; x++)
        status = ashi_places_sort(&g->block[x], ranks, err);
    if (status == ASHLAR_OK)
        status = ashi_places_sort(&g->sum, ranks, err);
    g->member = malloc((size_t)(g->sum.count + 1) * sizeof *g->member);
    return status == ASHLAR_OK && !g->member ? ashi_fail_memory(err, "schedule", g->sum.count * 4) : status;
}

ashlar_status ashi_shift_schedule(const ashi_shift_request *q, ashi_schedule *out, ashlar_error *err)
{
    ashi_shift_own *g = calloc(1, sizeof *g);
    *out = (ashi_schedule){.strategy = q->strategy, .m = q->size[0], .n = q->size[1], .k = q->size[2],
                           .ranks = q->ranks, .grid = {q->grid[0], q->grid[1], q->grid[2]},
                           .ranks_used = q->ranks_used, .rounds = q->slabs * q->rule.rounds, .window = q->window,
                           .one_sided = q->one_sided, .own = g,
                           .program = ashi_shift_program_of, .parts = parts_of, .domain = domain, .home = home,
                           .free_own = free_own};
    if (!g) {
        if (q->rule.free_own)
            q->rule.free_own(q->rule.own);
        return ashi_fail_memory(err, "schedule", (int64_t)sizeof *g);
    }
    g->rule = q->rule;
    g->slabs = q->slabs;
    ashlar_status status = assign(g, q->ranks, err);
    if (status == ASHLAR_OK)
        status = list_places(g, q->ranks, err);
    if (status == ASHLAR_OK)
        status = ashi_grid_axes(q->layout, q->op, q->size, q->lead, g->axis, err);
    if (status == ASHLAR_OK)
        status = ashi_grid_views(q->layout, q->op, g->axis, q->ranks, out->view, err);
    if (status != ASHLAR_OK) {
        ashi_schedule_free(out);
        return status;
    }
    out->reduce_rounds = ashi_schedule_sums_move(out) ? q->reduce_rounds : 0;
    return ASHLAR_OK;
}
