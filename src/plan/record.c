/* Recording what executions do, of a plan or over a context: when it begins and ends. */
#include "base/error.h"
#include "plan/plan.h"
#include "plan/recording.h"
#include "plan/trace.h"

#include <stdlib.h>

/* Local. */
static void stop(ashlar_plan *plan)
{
    if (plan->runner)
        ashi_runner_record(plan->runner, NULL);
    ashi_trace_free(&plan->trace);
}

void ashi_plan_record(ashlar_plan *plan, ashi_trace *trace)
{
    plan->trace = trace;
    if (plan->runner)
        ashi_runner_record(plan->runner, trace);
}

ashlar_status ashlar_plan_trace_begin(ashlar_plan *plan, int64_t events, ashlar_error *err)
{
    ashlar_error own = {0};
    err = err ? err : &own;
    if (!plan)
        return ashi_fail(err, ASHLAR_ERR_ARG, "ashlar_plan_trace_begin: plan is NULL");
    const ashlar_context *c = plan->context;
    stop(plan);
    ashlar_status status = ASHLAR_OK;
    if (events < 0)
        status = ashi_fail(err, ASHLAR_ERR_ARG, "rank %d: ashlar_plan_trace_begin: events = %lld, wanted at least 0",
                           c->rank, (long long)events);
    status = ashi_agree(c, status, err);
    if (status != ASHLAR_OK)
        return status;
    status = ashi_trace_create(c->comm, c->rank, c->ranks, events > 0 ? events : ASHI_TRACE_USUAL, &plan->trace, err);
    if (status == ASHLAR_OK && plan->runner)
        ashi_runner_record(plan->runner, plan->trace);
    status = ashi_conclude(c, status, err);
    if (status != ASHLAR_OK)
        stop(plan);
    return status;
}

ashlar_status ashlar_plan_trace_end(ashlar_plan *plan, const char *path, ashlar_error *err)
{
    ashlar_error own = {0};
    err = err ? err : &own;
    if (!plan)
        return ashi_fail(err, ASHLAR_ERR_ARG, "ashlar_plan_trace_end: plan is NULL");
    const ashi_shared named = {"whether path is NULL", path == NULL};
    ashlar_status status = ASHLAR_OK;
    if (!plan->trace)
        status = ashi_fail(err, ASHLAR_ERR_ARG, "rank %d: ashlar_plan_trace_end: recording was not begun",
                           plan->context->rank);
    status = ashi_agree_same(plan->context, status, "ashlar_plan_trace_end", &named, 1, err);
    if (status == ASHLAR_OK && path)
        status = ashi_trace_write(plan->context, plan->trace, path, err);
    stop(plan);
    return status;
}

ashlar_status ashi_plan_trace_publish(ashlar_plan *plan, ashi_output *output, ashlar_error *err)
{
    const ashlar_status status = ashi_trace_publish(plan->context, plan->trace, output, err);
    stop(plan);
    return status;
}

/* ---- over a context ---- */

/* What a rank can see for itself, and the file of rank 0. Local. */
static ashlar_status prepare(ashlar_context *c, const char *path, int64_t events, ashlar_error *err)
{
    const char *const who = "ashlar_context_trace_begin";
    if (events < 0)
        return ashi_fail(err, ASHLAR_ERR_ARG, "rank %d: %s: events = %lld, wanted at least 0", c->rank, who,
                         (long long)events);
    if (c->trace)
        return ashi_fail(err, ASHLAR_ERR_ARG, "rank %d: %s: recording was begun already", c->rank, who);
    if (c->rank == 0 && !path)
        return ashi_fail(err, ASHLAR_ERR_ARG, "%s: path is NULL", who);
    c->recording = calloc(1, sizeof *c->recording);
    if (!c->recording)
        return ashi_fail_memory(err, who, (int64_t)sizeof *c->recording);
    c->recording->output.fd = -1;
    return c->rank == 0 ? ashi_output_create(path, &c->recording->output, err) : ASHLAR_OK;
}

ashlar_status ashlar_context_trace_begin(ashlar_context *context, const char *path, int64_t events, ashlar_error *err)
{
    ashlar_error own = {0};
    err = err ? err : &own;
    if (!context)
        return ashi_fail(err, ASHLAR_ERR_ARG, "ashlar_context_trace_begin: context is NULL");
    const bool begun = context->trace != NULL;
    ashlar_status status = ashi_agree(context, prepare(context, path, events, err), err);
    if (status == ASHLAR_OK) {
        status = ashi_trace_create(context->comm, context->rank, context->ranks,
                                   events > 0 ? events : ASHI_TRACE_USUAL, &context->trace, err);
        status = ashi_conclude(context, status, err);
    }
    if (status != ASHLAR_OK && !begun)
        ashi_recording_drop(context);
    return status;
}

ashlar_status ashlar_context_trace_end(ashlar_context *context, int keep, ashlar_error *err)
{
    ashlar_error own = {0};
    err = err ? err : &own;
    if (!context)
        return ashi_fail(err, ASHLAR_ERR_ARG, "ashlar_context_trace_end: context is NULL");
    const ashi_shared kept = {"whether the file is kept", keep != 0};
    ashlar_status status = ASHLAR_OK;
    if (!context->trace)
        status = ashi_fail(err, ASHLAR_ERR_ARG, "rank %d: ashlar_context_trace_end: recording was not begun",
                           context->rank);
    status = ashi_agree_same(context, status, "ashlar_context_trace_end", &kept, 1, err);
    if (status == ASHLAR_OK && keep)
        status = ashi_trace_publish(context, context->trace, &context->recording->output, err);
    ashi_recording_drop(context);
    return status;
}
