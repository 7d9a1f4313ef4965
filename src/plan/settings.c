/* What the caller sets on a context, and asks of it. */
#include "base/checked.h"
#include "base/error.h"
#include "kernel/threads.h"
#include "plan/context.h"

int64_t ashlar_context_memory_words(const ashlar_context *context)
{
    return context ? context->enough : 0;
}

int ashi_context_threads(const ashlar_context *c)
{
    const int threads = c->threads_wanted > 0 ? c->threads_wanted : ashi_blas_threads();
    return threads > 1 ? (int)ashi_min(threads, c->threads_most) : 1;
}

int ashi_context_blas_threads(const ashlar_context *c)
{
    return (int)ashi_min(c->threads_wanted, c->cores);
}

ashlar_status ashlar_context_set_threads(ashlar_context *context, int threads, ashlar_error *err)
{
    if (!context)
        return ashi_fail(err, ASHLAR_ERR_ARG, "ashlar_context_set_threads: context is NULL");
    if (threads < 0)
        return ashi_fail(err, ASHLAR_ERR_ARG, "rank %d: ashlar_context_set_threads: threads = %d, wanted at least 0",
                         context->rank, threads);
    context->threads_wanted = threads;
    return ASHLAR_OK;
}

void ashlar_context_on_free(ashlar_context *context, void (*call)(void *user), void *user)
{
    if (!context)
        return;
    context->on_free = call;
    context->on_free_user = user;
}
