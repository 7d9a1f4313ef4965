/* Executing a plan of a contraction, and what that took. */
#include "base/error.h"
#include "base/structure.h"
#include "contract/filed_added.h"
#include "kernel/kernels.h"
#include "plan/check.h"
#include "plan/device.h"

#include <stdio.h>

static const char who[] = "ashlar_contraction_execute";

/* The bytes of a part in memory, and whether it fills them. */
typedef struct memory {
    uintptr_t from, end;
    bool dense;
} memory;

static memory memory_of(const ashlar_contraction_plan *plan, int x, const void *data)
{
    const ashlar_tensor_layout *const layout = plan->tensor[x].layout;
    const int64_t words = ashlar_tensor_layout_words(layout, plan->context->rank);
    const int64_t room = ashlar_tensor_layout_room(layout, plan->context->rank);
    const uintptr_t from = (uintptr_t)data;
    return (memory){from, from + (uintptr_t)room * ashlar_type_bytes(plan->type), words == room};
}

/* Parts with gaps may lie in one array without a common element, which is the caller's care. */
static bool overlap(const ashlar_contraction_plan *plan, int x, const ashi_contract_arguments *with)
{
    if (!plan->tensor[x].layout || !ashi_contract_output(plan)->layout)
        return false;
    const memory a = memory_of(plan, x, with->operand[x]);
    const memory c = memory_of(plan, plan->expression.operands, with->output);
    return a.dense && c.dense && a.from < c.end && c.from < a.end;
}

static bool is_on_device(const ashlar_contraction_plan *plan, const void *data)
{
    ashi_device *const device = plan->context->device ? plan->context->device->device : NULL;
    int64_t left;
    return device && device->kind->owner(device, data, &left) != ASHI_OWNER_HOST;
}

static ashlar_status refuse_device(const ashlar_contraction_plan *plan, int x, ashlar_error *err)
{
    char name[24] = "the output";
    if (x < plan->expression.operands)
        snprintf(name, sizeof name, "operand %d", x + 1);
    return ashi_fail(err, ASHLAR_ERR_ARG, "rank %d: %s: %s is in the memory of a device, wanted the host's",
                     plan->context->rank, who, name);
}

static ashlar_status check_part(const ashlar_contraction_plan *plan, int x, const void *data, ashlar_error *err)
{
    const ashi_contract_tensor *const t = &plan->tensor[x];
    const int rank = plan->context->rank, operands = plan->expression.operands;
    if (x < operands && t->file && data)
        return ashi_fail(err, ASHLAR_ERR_ARG, "rank %d: %s: operand %d is in a file, wanted NULL", rank, who, x + 1);
    if (t->file && data)
        return ashi_fail(err, ASHLAR_ERR_ARG, "rank %d: %s: the output is in a file, wanted NULL", rank, who);
    if (!t->file && data && is_on_device(plan, data))
        return refuse_device(plan, x, err);
    if (t->file || data || ashlar_tensor_layout_words(t->layout, rank) == 0)
        return ASHLAR_OK;
    return x < operands ? ashi_fail(err, ASHLAR_ERR_ARG, "rank %d: %s: operand %d is NULL", rank, who, x + 1)
                        : ashi_fail(err, ASHLAR_ERR_ARG, "rank %d: %s: output is NULL", rank, who);
}

/* What is wrong with the arguments on this rank. */
static ashlar_status check(const ashlar_contraction_plan *plan, const ashi_contract_arguments *with, ashlar_error *err)
{
    const int operands = plan->expression.operands;
    if (!with->alpha || !with->beta)
        return ashi_fail(err, ASHLAR_ERR_ARG, "%s: %s is NULL", who, with->alpha ? "beta" : "alpha");
    const bool reads = !ashi_kernels_of(plan->type)->is_zero(with->alpha);
    if (reads && !with->operand)
        return ashi_fail(err, ASHLAR_ERR_ARG, "%s: operand is NULL", who);
    ashlar_status status = check_part(plan, operands, with->output, err);
    for (int x = 0; reads && x < operands && status == ASHLAR_OK; x++) {
        status = check_part(plan, x, with->operand[x], err);
        if (status == ASHLAR_OK && overlap(plan, x, with))
            status = ashi_fail(err, ASHLAR_ERR_ARG, "rank %d: %s: the output overlaps operand %d", plan->context->rank,
                               who, x + 1);
    }
    return status;
}

ashlar_status ashlar_contraction_execute(ashlar_contraction_plan *plan, const void *alpha, const void *const *operand,
                                         const void *beta, void *output, ashlar_error *err)
{
    const ashi_contract_arguments with = {alpha, beta, operand, output};
    ashlar_error own = {0};
    err = err ? err : &own;
    if (!plan)
        return ashi_fail(err, ASHLAR_ERR_ARG, "%s: plan is NULL", who);
    if (!plan->trusted) {
        const ashlar_status mine = check(plan, &with, err);
        const ashlar_status all = ashi_agree_scalars(plan->context, mine, who, plan->type, alpha, beta, err);
        if (all != ASHLAR_OK)
            return all;
    }
    const double start = MPI_Wtime();
    const ashi_onto_tally before = ashi_context_device_tally(plan->context, plan->type);
    ashlar_status status = ashi_filed_added(plan, &with, &plan->added, err);
    if (status == ASHLAR_OK && plan->added && plan->watch.verdict)
        *plan->watch.verdict = (ashlar_verdict){.passed = true};
    if (status == ASHLAR_OK && !plan->added)
        status = plan->kind->run(plan, &with, err);
    plan->seconds = MPI_Wtime() - start;
    plan->on_device = ashi_context_device_since(plan->context, plan->type, &before);
    return plan->trusted ? status : ashi_conclude(plan->context, status, err);
}

ashlar_status ashlar_contraction_measured_sized(ashlar_contraction_plan *plan, ashlar_figures *out, size_t size,
                                                ashlar_error *err)
{
    if (!plan || !out)
        return ashi_fail(err, ASHLAR_ERR_ARG, "ashlar_contraction_measured: %s is NULL", plan ? "out" : "plan");
    ashlar_figures figures = {0};
    const ashlar_status status = plan->added ? ASHLAR_OK : plan->kind->measured(plan, &figures, err);
    figures.resumed = plan->added ? 1 : figures.resumed;
    if (status == ASHLAR_OK)
        ashi_structure_give(&figures, sizeof figures, out, size);
    return status;
}

ashlar_status ashlar_contraction_device_sized(ashlar_contraction_plan *plan, ashlar_device_figures *out, size_t size,
                                              ashlar_error *err)
{
    if (!plan || !out)
        return ashi_fail(err, ASHLAR_ERR_ARG, "ashlar_contraction_device: %s is NULL", plan ? "out" : "plan");
    const ashi_device_account account = {.predicted = ashi_contract_on_device(plan), .done = &plan->on_device};
    return ashi_device_figures_of(plan->context, &account, out, size, err);
}
