/* The files of `ashlar multiply`: inputs opened and compared, outputs begun. */
#include "base/checked.h"
#include "base/error.h"
#include "base/type.h"
#include "cli/multiply.h"
#include "kernel/kernels.h"
#include "plan/context.h"
#include "plan/files.h"

#include <inttypes.h>

static const char *const names[3] = {"A", "B", "C0"};

ashlar_status ashi_multiply_check_types(const ashi_multiply_wishes *wish, const ashlar_file_info info[3],
                                        ashlar_error *err)
{
    const ashi_type *first = ashi_type_of(info[0].type);
    for (int x = 1; x < 3; x++) {
        if (!wish->input[x] || info[x].type == info[0].type)
            continue;
        return ashi_fail(err, ASHLAR_ERR_ARG, "A is of type %c (%s) and %s of type %c (%s), wanted one type",
                         first->letter, first->name, names[x], ashi_type_of(info[x].type)->letter,
                         ashi_type_of(info[x].type)->name);
    }
    return ASHLAR_OK;
}

ashlar_status ashi_multiply_check_shapes(const ashi_multiply_wishes *wish, const ashlar_file_info info[3],
                                         int64_t size[3], ashlar_error *err)
{
    static const char letter[] = "NTC";
    const ashlar_file_info *a = &info[0], *b = &info[1], *c = &info[2];
    const ashlar_op *op = wish->op;
    size[0] = op[0] == ASHLAR_OP_N ? a->rows : a->cols;
    size[2] = op[0] == ASHLAR_OP_N ? a->cols : a->rows;
    size[1] = op[1] == ASHLAR_OP_N ? b->cols : b->rows;
    if (size[2] != (op[1] == ASHLAR_OP_N ? b->rows : b->cols))
        return ashi_fail(err, ASHLAR_ERR_ARG,
                         "inner dimensions differ: A is %" PRId64 " x %" PRId64 " with op %c, B is %" PRId64
                         " x %" PRId64 " with op %c", a->rows, a->cols, letter[op[0]], b->rows, b->cols, letter[op[1]]);
    if (wish->input[2] && (c->rows != size[0] || c->cols != size[1]))
        return ashi_fail(err, ASHLAR_ERR_ARG, "C0 is %" PRId64 " x %" PRId64 ", wanted the product's %" PRId64 " x %"
                         PRId64, c->rows, c->cols, size[0], size[1]);
    return ASHLAR_OK;
}

/* A rank without a single product has nothing to do. */
static ashlar_status check_ranks(const ashi_multiply_job *job, ashlar_error *err)
{
    const int64_t *size = job->size;
    int64_t products = 0;
    if (!ashi_mul(size[0], size[1], &products) || !ashi_mul(products, size[2], &products))
        return ASHLAR_OK;
    if (products > 0 && products < job->context->ranks)
        return ashi_fail(err, ASHLAR_ERR_ARG, "%d ranks for %" PRId64 " products: start at most %" PRId64,
                         job->context->ranks, products, products);
    return ASHLAR_OK;
}

ashlar_status ashi_multiply_check_memory(const ashi_multiply_wishes *wish, ashlar_type type, ashlar_error *err)
{
    const int64_t word = (int64_t)ashlar_type_bytes(type), limit = wish->memory_bytes;
    if (limit > 0 && limit < word)
        return ashi_fail(err, ASHLAR_ERR_ARG, "--memory is less than one word of %" PRId64 " bytes", word);
    return ASHLAR_OK;
}

static ashlar_status take_scalars(ashi_multiply_job *job, ashlar_error *err)
{
    const ashlar_type type = job->info[0].type;
    const ashlar_status status = ashi_scalar_text_element(&job->wish->alpha, type, job->alpha, err);
    return status == ASHLAR_OK ? ashi_scalar_text_element(&job->wish->beta, type, job->beta, err) : status;
}

bool ashi_multiply_is_trivial(const ashi_multiply_job *job)
{
    const int64_t *size = job->size;
    return size[0] == 0 || size[1] == 0 || size[2] == 0 || ashi_kernels_of(job->info[0].type)->is_zero(job->alpha);
}

/* Whether 16-bit numbers of A and B are read as they are. */
static bool stay_narrow(const ashi_multiply_job *job)
{
    return job->in[0]->info.half && job->in[1]->info.half;
}

/* Without products neither A nor B is named, and with beta = 0 no C0, so that the plan reads none of them. */
static void settle_problem(ashi_multiply_job *job)
{
    const bool trivial = ashi_multiply_is_trivial(job);
    const ashlar_type type = !trivial && stay_narrow(job) ? ASHLAR_TYPE_H : job->info[0].type;
    job->problem = (ashlar_problem){
        .size = sizeof job->problem, .type = type, .op_a = job->wish->op[0], .op_b = job->wish->op[1],
        .m = job->size[0], .n = job->size[1], .k = trivial ? 0 : job->size[2],
        .a_file = trivial ? NULL : job->in[0], .b_file = trivial ? NULL : job->in[1],
        .c0_file = ashi_kernels_of(type)->is_zero(job->beta) ? NULL : job->in[2]};
}

ashlar_status ashi_multiply_open(ashi_multiply_job *job, ashlar_error *err)
{
    ashlar_status status = ASHLAR_OK;
    for (int x = 0; x < 3 && status == ASHLAR_OK; x++) {
        if (!job->wish->input[x])
            continue;
        status = ashlar_file_open(job->context, job->wish->input[x], &job->in[x], err);
        if (status == ASHLAR_OK)
            status = ashlar_file_describe(job->in[x], &job->info[x], err);
    }
    if (status == ASHLAR_OK)
        status = ashi_multiply_check_types(job->wish, job->info, err);
    if (status == ASHLAR_OK)
        status = ashi_multiply_check_memory(job->wish, job->info[0].type, err);
    if (status == ASHLAR_OK)
        status = take_scalars(job, err);
    if (status == ASHLAR_OK)
        status = ashi_multiply_check_shapes(job->wish, job->info, job->size, err);
    if (status == ASHLAR_OK)
        status = check_ranks(job, err);
    if (status == ASHLAR_OK)
        settle_problem(job);
    return status;
}

ashlar_status ashi_multiply_begin_file(const char *path, ashi_output *out, bool *begun, ashlar_error *err)
{
    const ashlar_status status = path ? ashi_output_create(path, out, err) : ASHLAR_OK;
    *begun = path && status == ASHLAR_OK;
    return status;
}

ashlar_status ashi_multiply_begin_output(ashi_multiply_job *job, ashlar_error *err)
{
    ashlar_status (*const begin)(ashlar_context *, const char *, ashlar_type, int64_t, int64_t, ashlar_order,
                                 ashlar_file **, ashlar_error *) =
        job->wish->resume ? ashlar_file_resume : ashlar_file_create;
    ashlar_status status = begin(job->context, job->wish->output, job->info[0].type, job->size[0], job->size[1],
                                 job->info[0].order, &job->out, err);
    if (status != ASHLAR_OK)
        return status;
    job->problem.c_file = job->out;
    if (job->context->rank == 0)
        status = ashi_multiply_begin_file(job->wish->stats, &job->stats, &job->stats_begun, err);
    if (status == ASHLAR_OK && job->context->rank == 0)
        status = ashi_multiply_begin_file(job->wish->trace, &job->trace, &job->trace_begun, err);
    return ashi_agree(job->context, status, err);
}
