/* Whether tensors are dealt out so that each rank can contract its own parts. */
#include "contract/aligned.h"

#include "base/checked.h"

static const ashi_index_list *list_of(const ashlar_contraction_plan *plan, int x)
{
    return x < plan->expression.operands ? &plan->expression.operand[x] : &plan->expression.output;
}

/* The dimension of tensor x that index i is; -1 if it has none, or more than one. */
static int dimension_of(const ashlar_contraction_plan *plan, int x, int i)
{
    const ashi_index_list *const list = list_of(plan, x);
    const int found = ashi_index_find(list, i);
    for (int d = found + 1; found >= 0 && d < list->order; d++)
        if (list->index[d] == i)
            return -1;
    return found;
}

static bool is_in_all(const ashlar_contraction_plan *plan, int i)
{
    bool all = true;
    for (int x = 0; x <= plan->expression.operands; x++)
        all = all && dimension_of(plan, x, i) >= 0;
    return all;
}

/* Whether both layouts cut an index alike that tensors x and y have. */
static bool is_cut_alike(const ashlar_contraction_plan *plan, int x, int y, int i)
{
    const ashlar_tensor_layout *const a = plan->tensor[x].layout, *const b = plan->tensor[y].layout;
    const int d = dimension_of(plan, x, i), f = dimension_of(plan, y, i);
    return d >= 0 && f >= 0 && a->parts[d] == b->parts[f] && (a->parts[d] == 1 || a->block[d] == b->block[f]);
}

/* Every rank has the same coordinates in both. */
static bool has_same_ranks(const ashlar_contraction_plan *plan, int x, int y)
{
    const ashlar_tensor_layout *const a = plan->tensor[x].layout, *const b = plan->tensor[y].layout;
    const ashi_index_list *const list = list_of(plan, x);
    int of_a[ASHLAR_TENSOR_ORDER_MOST], of_b[ASHLAR_TENSOR_ORDER_MOST];
    bool same = a->processes == b->processes;
    for (int rank = 0; same && rank < plan->context->ranks; rank++) {
        const bool in_a = ashi_tensor_layout_coordinates(a, rank, of_a);
        same = in_a == ashi_tensor_layout_coordinates(b, rank, of_b);
        for (int d = 0; same && in_a && d < list->order; d++)
            same = a->parts[d] == 1 || of_a[d] == of_b[dimension_of(plan, y, list->index[d])];
    }
    return same;
}

static bool agrees(const ashlar_contraction_plan *plan, int x, int y)
{
    const ashlar_tensor_layout *const a = plan->tensor[x].layout;
    const ashi_index_list *const list = list_of(plan, x);
    for (int d = 0; d < list->order; d++)
        if (a->parts[d] > 1 && !(is_in_all(plan, list->index[d]) && is_cut_alike(plan, x, y, list->index[d])))
            return false;
    return has_same_ranks(plan, x, y);
}

/* The first tensor whose layout was given; -1: none. */
static int first_given(const ashlar_contraction_plan *plan)
{
    for (int x = 0; x <= plan->expression.operands; x++)
        if (!plan->tensor[x].own)
            return x;
    return -1;
}

/* Values of the indices that are in all tensors. */
static int64_t batches_of(const ashlar_contraction_plan *plan)
{
    int64_t batches = 1;
    for (int i = 0; i < plan->expression.indices; i++)
        if (is_in_all(plan, i))
            batches = ashi_mul_most(batches, plan->expression.extent[i]);
    return batches;
}

bool ashi_contract_is_aligned(const ashlar_contraction_plan *plan)
{
    const int given = first_given(plan);
    bool any_own = false, aligned = true;
    for (int x = 0; x <= plan->expression.operands; x++) {
        const ashi_contract_tensor *const t = &plan->tensor[x];
        any_own = any_own || t->own;
        if (t->file || (!t->own && t->layout->groups))
            return false;
    }
    if (plan->context->ranks == 1)
        return true;
    if (given < 0)
        return batches_of(plan) >= plan->context->ranks;
    for (int x = 0; x <= plan->expression.operands && aligned; x++)
        if (!plan->tensor[x].own && x != given)
            aligned = agrees(plan, given, x) && agrees(plan, x, given);
    for (int d = 0; any_own && d < plan->tensor[given].order; d++)
        aligned = aligned && (plan->tensor[given].layout->parts[d] == 1 ||
                              is_in_all(plan, list_of(plan, given)->index[d]));
    return aligned && (!any_own || plan->tensor[given].layout->processes == plan->context->ranks);
}

/* The same deal for tensor x as tensor `from` has. */
static ashlar_status follow(ashlar_contraction_plan *plan, int x, int from, ashlar_error *err)
{
    ashi_contract_tensor *const t = &plan->tensor[x];
    return ashi_tensor_layout_follow(t->order, t->extent, list_of(plan, x)->index, plan->tensor[from].layout,
                                     list_of(plan, from)->index, &t->layout, err);
}

ashlar_status ashi_contract_align(ashlar_contraction_plan *plan, ashlar_error *err)
{
    int from = first_given(plan);
    ashlar_status status = ASHLAR_OK;
    if (from < 0) {
        ashi_contract_tensor *const t = ashi_contract_output(plan);
        bool may_cut[ASHLAR_TENSOR_ORDER_MOST];
        from = plan->expression.operands;
        for (int d = 0; d < t->order; d++)
            may_cut[d] = is_in_all(plan, plan->expression.output.index[d]);
        status = ashi_tensor_layout_even(t->order, t->extent, may_cut, plan->context->ranks, &t->layout, err);
    }
    for (int x = 0; x <= plan->expression.operands && status == ASHLAR_OK; x++)
        if (plan->tensor[x].own && x != from)
            status = follow(plan, x, from, err);
    return status;
}
