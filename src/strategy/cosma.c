/* COSMA: the grid of boxes that moves least, or ends soonest, for these sizes, ranks and memory.
 *
 * Source: Kwasniewski, Kabic, Besta, VandeVondele, Solca, Hoefler, "Red-Blue Pebbling Revisited: Near Optimal Parallel
 * Matrix-Matrix Multiplication", SC 2019, sections 6.3 and 7. Wins wherever words matter, at any shape; where the
 * caller's layouts are others than its own, boxes that follow those layouts are weighed against the best grid. */
#include "base/checked.h"
#include "base/error.h"
#include "strategy/arrange.h"
#include "strategy/at_home.h"
#include "strategy/cosma.h"
#include "strategy/own_layout.h"

enum { GRIDS = 12 }; /* how many of the best grids are looked at more closely */

ashi_cosma_query ashi_cosma_query_of(const ashi_problem *q)
{
    return (ashi_cosma_query){.m = q->size[0], .n = q->size[1], .k = q->size[2], .p = q->ranks, .type = q->type,
                              .memory_words = q->memory_words, .idle = q->idle, .least_words = q->least_words,
                              .machine = q->machine, .window = q->window,
                              .fixed_grid = {q->grid[0], q->grid[1], q->grid[2]}};
}

static bool given(const ashi_problem *q, int count)
{
    int n = 0;
    for (int x = 0; x < 3; x++)
        n += q->layout[x] != NULL;
    return n == count;
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

static ashlar_status add_grid(const ashi_problem *q, const ashi_cosma_choice *c, ashi_proposals *out,
                              ashlar_error *err)
{
    ashi_proposal p = {.origin = "the best grid", .estimate = q->least_words ? (double)c->words_max : c->seconds,
                       .rounds = c->rounds, .reduce_rounds = c->reduce_rounds, .window = c->window};
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

static ashlar_status propose(const ashi_problem *q, ashi_proposals *out, ashlar_error *err)
{
    ashi_cosma_choice choice[GRIDS];
    ashi_cosma_query query = ashi_cosma_query_of(q);
    const bool own = given(q, 0);
    int count = 0;
    if (q->in_files)
        return ashi_fail(err, ASHLAR_ERR_UNSUPPORTED, "cosma is for matrices in the ranks' memory; these are in files");
    if (!own)
        query.memory_words = 0; /* what fits depends on the layouts: it is measured */
    ashlar_status status = ashi_cosma_search_many(&query, GRIDS, choice, &count, err);
    for (int i = 0; i < count && status == ASHLAR_OK; i++)
        status = add_grid(q, &choice[i], out, err);
    if (status == ASHLAR_OK)
        status = ashi_arrange_aligned(q, out, err);
    if (status == ASHLAR_OK)
        status = ashi_at_home(q, out, err);
    return own || status != ASHLAR_OK ? status : ashi_arrange_estimate(q, out, err);
}

static ashlar_status schedule(const ashi_problem *q, const ashi_proposal *p, ashi_schedule *out, ashlar_error *err)
{
    ashi_grid_request request = {.strategy = "cosma", .size = {q->size[0], q->size[1], q->size[2]}, .ranks = q->ranks,
                                 .op = {q->op[0], q->op[1]}, .bricks = &p->bricks, .rounds = p->rounds,
                                 .reduce_rounds = p->reduce_rounds, .window = p->window, .tree = p->tree,
                                 .one_sided = q->one_sided};
    ashi_proposal_layouts(q, p, request.layout);
    return ashi_grid_schedule(&request, out, err);
}

const ashi_strategy ashi_strategy_cosma = {
    "cosma", "one box of the m x n x k space a rank; the grid that moves least or ends soonest", propose, schedule};
