/* Contractions of three and more operands: a sequence of pairs. */
#include "base/checked.h"
#include "base/error.h"
#include "contract/steps.h"
#include "exec/kernels.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

enum { ALIGNMENT = 64 };

static bool serves(const ashlar_contraction_plan *plan)
{
    bool memory = plan->expression.operands > 2 && !plan->output0;
    for (int x = 0; x <= plan->expression.operands; x++)
        memory = memory && !plan->tensor[x].file;
    return memory;
}

/* ---- making ---- */

/* Plan a sequence: with the slices that pay, and if that does not fit, in the smallest slices. */
static ashlar_status fit(ashlar_contraction_plan *plan, ashi_contract_steps *q, const ashlar_options *options,
                         int64_t *least, ashlar_error *err)
{
    ashlar_status status = ASHLAR_OK;
    for (int way = 0; way < 2; way++) {
        int64_t needed = 0;
        q->slices = (ashi_contract_slices){.first = -1};
        if (plan->context->ranks == 1)
            ashi_contract_steps_slice(plan, q, way == 1);
        if (way == 1 && q->slices.first < 0)
            return status;
        ashi_contract_steps_clear(q, true);
        status = ashi_contract_steps_fit(plan, q, options, &needed, err);
        if (status != ASHLAR_ERR_LIMIT)
            return status;
        *least = ashi_min(*least, needed);
    }
    return status;
}

/* The cheapest sequence that fits: first whatever it holds, then with less and less. */
static ashlar_status choose(ashlar_contraction_plan *plan, ashi_contract_steps *q, const ashlar_options *options,
                            ashlar_error *err)
{
    int64_t most = INT64_MAX, least = INT64_MAX, smallest = 0;
    ashlar_status status = ASHLAR_OK;
    for (bool last = false; !last;) {
        status = ashi_sequence_choose(&plan->expression, most, &q->sequence, &smallest, err);
        if (status == ASHLAR_ERR_LIMIT) {
            last = true;
            status = ashi_sequence_choose(&plan->expression, smallest, &q->sequence, &smallest, err);
        }
        status = ashi_agree(plan->context, status, err);
        if (status == ASHLAR_OK)
            status = fit(plan, q, options, &least, err);
        if (status != ASHLAR_ERR_LIMIT)
            return status;
        most = q->sequence.held - q->sequence.held / 8 - 1;
        last = last || most < 0;
    }
    ashi_refuse(plan->context, least);
    return ashi_fail(err, ASHLAR_ERR_LIMIT, "memory_words = %" PRId64 ": %" PRId64 " would do", plan->memory_words,
                     least);
}

ashlar_status ashi_contract_steps_report(ashlar_contraction_plan *plan, const ashi_contract_steps *q,
                                         ashlar_error *err)
{
    const int64_t own = ashi_add_most(ashi_add_most(q->share, q->intermediates), q->workspace);
    int64_t most = own;
    ashlar_status status = ASHLAR_OK;
    plan->report = (ashlar_contraction_explanation){
        .steps = q->sequence.steps, .workspace_words = ashi_add_most(q->intermediates, q->workspace)};
    plan->predicted = (ashlar_figures){0};
    for (int s = 0; s < q->sequence.steps && status == ASHLAR_OK; s++) {
        const ashlar_contraction_plan *step = q->step[s].plan;
        const char *text = strstr(step->text, ". ");
        const ashi_contract_slices *by = &q->slices;
        const bool sliced = by->first >= 0 && (s == by->first || s == by->first + 1);
        plan->report.multiply_adds += (double)q->sequence.step[s].multiply_adds;
        plan->predicted.words_max += step->predicted.words_max;
        plan->predicted.words_mean += step->predicted.words_mean;
        plan->predicted.words_total += step->predicted.words_total;
        plan->predicted.messages_max += step->predicted.messages_max;
        plan->predicted.seconds += step->predicted.seconds * (sliced ? (double)by->count : 1);
        status = ashi_contract_say(plan, err, "%d%s", s + 1, text ? text : ". ");
        if (status == ASHLAR_OK && sliced && s > by->first)
            status = ashi_contract_say(plan, err, "   steps %d and %d for %" PRId64 " slice%s of index '%c', so that %"
                                       PRId64 " of %" PRId64 " words are between them\n", s, s + 1, by->count,
                                       by->count == 1 ? "" : "s", plan->expression.name[by->index], q->step[s - 1].room,
                                       q->sequence.step[s - 1].result_words);
    }
    ashi_note(plan->context, MPI_Allreduce(&own, &most, 1, MPI_INT64_T, MPI_MAX, plan->context->comm),
              "MPI_Allreduce");
    plan->predicted.memory_words = most;
    return status;
}

