/* Memory: who reads and writes which words, and that whoever comes later waits. */
#include "check/tasks.h"

#include "base/checked.h"
#include "base/error.h"

#include <stdlib.h>
#include <string.h>

/* One use of memory by a task. */
typedef struct access {
    ashi_ready_proof *p;
    const ashi_task *t;
    int64_t root;
    bool writes, updates; /* updates: what is there is read as well */
    ashlar_error *err;
    ashlar_status status;
} access;

static ashlar_status wrong(access *a, const char *what)
{
    if (a->status == ASHLAR_OK)
        a->status = ashi_ready_fail(a->p, a->t, a->err, what);
    return a->status;
}

/* ---- the words of a panel ---- */

static ashlar_status add_segment(access *a, int64_t lo, int64_t words)
{
    ashi_check_list *list = &a->p->segments;
    ashi_seen_read *last = list->count > 0 ? (ashi_seen_read *)list->data + list->count - 1 : NULL;
    if (words <= 0 || a->status != ASHLAR_OK)
        return a->status;
    if (last && last->hi == lo) {
        last->hi += words;
        return ASHLAR_OK;
    }
    last = ashi_check_add(list, sizeof *last);
    if (!last)
        return a->status = ashi_fail_memory(a->err, "checker", list->count * (int64_t)sizeof *last);
    *last = (ashi_seen_read){.lo = lo, .hi = lo + words};
    return ASHLAR_OK;
}

/* A rectangle of the box of a panel that is not packed: its `order` says which side is contiguous. */
static void add_rectangle(access *a, const ashi_placed *e, const ashi_box *r)
{
    const int64_t lo[2] = {r->minor_lo, r->major_lo}, hi[2] = {r->minor_hi, r->major_hi};
    const int x = e->panel.order[0], y = e->panel.order[1];
    for (int64_t i = lo[y]; i < hi[y]; i++)
        add_segment(a, e->at + lo[x] - e->panel.lo[x] + (i - e->panel.lo[y]) * e->ld, hi[x] - lo[x]);
}

typedef struct piece {
    access *a;
    const ashi_placed *e;
    const ashi_view *view;
    ashi_box box;
    ashi_check_list here; /* ashi_box: what BLAS reads in the rank's array */
} piece;

static void add_block(void *context, const ashi_block *b)
{
    piece *x = context;
    const ashi_box r = {b->minor_at, b->minor_at + b->minor_count, b->major_at, b->major_at + b->major_count};
    const ashi_content content = x->e->panel.content;
    const bool here = content != ASHI_CONTENT_SHARE &&
                      ashi_block_in_place(x->view, b, x->box.minor_hi - x->box.minor_lo,
                                          ashi_view_least_in_place(&x->box));
    if (content != ASHI_CONTENT_AWAY) {
        if (!here)
            add_rectangle(x->a, x->e, &r);
        return;
    }
    ashi_box *room = here ? ashi_check_add(&x->here, sizeof *room) : NULL;
    if (room)
        *room = r;
    else if (here)
        x->a->status = ashi_fail_memory(x->a->err, "checker", x->here.count * (int64_t)sizeof *room);
}

/* All columns except those that BLAS reads in the rank's array. */
static void add_away(const piece *x)
{
    const ashi_box *here = x->here.data;
    for (int64_t y = x->box.major_lo; y < x->box.major_hi; y++) {
        const ashi_box column = {x->box.minor_lo, x->box.minor_hi, y, y + 1};
        bool own = false;
        for (int64_t i = 0; i < x->here.count && !own; i++)
            own = y >= here[i].major_lo && y < here[i].major_hi;
        if (!own)
            add_rectangle(x->a, x->e, &column);
    }
}

