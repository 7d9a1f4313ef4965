/* What commands say of devices: which, by which rule, and what went between them and the host. */
#include "cli/device_report.h"

#include "base/error.h"
#include "cli/figures.h"
#include "exec/gpu_aware.h"
#include "exec/mpi.h"
#include "plan/context.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* ---- the devices of all ranks ---- */

ashlar_status ashi_device_report_gather(const ashlar_context *c, ashi_device_report *report, ashlar_error *err)
{
    char own[ASHI_DEVICE_NAME] = "";
    ashlar_status status = ASHLAR_OK;
    report->ranks = c->ranks;
    if (c->rank == 0)
        report->name_of = calloc((size_t)c->ranks, sizeof *report->name_of);
    if (c->rank == 0 && !report->name_of)
        status = ashi_fail_memory(err, "device", c->ranks * (int64_t)sizeof *report->name_of);
    status = ashi_agree(c, status, err);
    if (status != ASHLAR_OK)
        return status;
    if (report->figures.name)
        snprintf(own, sizeof own, "%s", report->figures.name);
    status = ashi_mpi(MPI_Gather(own, ASHI_DEVICE_NAME, MPI_CHAR, report->name_of, ASHI_DEVICE_NAME, MPI_CHAR, 0,
                                 c->comm), "MPI_Gather", err);
    return ashi_agree(c, status, err);
}

void ashi_device_report_free(ashi_device_report *report)
{
    free(report->name_of);
    report->name_of = NULL;
}

/* The first rank after `rank` that has another device. */
static int end_of_run(const ashi_device_report *report, int rank)
{
    int end = rank + 1;
    while (end < report->ranks && strcmp(report->name_of[end], report->name_of[rank]) == 0)
        end++;
    return end;
}

/* Neighbours in the list have different devices. */
static json_t *json_of_ranks(const ashi_device_report *report)
{
    json_t *list = json_array();
    for (int rank = 0, end; rank < report->ranks; rank = end) {
        end = end_of_run(report, rank);
        const char *name = report->name_of[rank];
        json_array_append_new(list, json_pack("{s:i, s:i, s:o}", "first", rank, "last", end - 1, "name",
                                              name[0] ? json_string(name) : json_null()));
    }
    return list;
}

static const char *name_of(const ashi_device_report *report, int rank)
{
    return report->name_of[rank][0] ? report->name_of[rank] : "none";
}

/* "ranks 0-3: cuda:0, ranks 4-7: cuda:1". */
static void print_runs(const ashi_device_report *report)
{
    for (int rank = 0, end; rank < report->ranks; rank = end) {
        end = end_of_run(report, rank);
        printf("%s", rank > 0 ? ", " : "");
        if (end - rank == 1)
            printf("rank %d: %s", rank, name_of(report, rank));
        else
            printf("ranks %d-%d: %s", rank, end - 1, name_of(report, rank));
    }
}

/* "cuda:0 on 64 ranks, cuda:1 on 64 ranks". */
static void print_counts(const ashi_device_report *report)
{
    const int ranks = report->ranks;
    for (int rank = 0; rank < ranks; rank++) {
        int before = 0, count = 0;
        for (int other = 0; other < ranks; other++) {
            const bool same = strcmp(report->name_of[other], report->name_of[rank]) == 0;
            before += same && other < rank;
            count += same;
        }
        if (before == 0)
            printf("%s%s on %d rank%s", rank > 0 ? ", " : "", name_of(report, rank), count, count == 1 ? "" : "s");
    }
}

static json_t *json_of_mpi(void)
{
    const ashi_gpu_aware answer = ashi_mpi_gpu_aware();
    return answer == ASHI_GPU_AWARE_UNKNOWN ? json_null() : json_boolean(answer == ASHI_GPU_AWARE_YES);
}

/* In a line that can be read: which ranks, or only how many of them, have which device. */
static void print_devices(const ashi_device_report *report)
{
    enum { RUNS_MOST = 8 };
    int runs = 0;
    for (int rank = 0; rank < report->ranks; rank = end_of_run(report, rank))
        runs++;
    printf("device    ");
    if (runs <= RUNS_MOST)
        print_runs(report);
    else
        print_counts(report);
    printf("\nrule      of rank 0: %s\n", report->figures.rule ? report->figures.rule : "none is wanted");
}

