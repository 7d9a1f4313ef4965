/* Proposals and schedules of regular grids. */
#include "strategy/grids.h"

#include "base/checked.h"
#include "base/error.h"
#include "model/bounds.h"
#include "strategy/arrange.h"
#include "strategy/cosma_query.h"
#include "strategy/cosma_stays.h"
#include "strategy/estimate.h"
#include "strategy/own_layout.h"
#include "strategy/sight.h"

#include <inttypes.h>
#include <math.h>

enum { TREES_MOST = 1 << 16 }; /* ranks: to see what a tree saves, each rank's schedule has to be simulated */

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

/* An even grid, and layouts of its own. */
static ashlar_status furnish(const ashi_problem *q, ashi_proposal *p, ashlar_error *err)
{
    const int64_t grid[3] = {p->bricks.grid[0], p->bricks.grid[1], p->bricks.grid[2]};
    const ashi_own_cut cut = {p->stays, p->rounds, p->once};
    const ashi_own_orders orders = ashi_own_orders_of(q, grid);
    ashlar_status status = ashi_bricks_even(grid, q->size, &p->bricks, err);
    for (int x = 0; x < 3 && status == ASHLAR_OK; x++)
        if (!q->layout[x])
            status = ashi_own_layout(&p->bricks, q->op, (ashlar_operand)x, cut, orders, &p->own[x], err);
    return status;
}

/* Whether closed forms have all that a simulation would find: messages go straight, as also where a tree may be taken
 * but cannot help, and the memory given does for sure. On many ranks, which are not simulated unasked, what the closed
 * form says of memory counts; on very many no tree is looked for. */
static bool is_foreseen(const ashi_problem *q, const ashi_grid_choice *c, const ashi_totals *t)
{
    const ashi_cosma_query query = ashi_cosma_query_of(q);
    if (q->memory_words > 0 && q->ranks <= ASHI_MEASURED_MOST &&
        ashi_cosma_stays_memory_most(&query, c) > q->memory_words)
        return false;
    return layouts_given(q) == 0 &&
           (q->route == ASHI_DIRECT ||
            (q->route == ASHI_EITHER && (q->ranks > TREES_MOST || !ashi_is_lopsided(t, c->ranks_used))));
}

static int window_of(const ashi_grids *g, const ashi_problem *q, const int64_t grid[3])
{
    return g->window ? g->window(q, grid) : q->window;
}

/* Where a layout is given its boxes have to be there for an estimate. */
static ashlar_status add_grid(const ashi_grids *g, const ashi_problem *q, const ashi_grid_choice *c,
                              ashi_proposals *out, ashlar_error *err)
{
    const ashi_cosma_query query = ashi_cosma_query_of(q);
    const bool own = layouts_given(q) == 0;
    ashi_proposal p = {.bricks = {.grid = {c->grid[0], c->grid[1], c->grid[2]}}, .origin = g->origin,
                       .estimate = q->least_words ? (double)c->words_max : c->seconds, .exact = own,
                       .rounds = c->rounds, .reduce_rounds = c->reduce_rounds, .window = c->window, .stays = c->stays,
                       .once = c->once, .one_sum = ashi_cosma_has_one_sum(&query, c), .ranks = c->ranks_used,
                       .totals = ashi_cosma_stays_totals(&query, c), .furnish = furnish};
    p.foreseen = is_foreseen(q, c, &p.totals);
    if (!own) { /* rounds are fitted to the caller's layouts: more of them may be in flight than the closed form has */
        p.window = window_of(g, q, c->grid);
        p.settling = ASHI_SETTLES_ORDERS;
    }
    const ashlar_status status = own ? ASHLAR_OK : ashi_proposal_furnish(q, &p, err);
    if (status == ASHLAR_OK)
        return ashi_proposals_add(out, &p, err);
    ashi_proposal_free(&p);
    return status;
}

static ashlar_status add_aligned(const ashi_grids *g, const ashi_problem *q, ashi_proposals *out, ashlar_error *err)
{
    const int64_t first = out->count;
    const ashlar_status status = ashi_arrange_aligned(q, g->is_kind, out, err);
    for (int64_t i = first; i < out->count; i++)
        out->at[i].window = window_of(g, q, out->at[i].bricks.grid);
    return status;
}

ashlar_status ashi_grids_append(const ashi_grids *g, const ashi_problem *q, ashi_proposals *out, ashlar_error *err)
{
    ashi_grid_choice choice[ASHI_GRIDS_MOST];
    ashi_problem searched = *q;
    int count = 0;
    if (layouts_given(q) > 0)
        searched.memory_words = 0; /* what fits depends on the layouts: it is measured */
    ashlar_status status = g->foresee(&searched, ASHI_GRIDS_MOST, choice, &count, err);
    if (status == ASHLAR_ERR_LIMIT)
        out->memory_least = choice[0].memory_words;
    for (int i = 0; i < count && status == ASHLAR_OK; i++)
        status = add_grid(g, q, &choice[i], out, err);
    return status == ASHLAR_OK ? add_aligned(g, q, out, err) : status;
}

ashlar_status ashi_grids_propose(const ashi_grids *g, const ashi_problem *q, ashi_proposals *out, ashlar_error *err)
{
    const int64_t first = out->count;
    if (q->compared)
        return ashi_fail(err, ASHLAR_ERR_UNSUPPORTED, "%s has no grid that is not compared as one of cosma's", g->name);
    const ashlar_status status = ashi_grids_append(g, q, out, err);
    if (status != ASHLAR_OK || layouts_given(q) == 0 || out->count == first)
        return status;
    return ashi_estimate_proposals(q, first, out, err);
}

ashlar_status ashi_grids_schedule(const ashi_problem *q, const ashi_proposal *p, ashi_schedule *out, ashlar_error *err)
{
    ashi_grid_request request = {.strategy = p->strategy->name, .size = {q->size[0], q->size[1], q->size[2]},
                                 .ranks = q->ranks, .op = {q->op[0], q->op[1]}, .bricks = &p->bricks,
                                 .rounds = p->rounds, .reduce_rounds = p->reduce_rounds, .window = p->window,
                                 .tree = p->tree, .one_sided = q->one_sided, .stays = p->stays, .once = p->once,
                                 .one_sum = p->one_sum};
    ashi_proposal_layouts(q, p, request.layout);
    request.even = p->stays != ASHI_STAYS_C && !p->bricks.box && p->own[0] && p->own[1] && p->own[2];
    const ashi_sight *kept = p->own[0] || p->own[1] || p->own[2] ? NULL : ashi_sight_kept(q, p->bricks.lead);
    if (kept) {
        request.axis = kept->axis;
        request.view = kept->view;
    }
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
