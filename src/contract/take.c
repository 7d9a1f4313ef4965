/* What a caller asks to have contracted: taken, and checked as far as one rank can see. */
#include "base/error.h"
#include "base/structure.h"
#include "base/type.h"
#include "contract/plan.h"
#include "contract/tensor_file.h"

#include <inttypes.h>
#include <stdalign.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const char who[] = "ashlar_contraction_plan_create";

/* "operand 2", "output". */
typedef struct label {
    char text[24];
} label;

static label name_of(const ashlar_contraction_plan *plan, int x)
{
    label l = {"output"};
    if (x < plan->expression.operands)
        snprintf(l.text, sizeof l.text, "operand %d", x + 1);
    return l;
}

static ashlar_status take_expression(ashlar_contraction_plan *plan, const ashlar_contraction *c, ashlar_error *err)
{
    int column;
    if (!ashi_type_of(c->type))
        return ashi_fail(err, ASHLAR_ERR_ARG, "%s: type = %d is none", who, (int)c->type);
    if (!ashi_type_is_alike(c->type))
        return ashi_type_refuse(c->type, who, "contractions", err);
    if (!c->expression || !c->operand || !c->output)
        return ashi_fail(err, ASHLAR_ERR_ARG, "%s: %s is NULL", who,
                         !c->expression ? "expression" : c->operand ? "output" : "operand");
    ashlar_status status = ashi_expression_read(c->expression, &plan->expression, &column, err);
    if (status != ASHLAR_OK)
        return status;
    if (c->operands != plan->expression.operands)
        return ashi_fail(err, ASHLAR_ERR_ARG, "%s: operands = %d, the expression has %d", who, c->operands,
                         plan->expression.operands);
    plan->type = c->type;
    plan->output0 = c->output0;
    plan->words = strdup(c->expression);
    plan->tensor = calloc((size_t)c->operands + 1, sizeof *plan->tensor);
    return plan->words && plan->tensor ? ASHLAR_OK
                                       : ashi_fail_memory(err, who, (c->operands + 1) * (int64_t)sizeof *plan->tensor);
}

/* Tensor number x as the caller has it, in a structure of this version. */
static ashlar_status take_structure(const ashlar_contraction_plan *plan, const ashlar_contraction *c, int x,
                                    ashlar_tensor *out, ashlar_error *err)
{
    const size_t first = ASHI_FIRST_VERSION(ashlar_tensor, conjugate);
    const size_t apart = alignof(ashlar_tensor); /* in an array of the first version */
    const size_t size = c->operand->size ? c->operand->size : (first + apart - 1) / apart * apart;
    const label name = name_of(plan, x);
    const void *const at =
        x < plan->expression.operands ? (const char *)c->operand + (size_t)x * size : (const void *)c->output;
    const ashi_filled filled = {who, name.text, at, first};
    *out = (ashlar_tensor){0};
    return ashi_structure_take(&filled, out, sizeof *out, err);
}

static ashlar_status take_layout(const ashlar_contraction_plan *plan, int x, const ashlar_tensor_layout *layout,
                                 ashi_contract_tensor *out, ashlar_error *err)
{
    const label name = name_of(plan, x);
    out->own = layout == NULL;
    if (!layout)
        return ASHLAR_OK;
    const size_t bytes = (size_t)out->order * sizeof *out->extent;
    if (layout->order != out->order || memcmp(layout->extent, out->extent, bytes) != 0)
        return ashi_fail(err, ASHLAR_ERR_ARG, "%s: the layout of %s has other extents", who, name.text);
    if (ashi_tensor_layout_ranks(layout) > plan->context->ranks)
        return ashi_fail(err, ASHLAR_ERR_ARG, "%s: the layout of %s names rank %d, there are %d ranks", who, name.text,
                         ashi_tensor_layout_ranks(layout) - 1, plan->context->ranks);
    for (int d = 0; x == plan->expression.operands && layout->strided && d < layout->order; d++)
        if (layout->extent[d] > 1 && layout->stride[d] == 0)
            return ashi_fail(err, ASHLAR_ERR_ARG, "%s: stride[%d] of output is 0", who, d);
    return ashi_tensor_layout_copy(layout, &out->layout, err);
}

static ashlar_status take_operand(ashlar_contraction_plan *plan, int x, const ashlar_tensor *t, ashlar_error *err)
{
    ashi_contract_tensor *const out = &plan->tensor[x];
    int column;
    const bool filed = t->file && !t->extent;
    const int order = filed ? t->file->info.order : t->order;
    const int64_t *extent = filed ? t->file->info.extent : t->extent;
    if (order > 0 && !extent)
        return ashi_fail(err, ASHLAR_ERR_ARG, "%s: extent of operand %d is NULL", who, x + 1);
    const ashlar_status status = ashi_expression_shape(&plan->expression, x, order, extent, &column, err);
    if (status != ASHLAR_OK)
        return status;
    out->order = order;
    for (int d = 0; d < order; d++)
        out->extent[d] = extent[d];
    out->conjugate = t->conjugate && ashi_type_of(plan->type)->complex;
    out->file = t->file;
    return take_layout(plan, x, t->layout, out, err);
}

static ashlar_status take_output(ashlar_contraction_plan *plan, const ashlar_tensor *t, ashlar_error *err)
{
    const ashi_expression *const e = &plan->expression;
    ashi_contract_tensor *const out = ashi_contract_output(plan);
    out->order = e->output.order;
    for (int d = 0; d < out->order; d++)
        out->extent[d] = e->extent[e->output.index[d]];
    if (t->conjugate)
        return ashi_fail(err, ASHLAR_ERR_ARG, "%s: the output cannot be conjugated", who);
    if (t->extent && t->order != out->order)
        return ashi_fail(err, ASHLAR_ERR_ARG, "column %d: the output has %d dimensions, the expression names %d",
                         e->output.begin, t->order, out->order);
    for (int d = 0; t->extent && d < out->order; d++)
        if (t->extent[d] != out->extent[d])
            return ashi_fail(err, ASHLAR_ERR_ARG, "column %d: dimension %d of the output is %" PRId64
                             ", index '%c' has extent %" PRId64, e->output.column[d], d + 1, t->extent[d],
                             e->name[e->output.index[d]], out->extent[d]);
    out->file = t->file;
    return take_layout(plan, e->operands, t->layout, out, err);
}

ashlar_status ashi_contract_take(ashlar_contraction_plan *plan, const ashlar_contraction *contraction,
                                 ashlar_error *err)
{
    const ashi_filled what = {who, "contraction", contraction, ASHI_FIRST_VERSION(ashlar_contraction, output0)};
    ashlar_contraction c = {0};
    ashlar_tensor t;
    int column;
    if (!contraction)
        return ashi_fail(err, ASHLAR_ERR_ARG, "%s: contraction is NULL", who);
    ashlar_status status = ashi_structure_take(&what, &c, sizeof c, err);
    if (status == ASHLAR_OK)
        status = take_expression(plan, &c, err);
    for (int x = 0; status == ASHLAR_OK && x < plan->expression.operands; x++) {
        status = take_structure(plan, &c, x, &t, err);
        if (status == ASHLAR_OK)
            status = take_operand(plan, x, &t, err);
    }
    if (status == ASHLAR_OK)
        status = ashi_expression_check(&plan->expression, &column, err);
    if (status == ASHLAR_OK)
        status = take_structure(plan, &c, plan->expression.operands, &t, err);
    return status == ASHLAR_OK ? take_output(plan, &t, err) : status;
}
