/* A record of what all executions over a context do. */
#include "plan/recording.h"

#include "base/error.h"
#include "plan/trace.h"

#include <stdlib.h>

struct ashi_recording {
    ashi_output output; /* of rank 0 */
};

void ashi_recording_drop(ashlar_context *c)
{
    ashi_trace_free(&c->trace);
    if (c->recording)
        ashi_output_discard(&c->recording->output);
    free(c->recording);
    c->recording = NULL;
}

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
