/* `ashlar multiply` where the matrices do not fit in the ranks' memory: streamed from their files. */
#include "cli/multiply_stream.h"

#include "base/checked.h"
#include "base/error.h"
#include "base/type.h"
#include "cli/progress.h"
#include "exec/kernels.h"
#include "exec/stream.h"
#include "exec/transport.h"
#include "model/bounds.h"
#include "plan/check.h"
#include "schedule/simulate.h"
#include "strategy/sequential.h"
#include "strategy/strategy.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

/* A piece of C where nothing is multiplied: larger ones are not written faster. */
static const int64_t piece_bytes = 16 << 20;

bool ashi_multiply_is_trivial(const ashi_multiply_job *job)
{
    const ashlar_problem *p = &job->problem;
    return p->m == 0 || p->n == 0 || p->k == 0 || ashi_kernels_of(p->type)->is_zero(job->alpha);
}

bool ashi_multiply_streams(const ashi_multiply_job *job, ashlar_status planned)
{
    const ashlar_options *o = &job->wish->plan;
    if (ashi_multiply_is_trivial(job))
        return true;
    if (o->strategy)
        return strcmp(o->strategy, ashi_strategy_sequential.name) == 0;
    return planned == ASHLAR_ERR_LIMIT && o->grid[0] == 0;
}

static int64_t words_of_part(const ashi_sequential *s, int d)
{
    return s->grid[d] > 0 ? ashi_ceil_div(s->size[d], s->grid[d]) : 0;
}

/* Seconds, if every rank reads and writes at the machine's rate, and nothing is hidden. */
static double seconds_of(const ashi_multiply_job *job, const ashi_sequential *s)
{
    const ashi_type *type = ashi_type_of(job->problem.type);
    const ashi_totals totals = {.disk_max = ashi_sequential_busiest(s).all,
                                .products_max = words_of_part(s, 0) * words_of_part(s, 1) * s->size[2]};
    const ashi_pace pace = {&job->wish->figures, (int64_t)type->bytes, 1, type->flops, 1};
    return ashi_predict_seconds(&totals, &pace);
}

static void explain(ashi_multiply_job *job, const ashi_sequential *s, int64_t memory_words)
{
    const ashi_schedule *schedule = &job->stream.schedule;
    int64_t a, b, h;
    ashi_sequential_shape(s, &a, &b, &h);
    if (ashi_multiply_is_trivial(job))
        snprintf(job->stream.reason, sizeof job->stream.reason,
                 "there is nothing to multiply: C is written in tiles of %" PRId64 " x %" PRId64, a, b);
    else
        snprintf(job->stream.reason, sizeof job->stream.reason,
                 "matrices are streamed from the files: tiles of %" PRId64 " x %" PRId64
                 " of C stay in memory, slabs %" PRId64 " thick of A and B are read past them", a, b, h);
    job->why = (ashlar_explanation){
        .strategy = schedule->strategy, .reason = job->stream.reason,
        .grid = {s->grid[0], s->grid[1], 1}, .ranks_used = schedule->ranks_used, .rounds = schedule->rounds,
        .bound_words = 0, .bound_case = "the matrices are in files: nothing need be received"};
    job->predicted = (ashlar_figures){.memory_words = ashi_sequential_memory(s),
                                      .disk_words = ashi_sequential_total(s).all, .seconds = seconds_of(job, s)};
    if (ashi_multiply_is_trivial(job)) {
        job->stream.which = "every word of C, and of C0 if it is added";
        job->stream.bound = (double)ashi_sequential_total(s).all;
    } else {
        job->stream.which = "COSMA, Theorem 1, for each rank's part";
        job->stream.bound = (double)schedule->ranks_used * ashi_bound_sequential(words_of_part(s, 0),
                                                                                 words_of_part(s, 1), s->size[2],
                                                                                 memory_words);
    }
}

/* C alone, in pieces that are fast to write and no larger than the limit. */
static ashlar_status plan_trivial(const ashi_multiply_job *job, ashi_sequential_request *request, ashi_sequential *out,
                                  ashlar_error *err)
{
    ashlar_options options = job->wish->plan;
    const ashlar_status status = ashi_check_problem(job->context, &job->problem, &options, err);
    const bool one_order = request->one_writer || request->in_columns; /* the format's own */
    request->memory_words = ashi_min(request->memory_words, piece_bytes / request->bytes);
    *out = ashi_sequential_lines(request, one_order ? !request->in_columns : job->info[2].order == ASHLAR_ROW_MAJOR);
    return status;
}

ashlar_status ashi_multiply_stream_plan(ashi_multiply_job *job, int64_t memory_words, ashlar_error *err)
{
    const ashlar_problem *p = &job->problem;
    const ashi_kernels *kernels = ashi_kernels_of(p->type);
    const char *output = job->wish->output;
    ashi_sequential s;
    ashi_sequential_request request = {
        .size = {p->m, p->n, kernels->is_zero(job->alpha) ? 0 : p->k}, .ranks = job->context->ranks,
        .memory_words = memory_words > 0 ? memory_words : INT64_MAX, .bytes = (int64_t)ashlar_type_bytes(p->type),
        .adds = job->in[2] && !kernels->is_zero(job->beta), .one_writer = !ashi_store_shared_writing(output),
        .in_columns = ashi_store_writes_columns(output)};
    const bool trivial = ashi_multiply_is_trivial(job);
    if (job->wish->plan.grid[0] > 0 && !trivial)
        return ashi_fail(err, ASHLAR_ERR_ARG, "--grid is not for the strategy \"sequential\", which finds its own");
    ashlar_status status =
        trivial ? plan_trivial(job, &request, &s, err) : ashi_sequential_choose(&request, &s, err);
    if (status == ASHLAR_OK)
        status = ashi_sequential_schedule(&s, &job->stream.schedule, err);
    if (status != ASHLAR_OK)
        return status;
    job->stream.on = true;
    explain(job, &s, request.memory_words);
    return ASHLAR_OK;
}

