/* Contractions of tensors in files: products of matrices that are seen in them, one for each value of the batch. */
#include "base/checked.h"
#include "base/error.h"
#include "base/type.h"
#include "contract/filed_check.h"
#include "contract/filed_origin.h"
#include "contract/tensor_file.h"
#include "contract/unfolded.h"
#include "exec/file_box.h"
#include "kernel/kernels.h"
#include "model/bounds.h"
#include "plan/device.h"
#include "plan/plan.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

static const char who[] = "ashlar_contraction_plan_create";

enum { C0 = 3 };

typedef struct filed {
    ashi_expression expression;  /* with two operands */
    ashi_unfolded unfolded;
    ashi_unfolded_tensor at[4];  /* of A, B, C and C0 */
    ashlar_tensor_file *one;     /* the second operand if the caller has one, made by a function */
    ashlar_tensor_file *file[4];
    ashlar_file *view[4];
    ashlar_plan *plan;
    int64_t products;
    ashlar_figures measured;     /* of the last execution */
    int64_t product;             /* that is under way */
    const ashi_contract_watch *watch;
    char *origin;                /* of the record */
} filed;

/* Any tensor of the contraction is in a file; what is wanted is that all are. */
static bool serves(const ashlar_contraction_plan *plan)
{
    bool all = plan->expression.operands <= 2;
    for (int x = 0; x <= plan->expression.operands; x++)
        all = all && plan->tensor[x].file;
    return all;
}

/* ---- checking ---- */

static ashlar_status check_files(const ashlar_contraction_plan *plan, const filed *f, ashlar_error *err)
{
    ashlar_status status = ASHLAR_OK;
    for (int x = 0; x < 4 && status == ASHLAR_OK; x++) {
        if (!f->file[x] || f->file[x] == f->one)
            continue;
        status = ashi_filed_tensor_check(plan, f->file[x], x < ASHLAR_C ? x : plan->expression.operands + x - ASHLAR_C,
                                         err);
    }
    return status;
}

/* ---- one operand ---- */

static int make_ones(void *user, const int64_t *from, const int64_t *extent, void *elements)
{
    const filed *f = user;
    const ashi_index_list *list = &f->expression.operand[1];
    const ashlar_type type = f->one->info.type;
    const size_t bytes = ashlar_type_bytes(type);
    int64_t words = 1;
    (void)from;
    for (int d = 0; d < list->order; d++)
        words *= extent[d];
    for (int64_t i = 0; i < words; i++)
        memcpy((char *)elements + (size_t)i * bytes, ashi_kernels_of(type)->one, bytes);
    return 0;
}

/* A single operand is multiplied by ones that have the indices to be summed over. Collective. */
static ashlar_status add_ones(ashlar_contraction_plan *plan, filed *f, ashlar_error *err)
{
    ashi_expression *e = &f->expression;
    ashi_index_list *ones = &e->operand[1];
    int64_t extent[ASHI_INDICES_MOST];
    *ones = (ashi_index_list){0};
    for (int i = 0; i < e->indices; i++)
        if (ashi_index_find(&e->output, i) < 0) {
            extent[ones->order] = e->extent[i];
            ones->index[ones->order++] = i;
        }
    e->operands = 2;
    const ashlar_status status = ashlar_tensor_from_function(plan->context, plan->type, ones->order, extent, make_ones,
                                                             f, &f->one, err);
    f->file[1] = f->one;
    return status;
}

/* ---- planning ---- */

static bool is_conjugated(const ashlar_contraction_plan *plan, int x)
{
    return x < plan->expression.operands && plan->tensor[x].conjugate;
}

/* Words that a limit leaves beside what devices make the host hold; 0: there is none. */
static int64_t words_of(const ashlar_contraction_plan *plan)
{
    const int64_t aside = ashi_context_device_aside(plan->context, plan->type);
    return plan->memory_words > 0 ? ashi_max(plan->memory_words - aside, 1) : 0;
}

/* See the tensors as matrices; of the groups in `cut` indices are cut into blocks. */
static ashlar_status unfold(const ashlar_contraction_plan *plan, filed *f, unsigned cut, ashlar_error *err)
{
    const bool turned[2] = {is_conjugated(plan, 0), is_conjugated(plan, 1)};
    for (int x = 0; x < 4; x++)
        if (f->file[x])
            f->at[x] = (ashi_unfolded_tensor){f->file[x]->file->info.dimensions, f->file[x]->dimension,
                                              f->file[x]->from,
                                              x < ASHLAR_C ? ashi_store_chunk(f->file[x]->file->store) : NULL};
    const int64_t bytes = (int64_t)ashlar_type_bytes(plan->type);
    ashlar_status status =
        ashi_unfolded_make(&f->expression, f->at, turned, bytes, words_of(plan), cut, &f->unfolded, err);
    f->products = f->unfolded.group[ASHI_UNFOLDED_BATCH].extent;
    for (int x = 0; x < 3 && status == ASHLAR_OK; x++)
        status = ashi_file_view(f->file[x]->file, &f->unfolded.view[x], &f->view[x], err);
    if (status == ASHLAR_OK && f->file[C0]) {
        ashi_unfolded other;
        const ashi_unfolded_tensor at[3] = {f->at[0], f->at[1], f->at[C0]};
        status = ashi_unfolded_make(&f->expression, at, turned, bytes, words_of(plan), cut, &other, err);
        if (status == ASHLAR_OK)
            status = ashi_file_view(f->file[C0]->file, &other.view[ASHLAR_C], &f->view[C0], err);
    }
    return status;
}

