/* The machine that is assumed if none was measured. */
#include "base/structure.h"

#include <ashlar/machine.h>

void ashlar_machine_default_sized(ashlar_machine *out, size_t size)
{
    const ashlar_machine assumed = {
        .size = size,
        .flops_per_second = 40e9,
        .latency = 2e-6,
        .bandwidth = 1e9,
        .copy_bandwidth = 5e9,
        .disk_bandwidth = 0.5e9,
    };
    ashi_structure_give(&assumed, sizeof assumed, out, size);
}
