/* An operand on several ranks that is summed, before it is multiplied, over the indices that are nowhere else. */
#include "contract/summed.h"

#include "base/error.h"
#include "exec/kernels.h"

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

/* "abc->ac", and the dimension that each index of what is left has in the operand. */
static void name(const ashi_expression *e, int x, char *text, ashi_contract_summed *out, int *dimension)
{
    const ashi_index_list *const list = &e->operand[x];
    for (int d = 0; d < list->order; d++)
        *text++ = e->name[list->index[d]];
    *text++ = '-';
    *text++ = '>';
    for (int d = 0; d < list->order; d++) {
        const int i = list->index[d];
        if (ashi_index_find(list, i) != d || ashi_contract_is_alone(e, x, i))
            continue;
        dimension[out->list.order] = d;
        out->list.index[out->list.order++] = i;
        *text++ = e->name[i];
    }
    *text = '\0';
    out->list.begin = list->begin;
}

/* What is left is dealt out as in the operand, by the processes whose other coordinates are 0. */
static ashlar_status deal(const ashlar_tensor_layout *of, const int *dimension, ashi_contract_summed *out,
                          ashlar_error *err)
{
    int64_t extent[ASHLAR_TENSOR_ORDER_MOST], block[ASHLAR_TENSOR_ORDER_MOST];
    int parts[ASHLAR_TENSOR_ORDER_MOST], index[ASHLAR_TENSOR_ORDER_MOST], other[ASHLAR_TENSOR_ORDER_MOST];
    const int order = out->list.order;
    for (int d = 0; d < of->order; d++)
        other[d] = d;
    for (int d = 0; d < order; d++) {
        extent[d] = of->extent[dimension[d]];
        block[d] = of->block[dimension[d]];
        parts[d] = of->parts[dimension[d]];
        index[d] = dimension[d];
    }
    const ashlar_status status =
        ashlar_tensor_layout_blocks(order, extent, block, parts, NULL, NULL, &out->layout, err);
    return status == ASHLAR_OK ? ashi_tensor_layout_like(out->layout, index, of, other, err) : status;
}

ashlar_status ashi_contract_summed_make(const ashlar_contraction_plan *plan, int x, const ashlar_options *options,
                                        ashi_contract_summed *out, ashlar_error *err)
{
    const ashi_expression *const e = &plan->expression;
    const ashi_contract_tensor *const t = &plan->tensor[x];
    char text[2 * ASHI_ORDER_MOST + 3];
    int dimension[ASHLAR_TENSOR_ORDER_MOST];
    bool any = false;
    for (int i = 0; i < e->indices; i++)
        any = any || ashi_contract_is_alone(e, x, i);
    *out = (ashi_contract_summed){0};
    if (!any)
        return ASHLAR_OK;
    name(e, x, text, out, dimension);
    ashlar_status status = ashi_agree(plan->context, deal(t->layout, dimension, out, err), err);
    if (status != ASHLAR_OK)
        return status;
    const ashlar_tensor from = {.order = t->order, .extent = t->extent, .layout = t->layout};
    const ashlar_tensor to = {.order = out->list.order, .layout = out->layout};
    const ashlar_contraction what = {.type = plan->type, .expression = text, .operands = 1, .operand = &from,
                                     .output = &to};
    status = plan->calls->create(plan->context, &what, options, &out->plan, err);
    if (status != ASHLAR_OK)
        return status;
    const int64_t words = ashlar_tensor_layout_words(out->layout, plan->context->rank);
    out->words = words + out->plan->report.workspace_words;
    out->data = malloc((size_t)(words + 1) * ashlar_type_bytes(plan->type));
    return ashi_agree(plan->context, out->data ? ASHLAR_OK : ashi_fail_memory(err, "sum of an operand", words), err);
}

ashlar_status ashi_contract_summed_run(ashi_contract_summed *summed, const void *operand, ashlar_error *err)
{
    const ashi_kernels *const kernels = ashi_kernels_of(summed->plan->type);
    const void *const from[1] = {operand};
    return summed->plan->calls->execute(summed->plan, kernels->one, from, kernels->zero, summed->data, err);
}

void ashi_contract_summed_free(ashi_contract_summed *summed)
{
    if (summed->plan)
        summed->plan->calls->free(&summed->plan);
    ashlar_tensor_layout_free(&summed->layout);
    free(summed->data);
    *summed = (ashi_contract_summed){0};
}
