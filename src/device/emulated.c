/* The emulated device: checks what it is given, finds the memory behind addresses, and queues jobs. */
#include "device/emulated.h"

#include "base/array.h"
#include "base/checked.h"
#include "base/error.h"
#include "base/type.h"
#include "device/emulated_kernels.h"
#include "device/emulated_memory.h"
#include "device/emulated_queue.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

typedef struct emulated {
    ashi_device base;
    ashi_emulated_options options;
    ashi_emulated_memory memory;
    ashi_emulated_queues queues;
    int64_t copies, products, calls; /* so far */
    int64_t pinned, pinned_most;     /* bytes of the host that were given and not taken back, now and at most */
} emulated;

/* What stands before memory of the host that was given: its length. */
enum { HEAD = 64 };

static emulated *of(ashi_device *device)
{
    return (emulated *)device;
}

/* Every call that can fail begins with this. */
static ashlar_status enter(emulated *e, ashlar_error *err)
{
    ashlar_error lost;
    if (++e->calls == e->options.lost) {
        ashi_fail(&lost, ASHLAR_ERR_DEVICE, "device: emulated: the device is lost");
        ashi_emulated_fail(&e->queues, &lost);
    }
    return ashi_emulated_state(&e->queues, err);
}

/* ---- memory ---- */

static ashlar_status allocate(ashi_device *device, int64_t bytes, void **out, ashlar_error *err)
{
    const ashlar_status status = enter(of(device), err);
    *out = NULL;
    return status == ASHLAR_OK ? ashi_emulated_allocate(&of(device)->memory, bytes, out, err) : status;
}

static void release(ashi_device *device, void *address)
{
    ashi_emulated_release(&of(device)->memory, address);
}

static ashlar_status host_allocate(ashi_device *device, int64_t bytes, void **out, ashlar_error *err)
{
    const ashlar_status status = enter(of(device), err);
    int64_t all = 0;
    *out = NULL;
    if (status != ASHLAR_OK)
        return status;
    int64_t *head = ashi_add(bytes, HEAD, &all) ? malloc((size_t)all) : NULL;
    if (!head)
        return ashi_fail_memory(err, "device: emulated", bytes);
    *head = bytes;
    of(device)->pinned += bytes;
    of(device)->pinned_most = ashi_max(of(device)->pinned_most, of(device)->pinned);
    *out = (char *)head + HEAD;
    return ASHLAR_OK;
}

static void host_release(ashi_device *device, void *address)
{
    if (!address)
        return;
    int64_t *head = (int64_t *)(void *)((char *)address - HEAD);
    of(device)->pinned -= *head;
    free(head);
}

static ashi_device_owner owner(const ashi_device *device, const void *address, int64_t *left)
{
    const emulated *e = (const emulated *)device;
    *left = ashi_emulated_left(&e->memory, address);
    return *left > 0 ? ASHI_OWNER_DEVICE : ashi_emulated_is_any(address) ? ASHI_OWNER_OTHER : ASHI_OWNER_HOST;
}

/* The memory behind `lines` lines of `bytes` bytes each. */
static ashlar_status behind(const emulated *e, const void *address, int64_t bytes, int64_t lines, int64_t stride,
                            void **out, ashlar_error *err)
{
    int64_t all = 0;
    *out = NULL;
    if (bytes == 0 || lines == 0)
        return ASHLAR_OK;
    if (ashi_mul(lines - 1, stride, &all) && ashi_add(all, bytes, &all))
        *out = ashi_emulated_behind(&e->memory, address, all);
    return *out ? ASHLAR_OK
                : ashi_fail(err, ASHLAR_ERR_ARG, "device: emulated: %" PRId64 " lines of %" PRId64
                            " bytes, %" PRId64 " apart, are not within one allocation", lines, bytes, stride);
}

/* ---- jobs ---- */

static ashlar_status new_job(emulated *e, ashi_emulated_job **out, ashlar_error *err)
{
    const ashlar_status status = enter(e, err);
    *out = status == ASHLAR_OK ? ashi_emulated_job_new() : NULL;
    return status != ASHLAR_OK || *out ? status : ashi_fail_memory(err, "device: emulated", sizeof **out);
}

/* Queue a job, or free it if its arguments were wrong. */
static ashlar_status put(emulated *e, ashi_device_queue queue, ashi_emulated_job *job, ashlar_status status)
{
    if (status == ASHLAR_OK)
        ashi_emulated_put(&e->queues, queue, job);
    else
        ashi_emulated_job_free(job);
    return status;
}

static double seconds_of(const emulated *e, double amount, double rate)
{
    return e->options.delay + (rate > 0 ? amount / rate : 0);
}

