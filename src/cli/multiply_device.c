/* What `ashlar multiply` says of devices: which, by which rule, and what went between them and the host. */
#include "cli/figures.h"
#include "cli/multiply.h"

#include <inttypes.h>
#include <stdio.h>

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

json_t *ashi_multiply_device_json(const ashi_multiply_job *job)
{
    const ashlar_device_figures *d = &job->device;
    if (!job->wish->device)
        return json_null();
    return json_pack("{s:s, s:o, s:o, s:o, s:I, s:o, s:o, s:I, s:I, s:I, s:I, s:s}", "name", job->wish->device,
                     "rank_0", text_or_null(d->name), "rule", text_or_null(d->rule), "warning",
                     text_or_null(d->warning), "ranks", (json_int_t)d->ranks, "predicted", predicted(d), "measured",
                     measured(d), "words_in", (json_int_t)d->measured_in_total, "words_out",
                     (json_int_t)d->measured_out_total, "memory_words", (json_int_t)d->measured_memory_words,
                     "host_products", (json_int_t)d->measured_host_products, "failure", d->failure ? d->failure : "");
}

static void print_row(const char *what, int64_t predicted_words, int64_t found)
{
    printf("  %-24s %18" PRId64 " %18" PRId64 "\n", what, predicted_words, found);
}

/* Who multiplies, and what both ways are predicted to take. */
static void print_choice(const ashi_multiply_job *job)
{
    const ashlar_device_figures *d = &job->device;
    if (d->ranks > 0)
        printf("products  on the devices of %" PRId64 " of %d ranks", d->ranks, job->context->ranks);
    else
        printf("products  on the host");
    printf(": predicted are %s on devices", ashi_figure_seconds(d->seconds).text);
    printf(" and %s on the host alone\n", ashi_figure_seconds(d->host_seconds).text);
}

void ashi_multiply_print_device(const ashi_multiply_job *job)
{
    const ashlar_device_figures *d = &job->device;
    printf("device    %s on rank 0: %s\n", d->name ? d->name : "none", d->rule ? d->rule : "none is wanted");
    if (d->warning)
        printf("warning   %s\n", d->warning);
    if (d->host_seconds > 0) {
        print_choice(job);
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
