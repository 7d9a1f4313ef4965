/* What a product through a device is predicted to take: three queues that overlap, with a beginning and an end. */
#include "search/onto_seconds.h"

#include "base/checked.h"
#include "base/type.h"

#include <math.h>

double ashi_onto_predict(const ashi_onto_problem *p, const ashi_nest *nest, const ashi_onto_rates *r)
{
    const ashi_type *type = ashi_type_of(p->type);
    const ashi_nest_figures f = ashi_nest_of_rank(nest, 0);
    const double bytes = (double)type->bytes, sums = (double)ashi_type_bytes(p->type, ASHLAR_C);
    double blocks[3];
    int64_t shape[3];
    ashi_nest_shape(nest, shape);
    for (int d = 0; d < 3; d++)
        blocks[d] = (double)ashi_max(ashi_min(nest->cut[d], nest->size[d]), 1);
    const double steps = blocks[0] * blocks[1] * blocks[2], tiles = blocks[0] * blocks[1];
    /* A step copies two slabs in, or one slab and sums, and has one call of products. */
    const double brought = (double)(f.a + f.b) * bytes + (double)(f.c0 + f.back) * sums;
    const double in = brought / r->in + (2 * steps + tiles) * r->delay;
    const double out = (double)f.c * sums / r->out + (nest->stays == ASHLAR_C ? tiles : steps) * r->delay;
    const double work = (double)f.products * type->flops / r->flops + steps * r->delay;
    const double first = (double)((shape[0] + shape[1]) * shape[2]) * bytes / r->in + 2 * r->delay;
    const double last = (double)(shape[0] * shape[1]) * sums / r->out + r->delay;
    if (nest->ahead == 0)
        return in + out + work;
    if (nest->stays == ASHLAR_C && nest->stagger == 0)
        return fmax(in, work) + first + out;
    return fmax(fmax(in, out), work) + first + last / (double)ashi_max(nest->stagger, 1);
}
