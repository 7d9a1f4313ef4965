/* Plans that stream matrices which do not fit in the ranks' memory from their files. */
#include "base/checked.h"
#include "base/error.h"
#include "base/type.h"
#include "exec/kernels.h"
#include "exec/stream.h"
#include "model/bounds.h"
#include "plan/plan.h"
#include "schedule/simulate.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

/* A piece of C if nothing is multiplied: larger ones are not written faster. */
static const int64_t piece_bytes = 16 << 20;

static int64_t words_of_part(const ashi_sequential *s, int d)
{
    return s->grid[d] > 0 ? ashi_ceil_div(s->size[d], s->grid[d]) : 0;
}

/* Seconds, if every rank reads and writes at the machine's rate, and nothing is hidden. */
static double seconds_of(const ashlar_plan *plan, const ashlar_options *o, const ashi_sequential *s)
{
    const ashi_type *type = ashi_type_of(plan->problem.type);
    const ashi_totals totals = {.disk_max = ashi_sequential_busiest(s).all,
                                .products_max = words_of_part(s, 0) * words_of_part(s, 1) * s->size[2]};
    const ashi_pace pace = {o->machine, (int64_t)type->bytes, 1, type->flops, 1};
    return ashi_predict_seconds(&totals, &pace);
}

static void explain(ashlar_plan *plan, const ashlar_options *o, int64_t memory_words)
{
    ashi_streamed *t = &plan->filed.streamed;
    const ashi_sequential *s = &t->tiling;
    int64_t a, b, h;
    ashi_sequential_shape(s, &a, &b, &h);
    t->seconds = seconds_of(plan, o, s);
    if (plan->empty) {
        snprintf(t->reason, sizeof t->reason,
                 "there is nothing to multiply: C is written in tiles of %" PRId64 " x %" PRId64, a, b);
        t->which = "every word of C, and of C0 if it is added";
        t->bound = (double)ashi_sequential_total(s).all;
        return;
    }
    snprintf(t->reason, sizeof t->reason,
             "matrices are streamed from the files: tiles of %" PRId64 " x %" PRId64
             " of C stay in memory, slabs %" PRId64 " thick of A and B are read past them", a, b, h);
    t->which = "COSMA, Theorem 1, for each rank's part";
    t->bound = (double)t->schedule.ranks_used * ashi_bound_sequential(words_of_part(s, 0), words_of_part(s, 1),
                                                                      s->size[2], memory_words);
}

/* What there is to be tiled, within so many words. */
static ashi_sequential_request request_of(const ashlar_plan *plan, int64_t memory_words)
{
    const ashlar_problem *p = &plan->problem;
    const ashlar_file *c = plan->filed.file[ASHLAR_C];
    return (ashi_sequential_request){
        .size = {p->m, p->n, p->k}, .ranks = plan->context->ranks, .memory_words = memory_words,
        .bytes = (int64_t)ashlar_type_bytes(p->type), .adds = plan->filed.file[ASHI_FILED_C0] != NULL,
        .one_writer = !c->shared, .in_columns = ashi_store_writes_columns(c->place)};
}

/* C alone, in pieces that are fast to write and no larger than the limit. */
static ashi_sequential tile_lines(const ashlar_plan *plan, int64_t memory_words, bool adds)
{
    ashi_sequential_request request = request_of(plan, memory_words);
    const bool one_order = request.one_writer || request.in_columns; /* the format's own */
    request.adds = adds;
    request.memory_words = ashi_max(1, ashi_min(memory_words, piece_bytes / request.bytes));
    return ashi_sequential_lines(&request, one_order ? !request.in_columns
                                                     : plan->filed.file[ASHLAR_C]->info.order == ASHLAR_ROW_MAJOR);
}

static ashlar_status choose(ashlar_plan *plan, const ashlar_options *o, int64_t memory_words, ashlar_error *err)
{
    ashi_streamed *t = &plan->filed.streamed;
    const ashi_sequential_request request = request_of(plan, memory_words);
    ashlar_status status = ASHLAR_OK;
    if (o->grid[0] > 0 && !plan->empty)
        return ashi_fail(err, ASHLAR_ERR_ARG, "--grid is not for the strategy \"sequential\", which finds its own");
    if (plan->empty)
        t->tiling = tile_lines(plan, memory_words, request.adds);
    else
        status = ashi_sequential_choose(&request, &t->tiling, err);
    return status == ASHLAR_OK ? ashi_sequential_schedule(&t->tiling, &t->schedule, err) : status;
}

