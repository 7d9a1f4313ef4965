/* What `ashlar multiply` says of a product of matrices of tiles, as a table and as JSON. */
#include "base/checked.h"
#include "base/error.h"
#include "base/type.h"
#include "choose/sparse_plan.h"
#include "cli/figures.h"
#include "cli/multiply_tiles.h"
#include "cli/report.h"
#include "model/in_flight.h"

#include <inttypes.h>
#include <jansson.h>
#include <stdio.h>
#include <stdlib.h>

static const char op_letter[] = "NTC";

static bool has_sums(const ashi_tiles_job *job)
{
    return job->own.stays == ASHLAR_STAYS_A || job->own.stays == ASHLAR_STAYS_B || job->own.layers > 1;
}

/* A, B or C; C if nothing was multiplied. */
static const char *stays(const ashi_tiles_job *job)
{
    return job->own.stays == ASHLAR_STAYS_A ? "A" : job->own.stays == ASHLAR_STAYS_B ? "B" : "C";
}

/* Of the busiest process over the mean of those that C lies on; of all ranks if there are partial sums. */
static double imbalance_of(const ashi_tiles_job *job)
{
    if (has_sums(job))
        return job->own.imbalance;
    const double processes = (double)(job->grid[0] * job->grid[1]);
    return job->sums.flops > 0 ? (double)job->sums.flops_most * processes / (double)job->sums.flops : 1;
}

static const char *dealt(const ashi_tiles_job *job)
{
    return ashi_tile_dealing_name(job->wish->deal ? ASHI_DEALT_BY_WORK : ASHI_DEALT_BY_TURNS);
}

static double gflops_of(const ashi_tiles_job *job)
{
    return job->sums.seconds > 0 ? (double)job->sums.flops / job->sums.seconds * 1e-9 : 0;
}

static double mean_words(const ashi_tiles_job *job)
{
    return (double)job->sums.words / job->context->ranks;
}

/* Equation (1) of the paper, whose iterations are single tiles of k. */
static int64_t paper_window(const ashi_tiles_job *job)
{
    return ashi_in_flight(job->grid[0], job->grid[1], job->cuts[2].tiles);
}

/* Equation (2). */
static ashi_in_flight_words paper_words(const ashi_tiles_job *job)
{
    return ashi_words_in_flight(job->size[0], job->size[1], job->size[2], job->cuts[2].tiles, job->grid[0],
                                job->grid[1]);
}

/* ---- JSON ---- */

static json_t *matrix_json(const ashlar_tiles_info *m)
{
    return json_pack("{s:I, s:I, s:I, s:I, s:I, s:f}", "tile_rows", (json_int_t)m->tile_rows, "tile_columns",
                     (json_int_t)m->tile_cols, "tiles", (json_int_t)m->tiles, "low_rank_tiles",
                     (json_int_t)m->low_rank_tiles, "words", (json_int_t)m->words, "density", m->density);
}

static int64_t in_flight(const ashi_tiles_job *job)
{
    return ashi_min(job->own.window, job->own.iterations);
}

static json_t *window_json(const ashi_tiles_job *job)
{
    const ashi_in_flight_words w = paper_words(job);
    return json_pack("{s:I, s:I, s:I, s:{s:f, s:f, s:f}}", "in_flight", (json_int_t)in_flight(job), "iterations",
                     (json_int_t)job->own.iterations, "equation_1", (json_int_t)paper_window(job), "equation_2", "a",
                     w.a, "b", w.b, "c", w.c);
}

static json_t *measured_json(const ashi_tiles_job *job)
{
    const ashi_tiles_sums *s = &job->sums;
    return json_pack("{s:I, s:f, s:I, s:I, s:I, s:i, s:f, s:f, s:I, s:I, s:I, s:I, s:f, s:o, s:I}", "words_max",
                     (json_int_t)s->words_most, "words_mean", mean_words(job), "words_total", (json_int_t)s->words,
                     "messages_max", (json_int_t)s->messages_most, "memory_words", (json_int_t)s->memory_most,
                     "disk_words", 0, "seconds", s->seconds, "gflops", gflops_of(job), "flops", (json_int_t)s->flops,
                     "products", (json_int_t)s->products, "left_out", (json_int_t)s->left_out, "dropped",
                     (json_int_t)s->dropped, "imbalance", imbalance_of(job), "error_bound",
                     ashi_json_real(job->own.error_bound), "words_predicted", (json_int_t)s->predicted);
}

