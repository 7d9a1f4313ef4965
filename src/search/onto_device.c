/* The tiling of a product for a device: that of matrices in files for one rank (search/tiling.h), with the device's
 * rates in place of the disk's and the cores'. */
#include "search/onto_device.h"

#include "base/error.h"
#include "base/type.h"
#include "search/onto_stagger.h"

#include <inttypes.h>
#include <math.h>

enum { LEAST = 3 }; /* a word of A, of B and of C */

int64_t ashi_onto_least(void)
{
    return LEAST;
}

ashlar_status ashi_onto_choose(const ashi_onto_problem *p, ashi_nest *out, ashlar_error *err)
{
    const ashi_type *type = ashi_type_of(p->type);
    ashlar_machine machine = ashlar_machine_default();
    if (p->memory_words < LEAST)
        return ashi_fail(err, ASHLAR_ERR_LIMIT,
                         "device: %" PRId64 " words of device memory are too few: %d would do", p->memory_words, LEAST);
    if (p->rate > 0)
        machine.disk_bandwidth = p->rate;
    /* Thin slabs go through C in the device's memory more often. Its rate is not known, but at least that of copies. */
    machine.copy_bandwidth = fmax(machine.copy_bandwidth, p->rate);
    if (p->flops > 0)
        machine.flops_per_second = p->flops;
    ashi_tiling_request q = {.ranks = 1, .memory_words = p->memory_words, .bytes = (int64_t)type->bytes,
                             .flops = type->flops, .adds = p->adds, .apart = true, .fewest_words = true,
                             .in_memory = true, .delay = p->delay, .machine = &machine};
    for (int d = 0; d < 3; d++) {
        q.size[d] = p->size[d];
        q.minor[d] = q.file_minor[d] = p->minor[d];
    }
    const ashlar_status status = ashi_tiling_choose(&q, out, err);
    if (status == ASHLAR_OK)
        ashi_onto_stagger(p, &q, out);
    return status;
}
