/* Running a plan, and what a run took. */
#include "base/checked.h"
#include "base/error.h"
#include "base/structure.h"
#include "exec/kernels.h"
#include "plan/check.h"
#include "plan/plan.h"

static const char *const names[3] = {"a", "b", "c"};

/* Whether this rank's part of an operand is there. */
static ashlar_status check_part(const ashlar_plan *plan, const ashi_part part[3], int x, ashlar_error *err)
{
    const ashlar_layout *layout = plan->layout[x];
    const int rank = plan->context->rank;
    if (plan->filed.file[x])
        return part[x].tile || part[x].base
                   ? ashi_fail(err, ASHLAR_ERR_ARG, "rank %d: ashlar_plan_execute: %s is in a file, wanted NULL", rank,
                               names[x])
                   : ASHLAR_OK;
    if (ashlar_layout_words(layout, rank) == 0)
        return ASHLAR_OK;
    if (!part[x].tile && !part[x].base)
        return ashi_fail(err, ASHLAR_ERR_ARG, "rank %d: ashlar_plan_execute: %s is NULL", rank, names[x]);
    if (!part[x].tile && ashi_layout_needs_pointers(layout, rank))
        return ashi_fail(err, ASHLAR_ERR_ARG,
                         "rank %d: ashlar_plan_execute: the layout of %s has no offsets: use ashlar_plan_execute_tiles",
                         rank, names[x]);
    for (int64_t t = 0; part[x].tile && t < ashlar_layout_tile_count(layout, rank); t++)
        if (!part[x].tile[t])
            return ashi_fail(err, ASHLAR_ERR_ARG, "rank %d: ashlar_plan_execute_tiles: tile %lld of %s is NULL", rank,
                             (long long)t, names[x]);
    return ASHLAR_OK;
}

/* The memory of a part that is one array: where it begins, where it ends, and, if it is one matrix, its shape there. */
typedef struct area {
    uintptr_t from, end;
    int64_t inner, outer, ld; /* elements next to each other, how many such runs, and their distance; ld 0: unknown */
} area;

/* The one array of a part, or NULL: tiles in memory of their own are not compared. */
static const void *array_of(const ashlar_plan *plan, const ashi_part part[3], int x)
{
    const ashlar_layout *layout = plan->layout[x];
    if (!part[x].tile)
        return part[x].base;
    return !layout->row.cuts && ashlar_layout_words(layout, plan->context->rank) > 0 ? part[x].tile[0] : NULL;
}

static area area_of(const ashlar_plan *plan, const ashi_part part[3], int x)
{
    const ashlar_layout *layout = plan->layout[x];
    const int rank = plan->context->rank;
    const size_t bytes = ashlar_type_bytes(plan->problem.type);
    const void *array = array_of(plan, part, x);
    area a = {.from = (uintptr_t)array};
    a.end = a.from + (uintptr_t)ashlar_layout_extent(layout, rank) * bytes;
    for (int64_t i = 0; !layout->row.cuts && i < layout->row.parts * layout->col.parts; i++) {
        if (layout->owner[i] != rank)
            continue;
        const ashi_storage s = ashi_layout_storage(layout, i / layout->col.parts, i % layout->col.parts);
        const int64_t rows = ashi_dim_count(&layout->row, i / layout->col.parts);
        const int64_t cols = ashi_dim_count(&layout->col, i % layout->col.parts);
        const bool by_cols = layout->order == ASHLAR_COL_MAJOR;
        a.inner = by_cols ? rows : cols;
        a.outer = by_cols ? cols : rows;
        a.ld = by_cols ? s.col_stride : s.row_stride;
        a.from = (uintptr_t)array + (uintptr_t)(s.start + s.offset) * bytes;
    }
    return a;
}

/* Two matrices inside one larger array, with its leading dimension, may lie side by side without a common element. */
static bool side_by_side(const area *a, const area *b, size_t bytes)
{
    const int64_t apart = ((int64_t)b->from - (int64_t)a->from) / (int64_t)bytes;
    if (a->ld == 0 || a->ld != b->ld || apart < 0)
        return a->ld != 0 && a->ld == b->ld && side_by_side(b, a, bytes);
    const int64_t right = apart % a->ld, down = apart / a->ld; /* where b begins, seen from a */
    const bool beside = right >= a->inner && right + b->inner <= a->ld;
    return beside || down >= a->outer;
}

