/* What a device did and when, in the lanes of a trace. */
#include "exec/onto_lanes.h"

#include "base/array.h"
#include "base/error.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

static const ashi_trace_lane lane_of[ASHI_DEVICE_QUEUES] = {
    [ASHI_DEVICE_IN] = ASHI_LANE_DEVICE_IN, [ASHI_DEVICE_OUT] = ASHI_LANE_DEVICE_OUT,
    [ASHI_DEVICE_WORK] = ASHI_LANE_DEVICE};

static const char *const name_of[ASHI_DEVICE_QUEUES] = {
    [ASHI_DEVICE_IN] = "copy in", [ASHI_DEVICE_OUT] = "copy out", [ASHI_DEVICE_WORK] = "multiply"};

void ashi_onto_lanes_note(ashi_trace *trace, ashi_device_queue queue, double begin, double end, int64_t step,
                          int64_t words)
{
    ashi_trace_note(trace, lane_of[queue], name_of[queue], begin, end, step, words, -1);
}

/* How long the host rests between two looks. */
static const struct timespec rest = {0, 50000};

void ashi_onto_lanes_begin(ashi_onto_lanes *l, ashi_device *device, ashi_trace *trace)
{
    l->device = device;
    l->trace = trace;
    memset(l->queue_end, 0, sizeof l->queue_end);
    memset(l->last, 0, sizeof l->last);
    l->gone = 0;
}

/* ---- events ---- */

static ashlar_status take_event(ashi_onto_lanes *l, ashi_device_event **out, ashlar_error *err)
{
    if (l->spares == 0)
        return l->device->kind->event_create(l->device, out, err);
    *out = l->spare[--l->spares];
    return ASHLAR_OK;
}

static void give_event(ashi_onto_lanes *l, ashi_device_event *event)
{
    ashi_device_event **room = ashi_array_room(l->spare, &l->spare_capacity, l->spares + 1, sizeof *room);
    if (!room) {
        l->device->kind->event_free(l->device, event);
        return;
    }
    l->spare = room;
    room[l->spares++] = event;
}

/* ---- tasks ---- */

ashlar_status ashi_onto_lanes_put(ashi_onto_lanes *l, ashi_device_queue queue, int64_t words, int64_t step,
                                  const int64_t after[ASHI_DEVICE_QUEUES], ashlar_error *err)
{
    ashi_onto_lane_task task = {.queue = queue, .words = words, .step = step, .put = 0};
    if (!l->trace)
        return ASHLAR_OK;
    ashi_onto_lane_task *room = ashi_array_room(l->at, &l->capacity, l->count + 1, sizeof *room);
    if (!room)
        return ashi_fail_memory(err, "device", (l->count + 1) * (int64_t)sizeof *room);
    l->at = room;
    ashlar_status status = take_event(l, &task.event, err);
    if (status != ASHLAR_OK)
        return status;
    memcpy(task.after, after, sizeof task.after);
    task.put = ashi_trace_clock();
    status = l->device->kind->record(l->device, queue, task.event, err);
    room[l->count++] = task;
    l->last[queue] = l->gone + l->count;
    ashi_onto_lanes_look(l);
    return status;
}

/* When it began at the earliest, and whether all that it waits for in other queues has been seen to end. What has left
 * the list has. */
static bool may_have_begun(const ashi_onto_lanes *l, const ashi_onto_lane_task *task, double *begin)
{
    *begin = fmax(task->put, l->queue_end[task->queue]);
    for (int q = 0; q < ASHI_DEVICE_QUEUES; q++) {
        const ashi_onto_lane_task *before = task->after[q] > l->gone ? &l->at[task->after[q] - l->gone - 1] : NULL;
        if (before && !before->seen)
            return false;
        *begin = before ? fmax(*begin, before->end) : *begin;
    }
    return true;
}

static bool has_ended(const ashi_onto_lanes *l, const ashi_onto_lane_task *task)
{
    bool reached = false;
    ashlar_error ignored;
    return l->device->kind->reached(l->device, task->event, &reached, &ignored) == ASHLAR_OK && reached;
}

/* Those that were seen to end leave the list from its beginning on. */
static void forget(ashi_onto_lanes *l)
{
    int64_t ended = 0;
    while (ended < l->count && l->at[ended].seen)
        give_event(l, l->at[ended++].event);
    for (int64_t i = ended; i < l->count; i++)
        l->at[i - ended] = l->at[i];
    l->count -= ended;
    l->gone += ended;
}

void ashi_onto_lanes_look(ashi_onto_lanes *l)
{
    bool busy[ASHI_DEVICE_QUEUES] = {false};
    for (int64_t i = 0; i < l->count && l->trace; i++) {
        ashi_onto_lane_task *task = &l->at[i];
        double begin = 0;
        if (task->seen || busy[task->queue])
            continue;
        busy[task->queue] = !may_have_begun(l, task, &begin) || !has_ended(l, task);
        if (busy[task->queue])
            continue;
        task->seen = true;
        task->end = fmax(begin, ashi_trace_clock());
        l->queue_end[task->queue] = task->end;
        ashi_onto_lanes_note(l->trace, task->queue, begin, task->end, task->step, task->words);
    }
    forget(l);
}

ashlar_status ashi_onto_lanes_await(ashi_onto_lanes *l, ashi_device_event *event, const ashi_share_between *between,
                                    ashlar_error *err)
{
    bool reached = false;
    if (!l->trace && !between)
        return l->device->kind->await(l->device, event, err);
    for (;;) {
        const ashlar_status status = l->device->kind->reached(l->device, event, &reached, err);
        ashi_onto_lanes_look(l);
        if (status != ASHLAR_OK || reached)
            return status;
        if (between)
            between->listen(between->context);
        nanosleep(&rest, NULL);
    }
}

void ashi_onto_lanes_end(ashi_onto_lanes *l)
{
    ashi_onto_lanes_look(l);
    for (int64_t i = 0; i < l->count; i++)
        give_event(l, l->at[i].event);
    l->count = 0;
    l->trace = NULL;
}

void ashi_onto_lanes_free(ashi_onto_lanes *l)
{
    for (int64_t i = 0; i < l->count; i++)
        l->device->kind->event_free(l->device, l->at[i].event);
    for (int64_t i = 0; i < l->spares; i++)
        l->device->kind->event_free(l->device, l->spare[i]);
    free(l->at);
    free(l->spare);
    *l = (ashi_onto_lanes){0};
}
