/* Running a plan, and what a run took. */
#include "base/checked.h"
#include "base/error.h"
#include "base/structure.h"
#include "kernel/kernels.h"
#include "plan/check.h"
#include "plan/device.h"
#include "plan/device_parts.h"
#include "plan/plan.h"

/* One agreement about this rank's arguments and about alpha and beta: ranks that took different ways for alpha = 0
 * would wait for each other. What is on a device has been brought to the host then. */
static ashlar_status check_on_all(const ashlar_plan *plan, const ashi_arguments *with, ashi_device_parts *parts,
                                  ashlar_error *err)
{
    ashlar_status status = ashi_plan_check(plan, with, err);
    if (status == ASHLAR_OK)
        status = ashi_device_parts_bring(plan, with, parts, err);
    status = ashi_agree_scalars(plan->context, status, "ashlar_plan_execute", plan->problem.type, with->alpha,
                                with->beta, err);
    return status == ASHLAR_ERR_LIMIT ? ashi_device_parts_refuse(plan, parts, err) : status;
}

/* Ranks do not agree afterwards: one that another's failure has left without words says so itself. */
static ashlar_status run_trusted(ashlar_plan *plan, const void *alpha, const ashi_part part[3], const void *beta,
                                 ashlar_error *err)
{
    const ashlar_status status = ashi_plan_run(plan, alpha, part, beta, err);
    if (status != ASHLAR_OK || !plan->tally.drained)
        return status;
    return ashi_fail(err, ASHLAR_ERR_MPI, "rank %d: ashlar_plan_execute: C is not complete: another rank failed",
                     plan->context->rank);
}

/* With parts in memory of the host, or all on the device. The status is this rank's own. */
static ashlar_status run(ashlar_plan *plan, const ashi_arguments *with, const ashi_device_parts *parts,
                         ashlar_error *err)
{
    ashlar_status status;
    if (parts->direct) {
        plan->tally = (ashi_player_tally){0};
        status = ashi_device_parts_multiply(plan, with, parts, err);
    } else if (plan->trusted) {
        status = run_trusted(plan, with->alpha, parts->part, with->beta, err);
    } else if (plan->filed.any) {
        status = ashi_filed_run(plan, with->alpha, parts->part, with->beta, err);
    } else {
        status = ashi_plan_run(plan, with->alpha, parts->part, with->beta, err);
    }
    return status == ASHLAR_OK ? ashi_device_parts_return(plan, with, parts, err) : status;
}

static ashlar_status check_and_run(ashlar_plan *plan, const ashi_arguments *with, ashlar_error *err)
{
    ashi_device_parts parts = {.part = {with->part[0], with->part[1], with->part[2]}};
    const bool checks = (!plan->trusted && !plan->checked) || plan->context->had_devices;
    ashlar_status status = checks ? check_on_all(plan, with, &parts, err) : ASHLAR_OK;
    plan->checked = false; /* that was for one execution */
    plan->staged = status == ASHLAR_OK ? parts.staged : 0;
    plan->staged_beside = status == ASHLAR_OK ? parts.beside : 0;
    if (status == ASHLAR_OK) {
        const double start = MPI_Wtime();
        status = run(plan, with, &parts, err);
        if (!plan->trusted && !plan->filed.any)
            plan->tally.seconds = MPI_Wtime() - start;
        if (!plan->trusted)
            status = ashi_conclude(plan->context, status, err);
    }
    ashi_device_parts_free(&parts);
    return status;
}

/* With what the device took meanwhile. */
static ashlar_status execute(ashlar_plan *plan, const ashi_arguments *with, ashlar_error *err)
{
    ashlar_error own;
    own.status = ASHLAR_OK;
    own.text[0] = '\0';
    const ashi_onto_tally before = ashi_context_device_tally(plan->context, plan->problem.type);
    const ashlar_status status = check_and_run(plan, with, err ? err : &own);
    plan->on_device = ashi_context_device_since(plan->context, plan->problem.type, &before);
    return status;
}

