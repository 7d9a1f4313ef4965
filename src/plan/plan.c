/* Plans: checked on all ranks, chosen, explained, executed. */
#include "plan/plan.h"

#include "base/checked.h"
#include "base/error.h"
#include "base/structure.h"
#include "base/type.h"
#include "choose/fitting.h"
#include "exec/kernels.h"
#include "exec/threads.h"
#include "plan/check.h"
#include "strategy/own_layout.h"
#include "strategy/strategy.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

void ashlar_options_default_sized(ashlar_options *out, size_t size)
{
    const ashlar_options options = {.size = size,
                                    .objective = ASHLAR_LEAST_TIME,
                                    .transport = ASHLAR_TWO_SIDED,
                                    .route = ASHLAR_ROUTE_AUTO,
                                    .idle = 0.03};
    ashi_structure_give(&options, sizeof options, out, size);
}

/* ---- choosing ---- */

/* Joins every rank's own figures. Failing ranks are met here by the others: see choose(). */
typedef struct joint {
    const ashlar_context *context;
    bool failed; /* all ranks have agreed to fail */
} joint;

enum { MAXIMA = 12, SUMS = 4 };

static void pack_maxima(const ashi_totals *t, int64_t v[MAXIMA])
{
    const int64_t all[MAXIMA] = {t->words_max, t->sent_max,   t->messages_max,  t->memory_max,
                                 t->share_max, t->workspace_max, t->fixed_max,  t->panels_max,
                                 t->sums_max,  t->sums_cols_max, t->products_max, t->copied_max};
    memcpy(v, all, sizeof all);
}

static ashi_totals unpack_maxima(const int64_t v[MAXIMA])
{
    return (ashi_totals){.words_max = v[0], .sent_max = v[1], .messages_max = v[2], .memory_max = v[3],
                         .share_max = v[4], .workspace_max = v[5], .fixed_max = v[6], .panels_max = v[7],
                         .sums_max = v[8], .sums_cols_max = v[9], .products_max = v[10],
                         .copied_max = v[11]};
}

