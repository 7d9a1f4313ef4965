/* Whether a rank's program multiplies on the context's device: what is predicted of both ways, and the choice. */
#include "plan/on_device.h"

#include "base/type.h"
#include "plan/context.h"
#include "plan/device.h"

ashi_device_terms ashi_device_terms_of(const ashi_device_facts *facts, int64_t bytes, ashlar_type type,
                                       const ashlar_machine *machine)
{
    const ashi_onto_rates rates = {.in = facts->in > 0 ? facts->in : machine->copy_bandwidth,
                                   .out = facts->out > 0 ? facts->out : machine->copy_bandwidth,
                                   .flops = facts->flops > 0 ? facts->flops : machine->flops_per_second,
                                   .delay = facts->delay};
    return (ashi_device_terms){.type = type, .memory_words = bytes / (int64_t)ashi_type_word(type),
                               .stated = {facts->in, facts->out, facts->flops, facts->delay}, .rates = rates};
}

ashlar_status ashi_on_device_settle(const ashlar_context *c, ashlar_type type, ashi_program *program,
                                    const ashlar_machine *machine, ashi_on_device *out, ashi_onto **onto,
                                    ashlar_error *err)
{
    const ashi_context_device *d = c->device;
    *out = (ashi_on_device){0};
    ashlar_status status = ashi_context_onto(c, type, onto, err);
    if (status != ASHLAR_OK || !*onto)
        return status;
    const ashi_device_facts facts = d->device->kind->facts(d->device);
    const ashi_device_terms terms = ashi_device_terms_of(&facts, d->memory, type, machine);
    status = ashi_device_need_of(program, c->rank, &terms, &out->need, err);
    out->host_seconds = (double)out->need.products * ashi_type_of(type)->flops / machine->flops_per_second;
    out->used = status == ASHLAR_OK && (!d->automatic || out->need.seconds < out->host_seconds);
    if (!out->used)
        *onto = NULL;
    return status;
}