static ashlar_status check_overlap(const ashlar_plan *plan, const ashi_part part[3], ashlar_error *err)
{
    const size_t bytes = ashlar_type_bytes(plan->problem.type);
    if (plan->filed.file[ASHLAR_C])
        return ASHLAR_OK;
    const area c = area_of(plan, part, ASHLAR_C);
    for (int x = 0; x < 2 && c.from != c.end && array_of(plan, part, ASHLAR_C); x++) {
        if (plan->filed.file[x])
            continue;
        const area a = area_of(plan, part, x);
        const bool meet = array_of(plan, part, x) && a.from != a.end && a.from < c.end && c.from < a.end;
        if (meet && !side_by_side(&a, &c, bytes))
            return ashi_fail(err, ASHLAR_ERR_ARG, "rank %d: ashlar_plan_execute: c overlaps %s", plan->context->rank,
                             names[x]);
    }
    return ASHLAR_OK;
}

ashlar_status ashi_plan_check(const ashlar_plan *plan, const ashi_arguments *with, ashlar_error *err)
{
    const void *alpha = with->alpha, *beta = with->beta;
    const ashi_part *part = with->part;
    if (!alpha || !beta)
        return ashi_fail(err, ASHLAR_ERR_ARG, "ashlar_plan_execute: %s is NULL", alpha ? "beta" : "alpha");
    const bool reads = !plan->empty && !ashi_kernels_of(plan->problem.type)->is_zero(alpha);
    const ashi_filed *f = &plan->filed;
    if (f->file[ASHLAR_C] && !f->file[ASHI_FILED_C0] && !ashi_kernels_of(plan->problem.type)->is_zero(beta))
        return ashi_fail(err, ASHLAR_ERR_ARG, "ashlar_plan_execute: beta is not 0 and there is no c0_file");
    if (f->file[ASHLAR_C] && f->file[ASHLAR_C]->ended)
        return ashi_fail(err, ASHLAR_ERR_ARG, "ashlar_plan_execute: the file of c is no longer open for writing");
    if (reads && !ashi_filed_passes(f) && !ashi_runner_is_ready(plan->runner))
        return ashi_fail(err, ASHLAR_ERR_ARG, "rank %d: ashlar_plan_execute: no workspace was given",
                         plan->context->rank);
    ashlar_status status = check_part(plan, part, ASHLAR_C, err);
    for (int x = 0; x < 2 && reads && status == ASHLAR_OK; x++)
        status = check_part(plan, part, x, err);
    return status == ASHLAR_OK && reads && !f->streamed.on ? check_overlap(plan, part, err) : status;
}

/* One agreement about this rank's arguments and about alpha and beta: ranks that took different ways for alpha = 0
 * would wait for each other. */
static ashlar_status check_on_all(const ashlar_plan *plan, const ashi_arguments *with, ashlar_error *err)
{
    const ashlar_status status = ashi_plan_check(plan, with, err);
    return ashi_agree_scalars(plan->context, status, "ashlar_plan_execute", plan->problem.type, with->alpha,
                              with->beta, err);
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

static ashlar_status execute(ashlar_plan *plan, const ashi_arguments *with, ashlar_error *err)
{
    ashlar_error own;
    own.status = ASHLAR_OK;
    own.text[0] = '\0';
    err = err ? err : &own;
    const bool checks = !plan->trusted && !plan->checked;
    const ashlar_status status = checks ? check_on_all(plan, with, err) : ASHLAR_OK;
    plan->checked = false; /* that was for one execution */
    if (status != ASHLAR_OK)
        return status;
    if (plan->trusted)
        return run_trusted(plan, with->alpha, with->part, with->beta, err);
    if (plan->filed.any)
        return ashi_conclude(plan->context, ashi_filed_run(plan, with->alpha, with->part, with->beta, err), err);
    const double start = MPI_Wtime();
    const ashlar_status result = ashi_plan_run(plan, with->alpha, with->part, with->beta, err);
    plan->tally.seconds = MPI_Wtime() - start;
    return ashi_conclude(plan->context, result, err);
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
    const int64_t own[3] = {t->received, ashi_max(t->received_messages, t->sent_messages),
                            plan->need.share + t->workspace};
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
                                    .write_seconds = on_files[1],
                                    .resumed = plan->filed.streamed.resumed};
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
