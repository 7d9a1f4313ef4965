/* Proposals and schedules of regular grids. */
#include "strategy/grids.h"

#include "base/checked.h"
#include "base/error.h"
#include "model/bounds.h"
#include "strategy/arrange.h"
#include "strategy/own_layout.h"

#include <inttypes.h>
#include <math.h>

int64_t ashi_grid_cells(const int64_t grid[3])
{
    return grid[0] * grid[1] * grid[2];
}

static int layouts_given(const ashi_problem *q)
{
    int n = 0;
    for (int x = 0; x < 3; x++)
        n += q->layout[x] != NULL;
    return n;
}

static ashlar_status add_own_layouts(const ashi_problem *q, const ashi_cosma_choice *c, ashi_proposal *p,
                                     ashlar_error *err)
{
    ashlar_status status = ASHLAR_OK;
    for (int x = 0; x < 3 && status == ASHLAR_OK; x++)
        if (!q->layout[x])
            status = ashi_own_layout(&p->bricks, q->op, (ashlar_operand)x, c->c_cut, &p->own[x], err);
    return status;
}

static ashlar_status add_grid(const ashi_grids *g, const ashi_problem *q, const ashi_cosma_choice *c,
                              ashi_proposals *out, ashlar_error *err)
{
    ashi_proposal p = {.origin = g->origin, .estimate = q->least_words ? (double)c->words_max : c->seconds,
                       .exact = layouts_given(q) == 0, .rounds = c->rounds, .reduce_rounds = c->reduce_rounds,
                       .window = c->window};
    ashlar_status status = ashi_bricks_even(c->grid, q->size, &p.bricks, err);
    if (status == ASHLAR_OK)
        status = add_own_layouts(q, c, &p, err);
    if (status == ASHLAR_OK)
        status = ashi_arrange_greedily(q, &p.bricks, err);
    if (status == ASHLAR_OK)
        return ashi_proposals_add(out, &p, err);
    ashi_proposal_free(&p);
    return status;
}

static ashlar_status add_aligned(const ashi_grids *g, const ashi_problem *q, ashi_proposals *out, ashlar_error *err)
{
    const int64_t first = out->count;
    const ashlar_status status = ashi_arrange_aligned(q, g->is_kind, out, err);
    for (int64_t i = first; i < out->count && g->window; i++)
        out->at[i].window = g->window(q, out->at[i].bricks.grid);
    return status;
}

ashlar_status ashi_grids_append(const ashi_grids *g, const ashi_problem *q, ashi_proposals *out, ashlar_error *err)
{
    ashi_cosma_choice choice[ASHI_GRIDS_MOST];
    ashi_problem searched = *q;
    int count = 0;
    if (q->in_files)
        return ashi_fail(err, ASHLAR_ERR_UNSUPPORTED, "%s is for matrices in the ranks' memory; these are in files",
                         g->name);
    if (out->all_grids)
        return ASHLAR_OK;
    if (layouts_given(q) > 0)
        searched.memory_words = 0; /* what fits depends on the layouts: it is measured */
    const bool first_does = layouts_given(q) == 0 && q->memory_words == 0;
    ashlar_status status = g->foresee(&searched, first_does ? 1 : ASHI_GRIDS_MOST, choice, &count, err);
    for (int i = 0; i < count && status == ASHLAR_OK; i++)
        status = add_grid(g, q, &choice[i], out, err);
    return status == ASHLAR_OK ? add_aligned(g, q, out, err) : status;
}

ashlar_status ashi_grids_propose(const ashi_grids *g, const ashi_problem *q, ashi_proposals *out, ashlar_error *err)
{
    const int64_t first = out->count;
    const ashlar_status status = ashi_grids_append(g, q, out, err);
    if (status != ASHLAR_OK || layouts_given(q) == 0 || out->count == first)
        return status;
    return ashi_arrange_estimate(q, first, out, err);
}

ashlar_status ashi_grids_schedule(const ashi_problem *q, const ashi_proposal *p, ashi_schedule *out, ashlar_error *err)
{
    ashi_grid_request request = {.strategy = p->strategy->name, .size = {q->size[0], q->size[1], q->size[2]},
                                 .ranks = q->ranks, .op = {q->op[0], q->op[1]}, .bricks = &p->bricks,
                                 .rounds = p->rounds, .reduce_rounds = p->reduce_rounds, .window = p->window,
                                 .tree = p->tree, .one_sided = q->one_sided};
    ashi_proposal_layouts(q, p, request.layout);
    return ashi_grid_schedule(&request, out, err);
}

ashi_formula ashi_grids_formula(const ashi_problem *q, int64_t used, double touched, const char *text,
                                const char *source)
{
    const double share = ashi_bound_share(q->size[0], q->size[1], q->size[2], used);
    return (ashi_formula){fmax(touched - share, 0), text, source};
}

ashlar_status ashi_grids_check(const ashi_grids *g, const ashi_problem *q, ashlar_error *err)
{
    if (q->grid[0] == 0 || g->is_kind(q, q->grid))
        return ASHLAR_OK;
    return ashi_fail(err, ASHLAR_ERR_UNSUPPORTED,
                     "%s has %s; the one wanted, %" PRId64 " x %" PRId64 " x %" PRId64 ", is none", g->name, g->kind,
                     q->grid[0], q->grid[1], q->grid[2]);
}
