/* The three passes, one step after the other. */
#include "schedule/ready.h"

#include "base/array.h"
#include "base/error.h"
#include "schedule/passes.h"

#include <inttypes.h>
#include <stdlib.h>

ashlar_status ashi_passes_create(const ashi_passes_request *request, ashi_passes **out, ashlar_error *err)
{
    *out = calloc(1, sizeof **out);
    if (!*out)
        return ashi_fail_memory(err, "passes", (int64_t)sizeof **out);
    (*out)->request = *request;
    return ASHLAR_OK;
}

/* ---- what the program emits ---- */

static ashlar_status note_panel(void *context, const ashi_panel *panel, ashlar_error *err)
{
    return ashi_place_panel(context, panel, err);
}

static ashlar_status note_task(ashi_passes *p, const ashi_operation *o, ashi_task *task, ashlar_error *err)
{
    task->number = p->tasks;
    ashlar_status status = ashi_place_task(p, o, task, err);
    if (status == ASHLAR_OK)
        status = ashi_order_task(p, task, err);
    ashi_task *room = status == ASHLAR_OK
                          ? ashi_array_room(p->task, &p->task_capacity, p->task_count + 1, sizeof *room) : NULL;
    if (!room)
        return status == ASHLAR_OK ? ashi_fail_memory(err, "passes", (p->task_count + 1) * (int64_t)sizeof *room)
                                   : status;
    p->task = room;
    room[p->task_count++] = *task;
    p->tasks++;
    return ASHLAR_OK;
}

static ashlar_status note_operation(void *context, const ashi_operation *o, ashlar_error *err)
{
    ashi_passes *p = context;
    if (o->step != p->step)
        return ashi_fail(err, ASHLAR_ERR_INTERNAL, "rank %" PRId64 ": an operation of step %" PRId64
                         " comes in step %" PRId64, p->request.rank, o->step, p->step);
    const ashlar_status status = ashi_lower_operation(p, o, note_task, err);
    return status == ASHLAR_OK ? ashi_place_end(p, o, err) : status;
}

/* ---- steps ---- */

static ashlar_status tell_panels(const ashi_passes *p, int64_t *next, const ashi_task_visitor *v, ashlar_error *err,
                                 int64_t until)
{
    ashlar_status status = ASHLAR_OK;
    for (; *next < p->panel_count && p->panel[*next].tasks <= until && status == ASHLAR_OK; (*next)++)
        status = v->panel(v->context, &p->panel[*next].placed, err);
    return status;
}

static ashlar_status tell_step(ashi_passes *p, const ashi_task_visitor *v, ashlar_error *err)
{
    int64_t next = 0, before = 0;
    ashlar_status status = ASHLAR_OK;
    for (int64_t i = 0; i < p->task_count && status == ASHLAR_OK; i++) {
        ashi_task *t = &p->task[i];
        status = tell_panels(p, &next, v, err, i);
        t->before = t->befores > 0 ? p->before + before : NULL;
        before += t->befores;
        if (status == ASHLAR_OK)
            status = v->task(v->context, t, err);
    }
    return status == ASHLAR_OK ? tell_panels(p, &next, v, err, p->task_count) : status;
}

ashlar_status ashi_passes_step(ashi_passes *p, const ashi_task_visitor *visitor, ashlar_error *err)
{
    const ashi_program_visitor noting = {note_panel, note_operation, p};
    ashi_program *program = p->request.program;
    p->panel_count = p->task_count = p->before_count = 0;
    ashi_space_settle(&p->space, ashi_passes_window(p));
    ashlar_status status = ashi_live_forget(p, err);
    if (status == ASHLAR_OK)
        status = program->emit(program, p->request.rank, p->step, &noting, err);
    if (status == ASHLAR_OK)
        status = ashi_place_sums(p, err);
    if (status == ASHLAR_OK)
        status = ashi_lower_end_step(p, err);
    p->step++;
    return status == ASHLAR_OK ? tell_step(p, visitor, err) : status;
}

int64_t ashi_passes_peak(const ashi_passes *p)
{
    return p->space.peak;
}

void ashi_passes_free(ashi_passes **passes)
{
    ashi_passes *p = *passes;
    if (!p)
        return;
    ashi_live_free(p);
    ashi_space_free(&p->space);
    ashi_map_free(&p->peer_of);
    free(p->peer);
    free(p->panel);
    free(p->task);
    free(p->before);
    free(p);
    *passes = NULL;
}

static ashlar_status ignore_panel(void *context, const ashi_placed *panel, ashlar_error *err)
{
    (void)context;
    (void)panel;
    (void)err;
    return ASHLAR_OK;
}

static ashlar_status ignore_task(void *context, const ashi_task *task, ashlar_error *err)
{
    (void)context;
    (void)task;
    (void)err;
    return ASHLAR_OK;
}

const ashi_task_visitor ashi_tasks_ignored = {ignore_panel, ignore_task, NULL};

ashlar_status ashi_passes_peak_of(const ashi_passes_request *request, int64_t *words, ashlar_error *err)
{
    ashi_passes *p = NULL;
    ashlar_status status = ashi_passes_create(request, &p, err);
    for (int64_t step = 0; step < request->program->steps && status == ASHLAR_OK; step++)
        status = ashi_passes_step(p, &ashi_tasks_ignored, err);
    *words = status == ASHLAR_OK ? ashi_passes_peak(p) : 0;
    ashi_passes_free(&p);
    return status;
}
