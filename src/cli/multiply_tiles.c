/* The stages of `ashlar multiply` if matrices of tiles are multiplied. */
#include "cli/multiply_tiles.h"

#include "base/checked.h"
#include "base/error.h"
#include "cli/progress.h"
#include "exec/mpi.h"
#include "kernel/kernels.h"
#include "store/tile_file.h"
#include "tiles/product_check.h"

#include <ashlar/tiles_file.h>
#include <inttypes.h>
#include <stdlib.h>

#define COUNT(x) ((int)(sizeof(x) / sizeof((x)[0])))

/* An option that says something of dense matrices alone, and whether it was given. */
typedef struct dense_option {
    const char *name;
    bool given;
} dense_option;

static ashlar_status check_options(const ashi_multiply_wishes *w, ashlar_error *err)
{
    const ashlar_options usual = ashlar_options_default();
    const dense_option dense[] = {
        {"--local-disks", w->plan.local_disks}, {"--resume", w->resume},
        {"--checkpoint", w->plan.checkpoint_seconds != usual.checkpoint_seconds},
        {"--objective", w->plan.objective != usual.objective}, {"--idle", w->plan.idle != usual.idle},
        {"--node-ranks", w->plan.node_ranks != usual.node_ranks}, {"--strategy", w->plan.strategy},
        {"--transport", w->plan.transport != usual.transport}, {"--route", w->plan.route != usual.route},
    };
    for (int i = 0; i < COUNT(dense); i++)
        if (dense[i].given)
            return ashi_fail(err, ASHLAR_ERR_ARG, "%s is for products of dense matrices; here matrices of tiles are "
                             "multiplied, by SUMMA over tiles", dense[i].name);
    if (w->retain && !w->input[2])
        return ashi_fail(err, ASHLAR_ERR_ARG, "--retain wants --add FILE, the matrix whose tiles C keeps");
    if (w->tolerance > 0 && w->memory_bytes > 0)
        return ashi_fail(err, ASHLAR_ERR_ARG, "--tolerance and --memory: how large C becomes is known only once it is "
                                              "computed; wanted one of them");
    if (w->retain && w->check)
        return ashi_fail(err, ASHLAR_ERR_ARG, "--check compares with the whole product, of which --retain leaves out "
                                              "what C has no tiles for: wanted one of them");
    return ASHLAR_OK;
}

/* Before the work is done: that the product can be written where it is to go. */
static ashlar_status begin_output(ashi_tiles_job *job, ashlar_error *err)
{
    const bool first = job->context->rank == 0;
    ashlar_status status = first ? ashi_tile_file_try(job->wish->output, err) : ASHLAR_OK;
    if (status == ASHLAR_OK && first && job->wish->stats) {
        status = ashi_output_create(job->wish->stats, &job->stats, err);
        job->stats_begun = status == ASHLAR_OK;
    }
    return ashi_agree(job->context, status, err);
}

static void tell_progress(void *user, int64_t done, int64_t all)
{
    ashi_progress *progress = user;
    progress->total = all;
    ashi_progress_add(progress, done - progress->done);
}

/* The library says words; --memory is bytes. */
static ashlar_status say_bytes(const ashi_tiles_job *job, ashlar_error *err)
{
    const ashlar_error said = *err;
    const int bytes = (int)ashlar_type_bytes(job->info[0].type);
    const int64_t words = ashlar_context_memory_words(job->context);
    return ashi_fail(err, ASHLAR_ERR_LIMIT, "%.*s (a word is %d bytes: --memory is %" PRId64 " bytes, wanted at least %"
                     PRId64 ")", (int)sizeof said.text - 120, said.text, bytes, job->wish->memory_bytes,
                     words * bytes);
}

static ashlar_status multiply(ashi_tiles_job *job, ashlar_error *err)
{
    const double start = MPI_Wtime();
    ashi_progress progress = ashi_progress_start("multiplying", 1, job->loud);
    const ashlar_tiles_options options = {.size = sizeof options, .retain = job->wish->retain,
                                          .window = job->wish->plan.window, .bound = 1,
                                          .threshold = job->wish->threshold,
                                          .tolerance = job->wish->tolerance, .relative = 1, .trace = job->wish->trace,
                                          .memory_words = ashi_tiles_job_limit(job), .progress = tell_progress,
                                          .progress_user = &progress, .machine = &job->wish->figures};
    const ashlar_status status = ashlar_tiles_multiply(job->alpha, job->wish->op[0], job->x[0], job->wish->op[1],
                                                       job->x[1], job->beta, job->c, &options, &job->own, err);
    ashi_progress_end(&progress);
    job->took.planning = MPI_Wtime() - start - job->own.seconds;
    return status == ASHLAR_ERR_LIMIT && ashlar_context_memory_words(job->context) > 0 ? say_bytes(job, err) : status;
}

static ashlar_status check(ashi_tiles_job *job, ashlar_error *err)
{
    const double start = MPI_Wtime();
    const bool zero = ashi_kernels_of(job->info[0].type)->is_zero(job->beta);
    const ashi_tiles_claim claim = {.x = {job->x[0], job->x[1]}, .op = {job->wish->op[0], job->wish->op[1]},
                                    .c = job->c, .c0 = zero ? NULL : job->c0, .alpha = job->alpha, .beta = job->beta,
                                    .allowed = ashi_tiles_job_loses(job) ? job->own.error_bound : 0};
    const ashlar_status status = ashi_tiles_product_check(&claim, &job->verdict, err);
    job->took.checking = MPI_Wtime() - start;
    job->checked = status == ASHLAR_OK;
    return status;
}

