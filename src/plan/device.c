/* Choosing the device of a context, and what all ranks did with theirs. */
#include "plan/device.h"

#include "base/checked.h"
#include "base/error.h"
#include "base/type.h"
#include "plan/context.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

static ashlar_status open_it(ashi_context_device *d, ashlar_error *err)
{
    const ashlar_status status = ashi_device_open(d->text, &d->device, err);
    if (status != ASHLAR_OK)
        return status;
    const ashi_device_kind *kind = d->device->kind;
    d->memory = d->asked > 0 ? d->asked : kind->facts(d->device).memory;
    return kind->allocate(d->device, d->memory, &d->pool, err);
}

/* Open the device, or use again what this context has open. */
static ashlar_status use(ashlar_context *c, const char *text, int64_t memory, ashlar_error *err)
{
    ashi_context_device *d = c->device;
    if (d && (strcmp(d->text, text) != 0 || d->asked != memory))
        return ashi_fail(err, ASHLAR_ERR_ARG, "ashlar_context_set_device: the context has the device '%s' with %" PRId64
                         " bytes for all of its life", d->text, d->asked);
    if (strlen(text) >= ASHI_DEVICE_TEXT)
        return ashi_fail(err, ASHLAR_ERR_ARG, "ashlar_context_set_device: a device of more than %d characters",
                         ASHI_DEVICE_TEXT - 1);
    if (d)
        return ASHLAR_OK;
    d = calloc(1, sizeof *d);
    if (!d)
        return ashi_fail_memory(err, "ashlar_context_set_device", (int64_t)sizeof *d);
    memcpy(d->text, text, strlen(text) + 1);
    d->asked = memory;
    const ashlar_status status = open_it(d, err);
    if (status == ASHLAR_OK)
        c->device = d;
    else
        ashi_context_device_free(&d);
    return status;
}

ashlar_status ashlar_context_set_device(ashlar_context *context, const char *device, int64_t memory, ashlar_error *err)
{
    if (!context)
        return ashi_fail(err, ASHLAR_ERR_ARG, "ashlar_context_set_device: context is NULL");
    const bool none = !device || strcmp(device, "none") == 0;
    ashlar_status status = ASHLAR_OK;
    if (memory < 0)
        status = ashi_fail(err, ASHLAR_ERR_ARG, "ashlar_context_set_device: memory = %" PRId64 ", wanted at least 0",
                           memory);
    if (status == ASHLAR_OK && !none)
        status = use(context, device, memory, err);
    status = ashi_agree_named(context, status, err);
    if (status == ASHLAR_OK && context->device)
        context->device->used = !none;
    return status;
}

/* Of this rank. */
static ashi_onto_tally tally_of(const ashlar_context *c)
{
    ashi_onto_tally all = {0};
    for (int type = 0; type < ASHI_TYPES && c->device; type++) {
        if (!c->device->onto[type])
            continue;
        const ashi_onto_tally *own = ashi_onto_total(c->device->onto[type]);
        all.in += own->in;
        all.out += own->out;
        all.on_host += own->on_host;
        all.held = ashi_max(all.held, own->held);
        if (all.failure.status == ASHLAR_OK)
            all.failure = own->failure;
    }
    return all;
}

ashlar_status ashi_context_device_total(const ashlar_context *c, ashi_onto_tally *out, ashlar_error *err)
{
    const ashi_onto_tally own = tally_of(c);
    const int64_t words[3] = {own.in, own.out, own.on_host};
    const int64_t most[2] = {own.held, own.failure.status != ASHLAR_OK ? c->ranks - c->rank : 0};
    int64_t sum[3] = {0}, greatest[2] = {0};
    *out = own;
    ashi_note(c, MPI_Allreduce(words, sum, 3, MPI_INT64_T, MPI_SUM, c->comm), "MPI_Allreduce");
    ashi_note(c, MPI_Allreduce(most, greatest, 2, MPI_INT64_T, MPI_MAX, c->comm), "MPI_Allreduce");
    if (greatest[1] > 0) /* the first rank whose device failed */
        ashi_note(c, MPI_Bcast(&out->failure, (int)sizeof out->failure, MPI_BYTE, c->ranks - (int)greatest[1], c->comm),
                  "MPI_Bcast");
    out->in = sum[0];
    out->out = sum[1];
    out->on_host = sum[2];
    out->held = greatest[0];
    return ashi_agree(c, ASHLAR_OK, err);
}
