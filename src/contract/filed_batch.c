/* Batches of products of tensors in files, dealt out over ranks: each rank reads slabs of values, contracts them in its
 * memory and writes them. Every word is moved once, and nothing is sent. */
#include "contract/filed_batch.h"

#include "base/checked.h"
#include "base/error.h"
#include "base/type.h"
#include "contract/filed_check.h"

#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

static const char who[] = "ashlar_contraction_plan_create";

enum { SLAB_WORDS = 1 << 21, FAIR = 4 };

/* ---- which contractions ---- */

static int times_in(const ashi_index_list *list, int index)
{
    int times = 0;
    for (int d = 0; d < list->order; d++)
        times += list->index[d] == index;
    return times;
}

static bool is_batch(const ashlar_contraction_plan *plan, int index)
{
    bool all = true;
    for (int x = 0; x <= ASHLAR_C; x++)
        all = all && times_in(ashi_batch_list(plan, x), index) == 1;
    return all;
}

static int64_t values_of(const ashlar_contraction_plan *plan)
{
    int64_t values = 1;
    for (int i = 0; i < plan->expression.indices; i++)
        if (is_batch(plan, i))
            values = ashi_mul_most(values, plan->expression.extent[i]);
    return values;
}

/* A result that may be gone on with is recorded product by product, and products are what is checked. */
static bool serves(const ashlar_contraction_plan *plan)
{
    const ashi_expression *const e = &plan->expression;
    const int ranks = plan->context->ranks;
    if (e->operands != 2 || plan->context->checks_products)
        return false;
    for (int x = 0; x <= ASHLAR_C; x++) {
        const ashlar_tensor_file *const file = plan->tensor[x].file;
        if (!file || !file->file->store || file->file->resumes || ashi_store_packed(file->file->store).rows > 0)
            return false;
    }
    for (int i = 0; i < e->indices; i++)
        if (e->extent[i] == 0)
            return false;
    const int64_t values = values_of(plan);
    return values > 1 && (values >= (int64_t)FAIR * ranks || values % ranks == 0);
}

/* ---- slabs ---- */

/* Elements that follow one another in the file for one value of an index. */
static int64_t run_of(const ashlar_contraction_plan *plan, int index)
{
    int64_t least = INT64_MAX;
    for (int x = 0; x <= ASHLAR_C; x++) {
        const ashi_index_list *const list = ashi_batch_list(plan, x);
        int64_t run = 1;
        for (int d = list->order - 1; d >= 0 && list->index[d] != index; d--)
            run = ashi_mul_most(run, plan->expression.extent[list->index[d]]);
        least = ashi_min(least, run);
    }
    return least;
}

static void order_batch(const ashlar_contraction_plan *plan, ashi_filed_batch *b)
{
    for (int i = 0; i < plan->expression.indices; i++) {
        if (!is_batch(plan, i))
            continue;
        int at = b->count++;
        for (; at > 0 && run_of(plan, b->index[at - 1]) < run_of(plan, i); at--)
            b->index[at] = b->index[at - 1];
        b->index[at] = i;
    }
}

/* Words of A, B and C in a slab one value thick. */
static int64_t words_of(const ashlar_contraction_plan *plan, ashi_filed_batch *b)
{
    int64_t words = 0;
    b->thickness = 1;
    for (int x = 0; x <= ASHLAR_C; x++) {
        int64_t extent[ASHI_ORDER_MOST], all = 1;
        ashi_batch_extents(plan, b, x, 0, extent);
        for (int d = 0; d < ashi_batch_list(plan, x)->order; d++)
            all = ashi_mul_most(all, extent[d]);
        words = ashi_add_most(words, all);
    }
    return words;
}