/* The words of a panel in the pool; of a running sum those of a box, unless it is NULL. */
static void find_words(access *a, const ashi_placed *e, const ashi_box *box)
{
    const ashi_panel *panel = &e->panel;
    const ashi_view *view = a->p->request->program->view;
    a->p->segments.count = 0;
    if (box || (panel->content == ASHI_CONTENT_ALL && !e->packed)) {
        const ashi_box all = ashi_panel_box(panel);
        add_rectangle(a, e, box ? box : &all);
        return;
    }
    if (e->packed) {
        int64_t words = 0;
        if (ashi_mul(panel->words, panel->copies, &words))
            add_segment(a, e->at, words);
        return;
    }
    piece x = {.a = a, .e = e, .view = view ? &view[panel->operand] : NULL, .box = ashi_panel_box(panel)};
    if (!view) {
        wrong(a, "names a piece where nobody owns anything");
        return;
    }
    const bool share = panel->content == ASHI_CONTENT_SHARE;
    ashi_view_blocks(x.view, share ? panel->owner : a->p->rank, &x.box, share ? panel->chunk : ashi_whole, add_block,
                     &x);
    if (panel->content == ASHI_CONTENT_AWAY)
        add_away(&x);
    free(x.here.data);
}

/* ---- what was there before ---- */

static void need_path(access *a, int64_t earlier, const char *what)
{
    if (a->status != ASHLAR_OK || earlier < 0 || earlier == a->t->number)
        return;
    if (!ashi_ready_precedes(a->p, earlier, a->t->number, a->err))
        wrong(a, what);
}

/* The first stretch of words that ends beyond a word. */
static int64_t first_beyond(const ashi_ready_proof *p, int64_t word)
{
    const ashi_seen_words *w = p->words.data;
    int64_t lo = 0, hi = p->words.count;
    while (lo < hi) {
        const int64_t middle = lo + (hi - lo) / 2;
        if (w[middle].hi <= word)
            lo = middle + 1;
        else
            hi = middle;
    }
    return lo;
}

/* Everything in the segment was written for the panel, and waits are kept. */
static void check_there(access *a, const ashi_seen_read *seg)
{
    const ashi_seen_words *w = a->p->words.data;
    int64_t at = seg->lo;
    for (int64_t i = first_beyond(a->p, seg->lo); i < a->p->words.count && w[i].lo < seg->hi; i++) {
        if (w[i].lo > at || w[i].root != a->root)
            break;
        need_path(a, w[i].writer, "reads what another task may still be writing");
        at = w[i].hi;
    }
    if (at < seg->hi)
        wrong(a, "reads words that were not written for the panel, or were overwritten");
}

static bool is_earlier_step(const access *a, int64_t number)
{
    const ashi_seen_task *t = (const ashi_seen_task *)a->p->task.data + a->p->first + number;
    return t->step < a->t->step;
}

/* What is overwritten is not in use. */
static void check_free(access *a, const ashi_seen_read *seg)
{
    const ashi_seen_words *w = a->p->words.data;
    const ashi_seen_read *r = a->p->reads.data;
    const bool lands = a->t->kind == ASHI_DO_RECEIVE;
    for (int64_t i = first_beyond(a->p, seg->lo); i < a->p->words.count && w[i].lo < seg->hi; i++) {
        if (w[i].root == a->root && !a->updates)
            wrong(a, "makes words that are made already");
        if (lands && !is_earlier_step(a, w[i].writer))
            wrong(a, "lands where the last use is in the same step");
        need_path(a, w[i].writer, "overwrites what another task may still be writing");
    }
    for (int64_t i = 0; i < a->p->reads.count; i++) {
        if (r[i].lo >= seg->hi || r[i].hi <= seg->lo)
            continue;
        if (lands && !is_earlier_step(a, r[i].task))
            wrong(a, "lands where the last use is in the same step");
        need_path(a, r[i].task, "overwrites what another task may still be reading");
    }
}

