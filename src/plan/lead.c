/* Another leading dimension for a planned matrix, without planning anew. */
#include "base/error.h"
#include "plan/check.h"
#include "plan/plan.h"

#include <inttypes.h>

/* What this rank needs and keeps for executions depends on how its part lies; what it exchanges does not. */
static ashlar_status rebuild(ashlar_plan *plan, ashlar_error *err)
{
    ashi_need need = {0};
    ashi_runner *runner = NULL;
    const ashlar_status status = ashi_plan_runner(plan, &runner, &need, err);
    if (status != ASHLAR_OK)
        return status;
    if (runner)
        ashi_runner_record(runner, plan->trace);
    if (plan->empty)
        need.share = plan->need.share;
    ashi_runner_free(&plan->runner);
    plan->runner = runner;
    plan->need = need;
    return ASHLAR_OK;
}

ashlar_status ashlar_plan_set_ld(ashlar_plan *plan, ashlar_operand operand, int64_t ld, ashlar_error *err)
{
    if (!plan || operand < ASHLAR_A || operand > ASHLAR_C)
        return ashi_fail(err, ASHLAR_ERR_ARG, "ashlar_plan_set_ld: plan is NULL, or there is no such operand");
    ashlar_layout *layout = plan->given[operand];
    if (plan->filed.mixed.on)
        return ashi_fail(err, ASHLAR_ERR_ARG,
                         "ashlar_plan_set_ld: the plan takes the matrices slab by slab, make another");
    if (!layout || layout->row.cuts || plan->one_sided || ld < 0)
        return ashi_fail(err, ASHLAR_ERR_ARG,
                         "ashlar_plan_set_ld: ld = %" PRId64 ", wanted at least 0, a block-cyclic layout of the "
                         "caller's, and two-sided transport", ld);
    const int64_t before = layout->ld;
    if (before == ld)
        return ASHLAR_OK;
    layout->ld = ld;
    ashlar_status status = ashi_check_layout(plan->context, layout, "ashlar_plan_set_ld", err);
    if (status == ASHLAR_OK)
        status = rebuild(plan, err);
    if (status != ASHLAR_OK)
        layout->ld = before;
    return status;
}
