/* Sequences on several ranks of which the layouts of all intermediates are chosen together. */
#include "base/error.h"
#include "contract/steps.h"

#include <stdlib.h>

/* Of plans that are done in steps, which name this kind as another. */
static bool serves(const ashlar_contraction_plan *plan)
{
    bool blocks = plan->context->ranks > 1;
    for (int x = 0; x <= plan->expression.operands; x++)
        blocks = blocks && (plan->tensor[x].own || !plan->tensor[x].layout->groups);
    return blocks;
}

static ashlar_status find(ashlar_contraction_plan *plan, ashi_contract_steps *q, const ashi_options_taken *how,
                          ashlar_error *err)
{
    int64_t least = 0;
    ashlar_status status = ashi_sequence_choose(&plan->expression, INT64_MAX, &q->sequence, &least, err);
    q->slices = (ashi_contract_slices){.first = -1};
    if (status == ASHLAR_OK)
        status = ashi_contract_steps_layouts(plan, q, &how->machine, err);
    return ashi_agree(plan->context, status, err);
}

static ashlar_status make(ashlar_contraction_plan *plan, const ashi_options_taken *how, ashlar_error *err)
{
    ashi_contract_steps *const q = calloc(1, sizeof *q);
    int64_t least = 0;
    plan->made = q;
    ashlar_status status = ashi_agree(
        plan->context, q ? ASHLAR_OK : ashi_fail_memory(err, "contraction", (int64_t)sizeof *q), err);
    if (status == ASHLAR_OK)
        status = find(plan, q, how, err);
    if (status == ASHLAR_OK)
        status = ashi_contract_steps_fit(plan, q, &how->options, &least, err);
    if (status == ASHLAR_ERR_LIMIT)
        ashi_refuse(plan->context, least);
    if (status == ASHLAR_OK)
        status = ashi_agree(plan->context, ashi_contract_steps_report(plan, q, err), err);
    if (status == ASHLAR_OK)
        status = ashi_contract_steps_say_order(plan, q, err);
    if (status == ASHLAR_OK)
        status = ashi_contract_say(plan, err, "%s: the layouts of all steps are chosen jointly\n", plan->words);
    return status == ASHLAR_OK ? ashi_contract_steps_allocate(plan, q, err) : status;
}

const ashi_contract_kind ashi_contract_jointly = {
    "steps, jointly", serves, make, ashi_contract_steps_run, ashi_contract_steps_measured, ashi_contract_steps_free,
    NULL, NULL, ashi_contract_steps_on_device};
