/* Plans that are done in steps: their figures, their memory, executing them. */
#include "base/checked.h"
#include "base/error.h"
#include "contract/local.h"
#include "contract/steps.h"
#include "kernel/kernels.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

enum { ALIGNMENT = 64 };

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
        const bool sliced = ashi_contract_is_sliced(q, s);
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

ashlar_status ashi_contract_steps_say_order(ashlar_contraction_plan *plan, const ashi_contract_steps *q,
                                            ashlar_error *err)
{
    return ashi_contract_say(
        plan, err, "%s: %s; %.4g multiply-adds, %" PRId64 " words of intermediates at most\n", plan->words,
        q->sequence.exact ? "the cheapest order of pairs within the memory" : "an order of pairs chosen greedily",
        plan->report.multiply_adds, q->sequence.held);
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
    for (int s = 0; s < q->sequence.steps; s++) { /* a rank that has failed alone goes on with the others */
        ashlar_figures step = {0};
        const ashlar_status mine =
            q->step[s].plan->kind->measured(q->step[s].plan, &step, status == ASHLAR_OK ? err : NULL);
        status = status == ASHLAR_OK ? mine : status;
        out->memory_words += step.memory_words - q->step[s].plan->predicted.memory_words;
        out->words_max += step.words_max;
        out->words_mean += step.words_mean;
        out->words_total += step.words_total;
        out->messages_max += step.messages_max;
    }
    return ashi_conclude(plan->context, status, err);
}

ashi_on_device ashi_contract_steps_on_device(const ashlar_contraction_plan *plan)
{
    const ashi_contract_steps *q = plan->made;
    const ashi_contract_slices *by = &q->slices;
    ashi_on_device sum = {0};
    for (int s = 0; s < q->sequence.steps; s++) {
        const ashi_contract_step *const step = &q->step[s];
        const bool sliced = ashi_contract_is_sliced(q, s), last = s == q->sequence.steps - 1;
        const ashi_on_device one = ashi_contract_on_device(step->plan);
        const ashi_on_device rest = step->rest ? ashi_contract_on_device(step->rest) : (ashi_on_device){0};
        ashi_on_device_add(&sum, &one, sliced ? by->count - (step->rest ? 1 : 0) : 1);
        ashi_on_device_add(&sum, &rest, step->rest ? 1 : 0);
        if (ashi_contract_adds_slices(q, s) && !last && step->plan->kind == &ashi_contract_local) {
            const ashi_on_device first = ashi_local_on_device(step->plan, false);
            ashi_on_device_add(&sum, &one, -1);
            ashi_on_device_add(&sum, &first, 1);
        }
    }
    return sum;
}