static ashlar_status allocate(const ashlar_plan *plan, ashi_streamed *t, ashlar_error *err)
{
    int64_t bytes = 0;
    ashlar_status status = ashi_schedule_need(&t->schedule, plan->context->rank, &t->need, err);
    if (status != ASHLAR_OK)
        return status;
    if (!ashi_mul(t->need.workspace, (int64_t)ashlar_type_bytes(plan->problem.type), &bytes))
        return ashi_fail(err, ASHLAR_ERR_OVERFLOW, "ashlar_plan_create: %" PRId64 " words do not fit in memory",
                         t->need.workspace);
    t->workspace = malloc((size_t)ashi_max(bytes, 1));
    return t->workspace ? ASHLAR_OK : ashi_fail_memory(err, "ashlar_plan_create", bytes);
}

ashlar_status ashi_streamed_make(ashlar_plan *plan, const ashlar_options *o, int64_t memory_words, ashlar_error *err)
{
    const int64_t limit = memory_words > 0 ? memory_words : INT64_MAX;
    ashlar_status status = ashi_agree(plan->context, choose(plan, o, limit, err), err);
    if (status != ASHLAR_OK)
        return status;
    plan->filed.streamed.on = true;
    explain(plan, o, limit);
    return ashi_agree_named(plan->context, allocate(plan, &plan->filed.streamed, err), err);
}

/* ---- running ---- */

/* How far a rank is. */
typedef struct telling {
    const ashi_filed *filed;
    int64_t done, all;
} telling;

static void tell(void *context, int64_t words)
{
    telling *t = context;
    t->done += words;
    if (t->filed->progress)
        t->filed->progress(t->filed->user, t->done, t->all);
}

ashlar_status ashi_streamed_run(ashlar_plan *plan, const void *alpha, const void *beta, ashlar_error *err)
{
    ashi_filed *f = &plan->filed;
    const ashi_kernels *kernels = ashi_kernels_of(plan->problem.type);
    const bool adds = f->file[ASHI_FILED_C0] && !kernels->is_zero(beta);
    const bool planned = !kernels->is_zero(alpha) || plan->empty;
    ashi_sequential tiling = f->streamed.tiling;
    ashi_stream_tally tally = {0};
    ashi_schedule schedule = {0};
    ashi_need need;
    if (!planned) /* A and B are not read */
        tiling = tile_lines(plan, ashi_max(f->streamed.need.workspace, 1), adds);
    tiling.adds = adds;
    ashlar_status status = ashi_sequential_schedule(&tiling, &schedule, err);
    if (status == ASHLAR_OK)
        status = ashi_schedule_need(&schedule, plan->context->rank, &need, err);
    if (status == ASHLAR_OK) {
        telling t = {f, 0, need.read + need.written};
        const ashi_stream_job job = {
            .schedule = &schedule, .rank = plan->context->rank, .type = plan->problem.type,
            .op = {plan->problem.op_a, plan->problem.op_b}, .alpha = alpha, .beta = beta,
            .workspace = f->streamed.workspace, .workspace_words = f->streamed.need.workspace,
            .a = f->file[ASHLAR_A] ? f->file[ASHLAR_A]->store : NULL,
            .b = f->file[ASHLAR_B] ? f->file[ASHLAR_B]->store : NULL, .c0 = adds ? f->file[ASHI_FILED_C0]->store : NULL,
            .c = f->file[ASHLAR_C]->store, .trace = plan->trace, .progress = tell, .context = &t};
        status = ashi_stream_multiply(&job, &tally, err);
    }
    ashi_schedule_free(&schedule);
    plan->tally = (ashi_tally){.workspace = tally.workspace};
    f->tally = (ashi_filed_tally){.read = tally.read, .written = tally.written};
    return status;
}

void ashi_streamed_free(ashi_streamed *t)
{
    ashi_schedule_free(&t->schedule);
    free(t->workspace);
    *t = (ashi_streamed){0};
}
