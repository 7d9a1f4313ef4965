/* The options of a plan as a caller gave them, completed. */
#include "plan/options.h"

#include "base/structure.h"

/* On one node messages are copied into memory that is shared and out of it: where no machine was given, assume that
 * rather than a network. */
static void assume_one_node(const ashlar_context *context, ashlar_machine *machine)
{
    const ashlar_machine assumed = ashlar_machine_default();
    if (context->node_ranks == context->ranks && machine->flops_per_second == assumed.flops_per_second &&
        machine->latency == assumed.latency && machine->bandwidth == assumed.bandwidth &&
        machine->copy_bandwidth == assumed.copy_bandwidth)
        machine->bandwidth = machine->copy_bandwidth / 2;
}

ashlar_status ashi_options_take(const ashlar_context *context, const char *who, const ashlar_options *options,
                                ashi_options_taken *out, ashlar_error *err)
{
    const ashi_filled how = {who, "options", options, ASHI_FIRST_VERSION(ashlar_options, machine)};
    *out = (ashi_options_taken){ashlar_options_default(), ashlar_machine_default()};
    ashlar_status status =
        options ? ashi_structure_take(&how, &out->options, sizeof out->options, err) : ASHLAR_OK;
    const ashi_filled machine = {who, "machine", out->options.machine, ASHI_FIRST_VERSION(ashlar_machine, torus)};
    if (status == ASHLAR_OK && out->options.machine)
        status = ashi_structure_take(&machine, &out->machine, sizeof out->machine, err);
    assume_one_node(context, &out->machine);
    out->options.machine = &out->machine;
    return status;
}

bool ashi_options_prescribe(const ashlar_options *options)
{
    return options->strategy || options->grid[0] != 0 || options->grid[1] != 0 || options->grid[2] != 0;
}
