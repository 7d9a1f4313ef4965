/* The second pass: panels get their places in the pool. */
#include "schedule/passes.h"

#include "base/array.h"
#include "base/checked.h"
#include "base/error.h"

#include <inttypes.h>
#include <stdlib.h>

enum { NONE = -1 };

/* It is visited before the step's next task. */
static ashlar_status give_panel(ashi_passes *p, int64_t at, ashlar_error *err)
{
    ashi_step_panel *panel = ashi_array_room(p->panel, &p->panel_capacity, p->panel_count + 1, sizeof *panel);
    if (!panel)
        return ashi_fail_memory(err, "passes", (p->panel_count + 1) * (int64_t)sizeof *panel);
    p->panel = panel;
    panel[p->panel_count++] = (ashi_step_panel){p->live[at].placed, p->task_count};
    return ASHLAR_OK;
}

static ashlar_status misplaced(const ashi_passes *p, int64_t id, ashlar_error *err, const char *what)
{
    return ashi_fail(err, ASHLAR_ERR_INTERNAL, "rank %" PRId64 ", step %" PRId64 ", panel %" PRId64 ": %s",
                     p->request.rank, p->step, id, what);
}

static int64_t extent(const ashi_panel *panel, int index)
{
    return panel->hi[index] - panel->lo[index];
}

/* Within a step, with no look-ahead, operations of the rank alone may take what was used before in it. */
static ashlar_status take(ashi_passes *p, const ashi_panel *panel, int64_t words, int64_t users, bool local,
                          int64_t *at, ashi_uses *after, ashlar_error *err)
{
    const ashi_space_rule rule = {ashi_passes_window(p), local && p->request.look_ahead == 0 ? p->step : NONE};
    if (panel->fixed && p->request.look_ahead == p->request.program->look_ahead) {
        *at = panel->at;
        return ashi_space_take_at(&p->space, *at, words, users, &rule, after, err);
    }
    return ashi_space_take(&p->space, words, users, &rule, at, after, err);
}

/* ---- running sums ---- */

/* Panels of a part beside one another, or one above the other with a common distance of columns, so that what goes to
 * one owner lies as it is sent if it can. */
static ashlar_status place_part(ashi_passes *p, const int64_t *sums, int count, ashlar_error *err)
{
    const ashi_panel *first = &p->live[sums[0]].placed.panel;
    const ashi_panel *second = count == 2 ? &p->live[sums[1]].placed.panel : NULL;
    const bool stacked = second && first->indices == 2 && first->lo[1] == second->lo[1] &&
                         first->hi[1] == second->hi[1] && extent(first, 1) > 1;
    int64_t words = 0, at = 0, ld = 0;
    for (int i = 0; i < count; i++) {
        const ashi_panel *panel = &p->live[sums[i]].placed.panel;
        int64_t room = 0;
        if (!ashi_panel_room(panel, &room) || !ashi_add(words, room, &words))
            return ashi_fail(err, ASHLAR_ERR_OVERFLOW, "the pool has more than 2^63 words");
        ld += extent(panel, panel->order[0]);
    }
    const ashlar_status status = take(p, first, words, count, count == 1, &at, &p->live[sums[0]].after, err);
    for (int i = 0; i < count && status == ASHLAR_OK; i++) {
        ashi_live *e = &p->live[sums[i]];
        const int64_t width = extent(&e->placed.panel, e->placed.panel.order[0]);
        e->has_place = true;
        e->placed.at = e->placed.base = at;
        e->placed.ld = stacked ? ld : width;
        e->placed.packed = !stacked;
        at += stacked ? width : e->placed.panel.words;
        const ashlar_status told = give_panel(p, sums[i], err);
        if (told != ASHLAR_OK)
            return told;
    }
    return status;
}

ashlar_status ashi_place_sums(ashi_passes *p, ashlar_error *err)
{
    const int count = p->sums_count;
    p->sums_count = 0;
    return count > 0 ? place_part(p, p->sums, count, err) : ASHLAR_OK;
}

static bool continues_part(const ashi_passes *p, const ashi_panel *panel)
{
    const ashi_panel *first = p->sums_count > 0 ? &p->live[p->sums[0]].placed.panel : NULL;
    return first && panel->part == first->part && p->sums_count < ASHI_READS_MAX;
}

