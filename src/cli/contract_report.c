/* What `ashlar contract` says of a run: plan, prediction and measurement, as a table and as JSON. */
#include "base/checked.h"
#include "base/error.h"
#include "base/type.h"
#include "cli/contract.h"
#include "cli/grid_text.h"
#include "cli/report.h"
#include "contract/filed.h"
#include "contract/tensor_file.h"
#include "plan/context.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

static double flops_of(const ashi_contract_job *job)
{
    return ashi_type_of(job->type)->flops * job->why.multiply_adds;
}

/* Nothing is multiplied if alpha is 0. */
static bool multiplies(const ashi_contract_job *job)
{
    static const unsigned char zero[16] = {0};
    return memcmp(job->alpha, zero, ashlar_type_bytes(job->type)) != 0;
}

/* The extents by their indices. */
static json_t *indices(const ashi_contract_job *job)
{
    json_t *all = json_object();
    for (int i = 0; all && i < job->expression.indices; i++) {
        const char letter[2] = {job->expression.name[i], '\0'};
        json_object_set_new(all, letter, json_integer((json_int_t)job->expression.extent[i]));
    }
    return all;
}

/* With what goes to and comes from files in bytes. */
static json_t *figures(const ashi_contract_job *job, const ashlar_figures *f)
{
    json_t *all = ashi_multiply_figures_json(f);
    const int64_t bytes = ashi_mul_most(f->disk_words, (int64_t)ashlar_type_bytes(job->type));
    if (all && (json_object_set_new(all, "disk_bytes", json_integer((json_int_t)bytes)) != 0 ||
                json_object_set_new(all, "resumed", json_real(f->resumed)) != 0)) {
        json_decref(all);
        all = NULL;
    }
    return all;
}

static json_t *document(const ashi_contract_job *job)
{
    const char letter[2] = {ashi_type_of(job->type)->letter, '\0'};
    const int64_t limit = job->wish->memory_bytes / (int64_t)ashlar_type_bytes(job->type);
    const int64_t products = ashi_contract_filed_products(job->plan);
    return json_pack(
        "{s:i, s:{s:s, s:o, s:s, s:i, s:o}, s:{s:s, s:I, s:f}, s:o, s:o, s:o, s:{s:f, s:f, s:f},"
        " s:{s:i, s:i, s:i, s:s}, s:o}",
        "schema", 1, "problem", "expression", job->text, "indices", indices(job), "type", letter, "ranks",
        job->context->ranks, "memory_words", ashi_json_limit(limit), "plan", "text", job->why.text, "products",
        (json_int_t)products, "multiply_adds", job->why.multiply_adds, "predicted", figures(job, &job->predicted),
        "measured", figures(job, &job->measured), "check", ashi_multiply_check_json(job->wish->check, &job->verdict),
        "seconds", "planning", job->took.planning, "reading", job->took.reading, "writing", job->took.writing,
        "threads", "a_rank", job->threads.threads, "ranks", job->threads.ranks, "cores", job->threads.cores, "note",
        job->threads.note, "device", ashi_device_report_json(&job->device));
}

static void print_text(const ashi_contract_job *job)
{
    printf("problem   %c %s   %.4g Gflop on %d rank%s\n", ashi_type_of(job->type)->letter, job->text,
           flops_of(job) * 1e-9, job->context->ranks, job->context->ranks == 1 ? "" : "s");
    printf("plan      %s", job->why.text);
    ashi_multiply_print_figures(&job->predicted, &job->measured, job->type, multiplies(job) ? flops_of(job) : 0);
    printf("seconds   planning %.3g, reading %.3g, writing %.3g\n", job->took.planning, job->took.reading,
           job->took.writing);
    printf("machine   %s\n", job->wish->machine);
    if (job->out->file->added)
        printf("resumed   nothing was to be done: an earlier run has added this\n");
    else if (job->measured.resumed > 0)
        printf("resumed   %.4g %% of the product was finished before\n", 100 * job->measured.resumed);
    else if (job->wish->resume)
        printf("resumed   nothing was finished before: the product was formed from its beginning\n");
    if (job->wish->device)
        ashi_device_report_print(&job->device);
    if (job->threads.note[0])
        printf("note      %s\n", job->threads.note);
    if (job->wish->check && !job->out->file->added)
        printf("check     passed: %d random vectors, the worst row at %.2g of what rounding may do\n",
               job->verdict.vectors, job->verdict.worst);
}

ashlar_status ashi_contract_print_run(ashi_contract_job *job, ashlar_error *err)
{
    ashlar_status status = ASHLAR_OK;
    if (job->wish->stats || job->wish->json)
        status = ashi_multiply_put_json(document(job), job->wish, &job->stats, err);
    if (status == ASHLAR_OK && !job->wish->json)
        print_text(job);
    if (status == ASHLAR_OK && fflush(stdout) != 0)
        return ashi_fail(err, ASHLAR_ERR_IO, "the figures cannot be written to standard output");
    return status;
}