/* ---- copies ---- */

/* One that fails has done its first half. */
static void run_copy(ashi_emulated_job *job)
{
    const ashi_device_copy *c = &job->of.copy;
    for (int64_t i = 0; i < (job->fails ? c->lines / 2 : c->lines); i++)
        memcpy((char *)c->to + i * c->to_stride, (const char *)c->from + i * c->from_stride, (size_t)c->bytes);
}

static ashlar_status copy(ashi_device *device, ashi_device_queue queue, const ashi_device_copy *c, ashlar_error *err)
{
    emulated *e = of(device);
    ashi_emulated_job *job;
    void *own = NULL;
    ashlar_status status = new_job(e, &job, err);
    if (status != ASHLAR_OK)
        return status;
    const bool in = queue == ASHI_DEVICE_IN;
    status = in ? behind(e, c->to, c->bytes, c->lines, c->to_stride, &own, err)
                : behind(e, c->from, c->bytes, c->lines, c->from_stride, &own, err);
    job->run = run_copy;
    job->of.copy = *c;
    *(in ? &job->of.copy.to : (void **)&job->of.copy.from) = own;
    if (own == NULL)
        job->of.copy.lines = 0;
    job->seconds = seconds_of(e, (double)c->bytes * (double)c->lines, in ? e->options.in : e->options.out);
    job->fails = ++e->copies == e->options.fail_copy;
    return put(e, queue, job, status);
}

static ashlar_status copy_in(ashi_device *device, const ashi_device_copy *c, ashlar_error *err)
{
    return copy(device, ASHI_DEVICE_IN, c, err);
}

static ashlar_status copy_out(ashi_device *device, const ashi_device_copy *c, ashlar_error *err)
{
    return copy(device, ASHI_DEVICE_OUT, c, err);
}

/* ---- products ---- */

static void run_gemm(ashi_emulated_job *job)
{
    ashi_device_gemm g = job->of.gemm;
    const ashi_emulated_kernels *kernels = ashi_emulated_kernels_of(g.type);
    for (int64_t i = 0; i < job->count && !job->fails; i++) {
        g.a = job->list[i];
        g.b = job->list[job->count + i];
        g.c = job->list[2 * job->count + i];
        kernels->gemm(&g);
    }
}

/* The memory behind a column-major matrix, as it is stored. */
static ashlar_status matrix_behind(const emulated *e, ashlar_type type, const void *address, int64_t rows,
                                   int64_t columns, int64_t ld, void **out, ashlar_error *err)
{
    const int64_t bytes = (int64_t)ashlar_type_bytes(type);
    *out = NULL;
    if (ld < ashi_max(rows, 1))
        return ashi_fail(err, ASHLAR_ERR_ARG, "device: emulated: a leading dimension is %" PRId64 ", %" PRId64
                         " rows need more", ld, rows);
    return behind(e, address, ashi_mul_most(rows, bytes), columns, ashi_mul_most(ld, bytes), out, err);
}

static ashlar_status find_product(const emulated *e, const ashi_device_gemm *g, const void *a, const void *b, void *c,
                                  void **out, int64_t count, ashlar_error *err)
{
    const bool turn_a = g->op_a != ASHLAR_OP_N, turn_b = g->op_b != ASHLAR_OP_N;
    const ashlar_type sums = ashlar_type_of_sums(g->type);
    ashlar_status status =
        matrix_behind(e, g->type, a, turn_a ? g->k : g->m, turn_a ? g->m : g->k, g->lda, &out[0], err);
    if (status == ASHLAR_OK)
        status = matrix_behind(e, g->type, b, turn_b ? g->n : g->k, turn_b ? g->k : g->n, g->ldb, &out[count], err);
    if (status == ASHLAR_OK)
        status = matrix_behind(e, sums, c, g->m, g->n, g->ldc, &out[2 * count], err);
    return status;
}