/* What a limit leaves for tiles if the buffers in which threads rearrange what they read and write come out of it. */
static int64_t without_buffers(int64_t memory_words, int64_t bytes)
{
    const int64_t buffers = ASHI_DISK_THREADS * ASHI_BOX_MOVE_BYTES / bytes;
    return memory_words > 4 * buffers ? memory_words - buffers : memory_words;
}

static ashlar_status make_plan(const ashlar_contraction_plan *plan, filed *f, const ashi_options_taken *how,
                               ashlar_error *err)
{
    const ashi_unfolded_group *g = f->unfolded.group;
    const ashlar_problem problem = {
        .size = sizeof problem, .type = plan->type, .op_a = is_conjugated(plan, 0) ? ASHLAR_OP_C : ASHLAR_OP_N,
        .op_b = is_conjugated(plan, 1) ? ASHLAR_OP_C : ASHLAR_OP_N, .m = g[ASHI_UNFOLDED_ROWS].extent,
        .n = g[ASHI_UNFOLDED_COLUMNS].extent, .k = g[ASHI_UNFOLDED_SUMMED].extent, .a_file = f->view[0],
        .b_file = f->view[1], .c_file = f->view[ASHLAR_C], .c0_file = f->view[C0]};
    ashlar_options options = how->options;
    options.memory_words = without_buffers(options.memory_words, (int64_t)ashlar_type_bytes(plan->type));
    return ashlar_plan_create(plan->context, &problem, &options, &f->plan, err);
}

static void free_views(filed *f)
{
    ashlar_plan_free(&f->plan);
    for (int x = 0; x < 4; x++)
        ashlar_file_close(&f->view[x]);
}

static bool is_cut(const filed *f)
{
    bool cut = false;
    for (int g = 0; g < ASHI_UNFOLDED_BATCH; g++)
        cut = cut || ashi_unfolded_is_cut(&f->unfolded.group[g]);
    return cut;
}

static bool is_same(const ashi_unfolded_group *a, const ashi_unfolded_group *b)
{
    bool same = a->count == b->count;
    for (int i = 0; i < a->count && same; i++)
        same = a->index[i] == b->index[i] && a->block[i] == b->block[i];
    return same;
}

/* Whether positions are in blocks, and not those of another one. */
static bool is_other(const filed *f, const filed *from)
{
    bool same = true;
    for (int g = 0; g < ASHI_UNFOLDED_BATCH; g++)
        same = same && is_same(&f->unfolded.group[g], &from->unfolded.group[g]);
    return is_cut(f) && !same;
}

/* Take positions in blocks of chunks in place of those in hand, if then less than 0.95 of the bytes are moved, and the
 * predicted time is less than 1.05 of what it was. Collective. */
static ashlar_status try_blocks(const ashlar_contraction_plan *plan, filed *f, unsigned cut,
                                const ashi_options_taken *how, ashlar_error *err)
{
    static const double fewer = 0.95, longer = 1.05;
    filed other = *f;
    other.plan = NULL;
    memset(other.view, 0, sizeof other.view);
    ashlar_status status = ashi_agree_named(plan->context, unfold(plan, &other, cut, err), err);
    const bool differs = status == ASHLAR_OK && is_other(&other, f);
    const bool made = differs && make_plan(plan, &other, how, NULL) == ASHLAR_OK;
    const ashi_streamed *const now = &f->plan->filed.streamed;
    const ashi_streamed *const then = made ? &other.plan->filed.streamed : now;
    const bool better = then->on && then->page_bytes < fewer * now->page_bytes &&
                        then->seconds < longer * now->seconds;
    free_views(better ? f : &other);
    if (better)
        *f = other;
    return status;
}

/* Plan with the positions of each index in their order; and if chunks have to be read several times, in blocks, also of
 * rows and columns that are in the order of the result. */
