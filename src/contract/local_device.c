/* Whether a rank contracts in its memory on its device, and how. */
#include "contract/local_device.h"

#include "plan/context.h"
#include "plan/device.h"

static ashlar_status settle(const ashlar_context *c, const ashi_contraction *product, const ashlar_machine *machine,
                            ashi_onto *onto, ashi_local_device *out, ashlar_error *err)
{
    const ashi_context_device *const d = c->device;
    const ashi_device_facts facts = d->device->kind->facts(d->device);
    const ashi_device_terms terms = ashi_device_terms_of(&facts, d->memory, d->sharers, product->type, machine);
    bool able = true;
    ashlar_status status = ASHLAR_OK;
    for (int adds = 0; adds < 2 && status == ASHLAR_OK && able; adds++) {
        ashi_onto_way *const way = &out->way[adds];
        status = ashi_onto_way_choose(product, &terms, adds == 1, way, &able, err);
        if (status != ASHLAR_OK || !able)
            break;
        out->predicted[adds] = ashi_on_device_choose(d, &way->need, product->type, machine);
    }
    const bool used = status == ASHLAR_OK && able && out->predicted[0].used && out->predicted[1].used;
    out->predicted[0].used = out->predicted[1].used = used;
    for (int adds = 0; adds < 2 && used; adds++) {
        const int64_t bytes = ashi_onto_contract_bytes(onto, &out->way[adds]);
        out->bytes = bytes > out->bytes ? bytes : out->bytes;
    }
    out->onto = used ? onto : NULL;
    return status;
}

ashlar_status ashi_local_device_settle(const ashlar_context *c, const ashi_contraction *product,
                                       const ashlar_machine *machine, ashi_local_device *out, ashlar_error *err)
{
    ashi_onto *onto;
    *out = (ashi_local_device){0};
    const ashlar_status status = ashi_context_onto(c, product->type, &onto, err);
    return status == ASHLAR_OK && onto ? settle(c, product, machine, onto, out, err) : status;
}