static ashlar_status gemm_batched(ashi_device *device, const ashi_device_gemm *g, int64_t count, const void *const *a,
                                  const void *const *b, void *const *c, ashlar_error *err)
{
    emulated *e = of(device);
    const ashi_type *type = ashi_type_of(g->type);
    ashi_emulated_job *job;
    ashlar_status status = new_job(e, &job, err);
    if (status != ASHLAR_OK)
        return status;
    job->run = run_gemm;
    job->of.gemm = *g;
    job->count = count;
    job->list = calloc((size_t)ashi_max(count, 1), 3 * sizeof *job->list);
    if (!job->list)
        status = ashi_fail_memory(err, "device: emulated", 3 * count * (int64_t)sizeof *job->list);
    for (int64_t i = 0; i < count && status == ASHLAR_OK; i++)
        status = find_product(e, g, a[i], b[i], c[i], &job->list[i], count, err);
    memcpy(&job->scalar[0], g->alpha, ashi_type_word(g->type));
    memcpy(&job->scalar[1], g->beta, ashi_type_word(g->type));
    job->of.gemm.alpha = &job->scalar[0];
    job->of.gemm.beta = &job->scalar[1];
    job->seconds = seconds_of(e, (double)type->flops * (double)g->m * (double)g->n * (double)g->k * (double)count,
                              e->options.flops);
    job->fails = ++e->products == e->options.fail_product;
    return put(e, ASHI_DEVICE_WORK, job, status);
}

static ashlar_status gemm(ashi_device *device, const ashi_device_gemm *g, ashlar_error *err)
{
    return gemm_batched(device, g, 1, &g->a, &g->b, &g->c, err);
}

/* ---- sums and permutations ---- */

static void run_sum(ashi_emulated_job *job)
{
    const ashi_device_sum *s = &job->of.sum;
    if (s->m > 0 && s->n > 0)
        ashi_emulated_kernels_of(s->type)->axpby(s);
}

static ashlar_status axpby(ashi_device *device, const ashi_device_sum *s, ashlar_error *err)
{
    emulated *e = of(device);
    void *x = NULL, *y = NULL;
    ashi_emulated_job *job;
    if (!ashi_type_is_alike(s->type))
        return ashi_type_refuse(s->type, "device: emulated", "sums", err);
    ashlar_status status = new_job(e, &job, err);
    if (status != ASHLAR_OK)
        return status;
    status = matrix_behind(e, s->type, s->x, s->m, s->n, s->ldx, &x, err);
    if (status == ASHLAR_OK)
        status = matrix_behind(e, s->type, s->y, s->m, s->n, s->ldy, &y, err);
    job->run = run_sum;
    job->of.sum = *s;
    memcpy(&job->scalar[0], s->alpha, ashlar_type_bytes(s->type));
    memcpy(&job->scalar[1], s->beta, ashlar_type_bytes(s->type));
    job->of.sum.alpha = &job->scalar[0];
    job->of.sum.beta = &job->scalar[1];
    job->of.sum.x = x;
    job->of.sum.y = y;
    job->seconds = e->options.delay;
    return put(e, ASHI_DEVICE_WORK, job, status);
}

static void run_permutation(ashi_emulated_job *job)
{
    ashi_emulated_kernels_of(job->of.permutation.type)->permute(&job->of.permutation);
}

/* The memory behind a box of any strides of at least 0: one line from its first element to its last. */
static ashlar_status box_behind(const emulated *e, const ashi_device_permutation *p, const void *address,
                                const int64_t *stride, void **out, ashlar_error *err)
{
    int64_t last = 0;
    *out = NULL;
    for (int i = 0; i < p->indices; i++) {
        if (p->extent[i] == 0)
            return ASHLAR_OK;
        last = ashi_add_most(last, ashi_mul_most(p->extent[i] - 1, stride[i]));
    }
    const int64_t bytes = ashi_mul_most(ashi_add_most(last, 1), (int64_t)ashlar_type_bytes(p->type));
    return behind(e, address, bytes, 1, bytes, out, err);
}

static ashlar_status permute(ashi_device *device, const ashi_device_permutation *p, ashlar_error *err)
{
    emulated *e = of(device);
    void *from = NULL, *to = NULL;
    ashi_emulated_job *job;
    if (!ashi_type_is_alike(p->type))
        return ashi_type_refuse(p->type, "device: emulated", "permutations", err);
    ashlar_status status = new_job(e, &job, err);
    if (status != ASHLAR_OK)
        return status;
    if (p->indices < 1 || p->indices > ASHI_DEVICE_INDICES)
        status = ashi_fail(err, ASHLAR_ERR_ARG, "device: emulated: a box of %d indices; 1 to %d are possible",
                           p->indices, ASHI_DEVICE_INDICES);
    if (status == ASHLAR_OK)
        status = box_behind(e, p, p->from, p->from_stride, &from, err);
    if (status == ASHLAR_OK)
        status = box_behind(e, p, p->to, p->to_stride, &to, err);
    job->run = run_permutation;
    job->of.permutation = *p;
    job->of.permutation.from = from;
    job->of.permutation.to = to;
    job->seconds = e->options.delay;
    return put(e, ASHI_DEVICE_WORK, job, status);
}

/* ---- events ---- */

