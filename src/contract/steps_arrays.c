/* The arrays of a sequence of pairs: the caller's tensors, and the intermediates. */
#include "contract/steps.h"

void *ashi_contract_array(const ashlar_contraction_plan *plan, const ashi_contract_steps *q, int array,
                          const ashi_contract_arguments *with)
{
    const int s = array - q->sequence.operands;
    if (s < 0)
        return with->operand ? (void *)(uintptr_t)with->operand[array] : NULL;
    return s == q->sequence.steps - 1 ? with->output
                                      : q->memory + q->step[s].offset * (int64_t)ashlar_type_bytes(plan->type);
}

ashlar_tensor_layout **ashi_contract_array_layout(ashlar_contraction_plan *plan, ashi_contract_steps *q, int array)
{
    const int s = array - q->sequence.operands;
    if (s < 0)
        return &plan->tensor[array].layout;
    return s == q->sequence.steps - 1 ? &ashi_contract_output(plan)->layout : &q->step[s].layout;
}