static ashlar_status choose(const ashlar_contraction_plan *plan, filed *f, const ashi_options_taken *how,
                            ashlar_error *err)
{
    static const unsigned summed = 1U << ASHI_UNFOLDED_SUMMED, all = (1U << ASHI_UNFOLDED_BATCH) - 1;
    ashlar_status status = ashi_agree_named(plan->context, unfold(plan, f, 0, err), err);
    if (status == ASHLAR_OK)
        status = make_plan(plan, f, how, err);
    if (status != ASHLAR_OK || !f->plan->filed.streamed.on || (!f->at[0].chunk && !f->at[1].chunk))
        return status;
    status = try_blocks(plan, f, summed, how, err);
    if (status == ASHLAR_OK)
        status = try_blocks(plan, f, all, how, err);
    return status == ASHLAR_OK ? try_blocks(plan, f, all | ASHI_UNFOLDED_AS_RESULT, how, err) : status;
}

/* So many executions of a plan. */
static ashlar_figures times(ashlar_figures f, int64_t products)
{
    f.words_max = ashi_mul_most(f.words_max, products);
    f.words_total = ashi_mul_most(f.words_total, products);
    f.words_mean *= (double)products;
    f.messages_max = ashi_mul_most(f.messages_max, products);
    f.disk_words = ashi_mul_most(f.disk_words, products);
    f.seconds *= (double)products;
    f.read_seconds *= (double)products;
    f.write_seconds *= (double)products;
    return f;
}

/* The indices of a group, the fastest last, and whether positions are in blocks: "mn*". */
static void say_order(const filed *f, int group, char out[ASHI_INDICES_MOST + 3])
{
    const ashi_unfolded_group *g = &f->unfolded.group[group];
    for (int i = 0; i < g->count; i++)
        out[i] = f->expression.name[g->index[g->count - 1 - i]];
    memcpy(out + g->count, "*", 2);
    if (!ashi_unfolded_is_cut(g))
        out[g->count] = '\0';
    if (g->count == 0)
        memcpy(out, "1", 2);
}

static ashlar_status report(ashlar_contraction_plan *plan, filed *f, ashlar_error *err)
{
    const ashi_unfolded_group *g = f->unfolded.group;
    ashlar_explanation why;
    char order[3][ASHI_INDICES_MOST + 3];
    ashlar_status status = ashlar_plan_explain(f->plan, &why, err);
    if (status == ASHLAR_OK)
        status = ashlar_plan_predicted(f->plan, &plan->predicted, err);
    if (status != ASHLAR_OK)
        return status;
    for (int i = 0; i < 3; i++)
        say_order(f, i, order[i]);
    const int64_t m = g[ASHI_UNFOLDED_ROWS].extent, n = g[ASHI_UNFOLDED_COLUMNS].extent;
    const int64_t k = g[ASHI_UNFOLDED_SUMMED].extent;
    plan->predicted = times(plan->predicted, f->products);
    plan->products = f->products;
    plan->page_bytes = (double)f->products * f->plan->filed.streamed.page_bytes;
    const ashi_bound bound = ashi_bound_batch(f->products, m, n, k, plan->context->ranks, plan->memory_words);
    plan->report = (ashlar_contraction_explanation){
        .steps = 1, .multiply_adds = (double)f->products * (double)m * (double)n * (double)k,
        .workspace_words = why.workspace_words, .bound_words = bound.words, .bound_case = bound.which};
    return ashi_contract_say(plan, err, "1. %s: %" PRId64 " product%s of %s x %s x %s, %" PRId64 " x %" PRId64 " x %"
                             PRId64 ": %s\n", plan->words, f->products, f->products == 1 ? "" : "s", order[0], order[1],
                             order[2], m, n, k, why.reason);
}

static ashlar_status make(ashlar_contraction_plan *plan, const ashi_options_taken *how, ashlar_error *err)
{
    filed *f = calloc(1, sizeof *f);
    ashlar_status status = f ? ASHLAR_OK : ashi_fail_memory(err, who, (int64_t)sizeof *f);
    plan->made = f;
    status = ashi_agree_named(plan->context, status, err);
    if (status != ASHLAR_OK)
        return status;
    const int operands = plan->expression.operands;
    f->expression = plan->expression;
    f->watch = &plan->watch;
    for (int x = 0; x < operands; x++)
        f->file[x] = plan->tensor[x].file;
    f->file[ASHLAR_C] = ashi_contract_output(plan)->file;
    f->file[C0] = plan->output0;
    status = ashi_agree_named(plan->context, check_files(plan, f, err), err);
    if (status == ASHLAR_OK && operands == 1)
        status = add_ones(plan, f, err);
    if (status == ASHLAR_OK)
        status = choose(plan, f, how, err);
    return status == ASHLAR_OK ? report(plan, f, err) : status;
}

static void free_made(ashlar_contraction_plan *plan)
{
    filed *f = plan->made;
    if (!f)
        return;
    free_views(f);
    ashlar_tensor_close(&f->one);
    free(f->origin);
    free(f);
    plan->made = NULL;
}

