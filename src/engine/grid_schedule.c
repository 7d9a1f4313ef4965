/* Making a schedule in which each rank computes one box. */
#include "engine/stays_program.h"
#include "engine/turned.h"

#include "base/checked.h"
#include "base/error.h"

#include <stdlib.h>

static void free_own(ashi_schedule *schedule)
{
    ashi_grid_own *g = schedule->own;
    if (!g)
        return;
    ashi_domains_free(&g->domains);
    for (int d = 0; d < 3; d++)
        ashi_axis_free(&g->axis[d]);
    ashi_slabs_free(&g->slabs);
    free(g->stretches.cut);
    ashi_pieces_free(&g->summed);
    ashi_pieces_free(&g->fibre);
    free(g->bundle);
    free(g);
    schedule->own = NULL;
}

/* By the owners of the two matrices that rounds cut. */
static ashlar_status cut_rounds(const ashi_grid_request *q, ashi_grid_own *g, const ashi_schedule *s,
                                ashlar_error *err)
{
    const ashi_domains *d = &g->domains;
    const ashi_strip *strip[3];
    int cut = 0;
    for (int x = 0; x < 3; x++)
        if (ashi_dims_of[x][2] != d->cut)
            strip[cut++] = ashi_dims_of[x][0] == d->cut ? &s->view[x].minor : &s->view[x].major;
    if (q->even) {
        g->slabs = (ashi_slabs){.rounds = q->rounds, .part = d->part};
        return ASHLAR_OK;
    }
    return ashi_slabs_build(&g->axis[d->cut], strip[0], strip[1], d->parts, d->part, q->rounds, &g->slabs, err);
}

/* Axes and views: made, or copied. */
static ashlar_status see_owners(const ashi_grid_request *q, ashi_grid_own *g, ashi_schedule *s, ashlar_error *err)
{
    ashlar_status status = ASHLAR_OK;
    if (!q->view) {
        status = ashi_grid_axes(q->layout, q->op, q->size, q->bricks->lead, g->axis, err);
        return status == ASHLAR_OK ? ashi_grid_views(q->layout, q->op, g->axis, q->ranks, s->view, err) : status;
    }
    for (int i = 0; i < 3 && status == ASHLAR_OK; i++) {
        status = ashi_axis_copy(&q->axis[i], &g->axis[i], err);
        if (status == ASHLAR_OK)
            status = ashi_view_copy(&q->view[i], &s->view[i], err);
    }
    return status;
}

/* Views once to learn the owners' edges, and again if rounds rearrange the axis that they cut. */
static ashlar_status see(const ashi_grid_request *q, ashi_grid_own *g, ashi_schedule *s, ashlar_error *err)
{
    ashlar_status status = see_owners(q, g, s, err);
    if (status == ASHLAR_OK)
        status = cut_rounds(q, g, s, err);
    if (status != ASHLAR_OK || !g->slabs.cut)
        return status;
    for (int x = 0; x < 3; x++)
        ashi_view_free(&s->view[x]);
    return ashi_grid_views(q->layout, q->op, g->axis, q->ranks, s->view, err);
}

ashlar_status ashi_grid_schedule(const ashi_grid_request *q, ashi_schedule *out, ashlar_error *err)
{
    const int64_t *grid = q->bricks->grid;
    ashi_grid_own *g = calloc(1, sizeof *g);
    *out = (ashi_schedule){.strategy = q->strategy, .m = q->size[0], .n = q->size[1], .k = q->size[2],
                           .ranks = q->ranks, .grid = {grid[0], grid[1], grid[2]},
                           .ranks_used = q->bricks->count, .rounds = q->rounds,
                           .window = (int)ashi_min(q->window, ashi_max(q->rounds, q->reduce_rounds)),
                           .tree = q->tree, .one_sided = q->one_sided, .own = g,
                           .program = ashi_grid_program_of, .parts = ashi_schedule_one_part,
                           .domain = ashi_grid_domain, .home = ashi_grid_home,
                           .free_own = free_own};
    if (!g)
        return ashi_fail_memory(err, "schedule", (int64_t)sizeof *g);
    g->summed_face = ASHI_NO_FACE;
    g->one_sum = q->one_sum;
    g->tiled = q->once;
    ashlar_status status =
        ashi_domains_build(q->bricks, q->size, q->ranks, ashi_stationary(q->stays), &g->domains, err);
    if (status == ASHLAR_OK)
        status = see(q, g, out, err);
    if (status != ASHLAR_OK) {
        ashi_schedule_free(out);
        return status;
    }
    if (q->stays != ASHI_STAYS_C) {
        out->stays = q->stays;
        out->program = ashi_stays_program_of;
        out->reduce_rounds = q->reduce_rounds;
        status = ashi_stays_find_stretches(out, q->once, err);
        if (status != ASHLAR_OK)
            ashi_schedule_free(out);
        return status;
    }
    for (int x = 0; x < 2; x++) {
        g->turned[x] = ashi_turned_stretches(g, &out->view[x], (ashlar_operand)x,
                                             q->thinnest_turned > 0 ? q->thinnest_turned : ASHI_THINNEST_TURNED);
        out->view[x].turned = g->turned[x] > 0;
    }
    const bool sums = g->domains.c_overlaps || ashi_schedule_sums_move(out); /* or C has to be scaled before */
    out->reduce_rounds = sums ? q->reduce_rounds : 0;
    return ASHLAR_OK;
}
