/* Contractions of one or two operands that lie on several ranks, or of which some are in files: a planned product of
 * matrices for each value of the batch. Values whose matrices have the same owners share a plan. */
#include "contract/ranks.h"

#include "base/checked.h"
#include "base/error.h"
#include "kernel/kernels.h"
#include "model/bounds.h"
#include "plan/plan.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

enum { A, B, C };

static bool serves(const ashlar_contraction_plan *plan)
{
    bool blocks = plan->expression.operands <= 2;
    for (int x = 0; x <= plan->expression.operands; x++) {
        const ashi_contract_tensor *const t = &plan->tensor[x];
        blocks = blocks && (t->own || !t->layout->groups);
    }
    return blocks;
}

/* ---- making ---- */

/* The workspace, and a column of ones for each plan that has one operand. */
static ashlar_status make_workspace(ashlar_contraction_plan *plan, ashi_over_ranks *o, ashlar_error *err)
{
    const size_t bytes = ashlar_type_bytes(plan->type);
    const int rank = plan->context->rank;
    for (int i = 0; i < o->pieces; i++) {
        const ashlar_plan *const p = o->piece[i].plan;
        if (p->caller_workspace)
            o->workspace_words = ashi_max(o->workspace_words, ashlar_plan_workspace(p));
        if (o->tensor[B] < 0)
            o->ones_words = ashi_max(o->ones_words, ashlar_layout_extent(ashlar_plan_layout(p, ASHLAR_B), rank));
    }
    void *workspace = NULL;
    const int64_t words = o->workspace_words + o->ones_words;
    if (posix_memalign(&workspace, 64, (size_t)ashi_max(words, 1) * bytes) != 0)
        return ashi_fail_memory(err, "contraction", words * (int64_t)bytes);
    o->workspace = workspace;
    for (int64_t i = 0; i < o->ones_words; i++)
        memcpy(o->workspace + (size_t)(o->workspace_words + i) * bytes, ashi_kernels_of(plan->type)->one, bytes);
    ashlar_status status = ASHLAR_OK;
    for (int i = 0; i < o->pieces && status == ASHLAR_OK; i++)
        if (o->piece[i].plan->caller_workspace)
            status = ashlar_plan_use_workspace(o->piece[i].plan, workspace, err);
    return status;
}

static void predict(ashlar_contraction_plan *plan, const ashi_over_ranks *o)
{
    double seconds = ashi_over_ranks_predict_prepared(plan, o);
    for (int i = 0; i < o->pieces; i++) {
        const ashi_contract_piece *const p = &o->piece[i];
        plan->planned.received += p->count * p->plan->need.received;
        plan->planned.received_messages += p->count * p->plan->need.received_messages;
        plan->planned.sent_messages += p->count * p->plan->need.sent_messages;
        seconds += (double)p->count * p->plan->choice.seconds;
    }
    const int64_t memory = o->held + o->windows + o->workspace_words + o->ones_words;
    plan->predicted = o->files ? ashi_over_ranks_predict_files(plan, o)
                               : ashi_contract_join(plan, &plan->planned, memory, seconds);
}

static ashlar_status report(ashlar_contraction_plan *plan, const ashi_over_ranks *o, ashlar_error *err)
{
    const ashi_expression *const e = &plan->expression;
    const int64_t m = ashi_order_extent(e, &o->group[ASHI_OF_ROWS]), n = ashi_order_extent(e, &o->group[ASHI_OF_COLS]);
    const int64_t k = ashi_order_extent(e, &o->group[ASHI_OF_SUM]);
    const ashi_bound bound = ashi_bound_batch(o->batches, m, n, k, plan->context->ranks, plan->memory_words);
    ashlar_explanation why = {0};
    if (o->pieces > 0)
        (void)ashlar_plan_explain(o->piece[0].plan, &why, NULL);
    plan->report = (ashlar_contraction_explanation){
        .steps = 1, .multiply_adds = (double)m * (double)n * (double)k * (double)o->batches,
        .workspace_words = o->windows + o->workspace_words + o->ones_words,
        .bound_words = bound.words, .bound_case = bound.which};
    const ashlar_status status = ashi_over_ranks_say_prepared(plan, o, err);
    if (status != ASHLAR_OK)
        return status;
    return ashi_contract_say(plan, err, "%" PRId64 " product%s of %" PRId64 " x %" PRId64 " x %" PRId64
                             " on %d ranks by %d plan%s: %s, %s\n", o->batches,
                             o->batches == 1 ? "" : "s", m, n, k, plan->context->ranks, o->pieces,
                             o->pieces == 1 ? "" : "s", why.strategy ? why.strategy : "nothing to do",
                             why.reason ? why.reason : "no product");
}

static bool in_file(const ashlar_contraction_plan *plan, const ashi_over_ranks *o, int x)
{
    return o->tensor[x] >= 0 && plan->tensor[o->tensor[x]].file;
}

