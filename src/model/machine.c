/* The machine that is assumed where none was measured. */
#include <ashlar/machine.h>

ashlar_machine ashlar_machine_default(void)
{
    return (ashlar_machine){
        .flops_per_second = 40e9,
        .latency = 2e-6,
        .bandwidth = 1e9,
        .copy_bandwidth = 5e9,
        .disk_bandwidth = 0.5e9,
    };
}