static ashlar_status event_create(ashi_device *device, ashi_device_event **out, ashlar_error *err)
{
    const ashlar_status status = enter(of(device), err);
    *out = NULL;
    if (status != ASHLAR_OK)
        return status;
    ashi_emulated_event *event = calloc(1, sizeof *event);
    if (!event)
        return ashi_fail_memory(err, "device: emulated", sizeof *event);
    event->base.device = device;
    *out = &event->base;
    return ASHLAR_OK;
}

static void event_free(ashi_device *device, ashi_device_event *event)
{
    (void)device;
    free(event);
}

static ashlar_status mark(ashi_device *device, ashi_device_queue queue, ashi_device_event *event, bool waits,
                          ashlar_error *err)
{
    ashi_emulated_job *job;
    const ashlar_status status = new_job(of(device), &job, err);
    if (status != ASHLAR_OK)
        return status;
    job->event = (ashi_emulated_event *)event;
    job->waits = waits;
    return put(of(device), queue, job, ASHLAR_OK);
}

static ashlar_status record(ashi_device *device, ashi_device_queue queue, ashi_device_event *event, ashlar_error *err)
{
    return mark(device, queue, event, false, err);
}

static ashlar_status wait_for(ashi_device *device, ashi_device_queue queue, ashi_device_event *event, ashlar_error *err)
{
    return mark(device, queue, event, true, err);
}

static ashlar_status reached(ashi_device *device, ashi_device_event *event, bool *out, ashlar_error *err)
{
    return ashi_emulated_reached(&of(device)->queues, (ashi_emulated_event *)event, out, err);
}

static ashlar_status await(ashi_device *device, ashi_device_event *event, ashlar_error *err)
{
    return ashi_emulated_await(&of(device)->queues, (ashi_emulated_event *)event, err);
}

static ashlar_status finish(ashi_device *device, ashlar_error *err)
{
    ashi_emulated_finish(&of(device)->queues);
    return ashi_emulated_state(&of(device)->queues, err);
}

/* ---- the device ---- */

static ashi_device_facts facts(const ashi_device *device)
{
    const emulated *e = (const emulated *)device;
    return (ashi_device_facts){.name = "emulated", .memory = e->options.memory, .held = e->memory.held,
                               .pinned = e->pinned, .pinned_most = e->pinned_most, .in = e->options.in,
                               .out = e->options.out, .flops = e->options.flops, .delay = e->options.delay,
                               .seconds = ashi_emulated_seconds((ashi_emulated_queues *)(uintptr_t)&e->queues)};
}

static void close_emulated(ashi_device *device)
{
    emulated *e = of(device);
    ashi_emulated_queues_close(&e->queues);
    ashi_emulated_release_all(&e->memory);
    free(e);
}

static ashlar_status open_emulated(const char *options, ashi_device **out, ashlar_error *err)
{
    emulated *e = calloc(1, sizeof *e);
    *out = NULL;
    if (!e)
        return ashi_fail_memory(err, "device: emulated", sizeof *e);
    e->base.kind = &ashi_emulated_kind;
    int64_t count = 0;
    ashlar_status status = ashi_emulated_options_read(options, &e->options, err);
    if (status == ASHLAR_OK)
        status = ashi_emulated_count(&count, err);
    if (status == ASHLAR_OK && e->options.number >= count)
        status = ashi_fail(err, ASHLAR_ERR_DEVICE, "device: emulated: there is no device %" PRId64
                           ", there are %" PRId64, e->options.number, count);
    e->memory.limit = e->options.memory;
    if (status == ASHLAR_OK)
        status = ashi_emulated_queues_open(&e->queues, e->options.count_time > 0, err);
    if (status != ASHLAR_OK) {
        free(e);
        return status;
    }
    *out = &e->base;
    return ASHLAR_OK;
}

void ashi_emulated_hold(ashi_device *device, ashi_device_queue queue, bool held)
{
    ashi_emulated_queue_hold(&of(device)->queues, queue, held);
}

const ashi_device_kind ashi_emulated_kind = {
    .name = "emulated",
    .options = ashi_emulated_option_names,
    .open = open_emulated,
    .close = close_emulated,
    .facts = facts,
    .allocate = allocate,
    .release = release,
    .host_allocate = host_allocate,
    .host_release = host_release,
    .owner = owner,
    .copy_in = copy_in,
    .copy_out = copy_out,
    .gemm = gemm,
    .gemm_batched = gemm_batched,
    .axpby = axpby,
    .permute = permute,
    .event_create = event_create,
    .event_free = event_free,
    .record = record,
    .wait = wait_for,
    .reached = reached,
    .await = await,
    .finish = finish,
    .count = ashi_emulated_count,
};