/* The thickest slabs that are no larger than is useful, of which the limit has room for two; every rank has some. */
static bool cut(const ashlar_contraction_plan *plan, ashi_filed_batch *b)
{
    const int64_t limit = plan->memory_words > 0 ? plan->memory_words / ASHI_BATCH_BUFFERS : INT64_MAX;
    int64_t lines = 1;
    for (b->depth = 0; b->depth < b->count; b->depth++) {
        const int64_t extent = plan->expression.extent[b->index[b->depth]], words = words_of(plan, b);
        const int64_t fair = ashi_max(lines * extent / plan->context->ranks, 1);
        b->thickness = ashi_min(ashi_min(ashi_min(limit, SLAB_WORDS) / words, extent), fair);
        if (b->thickness == 0 && b->depth == b->count - 1 && words < limit)
            b->thickness = 1;
        if (b->thickness > 0)
            return true;
        lines *= extent;
    }
    return false;
}

static void deal(const ashlar_contraction_plan *plan, ashi_filed_batch *b)
{
    const int64_t rank = plan->context->rank, ranks = plan->context->ranks;
    b->per_line = ashi_ceil_div(plan->expression.extent[b->index[b->depth]], b->thickness);
    b->slabs = b->per_line;
    for (int i = 0; i < b->depth; i++)
        b->slabs *= plan->expression.extent[b->index[i]];
    b->first = b->slabs * rank / ranks;
    b->last = b->slabs * (rank + 1) / ranks;
}

/* ---- plans and views ---- */

/* What this rank contracts for a slab of that size. */
static ashlar_status plan_slab(const ashlar_contraction_plan *plan, ashi_filed_batch *b, int size,
                               ashlar_options options, ashlar_error *err)
{
    int64_t extent[ASHLAR_C + 1][ASHI_ORDER_MOST], words = 0;
    ashlar_tensor tensor[ASHLAR_C + 1];
    for (int x = 0; x <= ASHLAR_C; x++) {
        ashi_batch_extents(plan, b, x, size, extent[x]);
        tensor[x] = (ashlar_tensor){.size = sizeof tensor[x], .order = ashi_batch_list(plan, x)->order,
                                    .extent = extent[x], .conjugate = plan->tensor[x].conjugate};
        b->words[x][size] = 1;
        for (int d = 0; d < tensor[x].order; d++)
            b->words[x][size] *= extent[x][d];
        words += b->words[x][0];
    }
    b->words[ASHI_BATCH_C0][size] = b->words[ASHLAR_C][size];
    const ashlar_contraction what = {.size = sizeof what, .type = plan->type, .expression = plan->words,
                                     .operands = 2, .operand = tensor, .output = &tensor[ASHLAR_C]};
    options.memory_words = plan->memory_words > 0 ? plan->memory_words - words : 0;
    options.trusted = true;
    return plan->calls->create(b->context, &what, &options, &b->plan[size], err);
}

static ashlar_status see(const ashlar_contraction_plan *plan, ashi_filed_batch *b, int x, int size, ashlar_error *err)
{
    const ashlar_tensor_file *const file = b->file[x];
    const ashi_index_list *const list = ashi_batch_list(plan, x);
    ashi_unfolding view = {.order = file->file->info.dimensions};
    ashi_store_info info;
    int64_t extent[ASHI_ORDER_MOST];
    ashi_batch_extents(plan, b, x, size, extent);
    memcpy(view.from, file->from, (size_t)view.order * sizeof *view.from);
    view.side[1].count = list->order;
    for (int d = 0; d < list->order; d++)
        view.side[1].index[list->order - 1 - d] =
            (ashi_unfolding_index){extent[d], UINT64_C(1) << file->dimension[d], 1};
    return ashi_store_view(file->file->store, &view, &b->view[x][size], &info, err);
}