int64_t ashi_tiles_job_limit(const ashi_tiles_job *job)
{
    const int64_t words = job->wish->memory_bytes / (int64_t)ashlar_type_bytes(job->info[0].type);
    return job->wish->memory_bytes > 0 ? ashi_max(1, words) : 0;
}

/* NULL if memory is short. */
static json_t *document(const ashi_tiles_job *job)
{
    const char letter[2] = {ashi_type_of(job->info[0].type)->letter, '\0'};
    return json_pack(
        "{s:i, s:s, s:{s:I, s:I, s:I, s:s, s:i, s:o}, s:s, s:s, s:I, s:[I, I], s:{s:o, s:o, s:o}, s:o, s:o, s:o,"
        " s:{s:f, s:f, s:f, s:f}, s:{s:i, s:i, s:i, s:s}, s:o}",
        "schema", 1, "dealt", dealt(job), "problem", "m", (json_int_t)job->size[0], "n", (json_int_t)job->size[1], "k",
        (json_int_t)job->size[2], "type", letter, "ranks", job->context->ranks, "memory_words",
        ashi_json_limit(ashi_tiles_job_limit(job)), "chosen", "tiles",
        "stays", stays(job), "layers", (json_int_t)ashi_max(1, job->own.layers), "grid", (json_int_t)job->grid[0],
        (json_int_t)job->grid[1], "tiles", "a", matrix_json(&job->about[0]), "b",
        matrix_json(&job->about[1]), "c", matrix_json(&job->about[2]), "window", window_json(job), "measured",
        measured_json(job), "check", ashi_multiply_check_json(job->checked, &job->verdict), "seconds", "planning",
        job->took.planning, "reading", job->took.reading, "checking", job->took.checking, "writing",
        job->took.writing, "threads", "a_rank",
        job->threads.threads, "ranks", job->threads.ranks, "cores", job->threads.cores, "note", job->threads.note,
        "device", ashi_device_report_json(&job->device));
}

/* ---- the table ---- */

static void print_matrix(const char *name, const ashlar_tiles_info *m)
{
    printf("%s %" PRId64 " x %" PRId64 " in %" PRId64 " x %" PRId64 " tiles, %" PRId64 " stored, %.3g %% full", name,
           m->rows, m->cols, m->tile_rows, m->tile_cols, m->tiles, 100 * m->density);
    if (m->low_rank_tiles > 0)
        printf(", %" PRId64 " as U V^T", m->low_rank_tiles);
    putchar('\n');
}

static void print_plan(const ashi_tiles_job *job)
{
    char sums[96] = "C stays";
    if (has_sums(job))
        snprintf(sums, sizeof sums, "%s stays, k in %" PRId64 " layers, partial sums of C are added to C", stays(job),
                 job->own.layers);
    printf("plan      SUMMA over tiles, %s on a grid of %" PRId64 "x%" PRId64 ", tiles dealt out %s: the "
           "busiest rank has %.3f of the mean work\n", sums, job->grid[0], job->grid[1], dealt(job),
           imbalance_of(job));
}

static void print_product(const ashi_tiles_job *job)
{
    const ashi_multiply_wishes *w = job->wish;
    const ashi_tiles_sums *s = &job->sums;
    const ashi_type *type = ashi_type_of(job->info[0].type);
    const double full = type->flops * (double)job->size[0] * (double)job->size[1] * (double)job->size[2];
    printf("problem   %c %c%c   m %" PRId64 "  n %" PRId64 "  k %" PRId64 "   %.4g Gflop of %.4g if all tiles were "
           "there, on %d rank%s\n", type->letter, op_letter[w->op[0]], op_letter[w->op[1]], job->size[0], job->size[1],
           job->size[2], (double)s->flops * 1e-9, full * 1e-9, job->context->ranks,
           job->context->ranks == 1 ? "" : "s");
    print_matrix("A        ", &job->about[0]);
    print_matrix("B        ", &job->about[1]);
    print_matrix("C        ", &job->about[2]);
    print_plan(job);
    printf("products  %" PRId64 " of tiles formed, %" PRId64 " left out%s; %" PRId64 " tile%s of C dropped\n",
           s->products, s->left_out, w->retain ? " (those for other tiles than C's included)" : "", s->dropped,
           s->dropped == 1 ? "" : "s");
}

