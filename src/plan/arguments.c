/* What an execution is given: whether a plan can use it on this rank. */
#include "base/error.h"
#include "base/type.h"
#include "kernel/kernels.h"
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
    const size_t bytes = ashi_type_bytes(plan->problem.type, (ashlar_operand)x);
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
    const ashlar_type type = plan->problem.type;
    const size_t bytes = ashlar_type_bytes(type);
    if (plan->filed.file[ASHLAR_C])
        return ASHLAR_OK;
    const area c = area_of(plan, part, ASHLAR_C);
    for (int x = 0; x < 2 && c.from != c.end && array_of(plan, part, ASHLAR_C); x++) {
        if (plan->filed.file[x])
            continue;
        const area a = area_of(plan, part, x);
        const bool meet = array_of(plan, part, x) && a.from != a.end && a.from < c.end && c.from < a.end;
        if (meet && !(ashi_type_is_alike(type) && side_by_side(&a, &c, bytes)))
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
