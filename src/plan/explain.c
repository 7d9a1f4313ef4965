/* What a plan says of itself: why it was chosen, and what it is predicted to take. */
#include "base/checked.h"
#include "base/error.h"
#include "base/structure.h"
#include "plan/plan.h"
#include "strategy/strategy.h"

#include <string.h>

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
        .strategy = t->looped ? t->name : ashi_strategy_sequential.name, .reason = t->reason,
        .grid = {t->nest.parts[0] * t->nest.team[0], t->nest.parts[1] * t->nest.team[1], 1},
        .ranks_used = t->looped ? t->loops.ranks
                                : t->nest.parts[0] * t->nest.parts[1] * t->nest.team[0] * t->nest.team[1],
        .rounds = t->steps,
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
        figures.memory_words = streamed->looped ? streamed->memory_words : ashi_nest_memory(&streamed->nest);
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
    figures.memory_words += plan->aside;
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
