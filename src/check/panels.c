/* Panels: each has the words that it says, is whole when it is read, and is not read after its last reader. */
#include "check/proof.h"

#include "base/error.h"

#include <stdlib.h>

enum { GONE = -1 };

bool ashi_proof_same_box(const ashi_panel *a, const ashi_panel *b)
{
    const ashi_box x = ashi_panel_box(a), y = ashi_panel_box(b);
    return a->operand == b->operand && ashi_box_same(&x, &y);
}

int64_t ashi_proof_owned(ashi_proof *p, ashlar_operand x, const ashi_box *box, ashi_chunk chunk, int64_t rank)
{
    return ashi_proof_count(p, x, box, chunk)->words[rank];
}

/* ---- what a panel says of itself ---- */

static bool inside(const ashi_proof *p, const ashi_panel *panel)
{
    const int64_t minor = panel->operand == ASHLAR_B ? p->program->n : p->program->m;
    const int64_t major = panel->operand == ASHLAR_C ? p->program->n : p->program->k;
    return panel->indices == 2 && panel->lo[0] >= 0 && panel->lo[0] < panel->hi[0] && panel->hi[0] <= minor &&
           panel->lo[1] >= 0 && panel->lo[1] < panel->hi[1] && panel->hi[1] <= major;
}

/* How many words the content has; -1 if there is no such content. If all of a box is the rank's own, HERE may be all of
 * it as well: a product then goes block by block. */
static int64_t words_of(ashi_proof *p, const ashi_panel *panel)
{
    const ashi_box box = ashi_panel_box(panel);
    const int64_t all = ashi_box_words(&box);
    if (panel->content == ASHI_CONTENT_ALL)
        return all;
    if (p->program->source[panel->operand] != ASHI_MEMORY_CALLER)
        return -1;
    if (panel->content == ASHI_CONTENT_SHARE) {
        const bool sound = panel->owner >= 0 && panel->owner < p->program->ranks && panel->chunk.number >= 0 &&
                           panel->chunk.number < panel->chunk.chunks;
        return sound ? ashi_proof_owned(p, panel->operand, &box, panel->chunk, panel->owner) : -1;
    }
    const int64_t own = ashi_proof_owned(p, panel->operand, &box, ashi_whole, p->rank);
    const ashi_view *view = &p->program->view[panel->operand];
    const int64_t here = panel->operand == ASHLAR_C ? 0
                                                    : ashi_view_in_place(view, p->rank, &box,
                                                                         ashi_view_least_in_place(&box)) *
                                                          (box.minor_hi - box.minor_lo);
    if (panel->content == ASHI_CONTENT_HERE)
        return own == all && panel->words == all ? all : here;
    return panel->content == ASHI_CONTENT_AWAY ? all - here : panel->content == ASHI_CONTENT_REST ? own - here : -1;
}

static bool is_inside(const ashi_box *inner, const ashi_box *outer)
{
    return outer->minor_lo <= inner->minor_lo && inner->minor_hi <= outer->minor_hi &&
           outer->major_lo <= inner->major_lo && inner->major_hi <= outer->major_hi;
}

/* A panel within another: in the pool, and with words that the other has, by owners or by boxes. */
static ashlar_status check_within(ashi_proof *p, const ashi_panel *panel, ashlar_error *err)
{
    const ashi_proof_panel *outer = ashi_proof_find(p, panel->within);
    const bool piece = panel->content == ASHI_CONTENT_SHARE && panel->chunk.chunks == 1;
    const bool by_box = panel->content == ASHI_CONTENT_ALL && outer && outer->panel.content == ASHI_CONTENT_ALL;
    const ashi_box box = ashi_panel_box(panel), all = outer ? ashi_panel_box(&outer->panel) : box;
    if (!outer || panel->memory != ASHI_MEMORY_POOL || outer->panel.memory != ASHI_MEMORY_POOL ||
        panel->operand != outer->panel.operand || !is_inside(&box, &all) || outer->panel.part >= 0 || panel->part >= 0)
        return ashi_proof_fail(p, NULL, err, "a panel is within one that is none, or of another box");
    if (by_box)
        return ASHLAR_OK;
    if ((!piece && panel->content != ASHI_CONTENT_REST) || !ashi_proof_same_box(&outer->panel, panel))
        return ashi_proof_fail(p, NULL, err, "a panel within another is neither a piece nor the rest of one");
    if (outer->panel.content == ASHI_CONTENT_AWAY && piece && panel->owner == p->rank)
        return ashi_proof_fail(p, NULL, err, "a panel without what is read in the rank's array has that too");
    return ASHLAR_OK;
}

