/* Which device each rank of a node gets: the rule, what a user may say instead of it, warnings and refusals; and that a
 * device which is to be used only if it is faster is used then, and only then. */
#define PROGRAM "device_rule"

#include "device/emulated.h"
#include "mpi/ranks.h"
#include "plan/device.h"
#include "plan/plan.h"

#include <ashlar/plan.h>
#include <stdlib.h>

/* What is asked for, and what the environment says; NULL: nothing. */
typedef struct asking {
    const char *wanted, *list;
    int64_t devices, memory;
} asking;

static ashlar_status set_up(rig *r, const asking *a, ashlar_context **context, ashlar_error *err)
{
    char devices[24];
    snprintf(devices, sizeof devices, "%" PRId64, a->devices);
    setenv(ASHI_EMULATED_DEVICES, devices, 1);
    if (a->list)
        setenv(ASHI_DEVICE_VARIABLE, a->list, 1);
    else
        unsetenv(ASHI_DEVICE_VARIABLE);
    CHECK(&r->test, ashlar_context_create(MPI_COMM_WORLD, context, err) == ASHLAR_OK, "%s", err->text);
    const ashlar_status status = ashlar_context_set_device(*context, a->wanted, a->memory, err);
    CHECK(&r->test, ranks_agree(MPI_COMM_WORLD, (int)status, err->text), CASE "%s", CASE_OF(r), err->text);
    return status;
}

/* The devices by the rule: equally shared, and no warning, since no device is idle that another rank could have. */
static void rule_holds(rig *r, uint64_t *state)
{
    const asking a = {"emulated:memory=1MiB", NULL, ashi_random_in(state, 1, r->ranks + 2), 0};
    ashlar_context *context = NULL;
    ashlar_error err = {0};
    CHECK(&r->test, set_up(r, &a, &context, &err) == ASHLAR_OK, CASE "%s", CASE_OF(r), err.text);
    const ashi_context_device *d = context->device;
    const int64_t number = r->rank % a.devices;
    const int64_t sharers = (r->ranks - number + a.devices - 1) / a.devices;
    CHECK(&r->test, d && d->pick.number == number && d->sharers == sharers && d->memory == (1 << 20) / sharers,
          CASE "%" PRId64 " devices: number %" PRId64 ", %" PRId64 " sharers, %" PRId64 " bytes", CASE_OF(r), a.devices,
          d ? d->pick.number : -1, d ? d->sharers : -1, d ? d->memory : -1);
    CHECK(&r->test, d && d->warning[0] == '\0' && strstr(d->rule, "modulo") && context->has_devices, CASE "%s",
          CASE_OF(r), d ? d->warning : "");
    ashlar_context_free(&context);
}

/* All on one device while there is another: a warning, on all ranks the same. */
static void crowd_is_warned(rig *r, const asking *a)
{
    ashlar_context *context = NULL;
    ashlar_error err = {0};
    char wanted[100] = "";
    if (r->ranks > 1)
        snprintf(wanted, sizeof wanted, "rank 0 and %d more of its node share device 1 while device 0 is not used",
                 r->ranks - 1);
    CHECK(&r->test, set_up(r, a, &context, &err) == ASHLAR_OK, "%s", err.text);
    const ashi_context_device *d = context->device;
    CHECK(&r->test, d && d->pick.number == 1 && strcmp(d->warning, wanted) == 0, "%s: '%s', wanted '%s'", a->wanted,
          d ? d->warning : "", wanted);
    ashlar_context_free(&context);
}

/* A list of the environment: each local rank by turns, for what is named without a number, and for auto. */
static void list_is_followed(rig *r, const char *wanted, bool automatic)
{
    const asking a = {wanted, "emulated:2 emulated:0,memory=1MiB", 3, 0};
    ashlar_context *context = NULL;
    ashlar_error err = {0};
    CHECK(&r->test, set_up(r, &a, &context, &err) == ASHLAR_OK, "%s", err.text);
    const ashi_context_device *d = context->device;
    CHECK(&r->test, d && d->pick.number == (r->rank % 2 == 0 ? 2 : 0) && d->pick.automatic == automatic &&
          strcmp(d->rule, "ASHLAR_DEVICE says so") == 0, "%s: %" PRId64 " %s", wanted, d ? d->pick.number : -1,
          d ? d->rule : "");
    ashlar_context_free(&context);
}

/* Ranks without a device, and with. */
static void some_have_none(rig *r)
{
    const asking a = {"emulated none", NULL, 1, 4096};
    ashlar_context *context = NULL;
    ashlar_error err = {0};
    CHECK(&r->test, set_up(r, &a, &context, &err) == ASHLAR_OK, "%s", err.text);
    const ashi_context_device *d = context->device;
    CHECK(&r->test, d && context->has_devices && (d->device != NULL) == (r->rank % 2 == 0), "%s", d ? d->rule : "");
    ashlar_context_free(&context);
}

