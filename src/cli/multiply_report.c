/* What `ashlar multiply` says of a run: plan, prediction and measurement, as a table and as JSON. */
#include "base/checked.h"
#include "base/error.h"
#include "base/type.h"
#include "cli/figures.h"
#include "cli/multiply.h"
#include "cli/report.h"
#include "model/bounds.h"
#include "plan/context.h"
#include "plan/files.h"
#include "store/file.h"

#include <inttypes.h>
#include <jansson.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static bool streams(const ashi_multiply_job *job)
{
    return job->why.bound_disk_case != NULL;
}

static double flops_of(const ashi_multiply_job *job)
{
    const int64_t *size = job->size;
    return ashi_type_of(job->problem.type)->flops * (double)size[0] * (double)size[1] * (double)size[2];
}

/* What an earlier run finished is not multiplied again. */
static double rate_of(double flops, double seconds, double resumed)
{
    return seconds > 0 ? (1 - resumed) * flops / seconds * 1e-9 : 0;
}

/* With alpha = 0 nothing is multiplied. */
static double done_flops(const ashi_multiply_job *job)
{
    return ashi_multiply_is_trivial(job) ? 0 : flops_of(job);
}

static int64_t memory_limit(const ashi_multiply_job *job)
{
    const int64_t bytes = (int64_t)ashi_type_word(job->problem.type);
    return job->wish->memory_bytes / bytes;
}

/* ---- JSON ---- */

json_t *ashi_multiply_figures_json(const ashlar_figures *f)
{
    return json_pack("{s:I, s:f, s:I, s:I, s:I, s:I, s:f}", "words_max", (json_int_t)f->words_max, "words_mean",
                     f->words_mean, "words_total", (json_int_t)f->words_total, "messages_max",
                     (json_int_t)f->messages_max, "memory_words", (json_int_t)f->memory_words, "disk_words",
                     (json_int_t)f->disk_words, "seconds", f->seconds);
}

static json_t *strategy(const ashi_multiply_job *job)
{
    const ashlar_explanation *e = &job->why;
    json_t *own = json_pack("{s:s, s:b, s:s, s:o, s:I, s:I}", "name", e->strategy, "applicable", 1, "reason",
                            e->reason, "grid", ashi_grid_json(e->grid), "ranks_used", (json_int_t)e->ranks_used,
                            "rounds", (json_int_t)e->rounds);
    json_t *predicted = ashi_multiply_figures_json(&job->predicted);
    if (!own || !predicted || json_object_update(own, predicted) != 0) {
        json_decref(own);
        own = NULL;
    }
    json_decref(predicted);
    return own;
}

static json_t *measured(const ashi_multiply_job *job)
{
    const ashlar_figures *f = &job->measured;
    json_t *own = ashi_multiply_figures_json(f);
    if (own && (json_object_set_new(own, "gflops", json_real(rate_of(done_flops(job), f->seconds, f->resumed))) != 0 ||
                json_object_set_new(own, "resumed", json_real(f->resumed)) != 0)) {
        json_decref(own);
        own = NULL;
    }
    return own;
}

json_t *ashi_multiply_check_json(bool checked, const ashlar_verdict *verdict)
{
    if (!checked)
        return json_null();
    return json_pack("{s:b, s:i, s:f}", "passed", verdict->passed, "vectors", verdict->vectors,
                     "residual_over_bound", verdict->worst);
}

/* NULL where memory is short. */
static json_t *document(const ashi_multiply_job *job)
{
    const int64_t *size = job->size;
    const char letter[2] = {ashi_type_of(job->problem.type)->letter, '\0'};
    const int64_t limit = memory_limit(job);
    const ashi_bound bound = streams(job) ? (ashi_bound){0, job->why.bound_case, "none needed"}
                                            : ashi_bound_words(size[0], size[1], size[2], job->context->ranks, limit);
    return json_pack(
        "{s:i, s:{s:I, s:I, s:I, s:s, s:i, s:o}, s:{s:f, s:s, s:s}, s:[o], s:s, s:o, s:o, s:{s:f, s:f, s:f, s:f},"
        " s:{s:i, s:i, s:i, s:s}, s:o}",
        "schema", 1, "problem", "m", (json_int_t)size[0], "n", (json_int_t)size[1], "k", (json_int_t)size[2], "type",
        letter,
        "ranks", job->context->ranks, "memory_words", ashi_json_limit(limit), "bound", "words", bound.words, "case",
        bound.which, "source", bound.source, "strategies", strategy(job), "chosen", job->why.strategy,
        "measured", measured(job), "check", ashi_multiply_check_json(job->checked, &job->verdict), "seconds",
        "planning", job->took.planning, "reading", job->took.reading, "checking", job->took.checking, "writing",
        job->took.writing, "threads", "a_rank",
        job->threads.threads, "ranks", job->threads.ranks, "cores", job->threads.cores, "note", job->threads.note,
        "device", ashi_multiply_device_json(&job->devices));
}

static ashlar_status write_stats(ashi_output *stats, const char *path, const char *text, ashlar_error *err)
{
    ashlar_status status = ashi_file_write(stats->fd, path, text, (int64_t)strlen(text), 0, err);
    if (status == ASHLAR_OK)
        status = ashi_file_write(stats->fd, path, "\n", 1, (int64_t)strlen(text), err);
    return status == ASHLAR_OK ? ashi_output_publish(stats, err) : status;
}