ashlar_status ashi_contract_steps_allocate(ashlar_contraction_plan *plan, ashi_contract_steps *q, ashlar_error *err)
{
    const int64_t bytes = (int64_t)ashlar_type_bytes(plan->type);
    int64_t shared = 0, all;
    for (int s = 0; s < q->sequence.steps; s++)
        if (q->step[s].plan->kind->borrow)
            shared = ashi_max(shared, ashi_max(q->step[s].plan->report.workspace_words,
                                               q->step[s].rest ? q->step[s].rest->report.workspace_words : 0));
    void *memory = NULL;
    if (!ashi_mul(ashi_add_most(q->intermediates, shared), bytes, &all))
        return ashi_fail(err, ASHLAR_ERR_OVERFLOW, "intermediates do not fit in 64 bits");
    if (posix_memalign(&memory, ALIGNMENT, (size_t)ashi_max(all, 1)) != 0)
        return ashi_fail_memory(err, "intermediates of a contraction", all);
    q->memory = memory;
    for (int s = 0; s < q->sequence.steps; s++) {
        if (q->step[s].plan->kind->borrow)
            q->step[s].plan->kind->borrow(q->step[s].plan, q->memory + q->intermediates * bytes);
        if (q->step[s].rest && q->step[s].rest->kind->borrow)
            q->step[s].rest->kind->borrow(q->step[s].rest, q->memory + q->intermediates * bytes);
    }
    return ASHLAR_OK;
}

static ashlar_status say_order(ashlar_contraction_plan *plan, const ashi_contract_steps *q, ashlar_error *err)
{
    return ashi_contract_say(
        plan, err, "%s: %s; %.4g multiply-adds, %" PRId64 " words of intermediates at most\n", plan->words,
        q->sequence.exact ? "the cheapest order of pairs within the memory" : "an order of pairs chosen greedily",
        plan->report.multiply_adds, q->sequence.held);
}

static ashlar_status make(ashlar_contraction_plan *plan, const ashi_options_taken *how, ashlar_error *err)
{
    ashi_contract_steps *q = calloc(1, sizeof *q);
    plan->made = q;
    ashlar_status status = ashi_agree(
        plan->context, q ? ASHLAR_OK : ashi_fail_memory(err, "contraction", (int64_t)sizeof *q), err);
    if (status == ASHLAR_OK)
        status = choose(plan, q, &how->options, err);
    if (status == ASHLAR_OK)
        status = ashi_agree(plan->context, ashi_contract_steps_report(plan, q, err), err);
    if (status == ASHLAR_OK)
        status = say_order(plan, q, err);
    return status == ASHLAR_OK ? ashi_contract_steps_allocate(plan, q, err) : status;
}

void ashi_contract_steps_free(ashlar_contraction_plan *plan)
{
    ashi_contract_steps *q = plan->made;
    if (!q)
        return;
    ashi_contract_steps_clear(q, true);
    free(q->memory);
    free(q);
    plan->made = NULL;
}

/* ---- executing ---- */

static ashlar_status run_step(const ashlar_contraction_plan *plan, const ashi_contract_steps *q, int s,
                              const ashi_contract_arguments *with, ashlar_error *err)
{
    const ashi_kernels *kernels = ashi_kernels_of(plan->type);
    const ashi_sequence_step *step = &q->sequence.step[s];
    const bool last = s == q->sequence.steps - 1;
    const void *const operand[2] = {ashi_contract_array(plan, q, step->operand[0], with),
                                    step->operand[1] < 0 ? NULL
                                                         : ashi_contract_array(plan, q, step->operand[1], with)};
    return plan->calls->execute(q->step[s].plan, last ? with->alpha : kernels->one, operand,
                                      last ? with->beta : kernels->zero,
                                      ashi_contract_array(plan, q, q->sequence.operands + s, with), err);
}

ashlar_status ashi_contract_steps_run(ashlar_contraction_plan *plan, const ashi_contract_arguments *with,
                                      ashlar_error *err)
{
    ashi_contract_steps *q = plan->made;
    ashlar_status status = ASHLAR_OK;
    const bool nothing = ashi_kernels_of(plan->type)->is_zero(with->alpha); /* then the last step scales the output */
    const int last = q->sequence.steps - 1, from = q->slices.first == last - 1 ? last - 1 : last;
    for (int s = nothing ? from : 0; s <= last; s++) { /* all ranks go on if one has failed */
        ashlar_error here = {0};
        const bool sliced = s == q->slices.first;
        const ashlar_status mine =
            sliced ? ashi_contract_slices_run(plan, q, with, &here) : run_step(plan, q, s, with, &here);
        s += sliced;
        if (status == ASHLAR_OK && mine != ASHLAR_OK) {
            status = mine;
            *err = here;
        }
    }
    return status;
}

ashlar_status ashi_contract_steps_measured(ashlar_contraction_plan *plan, ashlar_figures *out, ashlar_error *err)
{
    const ashi_contract_steps *q = plan->made;
    ashlar_status status = ASHLAR_OK;
    *out = (ashlar_figures){.memory_words = plan->predicted.memory_words, .seconds = plan->seconds};
    for (int s = 0; s < q->sequence.steps && status == ASHLAR_OK; s++) {
        ashlar_figures step = {0};
        status = q->step[s].plan->kind->measured(q->step[s].plan, &step, err);
        out->memory_words += step.memory_words - q->step[s].plan->predicted.memory_words;
        out->words_max += step.words_max;
        out->words_mean += step.words_mean;
        out->words_total += step.words_total;
        out->messages_max += step.messages_max;
    }
    return status;
}

const ashi_contract_kind ashi_contract_in_steps = {
    "steps", serves, make, ashi_contract_steps_run, ashi_contract_steps_measured, ashi_contract_steps_free, NULL, NULL};
