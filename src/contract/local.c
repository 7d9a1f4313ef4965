/* Contractions of one or two operands of which each rank contracts its own parts: on one rank always. */
#include "base/checked.h"
#include "base/error.h"
#include "base/interrupt.h"
#include "base/type.h"
#include "contract/aligned.h"
#include "contract/local.h"
#include "contract/local_device.h"
#include "contract/local_step.h"
#include "contract/strided.h"
#include "kernel/kernels.h"
#include "plan/check.h"
#include "plan/device.h"

#include <inttypes.h>
#include <math.h>
#include <stdlib.h>

/* ALIGNMENT: of what is in the workspace. */
enum { OPERANDS = 2, SUMS = 2, STEPS = SUMS + 1, ALIGNMENT = 64 };

typedef struct local {
    ashi_expression part;             /* with the extents of this rank's parts */
    bool idle;                        /* it has no element of the result */
    ashi_strided array[OPERANDS + 1]; /* A, B, C; without B one element */
    ashi_local_step step[STEPS];      /* sums of A and of B over indices that are nowhere else; then the product */
    int64_t summed[SUMS];             /* elements that these have */
    ashi_local_device device;         /* of the product, if it is of two operands */
    bool nothing;                     /* there is nothing to add to C */
    int threads;
    char *workspace;                  /* what the sums make, then what each thread has */
    bool borrowed;                    /* it is somebody else's */
    int64_t bytes;
    int64_t share;                    /* this rank's elements of all tensors, and words that its device holds aside */
    int64_t least;                    /* the limit is too low: the words that would do for this rank; else 0 */
    int64_t held;                     /* by the last execution */
} local;

static int64_t rounded(int64_t bytes)
{
    return ashi_mul_most(ashi_ceil_div(bytes, ALIGNMENT), ALIGNMENT);
}

/* ---- making: what is done ---- */

static bool serves(const ashlar_contraction_plan *plan)
{
    return plan->expression.operands <= OPERANDS && !plan->output0 && ashi_contract_is_aligned(plan);
}

/* This rank's part of each tensor as indices with strides. */
static void find_arrays(const ashlar_contraction_plan *plan, local *l)
{
    ashi_expression *const e = &l->part;
    int64_t stride[ASHLAR_TENSOR_ORDER_MOST], extent[ASHLAR_TENSOR_ORDER_MOST];
    *e = plan->expression;
    l->share = ashi_context_device_aside(plan->context, plan->type);
    for (int x = 0; x <= e->operands; x++) {
        const ashi_contract_tensor *const t = &plan->tensor[x];
        const bool output = x == e->operands;
        ashi_tensor_layout_strides(t->layout, plan->context->rank, stride);
        const ashi_index_list *const list = output ? &e->output : &e->operand[x];
        l->array[output ? OPERANDS : x] = ashi_strided_of(list, stride);
        (void)ashi_tensor_layout_part(t->layout, plan->context->rank, extent);
        for (int d = 0; d < list->order; d++)
            e->extent[list->index[d]] = extent[d];
        l->idle = output && ashlar_tensor_layout_words(t->layout, plan->context->rank) == 0;
        l->share = ashi_add_most(l->share, ashlar_tensor_layout_words(t->layout, plan->context->rank));
    }
}

/* The operands that are summed first, if `sums`, and the product of what is left, unless C has no element. */
static ashlar_status find_steps(const ashlar_contraction_plan *plan, const ashlar_machine *machine, bool sums,
                                int threads, local *l, ashlar_error *err)
{
    const ashi_expression *const e = &l->part;
    const ashi_strided one = {0};
    ashi_strided left[OPERANDS] = {l->array[0], l->array[1]};
    ashi_contraction product = {.type = plan->type};
    ashlar_status status = ASHLAR_OK;
    for (int x = 0; x < SUMS && status == ASHLAR_OK; x++) {
        bool nothing = false;
        ashi_local_step_clear(&l->step[x]);
        if (!sums || e->operands < OPERANDS || l->idle || ashi_strided_is_empty(e) ||
            !ashi_strided_has_alone(e, l->array, OPERANDS + 1, x))
            continue;
        l->summed[x] = ashi_strided_summed(e, l->array, OPERANDS + 1, x, &left[x]);
        status = ashi_strided_product(e, &l->array[x], &one, &left[x], &product, &nothing, err);
        if (status == ASHLAR_OK)
            status = ashi_local_step_make(&product, threads, &l->step[x], err);
        product = (ashi_contraction){.type = plan->type};
    }
    if (status != ASHLAR_OK || l->idle)
        return status;
    status = ashi_strided_product(e, &left[0], &left[1], &l->array[OPERANDS], &product, &l->nothing, err);
    product.conjugate_a = plan->tensor[0].conjugate;
    product.conjugate_b = e->operands == OPERANDS && plan->tensor[1].conjugate;
    if (status == ASHLAR_OK && e->operands == OPERANDS && !l->nothing)
        status = ashi_local_device_settle(plan->context, &product, machine, &l->device, err);
    return status == ASHLAR_OK ? ashi_local_step_make(&product, threads, &l->step[SUMS], err) : status;
}

