/* Prove that programs ready to run can be run as data arrive: the reading of all ranks' tasks. */
#include "check/tasks.h"

#include "base/checked.h"
#include "base/error.h"

#include <stdlib.h>

/* ---- steps ---- */

static ashlar_status all_were_last(ashi_ready_proof *p, ashlar_error *err)
{
    p->closed.count = 0;
    return p->open.count == 0 ? ASHLAR_OK
                              : ashi_ready_fail(p, NULL, err, "the last message to a rank is not called the last");
}

/* Uses that the look-ahead keeps all later tasks from are forgotten. */
static void forget(ashi_ready_proof *p)
{
    const ashi_seen_task *task = (const ashi_seen_task *)p->task.data + p->first;
    const int64_t window = p->step - p->request->look_ahead;
    ashi_seen_read *r = p->reads.data;
    ashi_seen_use *u = p->uses.data;
    int64_t kept = 0;
    for (int64_t i = 0; i < p->reads.count; i++)
        if (task[r[i].task].step >= window)
            r[kept++] = r[i];
    p->reads.count = kept;
    kept = 0;
    for (int64_t i = 0; i < p->uses.count; i++)
        if (task[u[i].task].step >= window)
            u[kept++] = u[i];
    p->uses.count = kept;
}

static ashlar_status begin_step(ashi_ready_proof *p, const ashi_task *t, ashlar_error *err)
{
    if (t->step < p->step)
        return ashi_ready_fail(p, t, err, "comes after a task of a later step");
    if (t->step == p->step)
        return ASHLAR_OK;
    const ashlar_status status = all_were_last(p, err);
    p->step = t->step;
    forget(p);
    return status;
}

/* ---- tasks ---- */

static int64_t index_of(const ashi_check_list *list, int64_t value)
{
    const int64_t *at = list->data;
    int64_t i = 0;
    while (i < list->count && at[i] != value)
        i++;
    return i;
}

static ashlar_status check_last(ashi_ready_proof *p, const ashi_task *t, ashlar_error *err)
{
    if (t->kind != ASHI_DO_SEND)
        return t->last_to_peer ? ashi_ready_fail(p, t, err, "sends nothing, and is called the last to a rank")
                               : ASHLAR_OK;
    int64_t *open = p->open.data;
    const int64_t at = index_of(&p->open, t->peer);
    if (index_of(&p->closed, t->peer) < p->closed.count)
        return ashi_ready_fail(p, t, err, "comes after the last message of the step to that rank");
    if (t->last_to_peer && at < p->open.count)
        open[at] = open[--p->open.count];
    if (!t->last_to_peer && at < p->open.count)
        return ASHLAR_OK;
    int64_t *fresh = ashi_check_add(t->last_to_peer ? &p->closed : &p->open, sizeof *fresh);
    if (!fresh)
        return ashi_fail_memory(err, "checker", p->open.count * (int64_t)sizeof *fresh);
    *fresh = t->peer;
    return ASHLAR_OK;
}

static ashlar_status add_task(ashi_ready_proof *p, const ashi_task *t, ashlar_error *err)
{
    ashi_seen_task *fresh = ashi_check_add(&p->task, sizeof *fresh);
    if (!fresh)
        return ashi_fail_memory(err, "checker", p->task.count * (int64_t)sizeof *fresh);
    *fresh = (ashi_seen_task){.rank = p->rank, .number = t->number, .step = t->step, .kind = t->kind, .peer = t->peer,
                              .tag = t->tag, .words = t->words, .before = p->before.count, .befores = t->befores,
                              .match = -1, .looked = -1};
    for (int64_t i = 0; i < t->befores; i++) {
        const ashi_seen_task *earlier = (const ashi_seen_task *)p->task.data + p->first + t->before[i];
        int64_t *before = ashi_check_add(&p->before, sizeof *before);
        if (!before)
            return ashi_fail_memory(err, "checker", p->before.count * (int64_t)sizeof *before);
        *before = t->before[i];
        if (t->before[i] < (i > 0 ? t->before[i - 1] + 1 : 0) || t->before[i] >= t->number)
            return ashi_ready_fail(p, t, err, "waits for a task twice, or for one that is not earlier");
        if (earlier->step < t->step - p->request->look_ahead)
            return ashi_ready_fail(p, t, err, "waits for a task that has ended long ago");
    }
    return ASHLAR_OK;
}

static ashlar_status check_message(ashi_ready_proof *p, const ashi_task *t, ashlar_error *err)
{
    if (t->kind != ASHI_DO_SEND && t->kind != ASHI_DO_RECEIVE)
        return ASHLAR_OK;
    p->report->messages += t->kind == ASHI_DO_SEND;
    p->report->words += t->kind == ASHI_DO_SEND ? t->words : 0;
    if (t->tag < 0 || t->tag >= p->request->tags)
        return ashi_ready_fail(p, t, err, "has no tag that there is");
    return ASHLAR_OK;
}

