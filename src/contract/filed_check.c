/* Whether a tensor in a file is what a contraction takes it for. */
#include "contract/filed_check.h"

#include "base/error.h"
#include "base/type.h"

#include <inttypes.h>

static const char who[] = "ashlar_contraction_plan_create";

static const char *const names[4] = {"operand 1", "operand 2", "the output", "output0"};

static ashlar_status check_state(const ashlar_contraction_plan *plan, const ashlar_tensor_file *file, int x,
                                 ashlar_error *err)
{
    const ashlar_file *f = file->file;
    if (file->context != plan->context)
        return ashi_fail(err, ASHLAR_ERR_ARG, "%s: the file of %s is of another context", who, names[x]);
    if (f->created != (x == ASHLAR_C))
        return ashi_fail(err, ASHLAR_ERR_ARG, "%s: the file of %s was %s, wanted one that was %s", who, names[x],
                         f->created ? "created" : "opened", f->created ? "opened" : "created");
    if (f->ended)
        return ashi_fail(err, ASHLAR_ERR_ARG, "%s: the file of %s is no longer open for writing", who, names[x]);
    if (file->info.type != plan->type)
        return ashi_fail(err, ASHLAR_ERR_ARG, "%s: %s is of type %c (%s) in its file, wanted %c (%s)", who, names[x],
                         ashi_type_of(file->info.type)->letter, ashi_type_of(file->info.type)->name,
                         ashi_type_of(plan->type)->letter, ashi_type_of(plan->type)->name);
    return ASHLAR_OK;
}

static ashlar_status check_extents(const ashlar_tensor_file *file, int order, const int64_t *extent, int x,
                                   ashlar_error *err)
{
    if (file->info.order != order)
        return ashi_fail(err, ASHLAR_ERR_ARG, "%s: %s has %d dimensions in its file, wanted %d", who, names[x],
                         file->info.order, order);
    for (int d = 0; d < order; d++)
        if (file->info.extent[d] != extent[d])
            return ashi_fail(err, ASHLAR_ERR_ARG, "%s: dimension %d of %s is %" PRId64 " in its file, wanted %" PRId64,
                             who, d + 1, names[x], file->info.extent[d], extent[d]);
    return ASHLAR_OK;
}

ashlar_status ashi_filed_tensor_check(const ashlar_contraction_plan *plan, const ashlar_tensor_file *file, int x,
                                      const ashi_contract_tensor *wanted, ashlar_error *err)
{
    ashlar_status status = check_state(plan, file, x, err);
    if (status == ASHLAR_OK)
        status = check_extents(file, wanted->order, wanted->extent, x, err);
    if (status == ASHLAR_OK && wanted->layout)
        status = ashi_fail(err, ASHLAR_ERR_ARG, "%s: %s has a layout and a file, wanted one of them", who, names[x]);
    return status;
}
