/* A contraction in one call. */
#include <ashlar/contract.h>

ashlar_status ashlar_contract(ashlar_context *context, const ashlar_contraction *contraction,
                              const ashlar_options *options, const void *alpha, const void *const *operand,
                              const void *beta, void *output, ashlar_error *err)
{
    ashlar_contraction_plan *plan = NULL;
    ashlar_status status = ashlar_contraction_plan_create(context, contraction, options, &plan, err);
    if (status == ASHLAR_OK)
        status = ashlar_contraction_execute(plan, alpha, operand, beta, output, err);
    ashlar_contraction_plan_free(&plan);
    return status;
}
