/* The third pass: which operations must end before one begins. */
#include "schedule/passes.h"

#include "base/array.h"
#include "base/checked.h"
#include "base/error.h"

#include <stdlib.h>

/* The predecessors of one task as they are found. */
typedef struct ordering {
    ashi_passes *p;
    int64_t first;  /* in p->before */
    int64_t lo, hi; /* which words of the panel itself count: a share goes on before the others have come */
    bool waits;     /* one of them waits for a message of the step, or the task does */
    ashlar_error *err;
} ordering;

static ashlar_status wait_for(ordering *r, const ashi_uses *uses)
{
    ashi_passes *p = r->p;
    const int64_t window = ashi_passes_window(p);
    int64_t *before = uses->count ? ashi_array_room(p->before, &p->before_capacity, p->before_count + uses->count,
                                                    sizeof *before) : p->before;
    if (uses->count && !before)
        return ashi_fail_memory(r->err, "passes", (p->before_count + uses->count) * (int64_t)sizeof *before);
    p->before = before;
    for (int64_t i = 0; i < uses->count; i++) {
        const ashi_use *u = &uses->at[i];
        if (u->step < window || u->lo >= r->hi || u->hi <= r->lo)
            continue;
        before[p->before_count++] = u->number;
        r->waits = r->waits || (u->step == p->step && u->waits);
    }
    return ASHLAR_OK;
}

static ashlar_status wait_for_all(ordering *r, const ashi_live *e, bool readers, bool within)
{
    const ashi_uses *const all[] = {&e->made, within ? &e->made_within : NULL, readers ? &e->read : NULL,
                                    readers && within ? &e->read_within : NULL};
    ashlar_status status = ASHLAR_OK;
    for (int i = 0; i < 4 && status == ASHLAR_OK; i++)
        if (all[i])
            status = wait_for(r, all[i]);
    return status;
}

/* What a panel has is made by those that make it, the panels within it, or what it lies within. If none made it
 * itself it has what others made of the whole. `readers`: it is to be overwritten. */
static ashlar_status wait_for_panel(ordering *r, int64_t at, bool readers)
{
    const ashi_live *e = &r->p->live[at];
    ashlar_status status = wait_for(r, &e->made);
    r->lo = 0;
    r->hi = INT64_MAX;
    if (status == ASHLAR_OK && readers)
        status = wait_for(r, &e->read);
    if (status == ASHLAR_OK)
        status = wait_for(r, &e->made_within);
    if (status == ASHLAR_OK && readers)
        status = wait_for(r, &e->read_within);
    const bool part = e->filled == 0 && e->inner < 0;
    for (int64_t outer = e->outer; outer >= 0 && status == ASHLAR_OK; outer = e->outer) {
        e = &r->p->live[outer];
        status = wait_for_all(r, e, readers, part);
    }
    return status;
}

/* ---- the rank's C, and files ---- */

static bool meet(const ashi_panel *a, const ashi_panel *b)
{
    bool same = true;
    if (a->memory != b->memory || (a->part >= 0 && b->part >= 0))
        return false; /* no two running sums have a word in common */
    for (int i = 0; i < a->indices && i < b->indices; i++) {
        if (a->lo[i] >= b->hi[i] || b->lo[i] >= a->hi[i])
            return false;
        same = same && a->lo[i] == b->lo[i] && a->hi[i] == b->hi[i];
    }
    return !(same && a->chunk.chunks == b->chunk.chunks && a->chunk.number != b->chunk.number);
}

static ashlar_status wait_for_others(ordering *r, int64_t at, bool writes)
{
    const ashi_passes *p = r->p;
    const ashi_panel *panel = &p->live[at].placed.panel;
    ashlar_status status = ASHLAR_OK;
    if (panel->memory == ASHI_MEMORY_POOL || panel->operand != ASHLAR_C)
        return ASHLAR_OK;
    for (int64_t i = 0; i < p->outside_count && status == ASHLAR_OK; i++) {
        const ashi_live *other = &p->live[p->outside[i]];
        if (p->outside[i] != at && other->touched && meet(panel, &other->placed.panel))
            status = wait_for_all(r, other, writes, true);
    }
    return status;
}

/* ---- uses ---- */

static ashlar_status note(ashi_passes *p, ashi_uses *uses, const ashi_use *use, ashlar_error *err)
{
    const int64_t window = ashi_passes_window(p);
    int64_t kept = 0;
    if (uses->count == uses->capacity) {
        for (int64_t i = 0; i < uses->count; i++)
            if (uses->at[i].step >= window)
                uses->at[kept++] = uses->at[i];
        uses->count = kept;
    }
    return ashi_uses_add(uses, use, err);
}

