/* What a plan takes of the ranks' devices, predicted and measured, over all ranks. */
#include "base/checked.h"
#include "base/error.h"
#include "base/structure.h"
#include "exec/mpi.h"
#include "plan/device.h"
#include "plan/device_parts.h"
#include "plan/plan.h"

#include <string.h>

ashi_on_device ashi_plan_on_device(const ashlar_plan *plan)
{
    const ashi_mixed *m = &plan->filed.mixed;
    ashi_on_device sum = {0};
    if (plan->filed.streamed.on)
        return plan->filed.streamed.on_device;
    if (!m->on)
        return plan->runner ? *ashi_runner_on_device(plan->runner) : sum;
    for (int i = 0; i < m->kinds; i++) {
        const ashi_on_device own = ashi_plan_on_device(m->kind[i].plan);
        ashi_on_device_add(&sum, &own, m->kind[i].slabs);
    }
    return sum;
}

/* Of which the greatest and the sum over all ranks are found. The first is 1 on a rank that counts, else 0, as are the
 * other predicted ones. */
typedef struct totals {
    int64_t ranks, in, out, held;                 /* predicted: of ranks that use a device, */
    int64_t could_ranks, could_in, could_out, could_held; /* of those that have one */
    int64_t did_in, did_out, did_held, did_on_host;
    int64_t staged, did_stage;                            /* words of the host for copies of operands */
    int64_t failed;                               /* the number of ranks from this one on, if its device failed */
} totals;

enum { TOTALS = sizeof(totals) / sizeof(int64_t) };

static totals totals_of(const ashlar_context *c, const ashi_device_account *account)
{
    const ashi_on_device *d = &account->predicted;
    const ashi_onto_tally *t = account->did;
    totals own = {.did_in = t->in, .did_out = t->out, .did_held = t->held, .did_on_host = t->on_host,
                  .staged = account->staged, .did_stage = account->did_stage,
                  .failed = t->failure.status != ASHLAR_OK ? c->ranks - c->rank : 0};
    if (d->there) {
        own.could_ranks = 1;
        own.could_in = d->need.in;
        own.could_out = d->need.out;
        own.could_held = d->need.held;
    }
    if (d->used) {
        own.ranks = 1;
        own.in = d->need.in;
        own.out = d->need.out;
        own.held = d->need.held;
    }
    return own;
}

static void take_predicted(const totals *most, const totals *sum, ashlar_device_figures *out)
{
    const bool used = sum->ranks > 0;
    out->ranks = sum->ranks;
    out->words_in_max = used ? most->in : most->could_in;
    out->words_in_total = used ? sum->in : sum->could_in;
    out->words_out_max = used ? most->out : most->could_out;
    out->words_out_total = used ? sum->out : sum->could_out;
    out->memory_words = used ? most->held : most->could_held;
    out->staged_words = most->staged;
}

static void take_measured(const totals *most, const totals *sum, ashlar_device_figures *out)
{
    out->measured_in_max = most->did_in;
    out->measured_in_total = sum->did_in;
    out->measured_out_max = most->did_out;
    out->measured_out_total = sum->did_out;
    out->measured_memory_words = most->did_held;
    out->measured_host_products = sum->did_on_host;
    out->measured_staged_words = most->did_stage;
}

/* The failure of the first rank whose device failed becomes that of all. */
static void share_failure(const ashlar_context *c, ashlar_error *failure, int64_t failed)
{
    if (failed > 0)
        ashi_note(c, MPI_Bcast(failure, (int)sizeof *failure, MPI_BYTE, c->ranks - (int)failed, c->comm), "MPI_Bcast");
}

static const char *or_null(const char *text)
{
    return text[0] ? text : NULL;
}

static void say(const ashi_context_device *d, const ashlar_error *failure, ashlar_device_figures *out)
{
    out->failure = failure->status != ASHLAR_OK ? failure->text : NULL;
    if (!d)
        return;
    out->name = or_null(d->name);
    out->rule = or_null(d->rule);
    out->warning = or_null(d->warning);
}

ashlar_status ashi_device_figures_of(const ashlar_context *c, const ashi_device_account *account,
                                     ashlar_device_figures *out, ashlar_error *err)
{
    const totals own = totals_of(c, account);
    const double seconds[2] = {account->predicted.need.seconds, account->predicted.host_seconds};
    double slowest[2] = {0};
    totals most = {0}, sum = {0};
    *out = (ashlar_device_figures){0};
    ashi_note(c, MPI_Allreduce(&own, &most, TOTALS, MPI_INT64_T, MPI_MAX, c->comm), "MPI_Allreduce");
    ashi_note(c, MPI_Allreduce(&own, &sum, TOTALS, MPI_INT64_T, MPI_SUM, c->comm), "MPI_Allreduce");
    ashi_note(c, MPI_Allreduce(seconds, slowest, 2, MPI_DOUBLE, MPI_MAX, c->comm), "MPI_Allreduce");
    share_failure(c, &account->did->failure, most.failed);
    const ashlar_status status = ashi_conclude(c, ASHLAR_OK, err);
    if (status != ASHLAR_OK)
        return status;
    take_predicted(&most, &sum, out);
    take_measured(&most, &sum, out);
    out->seconds = slowest[0];
    out->host_seconds = slowest[1];
    say(c->device, &account->did->failure, out);
    return status;
}

ashlar_status ashlar_plan_device_sized(ashlar_plan *plan, ashlar_device_figures *out, size_t size, ashlar_error *err)
{
    if (!plan || !out)
        return ashi_fail(err, ASHLAR_ERR_ARG, "ashlar_plan_device: %s is NULL", plan ? "out" : "plan");
    const ashi_device_account own = {ashi_plan_on_device(plan), &plan->on_device, ashi_device_parts_most(plan),
                                     plan->staged};
    ashlar_device_figures figures;
    const ashlar_status status = ashi_device_figures_of(plan->context, &own, &figures, err);
    if (status != ASHLAR_OK)
        return status;
    ashi_structure_give(&figures, sizeof figures, out, size);
    return ASHLAR_OK;
}