/* What this rank does alone. Local. */
static ashlar_status prepare(ashlar_contraction_plan *plan, ashi_filed_batch *b, const ashi_options_taken *how,
                             ashlar_error *err)
{
    const size_t bytes = ashlar_type_bytes(plan->type);
    const int sizes = plan->expression.extent[b->index[b->depth]] % b->thickness > 0 ? ASHI_BATCH_SIZES : 1;
    int64_t workspace = 0;
    ashlar_status status = ashlar_context_create(MPI_COMM_SELF, &b->context, err);
    if (status == ASHLAR_OK) {
        ashi_context_lend_device(plan->context, b->context);
        (void)ashi_contract_begin_new(b->context, !plan->output0);
    }
    for (int s = 0; s < sizes && status == ASHLAR_OK; s++) {
        status = plan_slab(plan, b, s, how->options, err);
        for (int x = 0; x < ASHI_BATCH_TENSORS && status == ASHLAR_OK; x++)
            status = b->file[x] ? see(plan, b, x, s, err) : ASHLAR_OK;
        workspace += status == ASHLAR_OK ? b->plan[s]->report.workspace_words : 0;
    }
    b->memory = workspace;
    for (int i = 0; i < ASHI_BATCH_BUFFERS && status == ASHLAR_OK; i++)
        for (int x = 0; x <= ASHLAR_C && status == ASHLAR_OK; x++) {
            b->memory += b->words[x][0];
            b->buffer[i][x] = malloc((size_t)b->words[x][0] * bytes);
            if (!b->buffer[i][x])
                status = ashi_fail_memory(err, "a slab of a tensor", b->words[x][0] * (int64_t)bytes);
        }
    b->beside = true;
    for (int x = 0; x < ASHI_BATCH_TENSORS; x++)
        b->beside = b->beside && !(b->file[x] && ashi_store_is_made(b->file[x]->file->store));
    if (status == ASHLAR_OK && plan->memory_words > 0 && b->memory > plan->memory_words)
        status = ASHLAR_ERR_LIMIT;
    return status;
}

static void forget(ashi_filed_batch *b)
{
    for (int s = 0; s < ASHI_BATCH_SIZES; s++) {
        if (b->plan[s])
            b->plan[s]->calls->free(&b->plan[s]);
        for (int x = 0; x < ASHI_BATCH_TENSORS; x++)
            ashi_store_close(&b->view[x][s], NULL);
    }
    for (int i = 0; i < ASHI_BATCH_BUFFERS; i++)
        for (int x = 0; x <= ASHLAR_C; x++) {
            free(b->buffer[i][x]);
            b->buffer[i][x] = NULL;
        }
    ashlar_context_free(&b->context);
}

/* ---- the kind ---- */

static ashlar_status report(ashlar_contraction_plan *plan, ashi_filed_batch *b, const ashi_options_taken *how,
                            ashlar_error *err)
{
    const ashlar_contraction_plan *const p = b->plan[0];
    const int ranks = plan->context->ranks;
    const double rate = how->machine.disk_bandwidth / (double)ashlar_type_bytes(plan->type) * ranks;
    int64_t words = 0;
    double multiply_adds = 1;
    for (int x = 0; x < ASHI_BATCH_TENSORS; x++)
        if (b->file[x]) {
            const ashi_index_list *const list = ashi_batch_list(plan, x);
            words = ashi_add_most(words, ashi_expression_words(&plan->expression, list));
        }
    for (int i = 0; i < plan->expression.indices; i++)
        multiply_adds *= (double)plan->expression.extent[i];
    plan->products = values_of(plan);
    plan->report = (ashlar_contraction_explanation){
        .steps = 1, .multiply_adds = multiply_adds, .workspace_words = b->memory,
        .bound_case = "the tensors are in files: nothing need be received"};
    const double contracting = p->predicted.seconds * (double)ashi_ceil_div(b->slabs, ranks);
    plan->predicted = (ashlar_figures){.disk_words = words,
                                       .seconds = fmax((double)words / rate, contracting)};
    plan->predicted.memory_words = ashi_contract_join(plan, &plan->planned, b->memory, 0).memory_words;
    return ashi_contract_say(
        plan, err, "1. %s: %" PRId64 " products in %" PRId64 " slabs of at most %" PRId64 " values of index '%c': each "
        "rank reads, contracts and writes its own\n", plan->words, plan->products, b->slabs, b->thickness,
        plan->expression.name[b->index[b->depth]]);
}