static void is_refused(rig *r, const asking *a, ashlar_status wanted, const char *why)
{
    ashlar_context *context = NULL;
    ashlar_error err = {0};
    const ashlar_status status = set_up(r, a, &context, &err);
    CHECK(&r->test, status == wanted && strcmp(err.text, why) == 0, "%s: %d, '%s', wanted '%s'", a->wanted, (int)status,
          err.text, why);
    CHECK(&r->test, context && !context->device && !context->has_devices, "%s: a device is left", a->wanted);
    ashlar_context_free(&context);
}

static void refusals(rig *r)
{
    char only[100] = "";
    if (r->ranks > 1)
        snprintf(only, sizeof only,
                 "rank 1: device: there is no device emulated:7, only 2 of this kind, counted from 0");
    is_refused(r, &(asking){"emulated", NULL, 0, 0}, ASHLAR_ERR_DEVICE,
               "device: emulated: there is no device 0, there are 0");
    if (r->ranks > 1)
        is_refused(r, &(asking){"emulated emulated:7 emulated", NULL, 2, 0}, ASHLAR_ERR_DEVICE, only);
    is_refused(r, &(asking){"emulated:2", NULL, 2, 0}, ASHLAR_ERR_DEVICE,
               "device: there is no device emulated:2, only 2 of this kind, counted from 0");
    is_refused(r, &(asking){" ", NULL, 2, 0}, ASHLAR_ERR_ARG,
               "device: no device is named, wanted none, auto, or a kind of device");
    is_refused(r, &(asking){"emulated", "emulatd:1", 2, 0}, ASHLAR_ERR_ARG,
               "device: 'emulatd' is none of the kinds that there are: emulated, cuda (" ASHI_DEVICE_VARIABLE ")");
    is_refused(r, &(asking){"auto", "emulated:x=1", 2, 0}, ASHLAR_ERR_ARG,
               "device: emulated: 'x' is no option; there are NUMBER, memory=BYTES, in=BYTES_A_SECOND, "
               "out=BYTES_A_SECOND, flops=OPERATIONS_A_SECOND, delay=SECONDS, count-time=1, fail-copy=N, "
               "fail-product=N, lost=N (" ASHI_DEVICE_VARIABLE ")");
}

/* One product of a cube in the layouts of the plan. */
static void chosen_as_predicted(rig *r, uint64_t *state)
{
    enum { SIDE = 48 };
    const bool fast = ashi_random_in(state, 0, 1);
    const asking a = {"auto", fast ? "emulated:in=1e12,out=1e12,flops=1e13" : "emulated:in=1e9,out=1e9,flops=1e13", 1,
                      1 << 16};
    const ashlar_problem problem = {.type = ASHLAR_TYPE_D, .m = SIDE, .n = SIDE, .k = SIDE};
    ashlar_context *context = NULL;
    ashlar_plan *plan = NULL;
    ashlar_device_figures f = {0};
    ashlar_error err = {0};
    CHECK(&r->test, set_up(r, &a, &context, &err) == ASHLAR_OK, CASE "%s", CASE_OF(r), err.text);
    CHECK(&r->test, ashlar_plan_create(context, &problem, NULL, &plan, &err) == ASHLAR_OK, CASE "%s", CASE_OF(r),
          err.text);
    CHECK(&r->test, ashlar_plan_device(plan, &f, &err) == ASHLAR_OK, CASE "%s", CASE_OF(r), err.text);
    CHECK(&r->test, f.seconds > 0 && f.host_seconds > 0 && f.words_in_total > 0 && f.words_out_total > 0,
          CASE "%g and %g s", CASE_OF(r), f.seconds, f.host_seconds);
    CHECK(&r->test, (f.ranks > 0) == (f.seconds < f.host_seconds) && (f.ranks > 0) == fast,
          CASE "%" PRId64 " ranks on devices, %g s there and %g s on the host", CASE_OF(r), f.ranks, f.seconds,
          f.host_seconds);
    ashlar_plan_free(&plan);
    ashlar_context_free(&context);
}

static void try_case(rig *r)
{
    uint64_t state = r->seed * 0x9E3779B97F4A7C15u;
    rule_holds(r, &state);
    chosen_as_predicted(r, &state);
}

int main(int argc, char **argv)
{
    rig r;
    if (!ranks_begin(&r, &argc, &argv, 10))
        return 1;
    for (uint64_t i = 0; i < r.cases; i++) {
        r.seed = r.first + i;
        try_case(&r);
    }
    crowd_is_warned(&r, &(asking){"emulated:1", NULL, 2, 0});
    crowd_is_warned(&r, &(asking){"emulated", "emulated:1", 2, 0});
    list_is_followed(&r, "emulated:memory=1MiB", false);
    list_is_followed(&r, "auto", true);
    some_have_none(&r);
    refusals(&r);
    return ranks_end(&r, PROGRAM);
}
