/* What a device did and when, for a trace: seen by the host, which looks whether events are reached. */
#include "base/array.h"
#include "base/checked.h"
#include "base/error.h"
#include "exec/onto_lanes.h"
#include "exec/onto_run.h"

#include <math.h>

/* The task of a number, or NULL if it has left the list: then it is of a step that has ended. */
static ashi_onto_watched *numbered(ashi_onto_watch *w, int64_t number)
{
    return number >= w->gone && number < w->gone + w->count ? &w->at[number - w->gone] : NULL;
}

ashlar_status ashi_onto_watch_put(ashi_onto_run *run, const ashi_onto_watched *task, ashlar_error *err)
{
    ashi_onto_watch *w = &run->watch;
    int64_t gone = 0; /* two steps are under way at most */
    while (gone < w->count && w->at[gone].step < run->step - 1)
        gone++;
    for (int64_t i = gone; i < w->count; i++)
        w->at[i - gone] = w->at[i];
    w->count -= gone;
    w->gone += gone;
    ashi_onto_watched *room = ashi_array_room(w->at, &w->capacity, w->count + 1, sizeof *room);
    if (!room)
        return ashi_fail_memory(err, "device", (w->count + 1) * (int64_t)sizeof *room);
    w->at = room;
    room[w->count] = *task;
    room[w->count].step = run->step;
    room[w->count++].put = ashi_trace_clock();
    return ASHLAR_OK;
}

/* When it began at the earliest, and whether all that it waited for has been seen to end. */
static bool may_have_begun(ashi_onto_watch *w, const ashi_onto_watched *task, double *begin)
{
    *begin = fmax(task->put, w->queue_end[task->queue]);
    *begin = w->apart ? *begin : fmax(*begin, w->step_end[(task->step + 1) % 2]);
    for (int q = 0; q < ASHI_DEVICE_QUEUES; q++) {
        const ashi_onto_watched *before = numbered(w, task->before[q]);
        if (before && !before->seen)
            return false;
        *begin = before ? fmax(*begin, before->end) : *begin;
    }
    return true;
}

void ashi_onto_watch_events(ashi_onto_run *run)
{
    const ashi_onto *onto = run->onto;
    ashi_onto_watch *w = &run->watch;
    bool busy[ASHI_DEVICE_QUEUES] = {false};
    for (int64_t i = 0; i < w->count; i++) {
        ashi_onto_watched *task = &w->at[i];
        ashlar_error ignored;
        double begin = 0;
        if (task->seen || busy[task->queue])
            continue;
        bool reached = false;
        busy[task->queue] = !may_have_begun(w, task, &begin) ||
                            onto->calls->reached(onto->request.device, task->event, &reached, &ignored) != ASHLAR_OK ||
                            !reached;
        if (busy[task->queue])
            continue;
        task->seen = true;
        task->end = fmax(begin, ashi_trace_clock());
        w->queue_end[task->queue] = task->end;
        w->step_end[task->step % 2] = fmax(w->step_end[task->step % 2], task->end);
        ashi_onto_lanes_note(run->product->trace, task->queue, begin, task->end, run->product->trace_step, task->words);
    }
}
