/* Choosing the plan of a product in memory: what is asked for, and figures of all ranks joined. */
#include "plan/choosing.h"

#include "base/checked.h"
#include "base/error.h"
#include "choose/fitting.h"
#include "strategy/own_layout.h"
#include "strategy/strategy.h"

#include <stdio.h>
#include <string.h>

/* Joins every rank's own figures. Failing ranks are met here by the others: see ashi_plan_choose. */
typedef struct joint {
    const ashlar_context *context;
    bool failed; /* all ranks have agreed to fail */
} joint;

enum { MAXIMA = 13, SUMS = 5 };

static void pack_maxima(const ashi_totals *t, int64_t v[MAXIMA])
{
    const int64_t all[MAXIMA] = {t->words_max, t->sent_max,   t->messages_max,  t->memory_max,
                                 t->share_max, t->workspace_max, t->fixed_max,  t->panels_max,
                                 t->sums_max,  t->sums_cols_max, t->products_max, t->copied_max,
                                 t->thin_max};
    memcpy(v, all, sizeof all);
}

static ashi_totals unpack_maxima(const int64_t v[MAXIMA])
{
    return (ashi_totals){.words_max = v[0], .sent_max = v[1], .messages_max = v[2], .memory_max = v[3],
                         .share_max = v[4], .workspace_max = v[5], .fixed_max = v[6], .panels_max = v[7],
                         .sums_max = v[8], .sums_cols_max = v[9], .products_max = v[10],
                         .copied_max = v[11], .thin_max = v[12]};
}

_Static_assert(ASHI_FITTED_MOST * MAXIMA <= ASHI_GREATEST_MOST && ASHI_FITTED_MOST * SUMS <= ASHI_SUMMED_MOST,
               "the figures of all schedules that are measured together");

/* An ashi_measure_all: every rank walks its own schedules. */
static ashlar_status measure(void *context, ashlar_status status, ashi_schedule *const *schedule, int count,
                             ashi_totals *out, ashlar_error *err)
{
    joint *j = context;
    ashi_figures figures = {0};
    for (int i = 0; i < count && status == ASHLAR_OK; i++) {
        ashi_need need;
        ashi_totals own = {0};
        status = ashi_need_of(schedule[i], j->context->rank, &need, err);
        ashi_totals_add(&own, &need);
        pack_maxima(&own, &figures.greatest[i * MAXIMA]);
        const int64_t addends[SUMS] = {own.words_total, own.messages_total, own.copied_total, own.products_total,
                                       own.thin_total};
        memcpy(&figures.sum[i * SUMS], addends, sizeof addends);
    }
    status = ashi_agree_figures(j->context, status, &figures, err);
    j->failed = status != ASHLAR_OK;
    for (int i = 0; i < count && status == ASHLAR_OK; i++) {
        const int64_t *sums = &figures.sum[i * SUMS];
        out[i] = unpack_maxima(&figures.greatest[i * MAXIMA]);
        out[i].words_total = sums[0];
        out[i].messages_total = sums[1];
        out[i].copied_total = sums[2];
        out[i].products_total = sums[3];
        out[i].thin_total = sums[4];
        out[i].words_mean = (double)sums[0] / (double)schedule[i]->ranks;
    }
    return status;
}

static ashi_route route_of(const ashlar_options *o)
{
    if (o->transport == ASHLAR_ONE_SIDED)
        return ASHI_DIRECT;
    switch (o->route) {
    case ASHLAR_ROUTE_TREE: return ASHI_TREE;
    case ASHLAR_ROUTE_AUTO: return ASHI_EITHER;
    case ASHLAR_ROUTE_RECTANGULAR: return ASHI_RECTANGULAR;
    default: return ASHI_DIRECT;
    }
}