ashlar_status ashi_multiply_put_json(json_t *root, const ashi_multiply_wishes *wish, ashi_output *stats,
                                     ashlar_error *err)
{
    char *text = root ? json_dumps(root, JSON_INDENT(2)) : NULL;
    ashlar_status status = ASHLAR_OK;
    if (!text)
        status = ashi_fail(err, ASHLAR_ERR_MEMORY, "no memory for the JSON document");
    if (text && wish->stats)
        status = write_stats(stats, wish->stats, text, err);
    if (text && wish->json)
        puts(text);
    free(text);
    json_decref(root);
    return status;
}

/* ---- the table ---- */

static void row_of_counts(const char *what, int64_t predicted, int64_t found)
{
    printf("  %-24s %18" PRId64 " %18" PRId64 "\n", what, predicted, found);
}

static void row_of_numbers(const char *what, double predicted, double found)
{
    printf("  %-24s %18.4g %18.4g\n", what, predicted, found);
}

static void print_plan(const ashi_multiply_job *job)
{
    static const char op[] = "NTC";
    const ashlar_problem *p = &job->problem;
    const int64_t *size = job->size;
    const ashlar_explanation *e = &job->why;
    printf("problem   %c %c%c   m %" PRId64 "  n %" PRId64 "  k %" PRId64 "   %.4g Gflop on %d rank%s\n",
           ashi_type_of(p->type)->letter, op[p->op_a], op[p->op_b], size[0], size[1], size[2], flops_of(job) * 1e-9,
           job->context->ranks, job->context->ranks == 1 ? "" : "s");
    printf("plan      %s, grid %s, %" PRId64 " round%s: %s\n", e->strategy, ashi_figure_grid(e->grid).text, e->rounds,
           e->rounds == 1 ? "" : "s", e->reason);
    if (streams(job))
        printf("bound     %.0f disk words (%s)\n", e->bound_disk_words, e->bound_disk_case);
    else
        printf("bound     %.0f words (%s)\n", e->bound_words, e->bound_case);
}

void ashi_multiply_print_figures(const ashlar_figures *p, const ashlar_figures *f, ashlar_type type, double flops)
{
    const double bytes = (double)ashi_type_word(type);
    printf("  %-24s %18s %18s\n", "", "predicted", "measured");
    row_of_counts("words, busiest rank", p->words_max, f->words_max);
    printf("  %-24s %18.1f %18.1f\n", "words, mean", p->words_mean, f->words_mean);
    row_of_counts("words, total", p->words_total, f->words_total);
    row_of_counts("messages, busiest rank", p->messages_max, f->messages_max);
    row_of_counts("disk words", p->disk_words, f->disk_words);
    row_of_counts("words held at once", p->memory_words, f->memory_words);
    printf("  %-24s %18s %18s\n", ashi_type_is_alike(type) ? "bytes held at once" : "bytes held, at most",
           ashi_figure_of((double)p->memory_words * bytes, "B").text,
           ashi_figure_of((double)f->memory_words * bytes, "B").text);
    row_of_numbers("seconds", p->seconds, f->seconds);
    row_of_numbers("GFlop/s", rate_of(flops, p->seconds, 0), rate_of(flops, f->seconds, f->resumed));
}

static void print_rest(const ashi_multiply_job *job)
{
    const ashi_multiply_times *t = &job->took;
    printf("seconds   planning %.3g, reading %.3g, writing %.3g", t->planning, t->reading, t->writing);
    if (job->checked)
        printf(", checking %.3g", t->checking);
    printf("\nmachine   %s\n", job->wish->machine);
    if (streams(job))
        ashi_cache_print(10);
    if (job->out->added)
        printf("resumed   nothing was to be done: an earlier run has added this\n");
    else if (job->measured.resumed > 0)
        printf("resumed   %.4g %% of the product was finished before\n", 100 * job->measured.resumed);
    else if (job->wish->resume)
        printf("resumed   nothing was finished before: the product was formed from its beginning\n");
    if (job->wish->device)
        ashi_multiply_print_device(&job->devices);
    if (job->threads.threads > 0)
        printf("threads   %d of the BLAS a rank; %d rank%s and %d core%s on the node\n", job->threads.threads,
               job->threads.ranks, job->threads.ranks == 1 ? "" : "s", job->threads.cores,
               job->threads.cores == 1 ? "" : "s");
    if (job->threads.note[0])
        printf("note      %s\n", job->threads.note);
    if (job->checked)
        printf("check     passed: %d random vectors, the worst row at %.2g of what rounding may do\n",
               job->verdict.vectors, job->verdict.worst);
}

ashlar_status ashi_multiply_report(ashi_multiply_job *job, ashlar_error *err)
{
    ashlar_status status = ASHLAR_OK;
    if (job->wish->stats || job->wish->json)
        status = ashi_multiply_put_json(document(job), job->wish, &job->stats, err);
    if (status == ASHLAR_OK && !job->wish->json) {
        print_plan(job);
        ashi_multiply_print_figures(&job->predicted, &job->measured, job->problem.type, done_flops(job));
        print_rest(job);
    }
    if (status == ASHLAR_OK && fflush(stdout) != 0)
        return ashi_fail(err, ASHLAR_ERR_IO, "the figures cannot be written to standard output");
    return status;
}