_Static_assert(ASHI_FITTED_MOST * MAXIMA <= ASHI_GREATEST_MOST && ASHI_FITTED_MOST * SUMS <= ASHI_SUMS_MOST,
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
        const int64_t addends[SUMS] = {own.words_total, own.messages_total, own.copied_total, own.products_total};
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

/* Choosing is the same on all ranks, and collective in measure() only. A rank that fails elsewhere meets the others in
 * their next agreement about figures, there or at the end of ashi_plan_make(). *agreed: all have agreed to fail. */
static ashlar_status choose(ashlar_plan *plan, const ashlar_options *o, bool *agreed, ashlar_error *err)
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

/* ---- explaining ---- */

static void warn_of_threads(ashlar_plan *plan)
{
    const int threads = ashi_blas_threads(), cores = plan->context->cores, ranks = plan->context->node_ranks;
    const char *const where = "the node";
    if (threads == 0)
        return;
    if ((int64_t)threads * ranks > cores && threads > 1)
        snprintf(plan->warning, sizeof plan->warning,
                 "%d ranks with %d BLAS threads each share the %d cores of %s: fewer threads would be faster", ranks,
                 threads, cores, where);
    else if (threads == 1 && ranks * 2 <= cores)
        snprintf(plan->warning, sizeof plan->warning,
                 "the BLAS runs with one thread a rank while %d of the %d cores of %s idle: more threads would be "
                 "faster", cores - ranks, cores, where);
}

ashlar_status ashlar_plan_explain_sized(const ashlar_plan *plan, ashlar_explanation *out, size_t size,
                                        ashlar_error *err)
{
    if (!plan || !out)
        return ashi_fail(err, ASHLAR_ERR_ARG, "ashlar_plan_explain: %s is NULL", plan ? "out" : "plan");
    const ashi_streamed *t = &plan->filed.streamed;
    const ashi_mixed *m = &plan->filed.mixed;
    const ashi_choice *c = &plan->choice;
    const ashi_bound bound = ashi_bound_words(plan->problem.m, plan->problem.n, plan->problem.k, plan->context->ranks,
                                              plan->memory_words);
    const ashlar_explanation why = {
        .strategy = c->strategy ? c->strategy->name : NULL, .reason = c->reason,
        .grid = {c->schedule.grid[0], c->schedule.grid[1], c->schedule.grid[2]},
        .ranks_used = plan->empty ? 0 : c->schedule.ranks_used, .rounds = plan->empty ? 0 : c->schedule.rounds,
        .bound_words = bound.words, .bound_case = bound.which, .relayout_words = plan->relayout_words,
        .workspace_words = plan->need.workspace, .warning = plan->warning[0] ? plan->warning : NULL};
    const ashlar_explanation streamed = {
        .strategy = ashi_strategy_sequential.name, .reason = t->reason,
        .grid = {t->nest.parts[0] * t->nest.team[0], t->nest.parts[1] * t->nest.team[1], 1},
        .ranks_used = t->nest.parts[0] * t->nest.parts[1] * t->nest.team[0] * t->nest.team[1], .rounds = t->steps,
        .bound_case = "the matrices are in files: nothing need be received", .workspace_words = t->workspace_words,
        .bound_disk_words = t->bound, .bound_disk_case = t->which};
    ashlar_explanation in_slabs = why;
    if (m->on) {
        const ashi_choice *first = &m->kind[0].plan->choice;
        in_slabs.strategy = first->strategy->name;
        in_slabs.reason = m->reason;
        memcpy(in_slabs.grid, first->schedule.grid, sizeof in_slabs.grid);
        in_slabs.ranks_used = first->schedule.ranks_used;
        in_slabs.rounds = m->rounds;
        in_slabs.bound_disk_words = (double)ashi_filed_disk_words(plan);
        in_slabs.bound_disk_case = "every word of the matrices in files, once";
    }
    ashi_structure_give(t->on ? &streamed : m->on ? &in_slabs : &why, sizeof why, out, size);
    return ASHLAR_OK;
}

ashlar_status ashlar_plan_predicted_sized(const ashlar_plan *plan, ashlar_figures *out, size_t size,
                                          ashlar_error *err)
{
    if (!plan || !out)
        return ashi_fail(err, ASHLAR_ERR_ARG, "ashlar_plan_predicted: %s is NULL", plan ? "out" : "plan");
    const ashi_totals *t = &plan->choice.totals;
    const ashi_streamed *streamed = &plan->filed.streamed;
    ashlar_figures figures = {.words_max = t->words_max, .words_mean = t->words_mean,
                              .words_total = t->words_total, .messages_max = t->messages_max,
                              .memory_words = t->memory_max, .disk_words = ashi_filed_disk_words(plan),
                              .seconds = plan->choice.seconds};
    if (streamed->on) {
        const ashi_nest_figures *most = &streamed->most;
        figures.words_max = most->received;
        figures.words_total = streamed->total.received;
        figures.words_mean = (double)figures.words_total / plan->context->ranks;
        figures.messages_max = ashi_max(most->received_messages, most->sent_messages);
        figures.memory_words = ashi_nest_memory(&streamed->nest);
        figures.seconds = streamed->seconds;
    }
    const ashi_mixed *m = &plan->filed.mixed;
    if (m->on) {
        figures.words_max = m->words_max;
        figures.words_total = m->words_total;
        figures.words_mean = (double)m->words_total / plan->context->ranks;
        figures.messages_max = m->messages_max;
        figures.memory_words = m->memory_max;
        figures.seconds = m->seconds;
    }
    ashi_filed_seconds(plan, &figures.read_seconds, &figures.write_seconds);
    ashi_structure_give(&figures, sizeof figures, out, size);
    return ASHLAR_OK;
}

const ashlar_layout *ashlar_plan_layout(const ashlar_plan *plan, ashlar_operand operand)
{
    return plan && operand >= ASHLAR_A && operand <= ASHLAR_C ? plan->layout[operand] : NULL;
}

int64_t ashlar_plan_workspace(const ashlar_plan *plan)
{
    if (plan && plan->filed.streamed.on)
        return plan->filed.streamed.workspace_words;
    return plan ? plan->need.workspace : 0;
}

/* ---- making and freeing ---- */

static ashlar_status copy_layouts(ashlar_plan *plan, ashlar_error *err)
{
    const ashlar_layout *const from[3] = {plan->problem.a, plan->problem.b, plan->problem.c};
    ashlar_status status = ASHLAR_OK;
    for (int x = 0; x < 3 && status == ASHLAR_OK; x++)
        if (from[x])
            status = ashi_layout_copy(from[x], &plan->given[x], err);
    return status;
}

ashlar_status ashi_plan_runner(ashlar_plan *plan, ashi_runner **out, ashi_need *need, ashlar_error *err)
{
    const ashi_runner_request request = {.context = plan->context, .schedule = &plan->choice.schedule,
                                         .type = plan->problem.type, .one_sided = plan->one_sided,
                                         .no_workspace = plan->caller_workspace};
    *out = NULL;
    *need = (ashi_need){0};
    if (plan->empty)
        return ASHLAR_OK;
    ashlar_status status = ashi_need_of(&plan->choice.schedule, plan->context->rank, need, err);
    if (status == ASHLAR_OK)
        status = ashi_runner_create(&request, out, err);
    if (status != ASHLAR_OK)
        return status;
    need->workspace = ashi_runner_workspace(*out);
    if (!plan->filed.any)
        ashi_runner_on_progress(*out, plan->filed.progress, plan->filed.user);
    return ASHLAR_OK;
}

/* What this rank would receive by way of COSMA's own layout. Local. */
static ashlar_status relayout(ashlar_plan *plan, const ashlar_options *o, int64_t *own, ashlar_error *err)
{
    const ashi_problem q = problem_of(plan, o);
    if (plan->empty || plan->once || (!plan->given[0] && !plan->given[1] && !plan->given[2]))
        return ASHLAR_OK;
    return ashi_relayout_words(&q, plan->context->rank, plan->context->rank + 1, own, err);
}

/* With nothing to multiply a rank holds its shares and no more; A and B are not read from files. */
static ashlar_status measure_nothing(ashlar_plan *plan, ashlar_error *err)
{
    int64_t *most = &plan->choice.totals.memory_max;
    plan->need.share = 0;
    for (int x = 0; x < 3; x++)
        if (x == ASHLAR_C || !plan->filed.file[x])
            plan->need.share += ashlar_layout_words(plan->layout[x], plan->context->rank);
    *most = plan->need.share;
    ashi_note(plan->context,
              MPI_Allreduce(&plan->need.share, most, 1, MPI_INT64_T, MPI_MAX, plan->context->comm), "MPI_Allreduce");
    if (plan->memory_words == 0 || *most <= plan->memory_words)
        return ASHLAR_OK;
    ashi_refuse(plan->context, *most);
    return ashi_fail(err, ASHLAR_ERR_LIMIT,
                     "%" PRId64 " words are too few for a rank's share of the matrices: %" PRId64 " would do",
                     plan->memory_words, *most);
}

static ashlar_status share_nodes(ashlar_plan *plan, int64_t node_ranks, ashlar_error *err)
{
    const int ranks = plan->context->ranks;
    if (node_ranks == 0)
        return ASHLAR_OK;
    plan->node_of = malloc((size_t)ranks * sizeof *plan->node_of);
    for (int r = 0; plan->node_of && r < ranks; r++)
        plan->node_of[r] = (int)(r / node_ranks);
    return plan->node_of ? ASHLAR_OK : ashi_fail_memory(err, "ashlar_plan_create", ranks * (int64_t)sizeof(int));
}

/* Local, except for measuring. *agreed: all have agreed to fail. */
static ashlar_status make_own(ashlar_plan *plan, const ashlar_options *o, int64_t *relayout_words, bool *agreed,
                              ashlar_error *err)
{
    ashlar_status status = copy_layouts(plan, err);
    if (status == ASHLAR_OK)
        status = share_nodes(plan, o->node_ranks, err);
    if (status == ASHLAR_OK)
        status = choose(plan, o, agreed, err);
    if (status == ASHLAR_OK)
        status = ashi_plan_runner(plan, &plan->runner, &plan->need, err);
    return status == ASHLAR_OK ? relayout(plan, o, relayout_words, err) : status;
}

/* Who makes a plan for one execution checks that, too, before the ranks agree. The workspace of one-sided transport is
 * not there yet. */
static ashlar_status check_once(const ashlar_plan *plan, int64_t numbers[ASHI_SCALAR_NUMBERS], ashlar_error *err)
{
    const ashi_arguments *with = plan->once;
    const ashlar_status status = ashi_plan_check(plan, with, err);
    if (status == ASHLAR_OK)
        ashi_scalars_pack(plan->problem.type, with->alpha, with->beta, numbers);
    return status;
}

ashlar_status ashi_plan_make(ashlar_plan *plan, const ashlar_options *o, ashlar_error *err)
{
    const ashlar_context *context = plan->context;
    const bool checks = plan->once && !plan->trusted && !plan->one_sided && !plan->filed.any;
    ashi_figures figures = {0};
    bool agreed = false;
    ashlar_status status = make_own(plan, o, &figures.greatest[0], &agreed, err);
    for (int x = 0; x < 3; x++)
        plan->layout[x] = plan->given[x] ? plan->given[x] : plan->choice.proposal.own[x];
    if (status == ASHLAR_OK && checks)
        status = check_once(plan, &figures.greatest[1], err);
    if (!agreed)
        status = ashi_agree_figures(context, status, &figures, err);
    if (status == ASHLAR_OK && checks)
        status = ashi_scalars_check(&figures.greatest[1], "ashlar_plan_execute", err);
    if (status != ASHLAR_OK)
        return status;
    plan->checked = checks;
    plan->relayout_words = figures.greatest[0];
    if (!plan->once)
        warn_of_threads(plan);
    if (plan->empty)
        return ashi_agree(context, measure_nothing(plan, err), err);
    if (o->transport == ASHLAR_ONE_SIDED)
        return ashi_agree(context, ashi_runner_open(plan->runner, err), err);
    return ASHLAR_OK;
}

void ashi_plan_clear(ashlar_plan *plan)
{
    ashi_runner_free(&plan->runner);
    ashi_choice_free(&plan->choice);
    for (int x = 0; x < 3; x++) {
        ashlar_layout_free(&plan->given[x]);
        plan->layout[x] = NULL;
    }
    free(plan->node_of);
    plan->node_of = NULL;
    plan->choice = (ashi_choice){0};
    plan->need = (ashi_need){0};
    plan->relayout_words = 0;
}

void ashi_plan_discard(ashlar_plan **plan)
{
    if (!*plan)
        return;
    ashi_plan_clear(*plan);
    ashi_trace_free(&(*plan)->trace);
    free(*plan);
    *plan = NULL;
}

ashlar_status ashlar_plan_use_workspace(ashlar_plan *plan, void *workspace, ashlar_error *err)
{
    if (!plan)
        return ashi_fail(err, ASHLAR_ERR_ARG, "ashlar_plan_use_workspace: plan is NULL");
    ashlar_error own = {0};
    err = err ? err : &own;
    ashlar_status status = ASHLAR_OK;
    if (plan->filed.any)
        status = ashi_fail(err, ASHLAR_ERR_ARG,
                           "ashlar_plan_use_workspace: a plan with matrices in files has memory of its own");
    else if (plan->one_sided)
        status = ashi_fail(err, ASHLAR_ERR_ARG,
                           "ashlar_plan_use_workspace: with one-sided transport the workspace is MPI's window");
    else if (!workspace && plan->need.workspace > 0)
        status = ashi_fail(err, ASHLAR_ERR_ARG, "rank %d: ashlar_plan_use_workspace: NULL, wanted %" PRId64 " elements",
                           plan->context->rank, plan->need.workspace);
    if (!plan->trusted)
        status = ashi_conclude(plan->context, status, err);
    if (status == ASHLAR_OK) {
        if (plan->runner)
            ashi_runner_use_workspace(plan->runner, workspace);
        plan->caller_workspace = true;
    }
    return status;
}

void ashlar_plan_on_progress(ashlar_plan *plan, void (*progress)(void *user, int64_t done, int64_t all), void *user)
{
    if (!plan)
        return;
    plan->filed.progress = progress;
    plan->filed.user = user;
    if (!plan->filed.any && plan->runner)
        ashi_runner_on_progress(plan->runner, progress, user);
}

const char *ashlar_strategy_name(int i)
{
    const ashi_strategy *s = ashi_strategy_at(i);
    return s ? s->name : NULL;
}

const char *ashlar_strategy_summary(int i)
{
    const ashi_strategy *s = ashi_strategy_at(i);
    return s ? s->summary : NULL;
}
