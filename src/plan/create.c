/* Creating a plan from what the caller asks for, and freeing it. */
#include "base/checked.h"
#include "base/error.h"
#include "base/structure.h"
#include "plan/check.h"
#include "plan/device.h"
#include "plan/options.h"
#include "plan/plan.h"

#include <stdlib.h>

/* What a plan is asked for, complete: every member of this version. */
typedef struct request {
    ashlar_problem problem;
    ashi_options_taken how;
} request;

static ashlar_status take(const ashlar_context *context, const ashlar_problem *problem, const ashlar_options *options,
                          request *out, ashlar_error *err)
{
    const char *const who = "ashlar_plan_create";
    const ashi_filled what = {who, "problem", problem, ASHI_FIRST_VERSION(ashlar_problem, c)};
    *out = (request){0};
    if (!problem)
        return ashi_fail(err, ASHLAR_ERR_ARG, "%s: problem is NULL", who);
    const ashlar_status status = ashi_structure_take(&what, &out->problem, sizeof out->problem, err);
    return status == ASHLAR_OK ? ashi_options_take(context, who, options, &out->how, err) : status;
}

/* What a rank can see for itself of its arguments. Local. */
static ashlar_status check(const ashlar_context *context, const ashlar_problem *problem, const ashlar_options *options,
                           request *r, ashlar_error *err)
{
    ashlar_status status = take(context, problem, options, r, err);
    if (status == ASHLAR_OK)
        status = ashi_check_problem(context, &r->problem, &r->how.options, err);
    return status == ASHLAR_OK ? ashi_filed_check(context, &r->problem, &r->how.options, err) : status;
}

/* Complete the planner's refusal of a limit, off which words for devices were taken. A device's own limit is refused
 * without words of the host that would do. */
static ashlar_status refuse_limit(const ashlar_plan *plan, ashlar_error *err)
{
    const int64_t planned = ashlar_context_memory_words(plan->context);
    int64_t all = 0;
    if (planned == 0)
        return ASHLAR_ERR_LIMIT;
    if (!ashi_add(planned, plan->aside, &all))
        all = 0;
    ashi_refuse(plan->context, all);
    return ashi_device_say_aside(plan->aside, all, err);
}

ashlar_status ashlar_plan_create(ashlar_context *context, const ashlar_problem *problem,
                                 const ashlar_options *options, ashlar_plan **out, ashlar_error *err)
{
    return ashi_plan_create(context, problem, options, NULL, out, err);
}

ashlar_status ashi_plan_create(ashlar_context *context, const ashlar_problem *problem, const ashlar_options *options,
                               const ashi_arguments *once, ashlar_plan **out, ashlar_error *err)
{
    if (!context)
        return ashi_fail(err, ASHLAR_ERR_ARG, "ashlar_plan_create: context is NULL");
    if (out)
        *out = NULL;
    ashlar_error own = {0};
    err = err ? err : &own;
    ashi_refuse(context, 0);
    request r;
    ashlar_status status = out ? check(context, problem, options, &r, err)
                               : ashi_fail(err, ASHLAR_ERR_ARG, "ashlar_plan_create: out is NULL");
    ashlar_plan *plan = status == ASHLAR_OK ? calloc(1, sizeof *plan) : NULL;
    if (status == ASHLAR_OK && !plan)
        status = ashi_fail_memory(err, "ashlar_plan_create", (int64_t)sizeof *plan);
    status = ashi_check_same(context, status, &r.problem, &r.how.options, err);
    if (status != ASHLAR_OK) {
        free(plan);
        return status;
    }
    plan->context = context;
    plan->problem = r.problem;
    plan->once = once;
    plan->memory_words = r.how.options.memory_words;
    plan->one_sided = r.how.options.transport == ASHLAR_ONE_SIDED;
    plan->filed = ashi_filed_of(&r.problem);
    plan->filed.checkpoint_seconds = r.how.options.checkpoint_seconds;
    plan->filed.local_disks = r.how.options.local_disks != 0;
    plan->machine = r.how.machine;
    plan->empty = r.problem.m == 0 || r.problem.n == 0 || r.problem.k == 0;
    plan->aside = plan->empty ? 0 : ashi_context_device_aside(context, r.problem.type);
    if (r.how.options.memory_words > 0)
        r.how.options.memory_words = ashi_max(1, r.how.options.memory_words - plan->aside); /* 0 is no limit */
    plan->disk_words_per_second = r.how.machine.disk_bandwidth / (double)ashlar_type_bytes(r.problem.type);
    plan->c_is_new = context->c_is_new || (plan->filed.file[ASHLAR_C] && !plan->filed.file[ASHI_FILED_C0]);
    plan->trusted = r.how.options.trusted && !plan->filed.any;
    plan->caller_workspace = r.how.options.caller_workspace;
    status = plan->filed.any ? ashi_filed_make(plan, &r.how.options, err) : ashi_plan_make(plan, &r.how.options, err);
    plan->once = NULL;
    if (status == ASHLAR_ERR_LIMIT && plan->aside > 0)
        status = refuse_limit(plan, err);
    if (status != ASHLAR_ERR_LIMIT)
        ashi_refuse(context, 0); /* what was tried before may have been refused */
    if (status == ASHLAR_OK)
        *out = plan;
    else
        ashlar_plan_free(&plan);
    return status;
}

void ashlar_plan_free(ashlar_plan **plan)
{
    if (!plan || !*plan)
        return;
    ashi_filed_free(&(*plan)->filed);
    ashi_plan_discard(plan);
}