/* ---- making: in which memory ---- */

/* Bytes of the workspace. */
static int64_t bytes_of(const ashlar_contraction_plan *plan, const local *l)
{
    int64_t most = l->device.bytes, sums = 0;
    for (int i = 0; i < STEPS; i++) {
        if (!l->step[i].used)
            continue;
        most = ashi_max(most, ashi_local_step_bytes(&l->step[i]));
        if (i < SUMS)
            sums = ashi_add_most(sums, rounded(ashi_mul_most(l->summed[i], (int64_t)ashlar_type_bytes(plan->type))));
    }
    return ashi_add_most(sums, most);
}

/* Make blocks so small that the workspace has at most `limit` bytes: l->bytes. False if they cannot be. *least becomes
 * the fewest bytes that were tried, if these are fewer: smaller blocks may take more. */
static bool fit_blocks(const ashlar_contraction_plan *plan, local *l, int64_t limit, int64_t *least)
{
    for (;;) {
        const int64_t bytes = bytes_of(plan, l);
        *least = ashi_min(*least, bytes);
        l->bytes = bytes <= limit ? bytes : 0;
        if (bytes <= limit)
            return true;
        bool smaller = false;
        for (int i = 0; i < STEPS; i++)
            smaller = (l->step[i].used && ashi_local_step_shrink(&l->step[i])) || smaller;
        if (!smaller)
            return false;
    }
}

/* What fits into memory: with sums first or without, with all threads or with one. */
static ashlar_status fit(ashlar_contraction_plan *plan, const ashlar_machine *machine, local *l, ashlar_error *err)
{
    const int64_t bytes = (int64_t)ashlar_type_bytes(plan->type);
    const int64_t words = plan->memory_words > 0 ? plan->memory_words - l->share : INT64_MAX;
    const int64_t limit = words < 0 ? -1 : ashi_mul_most(words, bytes);
    const int all = ashi_context_threads(plan->context);
    int64_t least = INT64_MAX; /* of all ways */
    for (int way = 0; way < 4; way++) {
        l->threads = way % 2 == 0 ? all : 1;
        const ashlar_status status = find_steps(plan, machine, way < 2, l->threads, l, err);
        if (status != ASHLAR_OK)
            return status;
        if (fit_blocks(plan, l, limit, &least))
            return ASHLAR_OK;
    }
    l->least = ashi_add_most(l->share, ashi_ceil_div(least, bytes));
    return ASHLAR_OK;
}

/* Multiply-adds of all steps on this rank. */
static double all_of(const local *l)
{
    double all = l->nothing ? 0 : ashi_local_step_multiply_adds(&l->step[SUMS]);
    for (int x = 0; x < SUMS; x++)
        all += l->step[x].used ? ashi_local_step_multiply_adds(&l->step[x]) : 0;
    return all;
}