/* ---- figures ---- */

static json_t *text_or_null(const char *text)
{
    return text ? json_string(text) : json_null();
}

static json_t *predicted(const ashlar_device_figures *d)
{
    return json_pack("{s:I, s:I, s:I, s:I, s:I, s:f, s:f}", "words_in_max", (json_int_t)d->words_in_max,
                     "words_in_total", (json_int_t)d->words_in_total, "words_out_max", (json_int_t)d->words_out_max,
                     "words_out_total", (json_int_t)d->words_out_total, "memory_words", (json_int_t)d->memory_words,
                     "seconds", d->seconds, "host_seconds", d->host_seconds);
}

static json_t *measured(const ashlar_device_figures *d)
{
    return json_pack("{s:I, s:I, s:I, s:I, s:I, s:I}", "words_in_max", (json_int_t)d->measured_in_max,
                     "words_in_total", (json_int_t)d->measured_in_total, "words_out_max",
                     (json_int_t)d->measured_out_max, "words_out_total", (json_int_t)d->measured_out_total,
                     "memory_words", (json_int_t)d->measured_memory_words, "host_products",
                     (json_int_t)d->measured_host_products);
}

json_t *ashi_device_report_json(const ashi_device_report *report)
{
    const ashlar_device_figures *d = &report->figures;
    if (!report->wanted)
        return json_null();
    return json_pack("{s:s, s:o, s:o, s:o, s:o, s:I, s:o, s:o, s:I, s:I, s:I, s:I, s:s, s:o}", "name", report->wanted,
                     "rank_0", text_or_null(d->name), "on_ranks", json_of_ranks(report), "rule", text_or_null(d->rule),
                     "warning", text_or_null(d->warning), "ranks", (json_int_t)d->ranks, "predicted", predicted(d),
                     "measured", measured(d), "words_in", (json_int_t)d->measured_in_total, "words_out",
                     (json_int_t)d->measured_out_total, "memory_words", (json_int_t)d->measured_memory_words,
                     "host_products", (json_int_t)d->measured_host_products, "failure", d->failure ? d->failure : "",
                     "mpi_takes_device_memory", json_of_mpi());
}

static void print_row(const char *what, int64_t predicted_words, int64_t found)
{
    printf("  %-24s %18" PRId64 " %18" PRId64 "\n", what, predicted_words, found);
}

/* Who multiplies, and what both ways are predicted to take. */
static void print_choice(const ashi_device_report *report)
{
    const ashlar_device_figures *d = &report->figures;
    if (d->ranks > 0)
        printf("products  on the devices of %" PRId64 " of %d ranks", d->ranks, report->ranks);
    else
        printf("products  on the host");
    printf(": predicted are %s on devices", ashi_figure_seconds(d->seconds).text);
    printf(" and %s on the host alone\n", ashi_figure_seconds(d->host_seconds).text);
}

void ashi_device_report_print(const ashi_device_report *report)
{
    const ashlar_device_figures *d = &report->figures;
    print_devices(report);
    printf("messages  %s\n", ashi_gpu_aware_text(ashi_mpi_gpu_aware()));
    if (d->warning)
        printf("warning   %s\n", d->warning);
    if (d->host_seconds > 0) {
        print_choice(report);
        printf("  %-24s %18s %18s\n", "", "predicted", "measured");
        print_row("words in, busiest rank", d->words_in_max, d->measured_in_max);
        print_row("words in, total", d->words_in_total, d->measured_in_total);
        print_row("words out, busiest rank", d->words_out_max, d->measured_out_max);
        print_row("words out, total", d->words_out_total, d->measured_out_total);
        print_row("device words held", d->memory_words, d->measured_memory_words);
    }
    if (d->failure)
        printf("note      a device failed, and the host did %" PRId64 " multiply-adds: %s\n",
               d->measured_host_products, d->failure);
}
