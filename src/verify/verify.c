/* The check of an execution of a plan: the public calls over Freivalds' test. */
#include "base/checked.h"
#include "base/error.h"
#include "base/structure.h"
#include "base/type.h"
#include "kernel/kernels.h"
#include "layout/layout.h"
#include "plan/plan.h"
#include "verify/freivalds.h"

#include <ashlar/verify.h>

#include <stdlib.h>
#include <string.h>

struct ashlar_verification {
    ashlar_plan *plan;
    ashi_freivalds test;
    unsigned char beta[16]; /* one element */
};

/* One array of this rank's for each matrix that the plan takes from the caller. */
static ashlar_status check_layouts(const ashlar_plan *plan, ashlar_error *err)
{
    for (int x = 0; x < 3; x++)
        if (plan->layout[x] && ashi_layout_needs_pointers(plan->layout[x], plan->context->rank))
            return ashi_fail(err, ASHLAR_ERR_ARG, "rank %d: ashlar_verify_begin: the layout of %c has no offsets",
                             plan->context->rank, "ABC"[x]);
    return ASHLAR_OK;
}

static ashi_freivalds_file file_of(const ashlar_file *file)
{
    return (ashi_freivalds_file){file->store, file->info.type, file->context->rank, file->context->ranks};
}

/* The product in question; `data` are the caller's arrays. C is in a file only if it went through memory in pieces. */
static ashi_freivalds_product product_of(const ashlar_verification *v, const void *alpha, const void *const data[3])
{
    const ashlar_plan *plan = v->plan;
    ashi_freivalds_product p = {.context = plan->context, .problem = &plan->problem, .alpha = alpha, .beta = v->beta};
    for (int x = 0; x < 3; x++) {
        p.layout[x] = plan->layout[x];
        p.data[x] = plan->filed.file[x] ? plan->filed.part[x] : data[x];
        if (ashi_filed_passes(&plan->filed) && x < 2 && plan->filed.file[x])
            p.file[x] = file_of(plan->filed.file[x]);
    }
    if (plan->filed.file[ASHI_FILED_C0])
        p.file[ASHI_FREIVALDS_C0] = file_of(plan->filed.file[ASHI_FILED_C0]);
    return p;
}

static ashlar_status begin(ashlar_plan *plan, const void *beta, const void *c, ashlar_verification **out,
                           ashlar_error *err)
{
    ashlar_status status = check_layouts(plan, err);
    if (status != ASHLAR_OK)
        return status;
    if (!ashi_kernels_of(plan->problem.type)->is_zero(beta) && !plan->filed.file[ASHLAR_C] && !c &&
        ashlar_layout_words(plan->layout[ASHLAR_C], plan->context->rank) > 0)
        return ashi_fail(err, ASHLAR_ERR_ARG, "rank %d: ashlar_verify_begin: c is NULL", plan->context->rank);
    ashlar_verification *v = calloc(1, sizeof *v);
    if (!v)
        return ashi_fail_memory(err, "ashlar_verify_begin", (int64_t)sizeof *v);
    v->plan = plan;
    memcpy(v->beta, beta, ashi_type_bytes(plan->problem.type, ASHLAR_C));
    *out = v;
    const void *const data[3] = {NULL, NULL, c};
    const ashi_freivalds_product product = product_of(v, beta, data); /* alpha is not needed yet */
    /* Of a C that is in a file without a C0 nothing was read before. */
    return plan->filed.file[ASHLAR_C] ? ASHLAR_OK : ashi_freivalds_begin(&product, &v->test, err);
}

ashlar_status ashlar_verify_begin(ashlar_plan *plan, const void *beta, const void *c, ashlar_verification **out,
                                  ashlar_error *err)
{
    ashlar_error own = {0};
    err = err ? err : &own;
    if (!plan)
        return ashi_fail(err, ASHLAR_ERR_ARG, "ashlar_verify_begin: plan is NULL");
    if (out)
        *out = NULL;
    ashlar_status status = ASHLAR_OK;
    if (!beta || !out)
        status = ashi_fail(err, ASHLAR_ERR_ARG, "ashlar_verify_begin: %s is NULL", beta ? "out" : "beta");
    else
        status = begin(plan, beta, c, out, err);
    status = ashi_conclude(plan->context, ashi_agree_named(plan->context, status, err), err);
    if (status != ASHLAR_OK && out)
        ashlar_verify_free(out);
    return status;
}

static ashlar_status check_end(const ashlar_plan *plan, const void *alpha, const void *const data[3],
                               const ashlar_verdict *out, ashlar_error *err)
{
    const int rank = plan->context->rank;
    if (!alpha || !out)
        return ashi_fail(err, ASHLAR_ERR_ARG, "ashlar_verify_end: %s is NULL", alpha ? "out" : "alpha");
    const bool reads = !plan->empty && !ashi_kernels_of(plan->problem.type)->is_zero(alpha);
    for (int x = reads ? 0 : 2; x < 3; x++)
        if (!plan->filed.file[x] && !data[x] && ashlar_layout_words(plan->layout[x], rank) > 0)
            return ashi_fail(err, ASHLAR_ERR_ARG, "rank %d: ashlar_verify_end: %c is NULL", rank, "abc"[x]);
    return ASHLAR_OK;
}

ashlar_status ashlar_verify_end_sized(ashlar_verification *v, const void *alpha, const void *a, const void *b,
                                      const void *c, ashlar_verdict *out, size_t size, ashlar_error *err)
{
    ashlar_error own = {0};
    err = err ? err : &own;
    if (!v)
        return ashi_fail(err, ASHLAR_ERR_ARG, "ashlar_verify_end: check is NULL");
    const ashlar_plan *plan = v->plan;
    const void *const data[3] = {a, b, c};
    ashi_back back = {0};
    ashlar_status status = ashi_agree(plan->context, check_end(plan, alpha, data, out, err), err);
    ashi_freivalds_product product = product_of(v, alpha, data);
    const ashlar_file *const written = plan->filed.file[ASHLAR_C];
    if (status == ASHLAR_OK && written && written->added) { /* nothing was formed */
        ashi_structure_give(&(ashlar_verdict){.passed = true}, sizeof(ashlar_verdict), out, size);
        return ashi_conclude(plan->context, status, err);
    }
    if (status == ASHLAR_OK && ashi_filed_passes(&plan->filed) && plan->filed.file[ASHLAR_C]) {
        status = ashi_file_read_back(plan->filed.file[ASHLAR_C], &back, err);
        product.file[ASHLAR_C] = (ashi_freivalds_file){back.store, back.info.type, plan->context->rank,
                                                       plan->context->ranks};
    }
    if (status == ASHLAR_OK)
        status = ashi_freivalds_judge(&product, &v->test, err);
    ashi_back_close(&back);
    status = ashi_conclude(plan->context, status, err);
    if (status != ASHLAR_OK)
        return status;
    const ashlar_verdict verdict = {.passed = v->test.passed, .vectors = ASHI_FREIVALDS_VECTORS,
                                    .worst = v->test.worst, .row = v->test.row};
    ashi_structure_give(&verdict, sizeof verdict, out, size);
    return ASHLAR_OK;
}

void ashlar_verify_free(ashlar_verification **check)
{
    if (!check || !*check)
        return;
    ashi_freivalds_free(&(*check)->test);
    free(*check);
    *check = NULL;
}