static ashlar_status make(ashlar_contraction_plan *plan, const ashi_options_taken *how, ashlar_error *err)
{
    ashi_over_ranks *const o = calloc(1, sizeof *o);
    plan->made = o;
    ashlar_status status = o ? ASHLAR_OK : ashi_fail_memory(err, "contraction", (int64_t)sizeof *o);
    status = ashi_agree(plan->context, status, err);
    if (status == ASHLAR_OK)
        status = ashi_over_ranks_begin(plan, o, &how->options, plan->memory_words > 0, err);
    if (status == ASHLAR_OK)
        status = ashi_agree_named(plan->context, ashi_over_ranks_see(plan, o, err), err);
    if (status == ASHLAR_OK)
        status = ashi_agree(plan->context, ashi_over_ranks_divide(o, NULL, err), err);
    if (status == ASHLAR_OK)
        status = ashi_over_ranks_plans(plan, o, how, err);
    if (status != ASHLAR_OK)
        return status;
    for (int x = 0; x < ASHI_MATRICES && status == ASHLAR_OK; x++)
        if (!o->dealt[x].layout && o->tensor[x] >= 0 && !in_file(plan, o, x))
            status = ashi_over_ranks_own(plan, o, x, err);
    ashi_over_ranks_hold(plan, o);
    if (status == ASHLAR_OK)
        status = make_workspace(plan, o, err);
    status = ashi_agree(plan->context, status, err);
    if (status != ASHLAR_OK)
        return status;
    predict(plan, o);
    return report(plan, o, err);
}

static void free_made(ashlar_contraction_plan *plan)
{
    ashi_over_ranks *const o = plan->made;
    if (!o)
        return;
    for (int i = 0; i < o->pieces && o->piece; i++)
        ashlar_plan_free(&o->piece[i].plan);
    ashi_over_ranks_clear(o);
    free(o);
    plan->made = NULL;
}

/* ---- executing ---- */

/* A rank that fails goes on, since others may wait for it. */
static ashlar_status form_all(ashlar_contraction_plan *plan, ashi_over_ranks *o, const ashi_contract_arguments *with,
                              const void *beta, ashlar_status status, ashlar_error *err)
{
    for (int64_t z = 0; z < o->batches; z++) {
        ashlar_plan *const p = o->piece[o->piece_of[z]].plan;
        const void *const part[ASHI_MATRICES] = {ashi_over_ranks_part(plan, o, A, z, with),
                                                 ashi_over_ranks_part(plan, o, B, z, with),
                                                 ashi_over_ranks_part(plan, o, C, z, with)};
        const ashlar_status now = ashlar_plan_execute(p, with->alpha, part[A], part[B], beta,
                                                      (void *)(uintptr_t)part[C], status == ASHLAR_OK ? err : NULL);
        status = status == ASHLAR_OK ? now : status;
        ashi_tally_add(&plan->done, &p->tally);
        if (p->caller_workspace)
            plan->done.workspace = ashi_max(plan->done.workspace, p->tally.workspace);
    }
    return status;
}

static ashlar_status run(ashlar_contraction_plan *plan, const ashi_contract_arguments *with, ashlar_error *err)
{
    ashi_over_ranks *const o = plan->made;
    plan->done = (ashi_player_tally){0};
    if (o->view[C] && !plan->output0 && !ashi_kernels_of(plan->type)->is_zero(with->beta))
        return ashi_fail(err, ASHLAR_ERR_ARG, "ashlar_contraction_execute: beta is not 0 and there is no output0");
    const bool reads = !ashi_kernels_of(plan->type)->is_zero(with->alpha);
    const void *const beta = o->prepared[C].plan ? ashi_kernels_of(plan->type)->zero : with->beta;
    ashlar_status status = reads ? ashi_over_ranks_prepare(plan, o, with, err) : ASHLAR_OK;
    if (!o->files)
        status = form_all(plan, o, with, beta, status, err);
    else if (status == ASHLAR_OK)
        status = ashi_over_ranks_run_files(plan, o, with, beta, err);
    return ashi_over_ranks_give(plan, o, with, status, err);
}

static ashlar_status measured(ashlar_contraction_plan *plan, ashlar_figures *out, ashlar_error *err)
{
    const ashi_over_ranks *const o = plan->made;
    const int64_t memory = o->held + o->windows + plan->done.workspace + o->ones_words;
    *out = o->files ? ashi_over_ranks_measure_files(plan, o)
                    : ashi_contract_join(plan, &plan->done, memory, plan->seconds);
    return ashi_conclude(plan->context, ASHLAR_OK, err);
}

static ashi_on_device on_device(const ashlar_contraction_plan *plan)
{
    const ashi_over_ranks *const o = plan->made;
    ashi_on_device sum = ashi_over_ranks_prepare_on_device(o);
    for (int i = 0; i < o->pieces; i++) {
        const ashi_on_device one = ashi_plan_on_device(o->piece[i].plan);
        ashi_on_device_add(&sum, &one, o->piece[i].count);
    }
    return sum;
}

static const ashi_contract_kind *const others[] = {&ashi_contract_by_batch, &ashi_contract_by_teams,
                                                    &ashi_contract_by_spread_teams, NULL};
const ashi_contract_kind ashi_contract_over_ranks = {"over ranks", serves,    make, run,
                                                     measured,     free_made, NULL, others, on_device};