static ashlar_status check_memory(ashi_proof *p, const ashi_panel *panel, ashlar_error *err)
{
    const ashi_box box = ashi_panel_box(panel);
    const bool own = panel->content == ASHI_CONTENT_SHARE ? panel->owner == p->rank
                                                          : panel->content == ASHI_CONTENT_HERE;
    if (panel->memory == ASHI_MEMORY_FILE)
        return p->program->source[panel->operand] == ASHI_MEMORY_FILE && panel->content == ASHI_CONTENT_ALL
                   ? ASHLAR_OK : ashi_proof_fail(p, NULL, err, "a panel is in a file that there is not");
    if (panel->memory != ASHI_MEMORY_CALLER || own)
        return ASHLAR_OK;
    if (panel->part >= 0 && p->program->source[ASHLAR_C] == ASHI_MEMORY_CALLER &&
        ashi_proof_owned(p, ASHLAR_C, &box, ashi_whole, p->rank) == ashi_box_words(&box))
        return ASHLAR_OK;
    return ashi_proof_fail(p, NULL, err, "a panel is in the caller's array, but not the rank's own");
}

static ashlar_status check_panel(ashi_proof *p, const ashi_panel *panel, ashlar_error *err)
{
    if (panel->id != p->place.count)
        return ashi_proof_fail(p, NULL, err, "panels are not numbered in order");
    if (panel->operand < ASHLAR_A || panel->operand > ASHLAR_C || !inside(p, panel))
        return ashi_proof_fail(p, NULL, err, "a panel is empty, or not inside the matrix");
    if (panel->words < 1 || panel->words != words_of(p, panel))
        return ashi_proof_fail(p, NULL, err, "a panel has another number of words than its content");
    if (panel->part >= 0 && (panel->operand != ASHLAR_C || panel->content != ASHI_CONTENT_ALL))
        return ashi_proof_fail(p, NULL, err, "a running sum is not a box of C");
    if (panel->unread && (panel->memory != ASHI_MEMORY_POOL || panel->within >= 0 || panel->part >= 0))
        return ashi_proof_fail(p, NULL, err, "a panel that nothing reads is outside the pool, in another, or a sum");
    const ashlar_status status = check_memory(p, panel, err);
    return status == ASHLAR_OK && panel->within >= 0 ? check_within(p, panel, err) : status;
}

/* ---- the table of panels ---- */

static ashi_proof_panel *new_entry(ashi_proof *p, int64_t *place)
{
    if (p->unused.count > 0) {
        *place = ((int64_t *)p->unused.data)[--p->unused.count];
        return (ashi_proof_panel *)p->panel.data + *place;
    }
    *place = p->panel.count;
    return ashi_check_add(&p->panel, sizeof(ashi_proof_panel));
}

/* What the caller's arrays of A and B and files have before is whole from the first. */
static bool is_given(const ashi_panel *panel)
{
    return panel->memory == ASHI_MEMORY_FILE ? panel->given
                                             : panel->memory == ASHI_MEMORY_CALLER && panel->operand != ASHLAR_C;
}

ashlar_status ashi_proof_add_panel(ashi_proof *p, const ashi_panel *panel, ashlar_error *err)
{
    const ashlar_status status = check_panel(p, panel, err);
    if (status != ASHLAR_OK)
        return status;
    int64_t place = 0;
    ashi_proof_panel *e = new_entry(p, &place);
    int64_t *at = e ? ashi_check_add(&p->place, sizeof *at) : NULL;
    if (!at)
        return ashi_fail_memory(err, "checker", p->place.count * (int64_t)sizeof *e);
    *at = place;
    *e = (ashi_proof_panel){.panel = *panel, .live = true, .whole = is_given(panel), .arrival = -1};
    return ASHLAR_OK;
}

ashi_proof_panel *ashi_proof_find(ashi_proof *p, int64_t id)
{
    if (id < 0 || id >= p->place.count)
        return NULL;
    const int64_t place = ((int64_t *)p->place.data)[id];
    return place == GONE ? NULL : (ashi_proof_panel *)p->panel.data + place;
}

