/* What is asked of the next executions of a plan of tensors in files. */
#include "contract/filed.h"

#include "contract/plan.h"

int64_t ashi_contract_filed_products(const ashlar_contraction_plan *plan)
{
    return plan->products;
}

void ashi_contract_filed_trace(ashlar_contraction_plan *plan, ashi_trace *trace)
{
    plan->watch.trace = trace;
}

void ashlar_contraction_on_progress(ashlar_contraction_plan *plan,
                                    void (*progress)(void *user, int64_t done, int64_t all), void *user)
{
    if (!plan)
        return;
    plan->watch.progress = progress;
    plan->watch.user = user;
}

void ashi_contract_filed_check(ashlar_contraction_plan *plan, ashlar_verdict *out)
{
    plan->watch.verdict = out;
}
