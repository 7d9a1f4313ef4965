/* The table of live panels: as long as the operations of a window name them. */
#include "schedule/passes.h"

#include "base/array.h"
#include "base/error.h"

#include <inttypes.h>
#include <stdlib.h>

enum { NONE = -1 };

int64_t ashi_passes_window(const ashi_passes *p)
{
    return p->step - p->request.look_ahead;
}

int64_t ashi_live_find(const ashi_passes *p, int64_t id)
{
    return ashi_map_find(&p->place_of, id);
}

static ashlar_status no_memory(int64_t elements, size_t size, ashlar_error *err)
{
    return ashi_fail_memory(err, "passes", elements * (int64_t)size);
}

/* A place in the table, whose lists keep their memory; -1 if memory lacks. */
static int64_t new_place(ashi_passes *p)
{
    if (p->unused_count > 0)
        return p->unused[--p->unused_count];
    ashi_live *live = ashi_array_room(p->live, &p->live_capacity, p->live_count + 1, sizeof *live);
    if (!live)
        return NONE;
    p->live = live;
    live[p->live_count] = (ashi_live){0};
    return p->live_count++;
}

static ashlar_status append(int64_t **list, int64_t *count, int64_t *capacity, int64_t value, ashlar_error *err)
{
    int64_t *room = ashi_array_room(*list, capacity, *count + 1, sizeof *room);
    if (!room)
        return no_memory(*count + 1, sizeof *room, err);
    *list = room;
    room[(*count)++] = value;
    return ASHLAR_OK;
}

ashlar_status ashi_live_add(ashi_passes *p, const ashi_panel *panel, ashlar_error *err)
{
    const int64_t outer = panel->within >= 0 ? ashi_live_find(p, panel->within) : NONE;
    if (panel->within >= 0 && outer < 0)
        return ashi_fail(err, ASHLAR_ERR_INTERNAL, "panel %" PRId64 " is within one that is not there", panel->id);
    const int64_t at = new_place(p);
    if (at < 0 || !ashi_map_put(&p->place_of, panel->id, at))
        return no_memory(p->live_count + 1, sizeof *p->live, err);
    ashi_live *e = &p->live[at];
    *e = (ashi_live){.placed = {.panel = *panel, .at = -1}, .outer = outer, .inner = NONE, .next = NONE,
                     .step = p->step, .made = e->made, .read = e->read, .made_within = e->made_within,
                     .read_within = e->read_within, .after = e->after};
    e->made.count = e->read.count = e->made_within.count = e->read_within.count = e->after.count = 0;
    if (outer >= 0) {
        e->next = p->live[outer].inner;
        p->live[outer].inner = at;
    }
    if (panel->memory == ASHI_MEMORY_POOL || panel->operand != ASHLAR_C)
        return ASHLAR_OK;
    return append(&p->outside, &p->outside_count, &p->outside_capacity, at, err);
}

ashlar_status ashi_live_drop(ashi_passes *p, int64_t at, ashlar_error *err)
{
    ashlar_status status = ASHLAR_OK;
    for (int64_t inner = p->live[at].inner, next; inner >= 0 && status == ASHLAR_OK; inner = next) {
        next = p->live[inner].next;
        status = ashi_live_drop(p, inner, err);
    }
    if (status != ASHLAR_OK)
        return status;
    ashi_map_remove(&p->place_of, p->live[at].placed.panel.id);
    return append(&p->unused, &p->unused_count, &p->unused_capacity, at, err);
}

/* Sums in the caller's C stay: their next update may be any number of steps later. */
ashlar_status ashi_live_forget(ashi_passes *p, ashlar_error *err)
{
    int64_t kept = 0;
    ashlar_status status = ASHLAR_OK;
    for (int64_t i = 0; i < p->outside_count; i++) {
        const ashi_live *e = &p->live[p->outside[i]];
        const bool past = e->touched && e->placed.panel.part < 0 && e->step < ashi_passes_window(p);
        if (past && status == ASHLAR_OK)
            status = ashi_live_drop(p, p->outside[i], err);
        else
            p->outside[kept++] = p->outside[i];
    }
    p->outside_count = kept;
    return status;
}

void ashi_live_free(ashi_passes *p)
{
    for (int64_t i = 0; i < p->live_count; i++) {
        ashi_live *e = &p->live[i];
        free(e->made.at);
        free(e->read.at);
        free(e->made_within.at);
        free(e->read_within.at);
        free(e->after.at);
    }
    free(p->live);
    free(p->unused);
    free(p->outside);
    ashi_map_free(&p->place_of);
}
