/* Measuring products: the rate of large ones, of each form, and what thin ones take. */
#include "cli/measure_trial.h"

#include "kernel/kernels.h"
#include "model/rates.h"

enum {
    MOST_TURNS = 250,
    THIN_SIDE = 2048, /* 32 MiB of C */
    THIN_K = 8,
    FORM_SIDE = 512,  /* with a shorter side or k the forms hardly differ */
    FORM_K = 4096
};

/* Large enough for a BLAS to reach its rate: 7 ms at 128 GFlop/s. */
static ashlar_status product_once(ashi_trial *t, ashlar_error *err)
{
    const ashi_kernels *kernels = ashi_kernels_of(ASHLAR_TYPE_D);
    const ashi_matrix a = {t->product[0], 1, ASHI_RATED_SIDE}, b = {t->product[1], 1, ASHI_RATED_SIDE};
    (void)err;
    kernels->gemm(ASHI_RATED_SIDE, ASHI_RATED_SIDE, ASHI_RATED_SIDE, kernels->one, &a, false, &b, false, kernels->zero,
                  t->product[2], 1, ASHI_RATED_SIDE);
    return ASHLAR_OK;
}

/* Repeat with matrices that have count[0], count[1] and count[2] elements. */
static ashlar_status with_matrices(ashi_trial *t, const int64_t count[3], double seconds, ashi_measurement *out,
                                   ashlar_error *err)
{
    ashlar_status status = ashi_trial_matrices(t, count, err);
    if (status == ASHLAR_OK)
        status = ashi_trial_repeat(t, seconds, out, err);
    ashi_trial_free_matrices(t);
    return status;
}

ashlar_status ashi_measure_flops(const ashlar_context *context, double seconds, const char *folder,
                                 ashi_measurement *out, ashlar_error *err)
{
    const int64_t count = (int64_t)ASHI_RATED_SIDE * ASHI_RATED_SIDE;
    ashi_trial t = {.context = context, .once = product_once, .work = 2.0 * (double)count * ASHI_RATED_SIDE};
    (void)folder;
    return with_matrices(&t, (const int64_t[3]){count, count, count}, seconds, out, err);
}

static ashlar_status thin_once(ashi_trial *t, ashlar_error *err)
{
    const ashi_kernels *kernels = ashi_kernels_of(ASHLAR_TYPE_D);
    const ashi_matrix a = {t->product[0], 1, THIN_SIDE}, b = {t->product[1], 1, THIN_SIDE};
    (void)err;
    kernels->gemm(THIN_SIDE, THIN_SIDE, THIN_K, kernels->one, &a, false, &b, false, kernels->one, t->product[2], 1,
                  THIN_SIDE);
    return ASHLAR_OK;
}

ashlar_status ashi_measure_thin(const ashlar_context *context, double seconds, const char *folder,
                                ashi_measurement *out, ashlar_error *err)
{
    const int64_t thin = (int64_t)THIN_SIDE * THIN_K, square = (int64_t)THIN_SIDE * THIN_SIDE;
    ashi_trial t = {.context = context, .once = thin_once, .times = 1};
    (void)folder;
    return with_matrices(&t, (const int64_t[3]){thin, thin, square}, seconds, out, err);
}

double ashi_thin_bandwidth(double seconds, double flops_per_second)
{
    const ashlar_machine machine = {.flops_per_second = flops_per_second};
    return ashi_product_bandwidth(&machine, THIN_SIDE, THIN_SIDE, THIN_K, seconds);
}

/* The kernel takes op(A) with m minor and op(B) with n minor: a matrix that BLAS transposes has the other side, k or n,
 * contiguous. */
static ashlar_status form_once(ashi_trial *t, ashlar_error *err)
{
    const ashi_kernels *kernels = ashi_kernels_of(ASHLAR_TYPE_D);
    const bool a_turned = t->form == ashi_form_of(true, false) || t->form == ashi_form_of(true, true);
    const bool b_turned = t->form == ashi_form_of(false, true) || t->form == ashi_form_of(true, true);
    const ashi_matrix a = {t->product[0], a_turned ? FORM_K : 1, a_turned ? 1 : FORM_SIDE};
    const ashi_matrix b = {t->product[1], b_turned ? 1 : FORM_K, b_turned ? FORM_SIDE : 1};
    (void)err;
    kernels->gemm(FORM_SIDE, FORM_SIDE, FORM_K, kernels->one, &a, false, &b, false, kernels->zero, t->product[2], 1,
                  FORM_SIDE);
    return ASHLAR_OK;
}

/* Each form once in every turn; a product before that warms up. One turn is the least, since it takes long. */
static ashlar_status repeat_forms(ashi_trial *t, double budget, ashi_measurement *out, ashlar_error *err)
{
    double value[ASHI_FORMS][MOST_TURNS], spent = 0, seconds = 0;
    int n = 0;
    ashlar_status status = ashi_trial_once(t, &seconds, err);
    for (; status == ASHLAR_OK && n < MOST_TURNS && (n < 1 || spent < budget); n++)
        for (t->form = 0; t->form < ASHI_FORMS && status == ASHLAR_OK; t->form++) {
            status = ashi_trial_once(t, &seconds, err);
            spent += seconds;
            value[t->form][n] = ashi_trial_value(t, seconds);
        }
    for (int f = 0; f < ASHI_FORMS && status == ASHLAR_OK; f++)
        ashi_trial_median(value[f], n, &out[f]);
    return status;
}

ashlar_status ashi_measure_forms(const ashlar_context *context, double seconds, ashi_measurement *out,
                                 ashlar_error *err)
{
    const int64_t long_side = (int64_t)FORM_SIDE * FORM_K, square = (int64_t)FORM_SIDE * FORM_SIDE;
    ashi_trial t = {.context = context, .once = form_once, .work = 2.0 * (double)long_side * FORM_SIDE};
    ashlar_status status = ashi_trial_matrices(&t, (const int64_t[3]){long_side, long_side, square}, err);
    if (status == ASHLAR_OK)
        status = repeat_forms(&t, seconds, out, err);
    ashi_trial_free_matrices(&t);
    return status;
}
