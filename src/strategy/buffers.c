/* How many rounds time asks for, if buffers may be large. */
#include "strategy/buffers.h"

#include "base/type.h"
#include "model/rates.h"

#include <math.h>

/* Seconds in which words are under way and the cores have nothing to do with them. */
static double network_seconds(double bytes, const ashlar_machine *machine)
{
    return ashi_shares_memory(machine) ? 0 : bytes * (1 / machine->bandwidth - 2 / machine->copy_bandwidth);
}

double ashi_rounds_seconds(const ashi_slab_work *s, int64_t rounds, int window, ashlar_type type,
                           const ashlar_machine *machine)
{
    const ashi_type *t = ashi_type_of(type);
    const double network = network_seconds(s->words * (double)t->bytes, machine);
    const double products = s->products * t->flops / machine->flops_per_second;
    const double hidden = window > 1 ? fmin(network, products) * (1 - 1 / (double)rounds) : 0;
    return products * (1 + ASHI_ROUND_COST * (double)rounds / (double)s->length) + network - hidden;
}

/* With R rounds 1 / R of the shorter of network and products is not hidden, and R slabs are paid for: x / R + R is
 * least if R (R - 1) <= x <= R (R + 1). */
int64_t ashi_rounds_for_time(const ashi_slab_work *s, ashlar_type type, const ashlar_machine *machine)
{
    const ashi_type *t = ashi_type_of(type);
    const double network = network_seconds(s->words * (double)t->bytes, machine);
    const double products = s->products * t->flops / machine->flops_per_second;
    const double hidden = products > network ? network / products : 1;
    const int64_t best = (int64_t)(0.5 + sqrt(0.25 + (double)s->length * hidden / ASHI_ROUND_COST));
    const int64_t thickest = ASHI_THICKEST_SLABS / s->window;
    return s->length > ASHI_THICKEST_SLABS ? ashi_max(best, ashi_ceil_div(s->length, thickest)) : best;
}