void ashi_proof_drop(ashi_proof *p, int64_t id)
{
    ashi_proof_panel *e = ashi_proof_find(p, id);
    int64_t *unused = e ? ashi_check_add(&p->unused, sizeof *unused) : NULL;
    if (!unused) /* without memory the place is not used again, and the panel not found missing */
        return;
    *unused = ((int64_t *)p->place.data)[id];
    ((int64_t *)p->place.data)[id] = GONE;
    free(e->within.data);
    *e = (ashi_proof_panel){0};
}

/* ---- reading and making ---- */

static int by_owner(const void *a, const void *b)
{
    const ashi_proof_filled *x = a, *y = b;
    return (x->owner > y->owner) - (x->owner < y->owner);
}

/* Whether the boxes within a panel fill it. */
static ashlar_status boxes_fill(const ashi_proof_panel *e, bool *filled, ashlar_error *err)
{
    const ashi_proof_filled *f = e->within.data;
    const ashi_cover_box all = {.lo = {e->panel.lo[0], e->panel.lo[1]}, .hi = {e->panel.hi[0], e->panel.hi[1], 1, 1}};
    ashi_cover_box *box = malloc((size_t)e->within.count * sizeof *box), where;
    ashi_cover_finding finding = ASHI_COVER_GAP;
    if (!box)
        return ashi_fail_memory(err, "checker", e->within.count * (int64_t)sizeof *box);
    for (int64_t i = 0; i < e->within.count; i++)
        box[i] = (ashi_cover_box){.lo = {f[i].box.minor_lo, f[i].box.major_lo},
                                  .hi = {f[i].box.minor_hi, f[i].box.major_hi, 1, 1}};
    const ashlar_status status = ashi_cover(box, e->within.count, &all, false, &finding, &where, err);
    free(box);
    *filled = finding == ASHI_COVER_FILLED;
    return status;
}

/* Pieces of different owners have no word in common: if none comes twice and they have as many words as the panel, they
 * are all of it. Boxes are compared with one another. */
static ashlar_status find_whole(ashi_proof_panel *e, ashlar_error *err)
{
    ashi_proof_filled *f = e->within.data;
    if (e->whole || e->within.count == 0 || e->filled != e->panel.words)
        return ASHLAR_OK;
    if (f[0].owner < 0)
        return boxes_fill(e, &e->whole, err);
    qsort(f, (size_t)e->within.count, sizeof *f, by_owner);
    for (int64_t i = 1; i < e->within.count; i++)
        if (f[i].owner == f[i - 1].owner)
            return ASHLAR_OK;
    e->whole = true;
    return ASHLAR_OK;
}

ashi_proof_panel *ashi_proof_read(ashi_proof *p, const ashi_operation *o, int which, ashlar_error *err)
{
    ashi_proof_panel *e = ashi_proof_find(p, o->read[which]);
    if (!e) {
        ashi_proof_fail(p, o, err, "reads a panel that is not there, or after its last reader");
        return NULL;
    }
    if (e->panel.part < 0 && find_whole(e, err) != ASHLAR_OK)
        return NULL;
    if (!(e->panel.part >= 0 ? e->begun : e->whole)) {
        ashi_proof_fail(p, o, err, "reads a panel that is not whole");
        return NULL;
    }
    e->read = true;
    return e;
}

/* A part of a panel has been made. */
static ashlar_status fill(ashi_proof *p, const ashi_operation *o, const ashi_proof_panel *e, ashlar_error *err)
{
    ashi_proof_panel *outer = ashi_proof_find(p, e->panel.within);
    if (!outer || outer->whole)
        return ashi_proof_fail(p, o, err, "makes a part of a panel that is whole already, or gone");
    const ashi_proof_filled *first = outer->within.data;
    const int64_t owner = e->panel.content == ASHI_CONTENT_ALL ? -1 : e->panel.owner;
    if (outer->within.count > 0 && (first->owner < 0) != (owner < 0))
        return ashi_proof_fail(p, o, err, "makes a part of a panel by its box, and another by its owner");
    ashi_proof_filled *f = ashi_check_add(&outer->within, sizeof *f);
    if (!f)
        return ashi_fail_memory(err, "checker", outer->within.count * (int64_t)sizeof *f);
    *f = (ashi_proof_filled){owner, e->panel.id, ashi_panel_box(&e->panel)};
    outer->filled += e->panel.words;
    outer->arrival = outer->arrival > e->arrival ? outer->arrival : e->arrival;
    return ASHLAR_OK;
}