/* The segment has a new state. */
static void set_words(access *a, const ashi_seen_read *seg)
{
    ashi_check_list *list = &a->p->words;
    const int64_t first = first_beyond(a->p, seg->lo);
    int64_t end = first;
    ashi_seen_words cut[3];
    int64_t pieces = 0;
    const ashi_seen_words *w = list->data;
    while (end < list->count && w[end].lo < seg->hi)
        end++;
    if (end > first && w[first].lo < seg->lo)
        cut[pieces++] = (ashi_seen_words){w[first].lo, seg->lo, w[first].root, w[first].writer};
    cut[pieces++] = (ashi_seen_words){seg->lo, seg->hi, a->root, a->t->number};
    if (end > first && w[end - 1].hi > seg->hi)
        cut[pieces++] = (ashi_seen_words){seg->hi, w[end - 1].hi, w[end - 1].root, w[end - 1].writer};
    const int64_t tail = list->count - end;
    for (int64_t i = list->count; i < first + pieces + tail; i++)
        if (!ashi_check_add(list, sizeof *w)) {
            a->status = ashi_fail_memory(a->err, "checker", list->count * (int64_t)sizeof *w);
            return;
        }
    ashi_seen_words *all = list->data;
    memmove(all + first + pieces, all + end, (size_t)tail * sizeof *all);
    memcpy(all + first, cut, (size_t)pieces * sizeof *all);
    list->count = first + pieces + tail;
}

static void note_read(access *a, const ashi_seen_read *seg)
{
    ashi_seen_read *r = ashi_check_add(&a->p->reads, sizeof *r);
    if (r)
        *r = (ashi_seen_read){seg->lo, seg->hi, a->t->number};
    else
        a->status = ashi_fail_memory(a->err, "checker", a->p->reads.count * (int64_t)sizeof *r);
}

static ashlar_status apply(access *a)
{
    for (int64_t i = 0; i < a->p->segments.count && a->status == ASHLAR_OK; i++) {
        const ashi_seen_read seg = ((const ashi_seen_read *)a->p->segments.data)[i];
        if (seg.lo < 0)
            return wrong(a, "uses words before the pool");
        a->p->reach = ashi_max(a->p->reach, seg.hi);
        if (!a->writes || a->updates)
            check_there(a, &seg);
        if (a->writes)
            check_free(a, &seg);
        if (a->writes && a->status == ASHLAR_OK)
            set_words(a, &seg);
        else if (a->status == ASHLAR_OK)
            note_read(a, &seg);
    }
    return a->status;
}

/* ---- tasks ---- */

static const ashi_placed *root_of(const ashi_ready_proof *p, const ashi_placed *e)
{
    while (e && e->panel.within >= 0)
        e = ashi_ready_panel(p, e->panel.within);
    return e;
}

/* A SEND of sums: the owner's words lie as they are sent from `offset` words behind the panel's first. */
static ashlar_status read_sums(access *a, const ashi_placed *e, const ashi_expected *x)
{
    const ashi_view *view = a->p->request->program->view;
    const ashi_box box = ashi_panel_box(&e->panel);
    int64_t at = 0;
    if (!view || ashi_view_chunk_words(&view[ASHLAR_C], x->owner, &x->box, x->chunk) != a->t->words ||
        !ashi_view_lies_packed(&view[ASHLAR_C], x->owner, &x->box, x->chunk, &box, e->ld, &at) || at != a->t->offset)
        return wrong(a, "sends sums that do not lie as they are sent");
    a->p->segments.count = 0;
    add_segment(a, e->at + at, a->t->words);
    return apply(a);
}

/* What a message takes of a packed panel. */
static ashlar_status use_part(access *a, const ashi_placed *e)
{
    int64_t words = 0;
    if (!e->packed || !ashi_mul(e->panel.words, e->panel.copies, &words) || a->t->offset < 0 ||
        a->t->words > words - a->t->offset)
        return wrong(a, "is a message of words that the panel has not, or not packed");
    a->p->segments.count = 0;
    add_segment(a, e->at + a->t->offset, a->t->words);
    return apply(a);
}