ashlar_status ashi_place_panel(ashi_passes *p, const ashi_panel *panel, ashlar_error *err)
{
    ashlar_status status = ASHLAR_OK;
    if (!continues_part(p, panel))
        status = ashi_place_sums(p, err);
    if (status == ASHLAR_OK)
        status = ashi_live_add(p, panel, err);
    if (status != ASHLAR_OK)
        return status;
    const int64_t at = ashi_live_find(p, panel->id);
    if (panel->memory != ASHI_MEMORY_POOL)
        return give_panel(p, at, err);
    if (panel->part >= 0 && panel->within < 0)
        p->sums[p->sums_count++] = at;
    return ASHLAR_OK;
}

/* ---- panels that are made ---- */

/* The distance in words between neighbours along an index of a panel that has a place. */
static int64_t stride_of(const ashi_placed *placed, int index)
{
    int64_t stride = 1;
    for (int i = 0; i < placed->panel.indices && placed->panel.order[i] != index; i++)
        stride = i == 0 ? placed->ld : stride * extent(&placed->panel, placed->panel.order[i]);
    return stride;
}

/* Whether the words of a box, in a memory of these strides, lie one after the other. */
static bool is_dense(const ashi_panel *panel, const ashi_placed *outer)
{
    int64_t stride = 1;
    for (int i = 0; i < panel->indices; i++) {
        const int index = panel->order[i];
        if (extent(panel, index) > 1 && stride_of(outer, index) != stride)
            return false;
        stride *= extent(panel, index);
    }
    return true;
}

/* A piece may lie there as it is sent. */
static void place_piece(const ashi_passes *p, ashi_placed *inner)
{
    const ashi_panel *panel = &inner->panel;
    const ashi_view *view = p->request.program->view;
    const ashi_box box = ashi_panel_box(panel);
    int64_t at = 0;
    inner->packed = panel->content == ASHI_CONTENT_SHARE && view &&
                    panel->order[0] == (view[panel->operand].turned ? 1 : 0) &&
                    ashi_view_lies_packed(&view[panel->operand], panel->owner, &box, panel->chunk, &box, inner->ld,
                                          &at);
    inner->at += inner->packed ? at : 0;
}

static void place_within(const ashi_passes *p, ashi_live *e, const ashi_live *outer)
{
    ashi_placed *inner = &e->placed;
    inner->at = outer->placed.at;
    inner->base = outer->placed.base;
    inner->ld = outer->placed.ld;
    for (int i = 0; i < inner->panel.indices; i++)
        inner->at += (inner->panel.lo[i] - outer->placed.panel.lo[i]) * stride_of(&outer->placed, i);
    if (inner->panel.content == ASHI_CONTENT_ALL)
        inner->packed = is_dense(&inner->panel, &outer->placed);
    else
        place_piece(p, inner);
}

/* A panel that others lie within may also be filled by what is received: it takes nothing that is used in the step. */
static ashlar_status place_alone(ashi_passes *p, int64_t at, bool local, ashlar_error *err)
{
    ashi_live *e = &p->live[at];
    int64_t words = 0;
    if (!ashi_panel_room(&e->placed.panel, &words))
        return ashi_fail(err, ASHLAR_ERR_OVERFLOW, "the pool has more than 2^63 words");
    e->placed.ld = extent(&e->placed.panel, e->placed.panel.order[0]);
    e->placed.packed = e->placed.panel.content != ASHI_CONTENT_AWAY;
    const ashlar_status status = take(p, &e->placed.panel, words, 1, local && e->inner < 0, &e->placed.at, &e->after,
                                      err);
    e->placed.base = e->placed.at;
    return status;
}

static ashlar_status place(ashi_passes *p, int64_t at, bool local, ashlar_error *err)
{
    ashi_live *e = &p->live[at];
    ashlar_status status = ASHLAR_OK;
    if (e->has_place || e->placed.panel.memory != ASHI_MEMORY_POOL)
        return ASHLAR_OK;
    if (e->outer >= 0) {
        status = place(p, e->outer, false, err);
        if (status == ASHLAR_OK)
            place_within(p, e, &p->live[e->outer]);
    } else {
        status = place_alone(p, at, local, err);
    }
    e->has_place = true;
    return status == ASHLAR_OK ? give_panel(p, at, err) : status;
}

/* ---- messages ---- */

