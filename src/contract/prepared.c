/* A tensor on several ranks in another form, which is easier to multiply. */
#include "contract/prepared.h"

#include "base/error.h"
#include "kernel/kernels.h"

#include <stdlib.h>

bool ashi_contract_has_diagonal(const ashlar_contraction_plan *plan, int x)
{
    const ashi_index_list *const list = &plan->expression.operand[x];
    bool any = false;
    for (int d = 0; d < list->order; d++)
        any = any || ashi_index_find(list, list->index[d]) != d;
    return any;
}

bool ashi_contract_is_alone(const ashi_expression *e, int x, int i)
{
    return e->operands == 2 && ashi_index_find(&e->operand[x], i) >= 0 &&
           ashi_index_find(&e->operand[1 - x], i) < 0 && ashi_index_find(&e->output, i) < 0;
}

static const ashi_index_list *list_of(const ashi_expression *e, int x)
{
    return x < e->operands ? &e->operand[x] : &e->output;
}

static char *write(const ashi_expression *e, const ashi_index_list *list, char *text)
{
    for (int d = 0; d < list->order; d++)
        *text++ = e->name[list->index[d]];
    return text;
}

/* What is left of a tensor's indices, each once; whether any is gone. */
static bool leave(const ashi_expression *e, int x, ashi_index_list *left)
{
    const ashi_index_list *const list = list_of(e, x);
    bool gone = false;
    *left = (ashi_index_list){.begin = list->begin};
    for (int d = 0; d < list->order; d++) {
        const int i = list->index[d];
        const bool alone = x < e->operands && ashi_contract_is_alone(e, x, i);
        gone = gone || alone;
        if (!alone && ashi_index_find(list, i) == d)
            left->index[left->order++] = i;
    }
    return gone;
}

/* This rank's elements lie one after the other, the first index the slowest in memory being order's first. */
static void lie(ashlar_tensor_layout *layout, const ashi_index_list *list, const ashi_index_list *order, int rank)
{
    int64_t part[ASHLAR_TENSOR_ORDER_MOST], next = 1;
    (void)ashi_tensor_layout_part(layout, rank, part);
    layout->strided = true;
    for (int i = order->order - 1; i >= 0; i--) {
        const int d = ashi_index_find(list, order->index[i]);
        layout->stride[d] = next;
        next *= part[d] > 0 ? part[d] : 1;
    }
}

/* What is left is dealt out as in the tensor, by the processes whose other coordinates are 0; or anew. */
static ashlar_status deal(const ashi_contract_tensor *t, const ashi_index_list *list, const bool *cut, int ranks,
                          ashi_contract_prepared *out, ashlar_error *err)
{
    int64_t extent[ASHLAR_TENSOR_ORDER_MOST];
    bool may_cut[ASHLAR_TENSOR_ORDER_MOST];
    for (int d = 0; d < out->list.order; d++) {
        extent[d] = t->extent[ashi_index_find(list, out->list.index[d])];
        may_cut[d] = cut && cut[out->list.index[d]];
    }
    if (cut)
        return ashi_tensor_layout_even(out->list.order, extent, may_cut, ranks, &out->layout, err);
    return ashi_tensor_layout_follow(out->list.order, extent, out->list.index, t->layout, list->index, &out->layout,
                                     err);
}

/* The plan that brings tensor x from one form into the other. Collective. */
static ashlar_status make_plan(const ashlar_contraction_plan *plan, int x, const ashlar_options *options,
                               ashi_contract_prepared *out, ashlar_error *err)
{
    const ashi_expression *const e = &plan->expression;
    const ashi_contract_tensor *const t = &plan->tensor[x];
    const ashlar_tensor whole = {.order = t->order, .extent = t->extent, .layout = t->layout};
    const ashlar_tensor left = {.order = out->list.order, .extent = out->layout->extent, .layout = out->layout};
    const bool result = x == e->operands;
    char text[2 * ASHI_ORDER_MOST + 3], *end = write(e, result ? &out->list : list_of(e, x), text);
    *end++ = '-';
    *end++ = '>';
    *write(e, result ? list_of(e, x) : &out->list, end) = '\0';
    const ashlar_contraction what = {.type = plan->type, .expression = text, .operands = 1,
                                     .operand = result ? &left : &whole, .output = result ? &whole : &left};
    const bool before = ashi_contract_begin_new(plan->context, !result);
    const ashlar_status status = plan->calls->create(plan->context, &what, options, &out->plan, err);
    plan->context->c_is_new = before;
    return status;
}

ashlar_status ashi_contract_prepared_make(const ashlar_contraction_plan *plan, int x, const ashi_index_list *order,
                                          const bool *cut, const ashlar_options *options, ashi_contract_prepared *out,
                                          ashlar_error *err)
{
    *out = (ashi_contract_prepared){0};
    out->sums = leave(&plan->expression, x, &out->list);
    if (!out->sums && !order)
        return ASHLAR_OK;
    out->even = cut != NULL;
    const ashlar_status dealt =
        deal(&plan->tensor[x], list_of(&plan->expression, x), cut, plan->context->ranks, out, err);
    ashlar_status status = ashi_agree(plan->context, dealt, err);
    if (status != ASHLAR_OK)
        return status;
    if (order)
        lie(out->layout, &out->list, order, plan->context->rank);
    status = make_plan(plan, x, options, out, err);
    if (status != ASHLAR_OK)
        return status;
    const int64_t words = ashlar_tensor_layout_words(out->layout, plan->context->rank);
    out->words = words + out->plan->report.workspace_words;
    out->data = malloc((size_t)(words + 1) * ashlar_type_bytes(plan->type));
    return ashi_agree(plan->context, out->data ? ASHLAR_OK : ashi_fail_memory(err, "another form of a tensor", words),
                      err);
}

ashlar_status ashi_contract_prepared_take(ashi_contract_prepared *p, const void *operand, ashlar_error *err)
{
    const ashi_kernels *const kernels = ashi_kernels_of(p->plan->type);
    const void *const from[1] = {operand};
    return p->plan->calls->execute(p->plan, kernels->one, from, kernels->zero, p->data, err);
}

ashlar_status ashi_contract_prepared_give(ashi_contract_prepared *p, const void *beta, void *output, ashlar_error *err)
{
    const void *const from[1] = {p->data};
    return p->plan->calls->execute(p->plan, ashi_kernels_of(p->plan->type)->one, from, beta, output, err);
}

void ashi_contract_prepared_free(ashi_contract_prepared *p)
{
    if (p->plan)
        p->plan->calls->free(&p->plan);
    ashlar_tensor_layout_free(&p->layout);
    free(p->data);
    *p = (ashi_contract_prepared){0};
}
