/* Lay matrices out for boxes of any shape. */
#include "strategy/uneven_laid.h"

#include "base/checked.h"

static void add_box(const ashi_cuboid *box, ashi_extent *e, ashi_totals *t)
{
    int64_t side[3];
    for (int d = 0; d < 3; d++) {
        side[d] = box->hi[d] - box->lo[d];
        e->side[d] = ashi_max(e->side[d], side[d]);
    }
    e->width = ashi_max(e->width, side[0] + side[1]);
    e->block = ashi_max(e->block, side[0] * side[1]);
    t->products_max = ashi_max(t->products_max, ashi_mul_most(side[0] * side[1], side[2]));
}

static void add_flow(const ashi_flow *f, ashi_extent *e, ashi_totals *t)
{
    ashi_flow *most = &e->flow;
    t->words_max = ashi_max(t->words_max, f->received);
    t->words_total += f->received;
    t->sent_max = ashi_max(t->sent_max, f->sent);
    t->share_max = ashi_max(t->share_max, f->share);
    most->sums = ashi_max(most->sums, f->sums);
    most->panel_sources = ashi_max(most->panel_sources, ashi_max(f->panel_sources, f->panel_targets));
    most->sum_sources = ashi_max(most->sum_sources, ashi_max(f->sum_sources, f->sum_targets));
}

static void add_all(const ashi_problem *q, const ashi_proposal *p, const ashi_flow *flow, ashi_extent *e,
                    ashi_totals *t)
{
    for (int64_t n = 0; n < p->bricks.count; n++) {
        const ashi_cuboid box = ashi_bricks_box(&p->bricks, n);
        add_box(&box, e, t);
    }
    for (int64_t r = 0; r < q->ranks; r++)
        add_flow(&flow[r], e, t);
    t->products_total = ashi_mul_most(ashi_mul_most(q->size[0], q->size[1]), q->size[2]);
}

/* What stays of a rank's box is held beside its shares, less its own part of it. */
static int64_t least_memory(const ashi_proposal *p, const ashi_flow *flow)
{
    const ashlar_operand x = ashi_stationary(p->stays);
    int64_t least = 0;
    for (int64_t n = 0; n < p->bricks.count; n++) {
        const ashi_cuboid box = ashi_bricks_box(&p->bricks, n);
        const ashi_box face = ashi_cuboid_face(&box, x);
        const ashi_flow *f = &flow[p->bricks.rank_of[n]];
        least = ashi_max(least, f->share + ashi_box_words(&face) - f->own[x]);
    }
    return least;
}

ashlar_status ashi_uneven_lay_out(const ashi_problem *q, const ashi_shared_cut cut[3], ashi_proposal *p,
                                  ashi_flow *flow, ashi_extent *e, ashlar_error *err)
{
    ashlar_status status = ASHLAR_OK;
    for (int x = 0; x < 3 && status == ASHLAR_OK; x++) {
        ashlar_layout_free(&p->own[x]);
        status = ashi_shared_layout(&p->bricks, q->op, (ashlar_operand)x, cut[x], &p->own[x], err);
    }
    if (status != ASHLAR_OK)
        return status;
    const ashlar_layout *const layout[3] = {p->own[0], p->own[1], p->own[2]};
    ashi_shared_words(&p->bricks, q->op, layout, q->ranks, flow);
    *e = (ashi_extent){0};
    p->totals = (ashi_totals){0};
    add_all(q, p, flow, e, &p->totals);
    p->memory_least = least_memory(p, flow);
    return status;
}
