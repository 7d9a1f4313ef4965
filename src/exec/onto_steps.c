/* The steps of a program, put into the queues of a device. */
#include "base/array.h"
#include "base/checked.h"
#include "base/error.h"
#include "base/interrupt.h"
#include "exec/onto_run.h"

/* ---- the tasks of a step, as the passes visit them ---- */

static ashlar_status note_panel(void *context, const ashi_placed *placed, ashlar_error *err)
{
    ashi_onto_run *run = context;
    if (placed->panel.memory != ASHI_MEMORY_POOL)
        return ASHLAR_OK;
    ashi_placed *room = ashi_array_room(run->panel, &run->panel_capacity, run->panels + 1, sizeof *room);
    if (!room)
        return ashi_fail_memory(err, "device", (run->panels + 1) * (int64_t)sizeof *room);
    run->panel = room;
    room[run->panels++] = *placed;
    return ASHLAR_OK;
}

/* Of the tasks before it, those of the same step: a step begins when the last one has ended. */
static ashlar_status note_task(void *context, const ashi_task *t, ashlar_error *err)
{
    ashi_onto_run *run = context;
    ashi_onto_task *tasks = ashi_array_room(run->task, &run->task_capacity, run->tasks + 1, sizeof *tasks);
    if (!tasks)
        return ashi_fail_memory(err, "device", (run->tasks + 1) * (int64_t)sizeof *tasks);
    run->task = tasks;
    int64_t *before = ashi_array_room(run->before, &run->before_capacity, ashi_max(run->befores + t->befores, 1),
                                      sizeof *before);
    if (!before)
        return ashi_fail_memory(err, "device", (run->befores + t->befores) * (int64_t)sizeof *before);
    run->before = before;
    ashi_onto_task own = {.task = *t, .before = run->befores};
    for (int64_t i = 0; i < t->befores; i++)
        if (run->tasks > 0 && t->before[i] >= tasks[0].task.number)
            before[run->befores++] = t->before[i];
    own.befores = run->befores - own.before;
    tasks[run->tasks++] = own;
    return ASHLAR_OK;
}

static const ashi_placed *find(const ashi_onto_run *run, int64_t id)
{
    for (int64_t i = 0; i < run->panels && id >= 0; i++)
        if (run->panel[i].panel.id == id)
            return &run->panel[i];
    return NULL;
}

/* Panels that no later task reads. */
static void forget_panels(ashi_onto_run *run)
{
    for (int64_t i = 0; i < run->tasks; i++)
        for (int r = 0; r < ASHI_READS_MAX; r++) {
            const ashi_task *t = &run->task[i].task;
            ashi_placed *read = t->last[r] ? (ashi_placed *)(uintptr_t)find(run, t->read[r]) : NULL;
            if (read)
                *read = run->panel[--run->panels];
        }
}

/* ---- putting tasks into queues ---- */

/* One side of a product as BLAS takes it: transposed or not. */
static ashlar_op op_of(bool plain, bool conjugate)
{
    return plain ? ASHLAR_OP_N : conjugate ? ASHLAR_OP_C : ASHLAR_OP_T;
}

