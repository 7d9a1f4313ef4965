/* Plans: made on all ranks, and freed. */
#include "plan/plan.h"

#include "base/error.h"
#include "base/structure.h"
#include "kernel/threads.h"
#include "plan/check.h"
#include "plan/choosing.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

void ashlar_options_default_sized(ashlar_options *out, size_t size)
{
    const ashlar_options options = {.size = size,
                                    .objective = ASHLAR_LEAST_TIME,
                                    .transport = ASHLAR_TWO_SIDED,
                                    .route = ASHLAR_ROUTE_AUTO,
                                    .idle = 0.03};
    ashi_structure_give(&options, sizeof options, out, size);
}

static void warn_of_threads(ashlar_plan *plan)
{
    const int limit = ashi_context_blas_threads(plan->context), threads = limit > 0 ? limit : ashi_blas_threads();
    const int cores = plan->context->cores, ranks = plan->context->node_ranks;
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
                                         .type = plan->problem.type, .machine = &plan->machine,
                                         .one_sided = plan->one_sided, .c_is_new = plan->c_is_new,
                                         .c_begins_new = plan->c_begins_new, .no_workspace = plan->caller_workspace,
                                         .stays = plan->sums_stay};
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
        status = ashi_plan_choose(plan, o, agreed, err);
    if (status == ASHLAR_OK)
        status = ashi_plan_runner(plan, &plan->runner, &plan->need, err);
    return status == ASHLAR_OK ? ashi_plan_relayout(plan, o, relayout_words, err) : status;
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
    plan->machine = *o->machine;
    plan->sums_stay = context->has_devices;
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