ashlar_status ashi_proof_make(ashi_proof *p, const ashi_operation *o, int64_t arrival, ashlar_error *err)
{
    ashi_proof_panel *e = ashi_proof_find(p, o->makes);
    if (!e)
        return ashi_proof_fail(p, o, err, "makes a panel that is not there");
    if (e->whole || e->within.count > 0 || e->panel.part >= 0 || is_given(&e->panel))
        return ashi_proof_fail(p, o, err, "makes a panel that is made already");
    e->whole = true;
    e->arrival = arrival;
    return e->panel.within >= 0 ? fill(p, o, e, err) : ASHLAR_OK;
}

/* What a rank has written of A or B to a file of its own stays there, and is never read for the last time. */
static bool stays_filed(const ashi_panel *panel)
{
    return panel->memory == ASHI_MEMORY_FILE && panel->operand != ASHLAR_C && !panel->given;
}

/* With a panel go those within it: they are not read later. */
static ashlar_status let_one_go(ashi_proof *p, const ashi_operation *o, int64_t id, ashlar_error *err)
{
    ashi_proof_panel *e = ashi_proof_find(p, id);
    if (!e)
        return ashi_proof_fail(p, o, err, "is called the last reader of a panel that it reads twice");
    if (stays_filed(&e->panel))
        return ashi_proof_fail(p, o, err, "is called the last reader of what stays in a file");
    const ashi_proof_filled *f = e->within.data;
    for (int64_t i = 0; i < e->within.count; i++) {
        const ashi_proof_panel *inner = ashi_proof_find(p, f[i].panel);
        if (inner && inner->read)
            return ashi_proof_fail(p, o, err, "is the last reader of a panel of which a part has no last reader");
        ashi_proof_drop(p, f[i].panel);
    }
    ashi_proof_drop(p, id);
    return ASHLAR_OK;
}

ashlar_status ashi_proof_let_go(ashi_proof *p, const ashi_operation *o, ashlar_error *err)
{
    ashlar_status status = ASHLAR_OK;
    for (int i = 0; i < ASHI_READS_MAX && status == ASHLAR_OK; i++) {
        if (o->last[i] && o->read[i] < 0)
            status = ashi_proof_fail(p, o, err, "is called the last reader of nothing");
        else if (o->last[i])
            status = let_one_go(p, o, o->read[i], err);
    }
    return status;
}

/* Memory of the pool that nothing gives back. */
static bool is_kept(const ashi_proof_panel *e)
{
    return e->panel.memory == ASHI_MEMORY_POOL && e->panel.within < 0 && (e->whole || e->within.count > 0);
}

/* Said of the step in which it came, if it did. */
static ashlar_status not_read(ashi_proof *p, const ashi_proof_panel *e, ashlar_error *err)
{
    if (e->arrival < 0)
        return ashi_proof_fail(p, NULL, err, "nothing reads a panel, and it does not say so");
    p->step = e->arrival;
    return ashi_proof_fail(p, NULL, err, "brings a panel that nothing reads, and that does not say so");
}

ashlar_status ashi_proof_all_gone(ashi_proof *p, ashlar_error *err)
{
    const ashi_proof_panel *e = p->panel.data;
    for (int64_t i = 0; i < p->panel.count; i++) {
        const bool sums = e[i].panel.operand == ASHLAR_C && e[i].panel.memory == ASHI_MEMORY_POOL;
        if (e[i].live && ((e[i].read && !stays_filed(&e[i].panel)) || sums))
            return ashi_proof_fail(p, NULL, err, e[i].read ? "a panel has no last reader" : "sums are not read");
        if (e[i].live && is_kept(&e[i]))
            return not_read(p, &e[i], err);
    }
    return ASHLAR_OK;
}

void ashi_proof_clear_panels(ashi_proof *p)
{
    ashi_proof_panel *e = p->panel.data;
    for (int64_t i = 0; i < p->panel.count; i++)
        free(e[i].within.data);
    p->place.count = p->panel.count = p->unused.count = 0;
}
