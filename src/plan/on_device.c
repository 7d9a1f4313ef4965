/* Whether a rank's program multiplies on the context's device: what is predicted of both ways, and the choice. */
#include "plan/on_device.h"

#include "base/checked.h"
#include "base/type.h"
#include "plan/context.h"
#include "plan/device.h"

/* The rate of one rank, which has a part of the device's own; what was measured is of one rank already. */
static double rate_of(double own, int64_t sharers, double measured, double assumed)
{
    return own > 0 ? own / (double)ashi_max(sharers, 1) : measured > 0 ? measured : assumed;
}

ashi_device_terms ashi_device_terms_of(const ashi_device_facts *facts, int64_t bytes, int64_t sharers, ashlar_type type,
                                       const ashlar_machine *m)
{
    const double own = m->device_flops[ashlar_type_of_sums(type)];
    const double flops = own > 0 ? own : m->device_flops[ASHLAR_TYPE_D];
    const ashi_onto_rates rates = {
        .in = rate_of(facts->in, sharers, m->device_in_bandwidth, m->copy_bandwidth),
        .out = rate_of(facts->out, sharers, m->device_out_bandwidth, m->copy_bandwidth),
        .flops = rate_of(facts->flops, sharers, flops, m->flops_per_second),
        .delay = facts->delay > 0 ? facts->delay : m->device_delay};
    return (ashi_device_terms){.type = type, .memory_words = bytes / (int64_t)ashi_type_word(type),
                               .stated = {facts->in, facts->out, facts->flops, facts->delay}, .rates = rates};
}

double ashi_on_host_seconds(int64_t products, ashlar_type type, const ashlar_machine *machine)
{
    return (double)products * ashi_type_of(type)->flops / machine->flops_per_second;
}

void ashi_on_device_add(ashi_on_device *sum, const ashi_on_device *own, int64_t times)
{
    sum->there = sum->there || own->there;
    sum->used = sum->used || own->used;
    sum->host_seconds += (double)times * own->host_seconds;
    sum->need.in += times * own->need.in;
    sum->need.out += times * own->need.out;
    sum->need.held = ashi_max(sum->need.held, own->need.held);
    sum->need.calls += times * own->need.calls;
    sum->need.products += times * own->need.products;
    sum->need.seconds += (double)times * own->need.seconds;
}

ashi_on_device ashi_on_device_choose(const ashi_context_device *d, const ashi_device_need *need, ashlar_type type,
                                     const ashlar_machine *machine)
{
    const double host = ashi_on_host_seconds(need->products, type, machine);
    return (ashi_on_device){.there = true, .used = !d->pick.automatic || need->seconds < host, .need = *need,
                            .host_seconds = host};
}

static ashi_device_terms terms_of(const ashi_on_device_request *q)
{
    const ashi_context_device *d = q->context->device;
    const ashi_device_facts facts = d->device->kind->facts(d->device);
    ashi_device_terms terms = ashi_device_terms_of(&facts, d->memory, d->sharers, q->type, q->machine);
    terms.c_is_new = q->c_is_new;
    return terms;
}

ashlar_status ashi_on_device_settle(const ashi_on_device_request *q, ashi_on_device *out, ashi_onto **onto,
                                    ashi_onto_sums *sums, ashlar_error *err)
{
    const ashi_context_device *d = q->context->device;
    *out = (ashi_on_device){0};
    *sums = (ashi_onto_sums){0};
    ashlar_status status = ashi_context_onto(q->context, q->type, onto, err);
    if (status != ASHLAR_OK || !*onto)
        return status;
    const ashi_device_terms terms = terms_of(q);
    ashi_device_need need;
    status = q->stays ? ashi_device_need_choose(q->program, q->context->rank, &terms, &need, sums, err)
                      : ashi_device_need_with(q->program, q->context->rank, &terms, sums, &need, err);
    if (status == ASHLAR_OK)
        *out = ashi_on_device_choose(d, &need, q->type, q->machine);
    if (!out->used)
        *onto = NULL;
    return status;
}

ashlar_status ashi_on_device_again(const ashi_on_device_request *q, const ashi_onto_sums *sums, ashi_on_device *out,
                                   ashlar_error *err)
{
    if (!out->there)
        return ASHLAR_OK;
    const ashi_device_terms terms = terms_of(q);
    const ashlar_status status = ashi_device_need_with(q->program, q->context->rank, &terms, sums, &out->need, err);
    out->host_seconds = ashi_on_host_seconds(out->need.products, q->type, q->machine);
    return status;
}