/* What the ranks that take most memory and time take. Ranks that have failed take part. Collective. */
static ashlar_status join(ashlar_contraction_plan *plan, const local *l, double flops_per_second, ashlar_error *err)
{
    const double of_host = l ? all_of(l) * ashi_type_of(plan->type)->flops / flops_per_second : 0;
    const ashi_on_device *const d = l && l->device.onto ? &l->device.predicted[!plan->c_is_new] : NULL;
    const double seconds = d ? of_host - d->host_seconds + d->need.seconds : of_host;
    const double turns = fmax(1, plan->context->ranks_per_core) / plan->context->ranks; /* of ranks that share cores */
    double longest = seconds, together = 0;
    const int64_t bytes = (int64_t)ashlar_type_bytes(plan->type);
    int64_t mine[2] = {l ? l->least : 0, l ? ashi_add_most(l->share, ashi_ceil_div(l->bytes, bytes)) : 0}, all[2];
    all[0] = mine[0], all[1] = mine[1];
    ashi_note(plan->context, MPI_Allreduce(mine, all, 2, MPI_INT64_T, MPI_MAX, plan->context->comm), "MPI_Allreduce");
    ashi_note(plan->context, MPI_Allreduce(&seconds, &longest, 1, MPI_DOUBLE, MPI_MAX, plan->context->comm),
              "MPI_Allreduce");
    ashi_note(plan->context, MPI_Allreduce(&seconds, &together, 1, MPI_DOUBLE, MPI_SUM, plan->context->comm),
              "MPI_Allreduce");
    plan->predicted.seconds = fmax(longest, together * turns);
    plan->predicted.memory_words = all[1];
    if (all[0] == 0)
        return ASHLAR_OK;
    ashi_refuse(plan->context, ashi_max(all[0], all[1]));
    return ashi_fail(err, ASHLAR_ERR_LIMIT, "memory_words = %" PRId64 ": %" PRId64 " would do", plan->memory_words,
                     ashi_max(all[0], all[1]));
}

/* ---- making: the call ---- */

static ashlar_status report(ashlar_contraction_plan *plan, const local *l, ashlar_error *err)
{
    const ashi_contraction_plan *const p = &l->step[SUMS].plan;
    const int64_t bytes = (int64_t)ashlar_type_bytes(plan->type);
    const int64_t m = p->turned ? p->n : p->m, n = p->turned ? p->m : p->n;
    const int64_t workspace = ashi_ceil_div(l->bytes, bytes);
    const int threads = l->step[SUMS].parts;
    ashlar_status status = ashi_contract_say(plan, err, "1. %s: ", plan->words);
    for (int x = 0; x < SUMS && status == ASHLAR_OK; x++)
        if (l->step[x].used)
            status = ashi_contract_say(plan, err, "operand %d is summed to %" PRId64 " words, ", x + 1, l->summed[x]);
    if (status == ASHLAR_OK && !l->step[SUMS].used)
        status = ashi_contract_say(plan, err, "the output has no elements\n");
    else if (status == ASHLAR_OK)
        status = ashi_contract_say(plan, err, "%" PRId64 " product%s of %" PRId64 " x %" PRId64 " x %" PRId64
                                   " in one memory, %s%d thread%s%s\n", p->batches, p->batches == 1 ? "" : "s", m, n,
                                   l->nothing ? 0 : p->k, l->device.onto ? "on the device; without it by " : "by ",
                                   threads, threads == 1 ? "" : "s",
                                   l->step[SUMS].slabs ? ", each with a slab of the sum" : "");
    plan->report = (ashlar_contraction_explanation){.steps = 1, .multiply_adds = all_of(l),
                                                    .workspace_words = workspace,
                                                    .bound_case = "each rank has what it needs"};
    return status;
}

static ashlar_status make(ashlar_contraction_plan *plan, const ashi_options_taken *how, ashlar_error *err)
{
    const ashlar_problem any = {.type = plan->type, .m = 1, .n = 1, .k = 1};
    ashlar_status status = ashi_check_problem(plan->context, &any, &how->options, err);
    if (status == ASHLAR_OK)
        status = ashi_contract_align(plan, err);
    local *const l = status == ASHLAR_OK ? calloc(1, sizeof *l) : NULL;
    plan->made = l;
    if (status == ASHLAR_OK && !l)
        status = ashi_fail_memory(err, "contraction", (int64_t)sizeof *l);
    if (status == ASHLAR_OK) {
        find_arrays(plan, l);
        status = fit(plan, &how->machine, l, err);
    }
    const ashlar_status joined = join(plan, l, how->machine.flops_per_second, status == ASHLAR_OK ? err : NULL);
    status = status == ASHLAR_OK ? joined : status;
    void *workspace = NULL;
    if (status == ASHLAR_OK && posix_memalign(&workspace, ALIGNMENT, (size_t)ashi_max(l->bytes, 1)) != 0)
        status = ashi_fail_memory(err, "contraction", l->bytes);
    if (status != ASHLAR_OK)
        return status;
    l->workspace = workspace;
    if (plan->context->workers)
        ashi_workers_start(plan->context->workers, l->threads - 1);
    return report(plan, l, err);
}