static void tell_progress(void *context, int64_t words)
{
    ashi_progress_add(context, words);
}

/* This rank's part, and a joined output closed: it is on the disk before all agree that it is. */
static ashlar_status stream_part(ashi_multiply_job *job, ashi_stream_tally *tally, ashlar_error *err)
{
    ashi_need need;
    ashlar_status status = ashi_schedule_need(&job->stream.schedule, job->context->rank, &need, err);
    if (status != ASHLAR_OK)
        return status;
    ashi_progress progress = ashi_progress_start("streaming", need.read + need.written, job->loud);
    const ashi_stream_job own = {.schedule = &job->stream.schedule, .rank = job->context->rank,
                                 .type = job->problem.type, .op = {job->problem.op_a, job->problem.op_b},
                                 .alpha = job->alpha, .beta = job->beta, .a = job->in[0], .b = job->in[1],
                                 .c0 = job->in[2], .c = job->out, .trace = job->trace, .progress = tell_progress,
                                 .context = &progress};
    status = ashi_stream_multiply(&own, tally, err);
    ashi_progress_end(&progress);
    if (job->context->rank == 0)
        return status;
    const ashlar_status closed = ashi_store_close(&job->out, status == ASHLAR_OK ? err : NULL);
    return status == ASHLAR_OK ? closed : status;
}

/* What all ranks' tallies amount to. */
static ashlar_status measure(ashi_multiply_job *job, const ashi_stream_tally *tally, double seconds, ashlar_error *err)
{
    const MPI_Comm comm = job->context->comm;
    const int64_t own = tally->read + tally->written;
    ashlar_figures *f = &job->measured;
    ashlar_status status = ashi_mpi(
        MPI_Allreduce(&tally->workspace, &f->memory_words, 1, MPI_INT64_T, MPI_MAX, comm), "MPI_Allreduce", err);
    if (status == ASHLAR_OK)
        status = ashi_mpi(MPI_Allreduce(&own, &f->disk_words, 1, MPI_INT64_T, MPI_SUM, comm), "MPI_Allreduce", err);
    if (status == ASHLAR_OK)
        status = ashi_mpi(MPI_Allreduce(&seconds, &f->seconds, 1, MPI_DOUBLE, MPI_MAX, comm), "MPI_Allreduce", err);
    return status;
}

/* Open what was written of C, not published yet: on every rank where every rank could write it, else on rank 0, which
 * alone need see the folder. */
static ashlar_status read_back(ashi_multiply_job *job, ashi_freivalds_file *c, ashlar_error *err)
{
    const bool first = job->context->rank == 0, shared = ashi_store_shared_writing(job->wish->output);
    ashi_store_info info = {0};
    ashlar_status status = ashi_multiply_agree(job, first ? ashi_store_finish(job->out, err) : ASHLAR_OK, err);
    if (status != ASHLAR_OK)
        return status;
    if (first || shared)
        status = ashi_store_read_back(job->wish->output, first ? ashi_store_temporary(job->out) : job->temporary,
                                      &c->file, &info, err);
    c->type = info.type;
    c->share = shared ? job->context->rank : 0;
    c->readers = shared ? job->context->ranks : 1;
    return ashi_multiply_agree(job, status, err);
}

static ashlar_status check(ashi_multiply_job *job, ashlar_error *err)
{
    const ashlar_context *context = job->context;
    const ashi_freivalds_file none = {NULL, job->problem.type, context->rank, context->ranks};
    ashi_freivalds_product product = {.context = context, .problem = &job->problem, .alpha = job->alpha,
                                      .beta = job->beta, .file = {none, none, none, none}};
    const double start = MPI_Wtime();
    product.file[ASHLAR_A].file = job->in[0];
    product.file[ASHLAR_B].file = job->in[1];
    product.file[ASHI_FREIVALDS_C0].file = job->in[2];
    ashlar_status status = read_back(job, &product.file[ASHLAR_C], err);
    ashi_progress progress = ashi_progress_start("checking", 1, job->loud);
    if (status == ASHLAR_OK)
        status = ashi_freivalds_judge(&product, &job->check, err);
    ashi_progress_end(&progress);
    ashi_store_close(&product.file[ASHLAR_C].file, NULL);
    job->took.checking = MPI_Wtime() - start;
    return status;
}

ashlar_status ashi_multiply_stream(ashi_multiply_job *job, ashlar_error *err)
{
    ashi_stream_tally tally = {0};
    const double start = MPI_Wtime();
    ashlar_status status = ashi_multiply_agree(job, stream_part(job, &tally, err), err);
    if (status == ASHLAR_OK)
        status = measure(job, &tally, MPI_Wtime() - start, err);
    if (status == ASHLAR_OK && job->wish->check)
        status = check(job, err);
    if (status != ASHLAR_OK || (job->check.done && !job->check.passed))
        return status;
    for (int x = 0; x < 3; x++)
        ashi_store_close(&job->in[x], NULL);
    if (job->context->rank == 0)
        status = ashi_store_publish(job->out, err);
    return ashi_agree(job->context, status, err);
}