/* ---- executing ---- */

static void go_to(filed *f, int64_t product)
{
    int64_t from[ASHI_DIMENSIONS_MAX];
    f->product = product;
    for (int x = 0; x < 4; x++) {
        if (!f->view[x] || !f->view[x]->store)
            continue;
        ashi_unfolded_batch(&f->unfolded, &f->expression, &f->at[x], x < ASHLAR_C ? x : ASHLAR_C, product, from);
        ashi_store_view_move(f->view[x]->store, from);
    }
}

static void tell(void *user, int64_t done, int64_t all)
{
    const filed *f = user;
    f->watch->progress(f->watch->user, f->product * all + done, f->products * all);
}

/* The verdict of one product; the worst is kept. */
static ashlar_status verify(filed *f, const ashi_contract_arguments *with, ashlar_error *err)
{
    ashlar_verification *check = NULL;
    ashlar_verdict verdict;
    ashlar_status status = ashlar_verify_begin(f->plan, with->beta, NULL, &check, err);
    if (status == ASHLAR_OK)
        status = ashlar_verify_end(check, with->alpha, NULL, NULL, NULL, &verdict, err);
    ashlar_verify_free(&check);
    if (status == ASHLAR_OK && (f->product == 0 || !verdict.passed || verdict.worst > f->watch->verdict->worst))
        *f->watch->verdict = verdict;
    return status;
}

/* A product that an earlier run has finished is not formed again. */
static ashlar_status run_product(filed *f, const ashi_contract_arguments *with, int64_t product, ashlar_error *err)
{
    ashi_series *const series = &f->plan->filed.series;
    ashlar_figures one;
    go_to(f, product);
    series->index = product;
    ashlar_status status = ashlar_plan_execute(f->plan, with->alpha, NULL, NULL, with->beta, NULL, err);
    if (status != ASHLAR_OK || product < series->from)
        return status;
    status = ashlar_plan_measured(f->plan, &one, err);
    if (status == ASHLAR_OK)
        ashi_contract_add_figures(&f->measured, &one);
    if (status == ASHLAR_OK && f->watch->verdict && !ashi_filed_passes(&f->plan->filed))
        status = verify(f, with, err);
    return status;
}

static ashlar_status run(ashlar_contraction_plan *plan, const ashi_contract_arguments *with, ashlar_error *err)
{
    filed *f = plan->made;
    ashi_series *const series = &f->plan->filed.series;
    ashlar_status status = ASHLAR_OK;
    bool passed = true;
    if (!f->file[C0] && !ashi_kernels_of(plan->type)->is_zero(with->beta))
        return ashi_fail(err, ASHLAR_ERR_ARG, "ashlar_contraction_execute: beta is not 0 and there is no output0");
    f->measured = (ashlar_figures){0};
    if (f->watch->verdict)
        *f->watch->verdict = (ashlar_verdict){.passed = true};
    if (f->products > 0)
        go_to(f, 0);
    free(f->origin);
    status = ashi_filed_origin(f->products, f->view, NULL, f->watch->origin, &f->origin, err);
    status = ashi_agree_named(plan->context, status, err);
    f->plan->filed.origin = f->origin;
    *series = (ashi_series){.count = f->products};
    ashlar_plan_on_progress(f->plan, f->watch->progress ? tell : NULL, f);
    ashi_plan_record(f->plan, f->watch->trace);
    for (int64_t i = 0; i < f->products && status == ASHLAR_OK && passed; i = ashi_max(i + 1, series->from)) {
        status = run_product(f, with, i, err);
        passed = !f->watch->verdict || f->watch->verdict->passed;
    }
    ashi_plan_record(f->plan, NULL);
    ashlar_plan_on_progress(f->plan, NULL, NULL);
    f->measured.resumed = series->part;
    ashi_file_view_ends(f->view[ASHLAR_C]);
    for (int64_t i = 0; i < f->products && f->watch->verdict && status == ASHLAR_OK && f->watch->verdict->passed &&
                        ashi_filed_passes(&f->plan->filed); i++) { /* C is read back, and not written any more */
        go_to(f, i);
        status = verify(f, with, err);
    }
    return status;
}

static ashlar_status measured(ashlar_contraction_plan *plan, ashlar_figures *out, ashlar_error *err)
{
    const filed *f = plan->made;
    (void)err;
    *out = f->measured;
    return ASHLAR_OK;
}

static ashi_on_device on_device(const ashlar_contraction_plan *plan)
{
    const filed *f = plan->made;
    const ashi_on_device one = ashi_plan_on_device(f->plan);
    ashi_on_device sum = {0};
    ashi_on_device_add(&sum, &one, f->products);
    return sum;
}

const ashi_contract_kind ashi_contract_filed = {"filed", serves, make, run, measured, free_made, NULL, NULL, on_device};
