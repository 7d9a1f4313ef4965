/* The inputs of `ashlar multiply`: opened and compared, then read, by each rank what it owns. */
#include "base/checked.h"
#include "base/error.h"
#include "base/type.h"
#include "cli/multiply.h"
#include "cli/progress.h"
#include "exec/kernels.h"
#include "exec/transport.h"
#include "store/chunked.h"
#include "store/tiles.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const char *const names[3] = {"A", "B", "C0"};
static const int64_t piece_bytes = 16 << 20;

ashlar_status ashi_multiply_agree(const ashi_multiply_job *job, ashlar_status mine, ashlar_error *err)
{
    int failed = mine != ASHLAR_OK, all = 0;
    const ashlar_status status = ashi_mpi(
        MPI_Allreduce(&failed, &all, 1, MPI_INT, MPI_SUM, job->context->comm), "MPI_Allreduce", err);
    if (status != ASHLAR_OK || all == 0)
        return status;
    if (failed && all < job->context->ranks) {
        char text[ASHLAR_MESSAGE_MAX];
        memcpy(text, err->text, sizeof text);
        ashi_fail(err, mine, "rank %d: %.*s", job->context->rank, (int)sizeof text - 24, text);
    }
    return ashi_agree(job->context, mine, err);
}

/* Where the ranks of several nodes see different files under one name. */
static ashlar_status compare_infos(ashi_multiply_job *job, ashlar_error *err)
{
    ashi_shared shared[12];
    for (int x = 0; x < 3; x++) {
        const ashi_store_info *i = &job->info[x];
        shared[4 * x] = (ashi_shared){job->wish->input[x], i->rows};
        shared[4 * x + 1] = (ashi_shared){job->wish->input[x], i->cols};
        shared[4 * x + 2] = (ashi_shared){job->wish->input[x], (int64_t)i->type};
        shared[4 * x + 3] = (ashi_shared){job->wish->input[x], job->in[x] ? ashi_store_packed(job->in[x]).bytes : 0};
    }
    return ashi_same(job->context, "multiply", shared, job->wish->input[2] ? 12 : 8, err);
}

static ashlar_status check_types(const ashi_multiply_job *job, ashlar_error *err)
{
    const ashi_type *first = ashi_type_of(job->info[0].type);
    for (int x = 1; x < 3; x++) {
        if (!job->wish->input[x] || job->info[x].type == job->info[0].type)
            continue;
        return ashi_fail(err, ASHLAR_ERR_ARG, "A is of type %c (%s) and %s of type %c (%s), wanted one type",
                         first->letter, first->name, names[x], ashi_type_of(job->info[x].type)->letter,
                         ashi_type_of(job->info[x].type)->name);
    }
    return ASHLAR_OK;
}

static ashlar_status check_shapes(ashi_multiply_job *job, ashlar_error *err)
{
    static const char letter[] = "NTC";
    const ashi_store_info *a = &job->info[0], *b = &job->info[1], *c = &job->info[2];
    ashlar_problem *p = &job->problem;
    const ashlar_op *op = job->wish->op;
    *p = (ashlar_problem){.type = a->type, .op_a = op[0], .op_b = op[1]};
    p->m = op[0] == ASHLAR_OP_N ? a->rows : a->cols;
    p->k = op[0] == ASHLAR_OP_N ? a->cols : a->rows;
    p->n = op[1] == ASHLAR_OP_N ? b->cols : b->rows;
    if (p->k != (op[1] == ASHLAR_OP_N ? b->rows : b->cols))
        return ashi_fail(err, ASHLAR_ERR_ARG,
                         "inner dimensions differ: A is %" PRId64 " x %" PRId64 " with op %c, B is %" PRId64
                         " x %" PRId64 " with op %c", a->rows, a->cols, letter[op[0]], b->rows, b->cols, letter[op[1]]);
    if (job->wish->input[2] && (c->rows != p->m || c->cols != p->n))
        return ashi_fail(err, ASHLAR_ERR_ARG, "C0 is %" PRId64 " x %" PRId64 ", wanted the product's %" PRId64 " x %"
                         PRId64, c->rows, c->cols, p->m, p->n);
    return ASHLAR_OK;
}

/* A rank without a single product has nothing to do. */
static ashlar_status check_ranks(const ashi_multiply_job *job, ashlar_error *err)
{
    const ashlar_problem *p = &job->problem;
    int64_t products = 0;
    if (!ashi_mul(p->m, p->n, &products) || !ashi_mul(products, p->k, &products))
        return ASHLAR_OK;
    if (products > 0 && products < job->context->ranks)
        return ashi_fail(err, ASHLAR_ERR_ARG, "%d ranks for %" PRId64 " products: start at most %" PRId64,
                         job->context->ranks, products, products);
    return ASHLAR_OK;
}