static void free_made(ashlar_contraction_plan *plan)
{
    local *const l = plan->made;
    if (l && !l->borrowed)
        free(l->workspace);
    for (int i = 0; l && i < STEPS; i++)
        ashi_local_step_clear(&l->step[i]);
    free(l);
    plan->made = NULL;
}

static void borrow(ashlar_contraction_plan *plan, void *workspace)
{
    local *const l = plan->made;
    if (!l->borrowed)
        free(l->workspace);
    l->borrowed = true;
    l->workspace = workspace;
}

/* ---- executing ---- */

static ashlar_status run_on_device(const ashlar_contraction_plan *plan, const local *l, const ashi_onto_arguments *with,
                                   ashlar_error *err)
{
    ashi_trace *const trace = plan->context->trace;
    const bool adds = !ashi_kernels_of(plan->type)->is_zero(with->beta);
    const double begin = ashi_trace_begin(trace);
    const ashlar_status status = ashi_onto_contract(l->device.onto, &l->device.way[adds], with, err);
    ashi_trace_note(trace, ASHI_LANE_CORES, ASHI_WAIT_DEVICE, begin, ashi_trace_begin(trace), SUMS,
                    l->device.predicted[adds].need.products, -1);
    return status;
}

static ashlar_status run(ashlar_contraction_plan *plan, const ashi_contract_arguments *with, ashlar_error *err)
{
    local *const l = plan->made;
    const ashi_kernels *const kernels = ashi_kernels_of(plan->type);
    const bool adds = !l->nothing && !kernels->is_zero(with->alpha);
    const void *left[OPERANDS] = {adds ? with->operand[0] : NULL, kernels->one};
    char *free_from = l->workspace;
    if (adds && plan->expression.operands == OPERANDS)
        left[1] = with->operand[1];
    for (int x = 0; x < SUMS; x++)
        free_from += l->step[x].used ? rounded(l->summed[x] * (int64_t)ashlar_type_bytes(plan->type)) : 0;
    char *summed = l->workspace;
    for (int x = 0; x < SUMS && adds; x++) {
        if (!l->step[x].used)
            continue;
        const ashi_local_arguments sum = {kernels->one, left[x], kernels->one, kernels->zero, summed};
        ashi_local_step_run(plan->context, &l->step[x], x, &sum, free_from);
        left[x] = summed;
        summed += rounded(l->summed[x] * (int64_t)ashlar_type_bytes(plan->type));
    }
    if (adds && l->device.onto) {
        const ashi_onto_arguments there = {.alpha = with->alpha, .a = left[0], .b = left[1], .beta = with->beta,
                                           .c = with->output, .workspace = free_from,
                                           .trace = plan->context->trace, .trace_step = SUMS};
        l->held = l->share + ashi_ceil_div(l->bytes, (int64_t)ashlar_type_bytes(plan->type));
        return run_on_device(plan, l, &there, err);
    }
    const ashi_local_arguments product = {adds ? with->alpha : kernels->zero, left[0], left[1], with->beta,
                                          with->output};
    if (l->step[SUMS].used)
        ashi_local_step_run(plan->context, &l->step[SUMS], SUMS, &product, free_from);
    l->held = l->share + ashi_ceil_div(l->bytes, (int64_t)ashlar_type_bytes(plan->type));
    return ashi_interrupt_check(err);
}

ashi_on_device ashi_local_on_device(const ashlar_contraction_plan *plan, bool adds)
{
    const local *const l = plan->made;
    return l->device.predicted[adds];
}

static ashlar_status measured(ashlar_contraction_plan *plan, ashlar_figures *out, ashlar_error *err)
{
    const local *const l = plan->made;
    const double mine[2] = {(double)l->held, plan->seconds};
    double all[2] = {0, 0};
    ashi_note(plan->context, MPI_Allreduce(mine, all, 2, MPI_DOUBLE, MPI_MAX, plan->context->comm), "MPI_Allreduce");
    *out = (ashlar_figures){.memory_words = (int64_t)all[0], .seconds = all[1]};
    return ashi_conclude(plan->context, ASHLAR_OK, err);
}

static ashi_on_device on_device(const ashlar_contraction_plan *plan)
{
    return ashi_local_on_device(plan, !plan->c_is_new);
}

static const ashi_contract_kind *const others[] = {&ashi_contract_by_teams, NULL};
const ashi_contract_kind ashi_contract_local = {"local", serves,    make,   run,    measured,
                                                free_made, borrow, others, on_device};