/* As one product after the other, by all ranks. */
static ashlar_status make_products(ashlar_contraction_plan *plan, const ashi_options_taken *how, ashlar_error *err)
{
    plan->kind->free(plan);
    plan->kind = &ashi_contract_filed;
    return plan->kind->make(plan, how, err);
}

static ashlar_status check(const ashlar_contraction_plan *plan, ashlar_error *err)
{
    ashlar_status status = ASHLAR_OK;
    for (int x = 0; x <= ASHLAR_C && status == ASHLAR_OK; x++)
        status = ashi_filed_tensor_check(plan, plan->tensor[x].file, x, err);
    if (status == ASHLAR_OK && plan->output0)
        status = ashi_filed_tensor_check(plan, plan->output0, ASHLAR_C + 1, err);
    return status;
}

static ashlar_status make(ashlar_contraction_plan *plan, const ashi_options_taken *how, ashlar_error *err)
{
    ashi_filed_batch *const b = calloc(1, sizeof *b);
    plan->made = b;
    ashlar_status status = b ? check(plan, err) : ashi_fail_memory(err, who, (int64_t)sizeof *b);
    status = ashi_agree_named(plan->context, status, err);
    if (status != ASHLAR_OK)
        return status;
    for (int x = 0; x <= ASHLAR_C; x++)
        b->file[x] = plan->tensor[x].file;
    b->file[ASHI_BATCH_C0] = plan->output0;
    order_batch(plan, b);
    if (ashi_options_prescribe(&how->options) || !cut(plan, b))
        return make_products(plan, how, err);
    for (;;) {
        deal(plan, b);
        status = ashi_agree_named(plan->context, prepare(plan, b, how, err), err);
        if (status != ASHLAR_ERR_LIMIT)
            break;
        forget(b);
        if (b->thickness == 1)
            return make_products(plan, how, err);
        b->thickness = ashi_max(b->thickness * 3 / 4, 1);
    }
    return status == ASHLAR_OK ? report(plan, b, how, err) : status;
}

static void free_made(ashlar_contraction_plan *plan)
{
    if (plan->made)
        forget(plan->made);
    free(plan->made);
    plan->made = NULL;
}

static ashlar_status measured(ashlar_contraction_plan *plan, ashlar_figures *out, ashlar_error *err)
{
    const ashi_filed_batch *const b = plan->made;
    const MPI_Comm comm = plan->context->comm;
    const int64_t mine = b->read + b->written;
    int64_t all = mine;
    ashi_note(plan->context, MPI_Allreduce(&mine, &all, 1, MPI_INT64_T, MPI_SUM, comm), "MPI_Allreduce");
    *out = ashi_contract_join(plan, &plan->done, b->memory, b->seconds);
    out->disk_words = all;
    return ashi_conclude(plan->context, ASHLAR_OK, err);
}

static ashi_on_device on_device(const ashlar_contraction_plan *plan)
{
    const ashi_filed_batch *const b = plan->made;
    int64_t slabs[ASHI_BATCH_SIZES] = {0}, value[ASHI_INDICES_MOST];
    ashi_on_device sum = {0};
    for (int64_t i = b->first; i < b->last; i++)
        slabs[ashi_batch_slab(plan, b, i, value)]++;
    for (int s = 0; s < ASHI_BATCH_SIZES; s++) {
        const ashi_on_device one = b->plan[s] ? ashi_contract_on_device(b->plan[s]) : (ashi_on_device){0};
        ashi_on_device_add(&sum, &one, slabs[s]);
    }
    return sum;
}

const ashi_contract_kind ashi_contract_filed_batch = {"filed batch", serves,    make, ashi_batch_run,
                                                      measured,      free_made, NULL, NULL, on_device};
