/* Creating a plan from what the caller asks for, and freeing it. */
#include "base/error.h"
#include "base/structure.h"
#include "plan/check.h"
#include "plan/plan.h"

#include <stdlib.h>

/* On one node messages are copied into memory that is shared and out of it: where no machine was given, assume that
 * rather than a network. */
static void assume_one_node(const ashlar_context *context, ashlar_machine *machine)
{
    const ashlar_machine assumed = ashlar_machine_default();
    if (context->node_ranks == context->ranks && machine->flops_per_second == assumed.flops_per_second &&
        machine->latency == assumed.latency && machine->bandwidth == assumed.bandwidth &&
        machine->copy_bandwidth == assumed.copy_bandwidth)
        machine->bandwidth = machine->copy_bandwidth / 2;
}

/* What a plan is asked for, complete: every member of this version, and a machine. */
typedef struct request {
    ashlar_problem problem;
    ashlar_options options; /* its machine is the one below */
    ashlar_machine machine;
} request;

static ashlar_status take(const ashlar_context *context, const ashlar_problem *problem, const ashlar_options *options,
                          request *out, ashlar_error *err)
{
    const char *const who = "ashlar_plan_create";
    const ashi_filled what = {who, "problem", problem, ASHI_FIRST_VERSION(ashlar_problem, c)};
    const ashi_filled how = {who, "options", options, ASHI_FIRST_VERSION(ashlar_options, machine)};
    *out = (request){.options = ashlar_options_default(), .machine = ashlar_machine_default()};
    if (!problem)
        return ashi_fail(err, ASHLAR_ERR_ARG, "%s: problem is NULL", who);
    ashlar_status status = ashi_structure_take(&what, &out->problem, sizeof out->problem, err);
    if (status == ASHLAR_OK && options)
        status = ashi_structure_take(&how, &out->options, sizeof out->options, err);
    const ashi_filled machine = {who, "machine", out->options.machine, ASHI_FIRST_VERSION(ashlar_machine, torus)};
    if (status == ASHLAR_OK && out->options.machine)
        status = ashi_structure_take(&machine, &out->machine, sizeof out->machine, err);
    assume_one_node(context, &out->machine);
    out->options.machine = &out->machine;
    return status;
}

/* What a rank can see for itself of its arguments. Local. */
static ashlar_status check(const ashlar_context *context, const ashlar_problem *problem, const ashlar_options *options,
                           request *r, ashlar_error *err)
{
    ashlar_status status = take(context, problem, options, r, err);
    if (status == ASHLAR_OK)
        status = ashi_check_problem(context, &r->problem, &r->options, err);
    return status == ASHLAR_OK ? ashi_filed_check(context, &r->problem, &r->options, err) : status;
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
    status = ashi_check_same(context, status, &r.problem, &r.options, err);
    if (status != ASHLAR_OK) {
        free(plan);
        return status;
    }
    plan->context = context;
    plan->problem = r.problem;
    plan->once = once;
    plan->memory_words = r.options.memory_words;
    plan->one_sided = r.options.transport == ASHLAR_ONE_SIDED;
    plan->filed = ashi_filed_of(&r.problem);
    plan->filed.checkpoint_seconds = r.options.checkpoint_seconds;
    plan->filed.local_disks = r.options.local_disks != 0;
    plan->disk_words_per_second = r.machine.disk_bandwidth / (double)ashlar_type_bytes(r.problem.type);
    plan->trusted = r.options.trusted && !plan->filed.any;
    plan->caller_workspace = r.options.caller_workspace;
    plan->empty = r.problem.m == 0 || r.problem.n == 0 || r.problem.k == 0;
    status = plan->filed.any ? ashi_filed_make(plan, &r.options, err) : ashi_plan_make(plan, &r.options, err);
    plan->once = NULL;
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
