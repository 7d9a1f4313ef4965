/* What a plan of a contraction says of itself. */
#include "base/error.h"
#include "base/structure.h"
#include "contract/plan.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

ashlar_status ashi_contract_say(ashlar_contraction_plan *plan, ashlar_error *err, const char *format, ...)
{
    const size_t before = plan->text ? strlen(plan->text) : 0;
    va_list list, again;
    va_start(list, format);
    va_copy(again, list);
    const int added = vsnprintf(NULL, 0, format, list);
    char *const text = added >= 0 ? realloc(plan->text, before + (size_t)added + 1) : NULL;
    if (text) {
        plan->text = text;
        vsnprintf(text + before, (size_t)added + 1, format, again);
    }
    va_end(again);
    va_end(list);
    return text ? ASHLAR_OK : ashi_fail_memory(err, "explanation", (int64_t)before + added + 1);
}

ashlar_status ashlar_contraction_explain_sized(const ashlar_contraction_plan *plan,
                                               ashlar_contraction_explanation *out, size_t size, ashlar_error *err)
{
    if (!plan || !out)
        return ashi_fail(err, ASHLAR_ERR_ARG, "ashlar_contraction_explain: %s is NULL", plan ? "out" : "plan");
    ashlar_contraction_explanation why = plan->report;
    why.text = plan->text;
    ashi_structure_give(&why, sizeof why, out, size);
    return ASHLAR_OK;
}

ashlar_status ashlar_contraction_predicted_sized(const ashlar_contraction_plan *plan, ashlar_figures *out, size_t size,
                                                 ashlar_error *err)
{
    if (!plan || !out)
        return ashi_fail(err, ASHLAR_ERR_ARG, "ashlar_contraction_predicted: %s is NULL", plan ? "out" : "plan");
    ashi_structure_give(&plan->predicted, sizeof plan->predicted, out, size);
    return ASHLAR_OK;
}

const ashlar_tensor_layout *ashlar_contraction_layout(const ashlar_contraction_plan *plan, int operand)
{
    return plan && operand >= 0 && operand <= plan->expression.operands ? plan->tensor[operand].layout : NULL;
}
