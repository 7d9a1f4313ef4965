/* The device of a context: what plans get of it, what they took, and its end. */
#include "base/checked.h"
#include "base/error.h"
#include "base/type.h"
#include "plan/context.h"
#include "plan/device.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

void ashi_context_device_free(ashi_context_device **at)
{
    ashi_context_device *d = *at;
    if (!d)
        return;
    for (int type = 0; type < ASHI_TYPES; type++)
        ashi_onto_free(&d->onto[type]);
    if (d->device) {
        d->device->kind->host_release(d->device, d->staging);
        d->device->kind->host_release(d->device, d->stages);
        d->device->kind->release(d->device, d->pool);
    }
    ashi_device_close(&d->device);
    free(d);
    *at = NULL;
}

ashlar_status ashi_context_onto(const ashlar_context *c, ashlar_type type, ashi_onto **out, ashlar_error *err)
{
    ashi_context_device *d = c->device;
    *out = NULL;
    if (!d || !d->used || !d->device)
        return ASHLAR_OK;
    const int64_t word = (int64_t)ashi_type_word(type);
    const ashi_onto_request request = {.device = d->device, .type = type, .pool = d->pool,
                                       .memory_words = d->memory / word, .stages = d->stages,
                                       .staging_words = d->stage_bytes / word};
    ashlar_status status = ASHLAR_OK;
    if (!d->onto[type])
        status = ashi_onto_create(&request, &d->onto[type], err);
    *out = d->onto[type];
    return status;
}

int64_t ashi_context_device_aside(const ashlar_context *c, ashlar_type type)
{
    return c->has_devices ? ashi_ceil_div(c->device_host_bytes, (int64_t)ashi_type_word(type)) : 0;
}

ashlar_status ashi_device_say_aside(int64_t words, int64_t all, ashlar_error *err)
{
    const ashlar_error why = *err;
    char in_all[48] = "";
    if (all > 0)
        snprintf(in_all, sizeof in_all, ": %" PRId64 " would do in all", all);
    return ashi_fail(err, ASHLAR_ERR_LIMIT, "%.*s, and beside them %" PRId64
                     " words of the host for copies to and from devices%s", ASHLAR_MESSAGE_MAX - 150, why.text, words,
                     in_all);
}

int64_t ashi_context_device_beside(const ashlar_context *c, ashlar_type type)
{
    const ashi_context_device *d = c->device;
    if (!c->has_devices || !d || !d->device)
        return 0;
    return ashi_ceil_div(d->device->kind->facts(d->device).pinned - d->staging_bytes, (int64_t)ashi_type_word(type));
}

ashlar_status ashi_context_staging(const ashlar_context *c, int64_t bytes, void **out, ashlar_error *err)
{
    ashi_context_device *d = c->device;
    if (bytes > d->staging_bytes) { /* the smaller one goes first: never are there two */
        d->device->kind->host_release(d->device, d->staging);
        d->staging = NULL;
        d->staging_bytes = 0;
        const ashlar_status status = d->device->kind->host_allocate(d->device, bytes, &d->staging, err);
        if (status != ASHLAR_OK)
            return status;
        d->staging_bytes = bytes;
    }
    *out = d->staging;
    return ASHLAR_OK;
}

ashi_onto_tally ashi_context_device_tally(const ashlar_context *c, ashlar_type type)
{
    const ashi_onto *onto = c->device ? c->device->onto[type] : NULL;
    return onto ? *ashi_onto_total(onto) : (ashi_onto_tally){0};
}

ashi_onto_tally ashi_context_device_since(const ashlar_context *c, ashlar_type type, const ashi_onto_tally *before)
{
    ashi_onto_tally since = ashi_context_device_tally(c, type);
    since.in -= before->in;
    since.out -= before->out;
    since.on_host -= before->on_host;
    return since;
}