/* What all ranks did. */
static ashlar_status add_up(ashi_tiles_job *job, ashlar_error *err)
{
    const ashlar_tiles_result *r = &job->own;
    const ashlar_tiles *const matrix[3] = {job->x[0], job->x[1], job->c};
    ashlar_status status = ASHLAR_OK;
    for (int x = 0; x < 3 && status == ASHLAR_OK; x++)
        status = ashlar_tiles_inspect(matrix[x], &job->about[x], err);
    ashi_figures f = {.greatest = {r->flops, r->words, r->messages, r->memory_words,
                                   (int64_t)(r->seconds * 1e9), (int64_t)(job->took.planning * 1e9)},
                      .sum = {r->products, r->left_out, r->dropped, r->flops, r->words, r->predicted_words}};
    status = ashi_agree_figures(job->context, status, &f, err);
    job->sums = (ashi_tiles_sums){.products = f.sum[0], .left_out = f.sum[1], .dropped = f.sum[2], .flops = f.sum[3],
                                  .flops_most = f.greatest[0], .words = f.sum[4], .words_most = f.greatest[1],
                                  .predicted = f.sum[5],
                                  .messages_most = f.greatest[2], .memory_most = f.greatest[3],
                                  .seconds = (double)f.greatest[4] * 1e-9};
    job->took.planning = (double)f.greatest[5] * 1e-9;
    return status;
}

static ashlar_status find_devices(ashi_tiles_job *job, ashlar_error *err)
{
    job->device.wanted = job->wish->device;
    const ashlar_status status = ashlar_tiles_device(job->context, &job->device.figures, err);
    return status == ASHLAR_OK ? ashi_device_report_gather(job->context, &job->device, err) : status;
}

static ashlar_status load(ashi_tiles_job *job, ashlar_error *err)
{
    const double start = MPI_Wtime();
    ashi_progress progress = ashi_progress_start("reading", 1, job->loud);
    const ashlar_status status = ashi_tiles_job_load(job, err);
    ashi_progress_end(&progress);
    job->took.reading = MPI_Wtime() - start;
    return status;
}

static ashlar_status save(ashi_tiles_job *job, ashlar_error *err)
{
    const double start = MPI_Wtime();
    ashi_progress progress = ashi_progress_start("writing", 1, job->loud);
    const ashlar_status status = ashlar_tiles_save(job->c, job->wish->output, err);
    ashi_progress_end(&progress);
    job->took.writing = MPI_Wtime() - start;
    return status;
}

static ashlar_status run(ashi_tiles_job *job, ashlar_error *err)
{
    ashlar_status status = ashi_agree(job->context, check_options(job->wish, err), err);
    if (status == ASHLAR_OK)
        status = ashi_threads_set(job->context, job->wish->threads, &job->threads, err);
    if (status == ASHLAR_OK && job->wish->device)
        status = ashlar_context_set_device(job->context, job->wish->device, job->wish->device_bytes, err);
    if (status == ASHLAR_OK)
        status = ashi_tiles_job_describe(job, err);
    if (status == ASHLAR_OK)
        status = begin_output(job, err);
    if (status == ASHLAR_OK)
        status = load(job, err);
    if (status == ASHLAR_OK)
        status = multiply(job, err);
    if (status == ASHLAR_OK && job->wish->device)
        status = find_devices(job, err);
    if (status == ASHLAR_OK && job->wish->check)
        status = check(job, err);
    if (status == ASHLAR_OK)
        status = add_up(job, err);
    if (status != ASHLAR_OK || (job->checked && !job->verdict.passed))
        return status;
    status = save(job, err);
    if (status != ASHLAR_OK)
        return status;
    return ashi_agree(job->context, job->context->rank == 0 ? ashi_tiles_job_report(job, err) : ASHLAR_OK, err);
}

static void free_job(ashi_tiles_job *job)
{
    for (int x = 0; x < 3; x++) {
        ashi_cuts_free(&job->stored[x][0]);
        ashi_cuts_free(&job->stored[x][1]);
        ashi_cuts_free(&job->cuts[x]);
    }
    ashlar_tiles_free(&job->x[0]);
    ashlar_tiles_free(&job->x[1]);
    ashlar_tiles_free(&job->c);
    ashlar_tiles_free(&job->c0);
    ashi_device_report_free(&job->device);
    if (job->stats_begun)
        ashi_output_discard(&job->stats);
}

ashlar_status ashi_multiply_tiles(ashlar_context *context, const ashi_multiply_wishes *wish, const bool tiled[3],
                                  bool loud, bool *checked, ashlar_verdict *verdict, ashlar_error *err)
{
    ashi_tiles_job job = {.wish = wish, .context = context, .loud = loud, .tiled = {tiled[0], tiled[1], tiled[2]}};
    const ashlar_status status = run(&job, err);
    *checked = job.checked;
    *verdict = job.verdict;
    free_job(&job);
    return status;
}
