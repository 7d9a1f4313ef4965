/* The device of a context: what plans get of it, what they took, and its end. */
#include "base/type.h"
#include "plan/context.h"
#include "plan/device.h"

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
    const ashi_onto_request request = {.device = d->device, .type = type, .pool = d->pool,
                                       .memory_words = d->memory / (int64_t)ashi_type_word(type)};
    ashlar_status status = ASHLAR_OK;
    if (!d->onto[type])
        status = ashi_onto_create(&request, &d->onto[type], err);
    *out = d->onto[type];
    return status;
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
