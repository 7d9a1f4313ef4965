/* Whether a tensor in a file is what a contraction takes it for. */
#include "contract/filed_check.h"

#include "base/error.h"
#include "base/type.h"

#include <inttypes.h>
#include <stdio.h>

static const char who[] = "ashlar_contraction_plan_create";

/* As messages call a tensor. */
typedef struct label {
    char text[24];
} label;

static label name_of(const ashlar_contraction_plan *plan, int x)
{
    label l = {"the output"};
    if (x < plan->expression.operands)
        snprintf(l.text, sizeof l.text, "operand %d", x + 1);
    else if (x > plan->expression.operands)
        snprintf(l.text, sizeof l.text, "output0");
    return l;
}

static ashlar_status check_state(const ashlar_contraction_plan *plan, const ashlar_tensor_file *file, const label *name,
                                 bool output, ashlar_error *err)
{
    const ashlar_file *f = file->file;
    if (file->context != plan->context)
        return ashi_fail(err, ASHLAR_ERR_ARG, "%s: the file of %s is of another context", who, name->text);
    if (f->created != output)
        return ashi_fail(err, ASHLAR_ERR_ARG, "%s: the file of %s was %s, wanted one that was %s", who, name->text,
                         f->created ? "created" : "opened", f->created ? "opened" : "created");
    if (f->ended)
        return ashi_fail(err, ASHLAR_ERR_ARG, "%s: the file of %s is no longer open for writing", who, name->text);
    if (file->info.type != plan->type)
        return ashi_fail(err, ASHLAR_ERR_ARG, "%s: %s is of type %c (%s) in its file, wanted %c (%s)", who, name->text,
                         ashi_type_of(file->info.type)->letter, ashi_type_of(file->info.type)->name,
                         ashi_type_of(plan->type)->letter, ashi_type_of(plan->type)->name);
    return ASHLAR_OK;
}

static ashlar_status check_extents(const ashlar_tensor_file *file, int order, const int64_t *extent, const label *name,
                                   ashlar_error *err)
{
    if (file->info.order != order)
        return ashi_fail(err, ASHLAR_ERR_ARG, "%s: %s has %d dimensions in its file, wanted %d", who, name->text,
                         file->info.order, order);
    for (int d = 0; d < order; d++)
        if (file->info.extent[d] != extent[d])
            return ashi_fail(err, ASHLAR_ERR_ARG, "%s: dimension %d of %s is %" PRId64 " in its file, wanted %" PRId64,
                             who, d + 1, name->text, file->info.extent[d], extent[d]);
    return ASHLAR_OK;
}

ashlar_status ashi_filed_tensor_check(const ashlar_contraction_plan *plan, const ashlar_tensor_file *file, int x,
                                      ashlar_error *err)
{
    const int output = plan->expression.operands;
    const ashi_contract_tensor *wanted = &plan->tensor[x < output ? x : output];
    const label name = name_of(plan, x);
    ashlar_status status = check_state(plan, file, &name, x == output, err);
    if (status == ASHLAR_OK)
        status = check_extents(file, wanted->order, wanted->extent, &name, err);
    if (status == ASHLAR_OK && wanted->layout)
        status = ashi_fail(err, ASHLAR_ERR_ARG, "%s: %s has a layout and a file, wanted one of them", who, name.text);
    return status;
}