/* C += A B with every panel as it lies. If C's second side is contiguous the product is that of the transposes. */
static ashlar_status put_product(ashi_onto_run *run, const ashi_task *t, ashlar_error *err)
{
    const ashi_onto *onto = run->onto;
    const ashi_onto_product *p = run->product;
    const ashi_placed *panel[3] = {find(run, t->read[0]), find(run, t->read[2]), find(run, t->makes)};
    const int major[3] = {2, 2, 1};
    int64_t ld[3];
    void *at[3];
    for (int x = 0; x < 3; x++) {
        int64_t stride[2];
        if (!panel[x])
            return ashi_fail(err, ASHLAR_ERR_INTERNAL, "device: a panel of a product is nowhere");
        ashi_onto_strides(panel[x], stride);
        ld[x] = stride[panel[x]->panel.order[1]];
        at[x] = ashi_onto_address(run, panel[x], t->lo[x == ASHLAR_B ? 1 : 0], t->lo[major[x]]);
    }
    const bool *minor = run->nest.minor, turned = !minor[ASHLAR_C];
    const int first = turned ? ASHLAR_B : ASHLAR_A, second = 1 - first;
    const bool conjugate[2] = {p->conjugate_a, p->conjugate_b};
    const void *beta = !t->begins ? onto->kernels->one : run->nest.adds ? p->beta : onto->kernels->zero;
    const ashi_device_gemm g = {
        .type = onto->request.type, .op_a = op_of(minor[first], conjugate[first]),
        .op_b = op_of(!minor[second], conjugate[second]), .m = t->hi[turned ? 1 : 0] - t->lo[turned ? 1 : 0],
        .n = t->hi[turned ? 0 : 1] - t->lo[turned ? 0 : 1], .k = t->hi[2] - t->lo[2], .alpha = p->alpha, .beta = beta,
        .a = at[first], .b = at[second], .c = at[ASHLAR_C], .lda = ld[first], .ldb = ld[second], .ldc = ld[ASHLAR_C]};
    return onto->calls->gemm(onto->request.device, &g, err);
}

static ashi_device_queue queue_of(const ashi_onto_run *run, const ashi_task *t)
{
    if (t->kind != ASHI_DO_MOVE)
        return ASHI_DEVICE_WORK;
    return find(run, t->makes) ? ASHI_DEVICE_IN : ASHI_DEVICE_OUT;
}

/* Let the trace, if there is one, know of a task that was put. */
static ashlar_status watch(ashi_onto_run *run, ashi_onto_task *own, ashi_device_event *event, ashlar_error *err)
{
    const ashi_task *t = &own->task;
    if (!run->product->trace)
        return ASHLAR_OK;
    const ashi_placed *moved = t->kind != ASHI_DO_MOVE          ? NULL
                               : own->queue == ASHI_DEVICE_IN ? find(run, t->makes)
                                                              : find(run, t->read[0]);
    ashi_onto_watched task = {.queue = own->queue, .event = event, .before = {-1, -1, -1}};
    if (moved) {
        const ashi_box box = ashi_panel_box(&moved->panel);
        task.words = ashi_box_words(&box);
    } else {
        task.words = (t->hi[0] - t->lo[0]) * (t->hi[1] - t->lo[1]) * (t->hi[2] - t->lo[2]);
    }
    for (int64_t b = 0; b < own->befores; b++) {
        const ashi_onto_task *before = &run->task[run->before[own->before + b] - run->task[0].task.number];
        task.before[before->queue] = ashi_max(task.before[before->queue], before->watched);
    }
    own->watched = run->watch.gone + run->watch.count;
    return ashi_onto_watch_put(run, &task, err);
}

/* After those of its step that go before it, in other queues. */
ashlar_status ashi_onto_put_task(ashi_onto_run *run, int64_t i, ashlar_error *err)
{
    const ashi_onto *onto = run->onto;
    ashi_onto_task *own = &run->task[i];
    const ashi_task *t = &own->task;
    ashi_device *device = onto->request.device;
    const int set = (int)(run->step % 2);
    ashlar_status status = ASHLAR_OK;
    for (int64_t b = 0; b < own->befores && status == ASHLAR_OK; b++) {
        const int64_t which = run->before[own->before + b] - run->task[0].task.number;
        if (run->task[which].queue != own->queue)
            status = onto->calls->wait(device, own->queue, onto->event[set][which], err);
    }
    if (status != ASHLAR_OK)
        return status;
    if (t->kind == ASHI_DO_MULTIPLY)
        status = put_product(run, t, err);
    else if (t->kind != ASHI_DO_MOVE)
        status = ashi_fail(err, ASHLAR_ERR_INTERNAL, "device: no such task: %s", ashi_operation_name(t->kind));
    else if (own->queue == ASHI_DEVICE_IN)
        status = ashi_onto_copy_in(run, find(run, t->makes), err);
    else
        status = ashi_onto_copy_out(run, find(run, t->read[0]), err);
    own->put = true;
    if (status == ASHLAR_OK)
        status = onto->calls->record(device, own->queue, onto->event[set][i], err);
    return status == ASHLAR_OK ? watch(run, own, onto->event[set][i], err) : status;
}