static ashi_problem problem_of(const ashlar_plan *plan, const ashlar_options *o)
{
    const ashlar_problem *p = &plan->problem;
    return (ashi_problem){.size = {p->m, p->n, p->k},
                          .ranks = plan->context->ranks,
                          .type = p->type,
                          .op = {p->op_a, p->op_b},
                          .layout = {plan->given[0], plan->given[1], plan->given[2]},
                          .memory_words = o->memory_words,
                          .idle = o->idle,
                          .least_words = o->objective == ASHLAR_LEAST_WORDS,
                          .machine = *o->machine,
                          .window = o->window > 0 ? o->window : ASHI_WINDOW_USUAL,
                          .window_given = o->window > 0,
                          .grid = {o->grid[0], o->grid[1], o->grid[2]},
                          .route = route_of(o),
                          .one_sided = o->transport == ASHLAR_ONE_SIDED,
                          .ranks_per_core = plan->context->ranks_per_core,
                          .torus = ashi_context_torus(plan->context, o->machine),
                          .node_of = plan->node_of ? plan->node_of : plan->context->node_of};
}

/* A grid whose cells have the smallest faces on the one matrix that may have elements. */
static void spread_nothing(const int64_t size[3], int64_t ranks, int64_t grid[3])
{
    const int none = size[0] == 0 ? 0 : size[1] == 0 ? 1 : 2, x = none == 0 ? 1 : 0, y = none == 2 ? 1 : 2;
    int64_t least = INT64_MAX;
    grid[0] = grid[1] = grid[2] = 1;
    for (int64_t across = 1; across <= ashi_min(ranks, ashi_max(size[x], 1)); across++) {
        const int64_t down = ashi_min(ranks / across, ashi_max(size[y], 1));
        const int64_t face = ashi_ceil_div(size[x], across) * ashi_ceil_div(size[y], down);
        if (face >= least)
            continue;
        least = face;
        grid[x] = across;
        grid[y] = down;
    }
}

/* Nothing to multiply: matrices whose layout was not given are spread over the ranks. */
static ashlar_status choose_nothing(const ashi_problem *q, ashi_choice *out, ashlar_error *err)
{
    int64_t grid[3];
    spread_nothing(q->size, q->ranks, grid);
    *out = (ashi_choice){.strategy = ashi_strategy_at(0), .proposal = {.rounds = 1, .reduce_rounds = 1, .window = 1}};
    snprintf(out->reason, sizeof out->reason, "there is nothing to multiply");
    ashi_proposal *p = &out->proposal;
    p->strategy = out->strategy;
    ashlar_status status = ashi_bricks_even(grid, q->size, &p->bricks, err);
    for (int x = 0; x < 3 && status == ASHLAR_OK; x++)
        if (!q->layout[x])
            status = ashi_own_layout(&p->bricks, q->op, (ashlar_operand)x, (ashi_own_cut){0}, (ashi_own_orders){0},
                                     &p->own[x], err);
    return status == ASHLAR_OK ? out->strategy->schedule(q, p, &out->schedule, err) : status;
}

ashlar_status ashi_plan_choose(ashlar_plan *plan, const ashlar_options *o, bool *agreed, ashlar_error *err)
{
    const ashi_problem q = problem_of(plan, o);
    if (plan->empty)
        return choose_nothing(&q, &plan->choice, err);
    joint j = {plan->context, false};
    const ashlar_status status = ashi_choose_together(&q, o->strategy, measure, &j, &plan->choice, err);
    *agreed = j.failed;
    if (status == ASHLAR_ERR_LIMIT)
        ashi_refuse(plan->context, plan->choice.memory_least);
    return status;
}

ashlar_status ashi_plan_relayout(const ashlar_plan *plan, const ashlar_options *o, int64_t *own, ashlar_error *err)
{
    const ashi_problem q = problem_of(plan, o);
    if (plan->empty || plan->once || (!plan->given[0] && !plan->given[1] && !plan->given[2]))
        return ASHLAR_OK;
    return ashi_relayout_words(&q, plan->context->rank, plan->context->rank + 1, own, err);
}
