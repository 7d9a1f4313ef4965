/* Measuring the devices of the ranks: copies of some MiB and of a few bytes, and products that are large enough to take
 * some time. */
#include "cli/measure_device.h"

#include "base/checked.h"
#include "base/error.h"
#include "base/type.h"
#include "cli/measure_trial.h"
#include "kernel/kernels.h"
#include "plan/device.h"

#include <inttypes.h>
#include <stdlib.h>

enum {
    SIDE_LEAST = 16,
    SIDE_MOST = 8192,
    COPY_MOST = 64 << 20,
    SMALL = 8,      /* bytes of a copy by which the delay is found, */
    SMALL_COPIES = 32 /* which are queued together */
};

/* A product that takes so long is large enough. */
static const double long_enough = 0.02;

/* The most bytes of a complex element. */
static const int64_t widest = 16;

static ashlar_status finish(const ashi_trial *t, ashlar_status status, ashlar_error *err)
{
    ashi_device *device = t->device->device;
    return status == ASHLAR_OK ? device->kind->finish(device, err) : status;
}

/* Copies of t->size bytes each, t->copies of them. */
static ashlar_status copy_once(ashi_trial *t, ashlar_error *err)
{
    ashi_device *device = t->device->device;
    const ashi_device_copy in = {t->from, t->size, t->device->pool, t->size, t->size, 1};
    const ashi_device_copy out = {t->device->pool, t->size, t->from, t->size, t->size, 1};
    ashlar_status status = ASHLAR_OK;
    for (int i = 0; i < t->copies && status == ASHLAR_OK; i++)
        status = t->outward ? device->kind->copy_out(device, &out, err) : device->kind->copy_in(device, &in, err);
    return finish(t, status, err);
}

static ashlar_status product_once(ashi_trial *t, ashlar_error *err)
{
    ashi_device *device = t->device->device;
    const ashi_kernels *kernels = ashi_kernels_of(t->type);
    const int64_t n = t->size, bytes = n * n * (int64_t)ashlar_type_bytes(t->type);
    char *pool = t->device->pool;
    const ashi_device_gemm g = {.type = t->type, .op_a = ASHLAR_OP_N, .op_b = ASHLAR_OP_N, .m = n, .n = n, .k = n,
                                .alpha = kernels->one, .beta = kernels->zero, .a = pool, .b = pool + bytes,
                                .c = pool + 2 * bytes, .lda = n, .ldb = n, .ldc = n};
    return finish(t, device->kind->gemm(device, &g, err), err);
}

static ashlar_status measure_copies(ashi_trial *t, double seconds, ashi_device_measurement *out, ashlar_error *err)
{
    t->once = copy_once;
    t->copies = 1;
    t->work = (double)t->size;
    ashlar_status status = ashi_trial_repeat(t, seconds, &out->in, err);
    t->outward = true;
    if (status == ASHLAR_OK)
        status = ashi_trial_repeat(t, seconds, &out->out, err);
    t->outward = false;
    t->size = SMALL;
    t->copies = SMALL_COPIES;
    t->work = 0;
    t->times = SMALL_COPIES;
    return status == ASHLAR_OK ? ashi_trial_repeat(t, seconds, &out->delay, err) : status;
}

/* Operands of small numbers, so that no product overflows: the pool is filled piece by piece. */
static ashlar_status fill(ashi_trial *t, int64_t bytes, int64_t piece, ashlar_error *err)
{
    ashi_device *device = t->device->device;
    ashlar_status status = ASHLAR_OK;
    for (int64_t i = 0; i < piece / (int64_t)sizeof(float); i++)
        ((float *)(void *)t->from)[i] = (float)(i % 7) - 3;
    if (t->type == ASHLAR_TYPE_D || t->type == ASHLAR_TYPE_Z)
        for (int64_t i = 0; i < piece / (int64_t)sizeof(double); i++)
            ((double *)(void *)t->from)[i] = (double)(i % 7) - 3;
    for (int64_t at = 0; at < bytes && status == ASHLAR_OK; at += piece) {
        const int64_t length = ashi_min(piece, bytes - at);
        const ashi_device_copy copy = {t->from, length, (char *)t->device->pool + at, length, length, 1};
        status = device->kind->copy_in(device, &copy, err);
    }
    return ashi_agree_named(t->context, finish(t, status, err), err);
}

/* Larger sides until a product takes long enough, or three matrices no longer fit. */
static ashlar_status find_side(ashi_trial *t, int64_t memory, int64_t *side, ashlar_error *err)
{
    double seconds = 0;
    ashlar_status status = ASHLAR_OK;
    t->once = product_once;
    t->type = ASHLAR_TYPE_D;
    for (*side = SIDE_LEAST; status == ASHLAR_OK; *side *= 2) {
        t->size = *side;
        status = ashi_trial_once(t, &seconds, err);
        if (seconds > long_enough || *side >= SIDE_MOST || 3 * widest * 4 * *side * *side > memory)
            return status;
    }
    return status;
}

static ashlar_status measure_products(ashi_trial *t, double seconds, int64_t piece, ashi_device_measurement *out,
                                      ashlar_error *err)
{
    t->type = ASHLAR_TYPE_D;
    ashlar_status status = fill(t, ashi_min(out->memory, 3 * widest * SIDE_LEAST * SIDE_LEAST), piece, err);
    if (status == ASHLAR_OK)
        status = find_side(t, out->memory, &out->side, err);
    const double count = (double)out->side * (double)out->side * (double)out->side;
    for (int type = 0; type < ASHI_DEVICE_TYPES && status == ASHLAR_OK; type++) {
        t->type = (ashlar_type)type;
        t->size = out->side;
        t->work = ashi_type_of(t->type)->flops * count;
        t->once = product_once;
        status = fill(t, 2 * out->side * out->side * (int64_t)ashlar_type_bytes(t->type), piece, err);
        if (status == ASHLAR_OK)
            status = ashi_trial_repeat(t, seconds, &out->product[type], err);
    }
    return status;
}

ashlar_status ashi_measure_device_check(const ashlar_context *c, ashlar_error *err)
{
    const ashi_context_device *d = c->device;
    const int64_t wanted = 3 * widest * SIDE_LEAST * SIDE_LEAST;
    ashlar_status status = ASHLAR_OK;
    if (!d || !d->device)
        status = ashi_fail(err, ASHLAR_ERR_DEVICE, "--device: there is no device to be measured");
    else if (d->memory < wanted)
        status = ashi_fail(err, ASHLAR_ERR_LIMIT, "%" PRId64 " bytes of device memory are too few to measure: %" PRId64
                           " would do", d->memory, wanted);
    return ashi_agree_named(c, status, err);
}

ashlar_status ashi_measure_device(const ashlar_context *c, double seconds, ashi_device_measurement *out,
                                  ashlar_error *err)
{
    ashi_trial t = {.context = c, .device = c->device};
    *out = (ashi_device_measurement){.memory = c->device->memory};
    ashi_note(c, MPI_Allreduce(&c->device->memory, &out->memory, 1, MPI_INT64_T, MPI_MIN, c->comm), "MPI_Allreduce");
    const int64_t piece = ashi_min(out->memory, COPY_MOST) / widest * widest;
    t.from = ashi_touched((size_t)piece);
    t.size = piece;
    ashlar_status status = ashi_agree_named(c, t.from ? ASHLAR_OK : ashi_fail_memory(err, "calibrate", piece), err);
    if (status == ASHLAR_OK)
        status = measure_copies(&t, seconds, out, err);
    if (status == ASHLAR_OK)
        status = measure_products(&t, seconds, piece, out, err);
    free(t.from);
    return status;
}