/* Two steps are under way at a time: each has events of its own. */
ashlar_status ashi_onto_room_for_events(ashi_onto *onto, int set, int64_t count, ashlar_error *err)
{
    ashi_device_event **room =
        ashi_array_room(onto->event[set], &onto->event_capacity[set], ashi_max(count, 1), sizeof *room);
    ashlar_status status = room ? ASHLAR_OK : ashi_fail_memory(err, "device", count * (int64_t)sizeof *room);
    if (room)
        onto->event[set] = room;
    while (status == ASHLAR_OK && onto->events[set] < count) {
        status = onto->calls->event_create(onto->request.device, &room[onto->events[set]], err);
        onto->events[set] += status == ASHLAR_OK;
    }
    return status;
}

/* A step begins when all queues have ended the last one, and is put into them once the one before that has ended. */
static ashlar_status open_step(ashi_onto_run *run, ashlar_error *err)
{
    ashi_onto *onto = run->onto;
    ashlar_status status = ashi_onto_room_for_events(onto, (int)(run->step % 2), run->tasks, err);
    for (int q = 0; q < ASHI_DEVICE_QUEUES && status == ASHLAR_OK; q++)
        status = ashi_onto_await(run, onto->end[run->step % 2][q], err);
    for (int q = 0; q < ASHI_DEVICE_QUEUES; q++)
        for (int other = 0; other < ASHI_DEVICE_QUEUES && status == ASHLAR_OK; other++)
            if (other != q)
                status = onto->calls->wait(onto->request.device, (ashi_device_queue)q,
                                           onto->end[(run->step + 1) % 2][other], err);
    ashi_onto_watch_events(run);
    return status;
}

/* Copies in that wait for nothing go first: results that come back make the host wait for stages. */
static ashlar_status put_step(ashi_onto_run *run, ashlar_error *err)
{
    const ashi_onto *onto = run->onto;
    ashlar_status status = open_step(run, err);
    for (int64_t i = 0; i < run->tasks; i++)
        run->task[i].queue = queue_of(run, &run->task[i].task);
    for (int pass = 0; pass < 2; pass++)
        for (int64_t i = 0; i < run->tasks && status == ASHLAR_OK; i++) {
            const ashi_onto_task *t = &run->task[i];
            if (!t->put && (pass == 1 || (t->queue == ASHI_DEVICE_IN && t->befores == 0)))
                status = ashi_onto_put_task(run, i, err);
        }
    for (int q = 0; q < ASHI_DEVICE_QUEUES && status == ASHLAR_OK; q++)
        status = onto->calls->record(onto->request.device, (ashi_device_queue)q, onto->end[run->step % 2][q], err);
    forget_panels(run);
    return status;
}

ashlar_status ashi_onto_run_program(ashi_onto_run *run, ashi_passes *passes, int64_t steps, ashlar_error *err)
{
    const ashi_task_visitor visitor = {note_panel, note_task, run};
    ashlar_status status = ASHLAR_OK;
    for (run->step = 0; run->step < steps && status == ASHLAR_OK; run->step++) {
        run->tasks = run->befores = 0;
        status = ashi_interrupt_check(err);
        if (status == ASHLAR_OK)
            status = ashi_passes_step(passes, &visitor, err);
        if (status == ASHLAR_OK)
            status = put_step(run, err);
    }
    return status == ASHLAR_OK ? ashi_onto_collect(run, err) : status;
}