ashlar_status ashlar_plan_execute(ashlar_plan *plan, const void *alpha, const void *a, const void *b,
                                  const void *beta, void *c, ashlar_error *err)
{
    if (!plan)
        return ashi_fail(err, ASHLAR_ERR_ARG, "ashlar_plan_execute: plan is NULL");
    const ashi_arguments with = {alpha, beta, {{a, NULL}, {b, NULL}, {c, NULL}}};
    return execute(plan, &with, err);
}

ashlar_status ashlar_plan_execute_tiles(ashlar_plan *plan, const void *alpha, const void *const *a,
                                        const void *const *b, const void *beta, void *const *c, ashlar_error *err)
{
    if (!plan)
        return ashi_fail(err, ASHLAR_ERR_ARG, "ashlar_plan_execute_tiles: plan is NULL");
    const ashi_arguments with = {alpha, beta, {{NULL, a}, {NULL, b}, {NULL, (const void *const *)c}}};
    return execute(plan, &with, err);
}

ashlar_status ashlar_plan_measured_sized(ashlar_plan *plan, ashlar_figures *out, size_t size, ashlar_error *err)
{
    if (!plan || !out)
        return ashi_fail(err, ASHLAR_ERR_ARG, "ashlar_plan_measured: %s is NULL", plan ? "out" : "plan");
    const ashi_player_tally *t = &plan->tally;
    const MPI_Comm comm = plan->context->comm;
    const int64_t beside = plan->aside > 0 ? ashi_context_device_beside(plan->context, plan->problem.type) : 0;
    const int64_t own[3] = {t->received, ashi_max(t->received_messages, t->sent_messages),
                            plan->need.share + t->workspace + plan->staged_beside + beside};
    int64_t most[3] = {0}, total = 0;
    double seconds = 0;
    ashi_note(plan->context, MPI_Allreduce(own, most, 3, MPI_INT64_T, MPI_MAX, comm), "MPI_Allreduce");
    ashi_note(plan->context, MPI_Allreduce(&t->received, &total, 1, MPI_INT64_T, MPI_SUM, comm), "MPI_Allreduce");
    ashi_note(plan->context, MPI_Allreduce(&t->seconds, &seconds, 1, MPI_DOUBLE, MPI_MAX, comm), "MPI_Allreduce");
    const ashi_filed_tally *f = &plan->filed.tally;
    const int64_t disk = f->read + f->written;
    double on_files[2] = {f->read_seconds, f->write_seconds};
    int64_t disk_total = 0;
    if (plan->filed.any) {
        ashi_note(plan->context, MPI_Allreduce(&disk, &disk_total, 1, MPI_INT64_T, MPI_SUM, comm), "MPI_Allreduce");
        ashi_note(plan->context, MPI_Allreduce(MPI_IN_PLACE, on_files, 2, MPI_DOUBLE, MPI_MAX, comm), "MPI_Allreduce");
    }
    const ashlar_status status = ashi_conclude(plan->context, ASHLAR_OK, err);
    const ashlar_figures figures = {.words_max = most[0], .words_mean = (double)total / plan->context->ranks,
                                    .words_total = total, .messages_max = most[1], .memory_words = most[2],
                                    .disk_words = disk_total, .seconds = seconds, .read_seconds = on_files[0],
                                    .write_seconds = on_files[1], .resumed = plan->filed.resumed};
    if (status == ASHLAR_OK)
        ashi_structure_give(&figures, sizeof figures, out, size);
    return status;
}

ashlar_status ashlar_multiply(MPI_Comm comm, const ashlar_problem *problem, const ashlar_options *options,
                              const void *alpha, const void *a, const void *b, const void *beta, void *c,
                              ashlar_error *err)
{
    const ashi_arguments with = {alpha, beta, {{a, NULL}, {b, NULL}, {c, NULL}}};
    ashlar_context *context = ashi_context_kept(comm);
    ashlar_plan *plan = NULL;
    ashlar_status status = context ? ASHLAR_OK : ashlar_context_create(comm, &context, err);
    if (status == ASHLAR_OK)
        status = ashi_plan_create(context, problem, options, &with, &plan, err);
    if (status == ASHLAR_OK)
        status = execute(plan, &with, err);
    ashlar_plan_free(&plan);
    ashlar_context_free(&context);
    return status;
}