/* Words that are made of a panel; the last of them completes it. A running sum is never complete. */
static ashlar_status check_complete(ashi_ready_proof *p, const ashi_task *t, ashlar_error *err)
{
    const ashi_placed *e = t->makes >= 0 ? ashi_ready_panel(p, t->makes) : NULL;
    int64_t *filled = t->makes >= 0 ? ashi_ready_filled(p, t->makes) : NULL;
    bool completes = false;
    if (e && (t->kind == ASHI_DO_MOVE || t->kind == ASHI_DO_RECEIVE)) {
        *filled += t->kind == ASHI_DO_RECEIVE ? t->words : e->panel.words;
        completes = e->panel.part < 0 && *filled == e->panel.words * e->panel.copies;
    }
    return completes == t->completes ? ASHLAR_OK
                                     : ashi_ready_fail(p, t, err, "makes a panel whole and does not say so, or not");
}

static ashlar_status see_task(void *context, const ashi_task *t, ashlar_error *err)
{
    ashi_ready_proof *p = context;
    const int64_t number = p->task.count - p->first;
    ashlar_status status = begin_step(p, t, err);
    if (status != ASHLAR_OK)
        return status;
    const ashi_expected *e = (const ashi_expected *)p->expected.data + number;
    if (t->number != number || number >= p->expected.count || !ashi_ready_is_expected(e, t))
        return ashi_ready_fail(p, t, err, "is not the next that the program asks for");
    status = add_task(p, t, err);
    if (status == ASHLAR_OK)
        status = check_message(p, t, err);
    if (status == ASHLAR_OK)
        status = check_last(p, t, err);
    if (status == ASHLAR_OK)
        status = ashi_ready_use(p, e, t, err);
    return status == ASHLAR_OK ? check_complete(p, t, err) : status;
}

static ashlar_status see_panel(void *context, const ashi_placed *placed, ashlar_error *err)
{
    ashi_ready_proof *p = context;
    const ashi_placed *outer = placed->panel.within >= 0 ? ashi_ready_panel(p, placed->panel.within) : NULL;
    if (ashi_ready_panel(p, placed->panel.id) || (placed->panel.within >= 0 && !outer))
        return ashi_ready_fail(p, NULL, err, "a panel is visited twice, or before what it lies within");
    ashi_placed *fresh = ashi_check_add(&p->panel, sizeof *fresh);
    int64_t *filled = fresh ? ashi_check_add(&p->filled, sizeof *filled) : NULL;
    if (!filled || !ashi_map_put(&p->place_of, placed->panel.id, p->panel.count - 1))
        return ashi_fail_memory(err, "checker", p->panel.count * (int64_t)sizeof *fresh);
    *fresh = *placed;
    *filled = 0;
    return ASHLAR_OK;
}

/* ---- ranks ---- */

static ashlar_status check_rank(ashi_ready_proof *p, int64_t rank, ashlar_error *err)
{
    const ashi_task_visitor visitor = {see_panel, see_task, p};
    p->rank = rank;
    p->step = -1;
    p->first = p->task.count;
    p->reach = 0;
    int64_t pool = 0;
    p->panel.count = p->filled.count = p->words.count = p->reads.count = p->uses.count = 0;
    p->open.count = p->closed.count = 0;
    ashi_map_free(&p->place_of);
    ashlar_status status = ashi_ready_expect(p, err);
    if (status == ASHLAR_OK)
        status = p->request->walk(p->request->context, rank, &visitor, &pool, err);
    if (status == ASHLAR_OK)
        status = all_were_last(p, err);
    if (status == ASHLAR_OK && p->task.count - p->first != p->expected.count)
        return ashi_ready_fail(p, NULL, err, "tasks are missing that the program asks for");
    if (status == ASHLAR_OK && p->reach > pool)
        return ashi_ready_fail(p, NULL, err, "uses words behind its pool");
    return status;
}

static void free_all(ashi_ready_proof *p)
{
    ashi_check_list *const lists[] = {&p->task,  &p->before, &p->expected, &p->panel,    &p->filled, &p->words,
                                      &p->reads, &p->uses,   &p->stack,    &p->segments, &p->open,   &p->closed};
    for (size_t i = 0; i < sizeof lists / sizeof *lists; i++)
        free(lists[i]->data);
    ashi_map_free(&p->place_of);
}

ashlar_status ashi_check_ready(const ashi_ready_request *request, ashi_check_report *report, ashlar_error *err)
{
    ashi_ready_proof p = {.request = request, .report = report, .rank = -1, .step = -1};
    ashlar_status status = ASHLAR_OK;
    *report = (ashi_check_report){0};
    for (int64_t rank = 0; rank < request->program->ranks && status == ASHLAR_OK; rank++) {
        status = check_rank(&p, rank, err);
        if (status == ASHLAR_OK && request->progress.after_rank)
            request->progress.after_rank(request->progress.context, rank + 1, request->program->ranks);
    }
    if (status == ASHLAR_OK)
        status = ashi_ready_pairing(&p, err);
    free_all(&p);
    return status;
}

ashlar_status ashi_ready_walk(void *context, int64_t rank, const ashi_task_visitor *visitor, int64_t *pool,
                              ashlar_error *err)
{
    const ashi_ready_request *r = context;
    const ashi_passes_request request = {r->program, rank, r->look_ahead, r->tags};
    ashi_passes *passes = NULL;
    ashlar_status status = ashi_passes_create(&request, &passes, err);
    for (int64_t step = 0; step < r->program->steps && status == ASHLAR_OK; step++)
        status = ashi_passes_step(passes, visitor, err);
    *pool = status == ASHLAR_OK ? ashi_passes_peak(passes) : 0;
    ashi_passes_free(&passes);
    return status;
}