/* A SEND of sums as they lie: the panel that has the words comes first, and the offset is within it. */
static ashlar_status find_sums(ashi_passes *p, const ashi_operation *o, ashi_task *t, ashlar_error *err)
{
    const ashi_view *view = p->request.program->view;
    for (int i = 0; i < ASHI_READS_MAX; i++) {
        const int64_t at = t->read[i] < 0 ? NONE : ashi_live_find(p, t->read[i]);
        if (at < 0)
            continue;
        const ashi_placed *sums = &p->live[at].placed;
        const ashi_box box = ashi_panel_box(&sums->panel);
        int64_t offset = 0;
        if (!ashi_view_lies_packed(&view[ASHLAR_C], o->owner, &o->box, o->chunk, &box, sums->ld, &offset))
            continue;
        const int64_t id = t->read[i];
        const bool last = t->last[i];
        t->offset += offset;
        t->read[i] = t->read[0];
        t->last[i] = t->last[0];
        t->read[0] = id;
        t->last[0] = last;
        return ASHLAR_OK;
    }
    return misplaced(p, t->read[0], err, "sums that are sent as they lie do not lie so");
}

static ashlar_status check_packed(const ashi_passes *p, int64_t at, ashlar_error *err)
{
    const ashi_placed *placed = &p->live[at].placed;
    if (placed->panel.memory != ASHI_MEMORY_POOL || placed->packed)
        return ASHLAR_OK;
    return misplaced(p, placed->panel.id, err, "is sent or received, but does not lie as it is sent");
}

ashlar_status ashi_place_task(ashi_passes *p, const ashi_operation *o, ashi_task *t, ashlar_error *err)
{
    const int64_t makes = ashi_live_find(p, t->makes);
    const bool local = t->kind != ASHI_DO_RECEIVE;
    ashlar_status status = ashi_place_sums(p, err);
    if (status == ASHLAR_OK && makes >= 0)
        status = place(p, makes, local, err);
    if (status == ASHLAR_OK && !local && makes >= 0)
        status = check_packed(p, makes, err);
    for (int i = 0; i < ASHI_READS_MAX && status == ASHLAR_OK; i++) {
        const int64_t at = t->read[i] < 0 ? NONE : ashi_live_find(p, t->read[i]);
        if (at >= 0)
            status = place(p, at, false, err); /* a part of a panel that was made as a whole */
    }
    const int64_t sent = t->kind == ASHI_DO_SEND ? ashi_live_find(p, t->read[0]) : NONE;
    if (status != ASHLAR_OK || sent < 0)
        return status;
    const bool piece = p->live[sent].placed.panel.part >= 0 && p->request.program->view;
    return piece ? find_sums(p, o, t, err) : check_packed(p, sent, err);
}

/* ---- panels that are gone ---- */

static ashlar_status let_go(ashi_passes *p, int64_t id, ashlar_error *err)
{
    const int64_t at = ashi_live_find(p, id);
    ashi_live *e = at >= 0 ? &p->live[at] : NULL;
    ashi_uses used = {0};
    if (!e || e->outer >= 0) /* a panel within another goes with it */
        return ASHLAR_OK;
    if (e->placed.panel.memory != ASHI_MEMORY_POOL)
        return e->placed.panel.operand == ASHLAR_C ? ASHLAR_OK : ashi_live_drop(p, at, err);
    const ashi_uses *const all[] = {&e->made, &e->read, &e->made_within, &e->read_within};
    ashlar_status status = ASHLAR_OK;
    for (int i = 0; i < 4 && status == ASHLAR_OK && p->request.look_ahead == 0; i++)
        status = ashi_uses_append(&used, all[i], err);
    if (status == ASHLAR_OK)
        status = ashi_space_give(&p->space, e->placed.at, p->step, p->request.look_ahead == 0 ? &used : NULL, err);
    free(used.at);
    return status == ASHLAR_OK ? ashi_live_drop(p, at, err) : status;
}

ashlar_status ashi_place_end(ashi_passes *p, const ashi_operation *o, ashlar_error *err)
{
    ashlar_status status = ASHLAR_OK;
    for (int i = 0; i < ASHI_READS_MAX && status == ASHLAR_OK; i++)
        if (o->last[i])
            status = let_go(p, o->read[i], err);
    const int64_t made = status == ASHLAR_OK && o->makes >= 0 ? ashi_live_find(p, o->makes) : NONE;
    if (made < 0)
        return status;
    /* What came up a tree is in the rank's own contribution now. */
    const bool combined = o->kind == ASHI_DO_REDUCE && o->owner != p->request.rank;
    return combined || p->live[made].placed.panel.unread ? let_go(p, o->makes, err) : ASHLAR_OK;
}