static ashlar_status note_read(ashi_passes *p, int64_t at, const ashi_use *use, ashlar_error *err)
{
    ashlar_status status = note(p, &p->live[at].read, use, err);
    for (int64_t outer = at; outer >= 0; outer = p->live[outer].outer) {
        p->live[outer].touched = true;
        p->live[outer].step = p->step;
        if (outer != at && status == ASHLAR_OK)
            status = note(p, &p->live[outer].read_within, use, err);
    }
    return status;
}

/* Whoever waits for an update waits for all before it. */
static ashlar_status note_made(ashi_passes *p, int64_t at, const ashi_use *use, bool update, ashlar_error *err)
{
    ashi_live *e = &p->live[at];
    if (update)
        e->made.count = e->read.count = e->made_within.count = e->read_within.count = 0;
    ashlar_status status = note(p, &e->made, use, err);
    ashi_use whole = *use;
    whole.lo = 0;
    whole.hi = INT64_MAX;
    for (int64_t outer = at; outer >= 0; outer = p->live[outer].outer) {
        p->live[outer].touched = true;
        p->live[outer].step = p->step;
        if (outer != at && status == ASHLAR_OK)
            status = note(p, &p->live[outer].made_within, &whole, err);
    }
    return status;
}

static const ashi_live *root_of(const ashi_passes *p, int64_t at)
{
    while (p->live[at].outer >= 0)
        at = p->live[at].outer;
    return &p->live[at];
}

/* A running sum, or what is sent up a tree, is changed where it is; other panels are made, by one or several. */
static bool updates(const ashi_passes *p, const ashi_task *t, int64_t at)
{
    return t->kind == ASHI_DO_MULTIPLY || t->kind == ASHI_DO_ADD || t->kind == ASHI_DO_SCALE ||
           p->live[at].placed.panel.part >= 0;
}

static int by_number(const void *a, const void *b)
{
    const int64_t x = *(const int64_t *)a, y = *(const int64_t *)b;
    return (x > y) - (x < y);
}

/* Growing, and none twice. */
static void sort_before(ordering *r, ashi_task *t)
{
    int64_t *list = r->p->before ? r->p->before + r->first : NULL, count = r->p->before_count - r->first, kept = 0;
    if (count > 1)
        qsort(list, (size_t)count, sizeof *list, by_number);
    for (int64_t i = 0; i < count; i++)
        if (kept == 0 || list[i] != list[kept - 1])
            list[kept++] = list[i];
    t->befores = kept;
    r->p->before_count = r->first + kept;
}

static ashlar_status find(ordering *r, const ashi_task *t, int64_t makes)
{
    ashlar_status status = ASHLAR_OK;
    for (int i = 0; i < ASHI_READS_MAX && status == ASHLAR_OK; i++) {
        const int64_t at = t->read[i] < 0 ? -1 : ashi_live_find(r->p, t->read[i]);
        if (at < 0)
            continue;
        const bool part = t->kind == ASHI_DO_SEND && r->p->live[at].placed.panel.part < 0;
        r->lo = part ? t->offset : 0;
        r->hi = part ? t->offset + t->words : INT64_MAX;
        status = wait_for_panel(r, at, false);
        if (status == ASHLAR_OK)
            status = wait_for_others(r, at, false);
    }
    if (makes < 0 || status != ASHLAR_OK)
        return status;
    if (updates(r->p, t, makes))
        status = wait_for_panel(r, makes, true);
    if (status == ASHLAR_OK)
        status = wait_for_others(r, makes, true);
    return status == ASHLAR_OK ? wait_for(r, &root_of(r->p, makes)->after) : status;
}

ashlar_status ashi_order_task(ashi_passes *p, ashi_task *t, ashlar_error *err)
{
    const bool receives = t->kind == ASHI_DO_RECEIVE;
    ordering r = {.p = p, .first = p->before_count, .hi = INT64_MAX, .waits = receives, .err = err};
    const int64_t makes = t->makes < 0 ? -1 : ashi_live_find(p, t->makes);
    ashlar_status status = find(&r, t, makes);
    sort_before(&r, t);
    const ashi_use use = {.number = t->number, .step = p->step, .lo = receives ? t->offset : 0,
                          .hi = receives ? t->offset + t->words : INT64_MAX, .waits = r.waits};
    for (int i = 0; i < ASHI_READS_MAX && status == ASHLAR_OK; i++) {
        const int64_t at = t->read[i] < 0 ? -1 : ashi_live_find(p, t->read[i]);
        if (at >= 0)
            status = note_read(p, at, &use, err);
    }
    if (makes < 0 || status != ASHLAR_OK)
        return status;
    const bool update = updates(p, t, makes);
    ashi_live *e = &p->live[makes];
    int64_t all = 0;
    if (!update)
        e->filled += receives ? t->words : e->placed.panel.words;
    t->completes = !update && ashi_mul(e->placed.panel.words, e->placed.panel.copies, &all) && e->filled >= all;
    return note_made(p, makes, &use, update, err);
}