static ashlar_status check_memory(const ashi_multiply_job *job, ashlar_error *err)
{
    const int64_t word = (int64_t)ashlar_type_bytes(job->info[0].type), limit = job->wish->memory_bytes;
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

ashlar_status ashi_multiply_open(ashi_multiply_job *job, ashlar_error *err)
{
    ashlar_status status = ASHLAR_OK;
    for (int x = 0; x < 3 && status == ASHLAR_OK; x++)
        if (job->wish->input[x])
            status = ashi_store_open(job->wish->input[x], &job->in[x], &job->info[x], err);
    status = ashi_multiply_agree(job, status, err);
    if (status == ASHLAR_OK)
        status = compare_infos(job, err);
    if (status == ASHLAR_OK)
        status = check_types(job, err);
    if (status == ASHLAR_OK)
        status = check_memory(job, err);
    if (status == ASHLAR_OK)
        status = take_scalars(job, err);
    if (status == ASHLAR_OK)
        status = check_shapes(job, err);
    if (status == ASHLAR_OK)
        status = check_ranks(job, err);
    if (status != ASHLAR_OK)
        return status;
    const ashlar_problem *p = &job->problem;
    job->info[2] = (ashi_store_info){p->type, p->m, p->n, job->info[0].order};
    return ASHLAR_OK;
}

static ashlar_status allocate(ashi_multiply_job *job, ashlar_error *err)
{
    for (int x = 0; x < 3; x++) {
        const ashlar_layout *layout = ashlar_plan_layout(job->plan, (ashlar_operand)x);
        int64_t bytes = 0;
        if (!ashi_mul(ashlar_layout_extent(layout, job->context->rank), (int64_t)ashlar_type_bytes(job->problem.type),
                      &bytes))
            return ashi_fail(err, ASHLAR_ERR_OVERFLOW, "this rank's part of %s is too large", names[x]);
        job->data[x] = bytes > 0 ? malloc((size_t)bytes) : NULL;
        if (bytes > 0 && !job->data[x])
            return ashi_fail_memory(err, names[x], bytes);
    }
    return ASHLAR_OK;
}

/* A tile, in pieces small enough for the progress to be seen. */
static ashlar_status read_tile(const ashi_multiply_job *job, int x, const ashi_tile *t, ashi_progress *progress,
                               ashlar_error *err)
{
    const int64_t bytes = (int64_t)ashlar_type_bytes(job->problem.type);
    ashi_bands bands = ashi_bands_of(t->rows, t->cols, ashi_store_order(job->in[x]), piece_bytes / bytes);
    ashlar_status status = ASHLAR_OK;
    for (ashi_file_box b; status == ASHLAR_OK && ashi_bands_next(&bands, &b);) {
        const int64_t at = t->offset + b.row * t->row_stride + b.col * t->col_stride;
        status = ashi_store_read(job->in[x], t->row + b.row, b.rows, t->col + b.col, b.cols,
                                 (char *)job->data[x] + at * bytes, t->row_stride, t->col_stride, err);
        ashi_progress_add(progress, b.rows * b.cols);
    }
    return status;
}

/* A tile, chunk by chunk if the file is packed in chunks. */
static ashlar_status read_cells(const ashi_multiply_job *job, int x, const ashi_tile *t, ashi_progress *progress,
                                ashlar_error *err)
{
    const ashi_store_chunks chunks = ashi_store_packed(job->in[x]);
    const ashi_file_box box = {t->row, t->rows, t->col, t->cols};
    if (chunks.bytes == 0)
        return read_tile(job, x, t, progress, err);
    ashi_chunked cells = ashi_chunked_of(&box, chunks.rows, chunks.cols,
                                         piece_bytes / (int64_t)ashlar_type_bytes(job->problem.type));
    ashlar_status status = ASHLAR_OK;
    for (ashi_file_box c; status == ASHLAR_OK && ashi_chunked_next(&cells, &c);) {
        const ashi_tile part = {t->owner, c.row, c.rows, c.col, c.cols,
                                t->offset + (c.row - t->row) * t->row_stride + (c.col - t->col) * t->col_stride,
                                t->row_stride, t->col_stride};
        status = read_tile(job, x, &part, progress, err);
    }
    return status;
}

/* One matrix's tiles of this rank, in the order in which its file is fast. */
static ashlar_status read_part(const ashi_multiply_job *job, int x, ashi_progress *progress, ashlar_error *err)
{
    const ashlar_layout *layout = ashlar_plan_layout(job->plan, (ashlar_operand)x);
    const ashi_file_box whole = {0, layout->row.size, 0, layout->col.size};
    ashi_tiles tiles = ashi_tiles_of(layout, job->context->rank, whole, ashi_store_order(job->in[x]));
    ashlar_status status = ASHLAR_OK;
    for (ashi_tile t; status == ASHLAR_OK && ashi_tiles_next(&tiles, &t);)
        status = read_cells(job, x, &t, progress, err);
    return status;
}

ashlar_status ashi_multiply_read(ashi_multiply_job *job, ashlar_error *err)
{
    const bool wanted[3] = {true, true, job->in[2] && !ashi_kernels_of(job->problem.type)->is_zero(job->beta)};
    ashlar_status status = ashi_multiply_agree(job, allocate(job, err), err);
    if (status != ASHLAR_OK)
        return status;
    int64_t words = 0;
    for (int x = 0; x < 3; x++)
        words += wanted[x] ? ashlar_layout_words(ashlar_plan_layout(job->plan, (ashlar_operand)x), job->context->rank)
                           : 0;
    ashi_progress progress = ashi_progress_start("reading", words, job->loud);
    for (int x = 0; x < 3; x++) {
        if (wanted[x] && status == ASHLAR_OK)
            status = read_part(job, x, &progress, err);
        ashi_store_close(&job->in[x], NULL); /* at once: the next one may need the memory to unpack */
    }
    ashi_progress_end(&progress);
    return ashi_multiply_agree(job, status, err);
}
