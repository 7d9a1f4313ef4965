/* Products of matrices of tiles on the ranks' devices: whether they are made there, and what that takes. */
#include "tiles/product_parts.h"

#include "base/checked.h"
#include "base/error.h"
#include "base/structure.h"
#include "base/type.h"
#include "plan/context.h"
#include "plan/device.h"

static bool has_failed(const ashi_context_device *d)
{
    return d->tiles_did.failure.status != ASHLAR_OK;
}

/* The context's device, if it may multiply tiles. */
static ashi_context_device *device_of(const ashi_tiles_product *p)
{
    ashi_context_device *const d = p->c->context->device;
    return p->apart && d && d->used && d->device ? d : NULL;
}

bool ashi_product_device(const ashi_tiles_product *p, ashi_onto_tiles_request *out)
{
    const ashi_context_device *const d = device_of(p);
    if (!d || has_failed(d))
        return false;
    const ashlar_type type = p->c->type;
    *out = (ashi_onto_tiles_request){.device = d->device, .pool = d->pool, .type = type,
                                     .words = d->memory / (int64_t)ashi_type_of(type)->bytes,
                                     .new_c = !p->kept && p->c->held.pattern.tiles == 0};
    return true;
}

void ashi_product_choose_device(ashi_tiles_product *p)
{
    const ashi_onto_tiles *onto = ashi_player_tiles_device(p->player);
    const ashi_context_device *const d = device_of(p);
    p->on_device = (ashi_on_device){0};
    if (!onto || !d)
        return;
    const ashlar_machine usual = ashlar_machine_default(), *const machine = p->machine ? p->machine : &usual;
    const ashi_device_facts facts = d->device->kind->facts(d->device);
    const ashi_device_terms terms = ashi_device_terms_of(&facts, d->memory, d->sharers, p->c->type, machine);
    const ashi_onto_tiles_need *n = ashi_onto_tiles_counted(onto);
    const ashi_device_need need = {.in = n->in, .out = n->out, .held = n->held, .calls = n->batches,
                                   .products = n->products,
                                   .seconds = ashi_onto_tiles_seconds(n, p->c->type, &terms.rates)};
    p->on_device = ashi_on_device_choose(d, &need, p->c->type, machine);
    ashi_player_use_tiles_device(p->player, p->on_device.used);
}

/* ---- what was done ---- */

void ashi_tiles_device_begin(const ashlar_context *c)
{
    if (!c->device)
        return;
    const ashlar_error failure = c->device->tiles_did.failure;
    c->device->tiles = (ashi_on_device){0};
    c->device->tiles_did = (ashi_onto_tally){.failure = failure};
}

void ashi_product_note_failure(const ashi_tiles_product *p, const ashlar_error *err)
{
    ashi_context_device *const d = device_of(p);
    if (d && !has_failed(d))
        d->tiles_did.failure = *err;
}

void ashi_product_note_device(const ashi_tiles_product *p, ashlar_status mine, const ashlar_error *err)
{
    ashi_context_device *const d = device_of(p);
    const ashi_onto_tiles *onto = ashi_player_tiles_device(p->player);
    if (!d)
        return;
    ashi_on_device_add(&d->tiles, &p->on_device, 1);
    if (mine == ASHLAR_ERR_DEVICE)
        ashi_product_note_failure(p, err);
    if (has_failed(d))
        d->tiles_did.on_host += p->symbolic.multiplies;
    if (!onto || !p->on_device.used)
        return;
    const ashi_onto_tiles_need *n = ashi_onto_tiles_done(onto);
    d->tiles_did.in += n->in;
    d->tiles_did.out += n->out;
    d->tiles_did.held = ashi_max(d->tiles_did.held, n->held);
}

void ashi_product_leave_device(ashi_tiles_product *p)
{
    const ashi_context_device *const d = device_of(p);
    if (d && p->on_device.used && !has_failed(d))
        p->c->context->device->tiles_did.on_host += p->symbolic.multiplies;
    p->on_device.used = false;
    ashi_player_use_tiles_device(p->player, false);
}

ashlar_status ashlar_tiles_device_sized(ashlar_context *c, ashlar_device_figures *out, size_t size, ashlar_error *err)
{
    ashi_onto_tally did = {0};
    ashlar_device_figures figures;
    if (!c || !out)
        return ashi_fail(err, ASHLAR_ERR_ARG, "ashlar_tiles_device: %s is NULL", c ? "out" : "context");
    if (c->device)
        did = c->device->tiles_did;
    const ashi_device_account own = {.predicted = c->device ? c->device->tiles : (ashi_on_device){0}, .done = &did};
    const ashlar_status status = ashi_device_figures_of(c, &own, &figures, sizeof figures, err);
    if (status != ASHLAR_OK)
        return status;
    c->tiles_failure = did.failure;
    figures.failure = figures.failure ? c->tiles_failure.text : NULL;
    ashi_structure_give(&figures, sizeof figures, out, size);
    return ASHLAR_OK;
}