static ashlar_status use_pool(access *a, const ashi_placed *e, const ashi_expected *x, bool first)
{
    const ashi_placed *root = root_of(a->p, e);
    if (!root)
        return wrong(a, "names a panel within one that was not visited");
    a->root = root->panel.id;
    const bool message = a->t->kind == ASHI_DO_SEND || a->t->kind == ASHI_DO_RECEIVE;
    if (message && e->panel.part >= 0 && a->p->request->program->view)
        return first ? read_sums(a, e, x) : a->status;
    if (message)
        return use_part(a, e);
    const ashi_box product = {a->t->lo[0], a->t->hi[0], a->t->lo[1], a->t->hi[1]};
    find_words(a, e, a->writes && a->t->kind == ASHI_DO_MULTIPLY ? &product : NULL);
    return a->status == ASHLAR_OK ? apply(a) : a->status;
}

static bool meet(const ashi_panel *a, const ashi_panel *b)
{
    const ashi_box x = ashi_panel_box(a), y = ashi_panel_box(b);
    if (a->memory != b->memory || (a->part >= 0 && b->part >= 0 && a->id != b->id))
        return false;
    if (x.minor_lo >= y.minor_hi || y.minor_lo >= x.minor_hi || x.major_lo >= y.major_hi || y.major_lo >= x.major_hi)
        return false;
    return !ashi_box_same(&x, &y) || a->chunk.chunks != b->chunk.chunks || a->chunk.number == b->chunk.number;
}

/* Boxes of the rank's C, or of C's file, that meet. */
static ashlar_status use_outside(access *a, const ashi_placed *e)
{
    const ashi_seen_use *u = a->p->uses.data;
    if (e->panel.operand != ASHLAR_C)
        return a->status;
    for (int64_t i = 0; i < a->p->uses.count; i++)
        if ((a->writes || u[i].writes) && meet(&e->panel, &u[i].panel))
            need_path(a, u[i].task, "uses a part of C that another task may still be using");
    ashi_seen_use *fresh = a->status == ASHLAR_OK ? ashi_check_add(&a->p->uses, sizeof *fresh) : NULL;
    if (fresh)
        *fresh = (ashi_seen_use){e->panel, a->t->number, a->writes};
    else if (a->status == ASHLAR_OK)
        a->status = ashi_fail_memory(a->err, "checker", a->p->uses.count * (int64_t)sizeof *fresh);
    return a->status;
}

static ashlar_status use(access *a, int64_t id, const ashi_expected *x, bool first)
{
    const ashi_placed *e = ashi_ready_panel(a->p, id);
    if (!e)
        return wrong(a, "names a panel that was not visited");
    if (a->t->kind == ASHI_DO_SEND && e->panel.part < 0 && a->t->offset != x->task.offset)
        return wrong(a, "sends other words than the program asks for");
    return e->panel.memory == ASHI_MEMORY_POOL ? use_pool(a, e, x, first) : use_outside(a, e);
}

ashlar_status ashi_ready_use(ashi_ready_proof *p, const ashi_expected *x, const ashi_task *t, ashlar_error *err)
{
    access a = {.p = p, .t = t, .err = err};
    for (int i = 0; i < ASHI_READS_MAX && a.status == ASHLAR_OK; i++)
        if (t->read[i] >= 0)
            use(&a, t->read[i], x, i == 0);
    const ashi_placed *e = t->makes >= 0 ? ashi_ready_panel(p, t->makes) : NULL;
    if (t->makes < 0 || a.status != ASHLAR_OK)
        return a.status;
    a.writes = true;
    a.updates = (t->kind == ASHI_DO_MULTIPLY || t->kind == ASHI_DO_ADD || t->kind == ASHI_DO_SCALE) && !t->begins;
    if (e && t->begins && e->panel.part >= 0 && e->panel.memory == ASHI_MEMORY_POOL &&
        ashi_ready_is_loaded(p, t->makes))
        a.updates = true;
    return use(&a, t->makes, x, true);
}
