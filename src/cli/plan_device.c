/* What `ashlar plan --device` says of the devices of ranks that are not here: words, memory, and the seconds of both
 * ways. */
#include "cli/plan_device.h"

#include "base/checked.h"
#include "base/error.h"
#include "base/type.h"
#include "cli/command.h"
#include "cli/figures.h"
#include "device/pick.h"
#include "exec/onto_device.h"
#include "plan/device.h"
#include "plan/on_device.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

/* Whether the machine's figures describe a device. */
static bool has_figures(const ashlar_machine *m)
{
    return m->device_in_bandwidth > 0 && m->device_out_bandwidth > 0 && m->device_flops[ASHLAR_TYPE_D] > 0;
}

/* What the device of this process says of itself; all 0 if the machine's figures are to do. */
static ashlar_status ask_device(const char *text, const ashlar_machine *machine, ashi_plan_device *out,
                                ashi_device_facts *facts, ashlar_error *err)
{
    ashi_device_pick pick;
    ashi_device *device = NULL;
    *facts = (ashi_device_facts){0};
    out->device = text;
    out->source = "the device itself";
    ashlar_status status = ashi_device_pick_of(text, 0, &pick, err);
    out->automatic = pick.automatic;
    if (status == ASHLAR_OK && pick.kind)
        status = ashi_device_open(pick.text, &device, err);
    status = ashi_device_pick_blame(&pick, status, err);
    if (device) {
        *facts = device->kind->facts(device);
        facts->name = NULL;
        ashi_device_close(&device);
        return status;
    }
    out->source = "the machine's figures";
    if (has_figures(machine) && (status == ASHLAR_ERR_DEVICE || (status == ASHLAR_OK && pick.automatic)))
        return ASHLAR_OK;
    if (status == ASHLAR_OK && pick.reason == ASHI_DEVICE_NONE_FOUND)
        status = ashi_fail(err, ASHLAR_ERR_DEVICE, "--device %s: no device is here, and the machine's figures are of "
                           "none: wanted --machine FILE of 'ashlar calibrate --device'", text);
    out->device = NULL; /* none is wanted */
    return status;
}

ashlar_status ashi_plan_device_terms(const ashi_plan_device_wish *wish, ashlar_type type, const ashlar_machine *machine,
                                     ashi_plan_device *out, ashlar_error *err)
{
    ashi_device_facts facts;
    *out = (ashi_plan_device){0};
    if (wish->bytes_given && !wish->device)
        return ashi_fail(err, ASHLAR_ERR_ARG, "--device-memory wants --device");
    if (wish->bytes_given && wish->bytes == 0)
        return ashi_fail(err, ASHLAR_ERR_ARG, "--device-memory is less than one word");
    if (!wish->device)
        return ASHLAR_OK;
    const ashlar_status status = ask_device(wish->device, machine, out, &facts, err);
    if (status != ASHLAR_OK || !out->device)
        return status;
    const int64_t all = facts.memory > 0 ? facts.memory : (int64_t)fmin(machine->device_memory, 9e18);
    const int64_t bytes = wish->bytes > 0 ? wish->bytes : all;
    if (bytes == 0)
        return ashi_fail(err, ASHLAR_ERR_ARG,
                         "--device %s: nothing says how much memory it has: wanted --device-memory", wish->device);
    if (all > 0 && bytes > all)
        return ashi_fail(err, ASHLAR_ERR_MEMORY, "--device-memory is %" PRId64 " bytes, the device has %" PRId64, bytes,
                         all);
    out->terms = ashi_device_terms_of(&facts, bytes, 1, type, machine);
    out->aside = ashi_ceil_div(ashi_onto_staging_bytes(bytes) + facts.bounce, (int64_t)ashi_type_word(type));
    out->terms.c_is_new = true; /* as `ashlar multiply` without --add */
    return ASHLAR_OK;
}

int64_t ashi_plan_device_leaves(const ashi_plan_device *d, int64_t memory_words)
{
    return memory_words > 0 ? ashi_max(memory_words - d->aside, 1) : 0;
}

int ashi_plan_device_complain(const ashi_plan_device *d, const char *command, ashlar_error *err)
{
    const bool of_device = strncmp(err->text, "device:", 7) == 0; /* its own memory is refused */
    if (err->status == ASHLAR_ERR_LIMIT && d->aside > 0 && !of_device)
        ashi_device_say_aside(d->aside, 0, err);
    return ashi_complain(command, err);
}

ashlar_status ashi_plan_device_add(const ashi_device_need *need, const ashlar_machine *machine, ashi_plan_device *d,
                                   ashlar_error *err)
{
    if (!ashi_add(d->in_total, need->in, &d->in_total) || !ashi_add(d->out_total, need->out, &d->out_total))
        return ashi_fail(err, ASHLAR_ERR_OVERFLOW, "the words of all devices do not fit in 64 bits");
    d->in_max = ashi_max(d->in_max, need->in);
    d->out_max = ashi_max(d->out_max, need->out);
    d->held = ashi_max(d->held, need->held);
    d->seconds = fmax(d->seconds, need->seconds);
    d->host_seconds = fmax(d->host_seconds, ashi_on_host_seconds(need->products, d->terms.type, machine));
    d->used = !d->automatic || d->seconds < d->host_seconds;
    return ASHLAR_OK;
}

ashlar_status ashi_plan_device_count(ashi_program *program, int64_t ranks, const ashlar_machine *machine,
                                     ashi_plan_device *d, ashlar_error *err)
{
    ashlar_status status = ASHLAR_OK;
    for (int64_t r = 0; r < ranks && d->device && status == ASHLAR_OK; r++) {
        ashi_device_need need;
        status = ashi_device_need_of(program, r, &d->terms, &need, err);
        if (status == ASHLAR_OK)
            status = ashi_plan_device_add(&need, machine, d, err);
    }
    return status;
}

json_t *ashi_plan_device_json(const ashi_plan_device *d)
{
    if (!d->device)
        return json_null();
    return json_pack("{s:s, s:s, s:b, s:I, s:I, s:I, s:I, s:I, s:I, s:I, s:f, s:f}", "name", d->device, "source",
                     d->source, "used", d->used, "limit_words", (json_int_t)d->terms.memory_words, "host_words",
                     (json_int_t)d->aside, "words_in_max", (json_int_t)d->in_max, "words_in_total",
                     (json_int_t)d->in_total, "words_out_max", (json_int_t)d->out_max, "words_out_total",
                     (json_int_t)d->out_total, "memory_words", (json_int_t)d->held, "seconds", d->seconds,
                     "host_seconds", d->host_seconds);
}

void ashi_plan_device_print(const ashi_plan_device *d)
{
    if (!d->device)
        return;
    printf("\ndevice   %s, by %s: products on %s\n", d->device, d->source, d->used ? "the device" : "the host");
    printf("words    in %" PRId64 " on the busiest rank, %" PRId64 " in all; out %" PRId64 " and %" PRId64 "\n",
           d->in_max, d->in_total, d->out_max, d->out_total);
    printf("held     %" PRId64 " of %" PRId64 " words of device memory a rank\n", d->held, d->terms.memory_words);
    printf("host     %" PRId64 " words a rank for copies, beside those above\n", d->aside);
    printf("products %s on the device with copies,", ashi_figure_seconds(d->seconds).text);
    printf(" %s on the host alone\n", ashi_figure_seconds(d->host_seconds).text);
}
