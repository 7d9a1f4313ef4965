/* Choosing the device of a context. */
#include "plan/device.h"

#include "base/error.h"
#include "plan/context.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const char who[] = "ashlar_context_set_device";

/* The rank's number on its node. */
static int64_t local_rank_of(const ashlar_context *c)
{
    int64_t before = 0;
    for (int r = 0; r < c->rank; r++)
        before += c->node_of[r] == c->node_of[c->rank];
    return before;
}

static ashlar_status check(const ashlar_context *c, const char *wanted, int64_t memory, ashlar_error *err)
{
    const ashi_context_device *d = c->device;
    if (memory < 0)
        return ashi_fail(err, ASHLAR_ERR_ARG, "%s: memory = %" PRId64 ", wanted at least 0", who, memory);
    if (strlen(wanted) >= ASHI_DEVICE_TEXT)
        return ashi_fail(err, ASHLAR_ERR_ARG, "%s: a device of more than %d characters", who, ASHI_DEVICE_TEXT - 1);
    if (d && strcmp(wanted, "none") != 0 && (strcmp(d->wanted, wanted) != 0 || d->asked != memory))
        return ashi_fail(err, ASHLAR_ERR_ARG, "%s: the context has the device '%s' with %" PRId64
                         " bytes for all of its life", who, d->wanted, d->asked);
    return ASHLAR_OK;
}

static ashlar_status pick_and_open(ashi_context_device *d, int64_t local_rank, ashlar_error *err)
{
    ashlar_status status = ashi_device_pick_of(d->wanted, local_rank, &d->pick, err);
    if (status == ASHLAR_OK && d->pick.kind) {
        snprintf(d->name, sizeof d->name, "%s:%" PRId64, d->pick.kind->name, d->pick.number);
        status = ashi_device_open(d->pick.text, &d->device, err);
    }
    return ashi_device_pick_blame(&d->pick, status, err);
}

/* Pick the device and open it, or use again what this context has. */
static ashlar_status open_it(const ashlar_context *c, const char *wanted, int64_t memory, ashi_context_device **out,
                             ashlar_error *err)
{
    const bool none = strcmp(wanted, "none") == 0;
    ashlar_status status = check(c, wanted, memory, err);
    *out = c->device;
    if (status != ASHLAR_OK || none || c->device)
        return status;
    ashi_context_device *d = *out = calloc(1, sizeof *d);
    if (!d)
        return ashi_fail_memory(err, who, (int64_t)sizeof *d);
    memcpy(d->wanted, wanted, strlen(wanted) + 1);
    d->asked = memory;
    return pick_and_open(d, local_rank_of(c), err);
}

/* Ranks that share a device and were given no limit have equal parts of its memory. Stages of the host go with it. */
static ashlar_status take_memory(ashi_context_device *d, ashlar_error *err)
{
    if (!d || !d->device || d->pool)
        return ASHLAR_OK;
    const ashi_device_kind *kind = d->device->kind;
    d->memory = d->asked > 0 ? d->asked : kind->facts(d->device).memory / d->sharers;
    d->stage_bytes = ashi_onto_staging_bytes(d->memory);
    const ashlar_status status = kind->allocate(d->device, d->memory, &d->pool, err);
    return status == ASHLAR_OK ? kind->host_allocate(d->device, d->stage_bytes, &d->stages, err) : status;
}

/* The most of all ranks. Collective. */
static ashlar_status count_host(const ashlar_context *c, const ashi_context_device *d, int64_t *out, ashlar_error *err)
{
    ashi_figures figures = {0};
    if (d && d->device)
        figures.greatest[0] = d->stage_bytes + d->device->kind->facts(d->device).bounce;
    const ashlar_status status = ashi_agree_figures_first(c, ASHLAR_OK, &figures, err);
    *out = figures.greatest[0];
    return status;
}

ashlar_status ashlar_context_set_device(ashlar_context *context, const char *device, int64_t memory, ashlar_error *err)
{
    if (!context)
        return ashi_fail(err, ASHLAR_ERR_ARG, "%s: context is NULL", who);
    ashlar_error own = {0};
    err = err ? err : &own;
    const char *wanted = device ? device : "none";
    const bool uses = strcmp(wanted, "none") != 0;
    ashi_context_device *d = NULL;
    bool any = false;
    int64_t host = 0;
    ashlar_status status = ashi_agree_named(context, open_it(context, wanted, memory, &d, err), err);
    if (status == ASHLAR_OK)
        status = ashi_context_device_share(context, d, uses, &any, err);
    if (status == ASHLAR_OK)
        status = ashi_agree_named(context, take_memory(d, err), err);
    if (status == ASHLAR_OK)
        status = count_host(context, d, &host, err);
    if (status != ASHLAR_OK && d != context->device)
        ashi_context_device_free(&d);
    if (status != ASHLAR_OK)
        return status;
    context->device = d;
    context->has_devices = any;
    context->device_host_bytes = host;
    context->had_devices = context->had_devices || any;
    if (d)
        d->used = uses;
    return status;
}