static void print_window(const ashi_tiles_job *job)
{
    const ashi_in_flight_words words = paper_words(job);
    const char *why = job->wish->plan.window > 0 ? ", as asked for" : job->wish->memory_bytes > 0 ? ", that fit" : "";
    printf("window    %" PRId64 " of %" PRId64 " iterations in flight%s; eq. (1) of the paper gives %" PRId64 " of %"
           PRId64 " tiles of k\n", in_flight(job), job->own.iterations, why, paper_window(job), job->cuts[2].tiles);
    printf("          eq. (2): a tile of k brings a rank %s words of A and %s of B; (2) is an average of full "
           "matrices\n", ashi_figure_of(words.a, "").text, ashi_figure_of(words.b, "").text);
}

static void print_figures(const ashi_tiles_job *job)
{
    const ashi_tiles_sums *s = &job->sums;
    const double bytes = (double)ashlar_type_bytes(job->info[0].type);
    printf("  %-24s %18s\n", "", "measured");
    printf("  %-24s %18" PRId64 "\n", "words, busiest rank", s->words_most);
    printf("  %-24s %18.1f\n", "words, mean", mean_words(job));
    printf("  %-24s %18" PRId64 "\n", "words, total", s->words);
    printf("  %-24s %18" PRId64 "\n", "words, as predicted", s->predicted);
    printf("  %-24s %18" PRId64 "\n", "messages, busiest rank", s->messages_most);
    printf("  %-24s %18" PRId64 "\n", "words held at once", s->memory_most);
    printf("  %-24s %18s\n", "bytes held at once", ashi_figure_of((double)s->memory_most * bytes, "B").text);
    printf("  %-24s %18.4g\n", "seconds", s->seconds);
    printf("  %-24s %18.4g\n", "GFlop/s", gflops_of(job));
}

static void print_rest(const ashi_tiles_job *job)
{
    const ashi_multiply_times *t = &job->took;
    printf("error     at most %.3g (Frobenius norm): %srounding\n", job->own.error_bound,
           ashi_tiles_job_loses(job) ? "what was left out, and " : "");
    printf("seconds   planning %.3g, reading %.3g, writing %.3g", t->planning, t->reading, t->writing);
    if (job->checked)
        printf(", checking %.3g", t->checking);
    putchar('\n');
    if (job->threads.threads > 0)
        printf("threads   %d of the BLAS a rank; %d rank%s and %d core%s on the node\n", job->threads.threads,
               job->threads.ranks, job->threads.ranks == 1 ? "" : "s", job->threads.cores,
               job->threads.cores == 1 ? "" : "s");
    if (job->threads.note[0])
        printf("note      %s\n", job->threads.note);
    if (job->checked)
        printf("check     passed: %d random vectors, the worst row at %.2g of what rounding%s may do\n",
               job->verdict.vectors, job->verdict.worst, ashi_tiles_job_loses(job) ? " and what was left out" : "");
}

ashlar_status ashi_tiles_job_report(ashi_tiles_job *job, ashlar_error *err)
{
    const ashi_multiply_wishes *w = job->wish;
    ashlar_status status = ASHLAR_OK;
    if (w->stats || w->json)
        status = ashi_multiply_put_json(document(job), w, &job->stats, err);
    if (status == ASHLAR_OK && !w->json) {
        print_product(job);
        print_window(job);
        print_figures(job);
        if (w->device)
            ashi_device_report_print(&job->device);
        print_rest(job);
    }
    if (status == ASHLAR_OK && fflush(stdout) != 0)
        return ashi_fail(err, ASHLAR_ERR_IO, "the figures cannot be written to standard output");
    return status;
}
