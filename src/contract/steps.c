/* Contractions of three and more operands: a sequence of pairs. */
#include "base/checked.h"
#include "base/error.h"
#include "contract/steps.h"

#include <inttypes.h>
#include <stdlib.h>

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
        status = ashi_contract_steps_say_order(plan, q, err);
    return status == ASHLAR_OK ? ashi_contract_steps_allocate(plan, q, err) : status;
}

static const ashi_contract_kind *const others[] = {&ashi_contract_jointly, &ashi_contract_by_grid, NULL};
const ashi_contract_kind ashi_contract_in_steps = {
    "steps", serves, make, ashi_contract_steps_run, ashi_contract_steps_measured, ashi_contract_steps_free, NULL,
    others, ashi_contract_steps_on_device};
