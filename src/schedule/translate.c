/* Today's streams as programs: slots, rounds, pooled buffers and files all become panels that are made and read.
 *
 * This file goes once the engines emit programs. */
#include "schedule/translate.h"

#include "base/checked.h"
#include "base/error.h"
#include "schedule/check_state.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

enum { NO_PANEL = -1 };

static void *add(ashi_check_list *l, size_t size, ashlar_error *err)
{
    void *element = ashi_check_add(l, size);
    if (!element)
        ashi_fail_memory(err, "program", l->count * (int64_t)size);
    return element;
}

/* A panel of A or B in a buffer, and how much of it has been made. */
typedef struct held {
    ashlar_operand operand;
    int64_t at;      /* pooled: its place in the buffer; else the slot */
    int64_t filled;  /* words */
    bool joined;     /* the rank's own words are in it */
    ashi_panel panel;
} held;

/* A piece beside its panel, which is moved there once all of a slot has arrived; or the sums that a REDUCE makes. */
typedef struct waiting {
    int slot;
    ashi_panel piece, within;
} waiting;

/* A box, or a part of one, in which a part's products are summed up. */
typedef struct running {
    ashi_panel panel;
    bool begun;
} running;

typedef struct translator {
    ashi_schedule *schedule;
    const ashi_program_visitor *visitor; /* NULL while last readers are found */
    int64_t rank, step;                  /* what was emitted last; rank -1: nothing */
    int64_t panels, operations;          /* of this rank, so far */
    ashi_check_list last;                /* int64_t: the number of each panel's last reader */
    ashi_check_list held, unpack, arrived, sums; /* held, waiting, waiting, running */
    ashlar_error *err;
} translator;

static ashlar_status nothing_there(translator *t, const char *what)
{
    return ashi_fail(t->err, ASHLAR_ERR_INTERNAL, "rank %" PRId64 ", step %" PRId64 ": %s", t->rank, t->step, what);
}

/* ---- panels and operations ---- */

/* A rank without products may receive what it only sends on, or nothing needs: that is not put together. */
static void note_unread(const translator *t, ashi_panel *p)
{
    const int64_t *last = t->last.data;
    if (p->within >= 0 && last[p->within] < 0)
        p->within = NO_PANEL;
    p->unread = p->memory == ASHI_MEMORY_POOL && p->within < 0 && p->part < 0 && last[p->id] < 0;
}

static ashlar_status tell_panel(translator *t, ashi_panel *p)
{
    p->id = t->panels++;
    if (t->visitor) {
        note_unread(t, p);
        return t->visitor->panel(t->visitor->context, p, t->err);
    }
    int64_t *last = add(&t->last, sizeof *last, t->err);
    if (!last)
        return ASHLAR_ERR_MEMORY;
    *last = -1;
    return ASHLAR_OK;
}

static ashi_operation blank(ashi_operation_kind kind)
{
    return (ashi_operation){.kind = kind, .read = {NO_PANEL, NO_PANEL, NO_PANEL, NO_PANEL}, .makes = NO_PANEL,
                            .peer = -1, .owner = -1, .owner_at = -1, .rank_at = -1, .chunk = ashi_whole};
}

static ashlar_status tell(translator *t, ashi_operation *o)
{
    const int64_t number = t->operations++;
    int64_t *last = t->last.data;
    o->step = t->step;
    for (int i = 0; i < ASHI_READS_MAX; i++) {
        if (o->read[i] < 0)
            continue;
        if (!t->visitor)
            last[o->read[i]] = number;
        o->last[i] = last[o->read[i]] == number;
    }
    return t->visitor ? t->visitor->operation(t->visitor->context, o, t->err) : ASHLAR_OK;
}

static ashlar_status move(translator *t, const ashi_panel *from, ashi_panel *to)
{
    const ashlar_status status = tell_panel(t, to);
    ashi_operation o = blank(ASHI_DO_MOVE);
    o.read[0] = from->id;
    o.makes = to->id;
    return status == ASHLAR_OK ? tell(t, &o) : status;
}

static ashi_panel share_of(const ashi_op *op, int64_t owner)
{
    ashi_panel p = ashi_panel_of(op->operand, &op->box);
    p.content = ASHI_CONTENT_SHARE;
    p.owner = owner;
    p.chunk = op->chunk;
    p.words = op->words;
    return p;
}

static ashi_panel own_share(const translator *t, const ashi_op *op, ashi_chunk chunk)
{
    return ashi_panel_own(&t->schedule->view[op->operand], op->operand, t->rank, &op->box, chunk);
}

/* What a message moves. */
static ashi_operation message(ashi_operation_kind kind, const ashi_op *op)
{
    ashi_operation o = blank(kind);
    o.operand = op->operand;
    o.box = op->box;
    o.words = op->words;
    if (kind == ASHI_DO_SEND || kind == ASHI_DO_RECEIVE) {
        o.peer = op->peer;
        return o;
    }
    o.chunk = op->chunk;
    o.owner = op->owner;
    o.member = op->member;
    o.members = op->members;
    o.owner_at = op->owner_at;
    o.rank_at = op->rank_at;
    return o;
}

/* ---- panels of A and B ---- */

static bool same_box(const ashi_panel *p, const ashi_box *box)
{
    return p->lo[0] == box->minor_lo && p->hi[0] == box->minor_hi && p->lo[1] == box->major_lo &&
           p->hi[1] == box->major_hi;
}

static held *find(translator *t, ashlar_operand x, int64_t at)
{
    held *h = t->held.data;
    for (int64_t i = 0; i < t->held.count; i++)
        if (h[i].operand == x && h[i].at == at)
            return &h[i];
    return NULL;
}

/* Nothing of an operand is at a place any more. */
static void forget(translator *t, ashlar_operand x, int64_t at)
{
    held *h = find(t, x, at), *all = t->held.data;
    if (h)
        *h = all[--t->held.count];
}

static held *hold(translator *t, ashlar_operand x, int64_t at, ashi_panel *panel, ashlar_status *status)
{
    forget(t, x, at);
    *status = tell_panel(t, panel);
    held *h = *status == ASHLAR_OK ? add(&t->held, sizeof *h, t->err) : NULL;
    if (h)
        *h = (held){.operand = x, .at = at, .panel = *panel};
    else if (*status == ASHLAR_OK)
        *status = ASHLAR_ERR_MEMORY;
    return h;
}

/* How many words of a box BLAS reads in the rank's own array; pooled panels have all of their boxes. */
static int64_t words_here(const translator *t, ashlar_operand x, const ashi_box *box)
{
    if (t->schedule->pooled)
        return 0;
    return ashi_view_in_place(&t->schedule->view[x], t->rank, box, ashi_view_least_in_place(box)) *
           (box->minor_hi - box->minor_lo);
}

/* The panel of a box that is put together from pieces: the one begun already, or a new one. */
static held *panel_for(translator *t, ashlar_operand x, int64_t at, const ashi_box *box, ashlar_status *status)
{
    held *h = find(t, x, at);
    if (h && h->filled < h->panel.words && same_box(&h->panel, box))
        return h;
    ashi_panel p = ashi_panel_of(x, box);
    const int64_t here = words_here(t, x, box);
    p.content = here > 0 ? ASHI_CONTENT_AWAY : ASHI_CONTENT_ALL;
    p.words -= here;
    return hold(t, x, at, &p, status);
}

static int64_t place_of(const translator *t, const ashi_op *op, int64_t offset)
{
    return t->schedule->pooled ? offset : op->slot;
}

/* Words that the rank owns go from its array to a panel in the pool. */
static ashlar_status move_own(translator *t, const ashi_op *op, ashi_content content, int64_t words, ashi_panel *to)
{
    ashi_panel from = own_share(t, op, ashi_whole);
    const ashlar_status status = tell_panel(t, &from);
    to->content = content;
    to->words = words;
    return status == ASHLAR_OK ? move(t, &from, to) : status;
}

/* A piece of the rank's own is sent from where it lies, from a packed copy, or from its place in the rank's panel. */
static ashlar_status multicast_own(translator *t, const ashi_op *op)
{
    ashlar_status status = ASHLAR_OK;
    ashi_panel p = op->pack_offset < 0 ? own_share(t, op, op->chunk) : share_of(op, t->rank);
    held *h = op->joins_panel ? panel_for(t, op->operand, place_of(t, op, op->panel), &op->box, &status) : NULL;
    if (h) {
        p.within = h->panel.id;
        h->joined = true;
        h->filled += op->words;
    }
    if (status == ASHLAR_OK)
        status = op->pack_offset < 0 ? tell_panel(t, &p) : move_own(t, op, ASHI_CONTENT_SHARE, op->words, &p);
    ashi_operation o = message(ASHI_DO_MULTICAST, op);
    o.read[0] = p.id;
    return status == ASHLAR_OK ? tell(t, &o) : status;
}

static ashlar_status wait_for(ashi_check_list *l, int slot, const ashi_panel *piece, const ashi_panel *within,
                              ashlar_error *err)
{
    waiting *w = add(l, sizeof *w, err);
    if (!w)
        return ASHLAR_ERR_MEMORY;
    *w = (waiting){.slot = slot, .piece = *piece};
    if (within)
        w->within = *within;
    return ASHLAR_OK;
}

static ashlar_status multicast(translator *t, const ashi_op *op)
{
    if (op->words == 0 || op->members - (op->owner_at >= 0) == 0)
        return ASHLAR_OK;
    if (op->owner == t->rank)
        return multicast_own(t, op);
    ashlar_status status = ASHLAR_OK;
    held *h = panel_for(t, op->operand, place_of(t, op, op->panel), &op->box, &status);
    if (!h)
        return status;
    ashi_panel p = share_of(op, op->owner);
    p.within = op->lands ? h->panel.id : NO_PANEL;
    h->filled += op->words;
    const ashi_panel within = h->panel;
    status = tell_panel(t, &p);
    ashi_operation o = message(ASHI_DO_MULTICAST, op);
    o.makes = p.id;
    if (status == ASHLAR_OK)
        status = tell(t, &o);
    return status == ASHLAR_OK && !op->lands ? wait_for(&t->unpack, op->slot, &p, &within, t->err) : status;
}

/* What arrived beside its panel goes there. */
static ashlar_status arrive(translator *t, const ashi_op *op)
{
    waiting *w = t->unpack.data;
    ashlar_status status = ASHLAR_OK;
    int64_t kept = 0;
    for (int64_t i = 0; i < t->unpack.count; i++) {
        if (w[i].slot != op->slot) {
            w[kept++] = w[i];
            continue;
        }
        ashi_panel to = w[i].piece;
        to.within = w[i].within.id;
        if (status == ASHLAR_OK)
            status = move(t, &w[i].piece, &to);
    }
    t->unpack.count = kept;
    return status;
}

static ashlar_status copy_own(translator *t, const ashi_op *op)
{
    ashlar_status status = ASHLAR_OK;
    held *h = op->words > 0 ? panel_for(t, op->operand, op->offset, &op->box, &status) : NULL;
    if (!h)
        return status;
    ashi_panel to = share_of(op, t->rank);
    to.chunk = ashi_whole;
    to.within = h->panel.id;
    h->filled += op->words;
    return move_own(t, op, ASHI_CONTENT_SHARE, op->words, &to);
}

static ashlar_status receive(translator *t, const ashi_op *op)
{
    ashlar_status status = ASHLAR_OK;
    ashi_panel p = ashi_panel_of(op->operand, &op->box);
    held *h = op->words > 0 ? hold(t, op->operand, op->offset, &p, &status) : NULL;
    if (!h)
        return status;
    h->filled = h->panel.words;
    ashi_operation o = message(ASHI_DO_RECEIVE, op);
    o.makes = p.id;
    return tell(t, &o);
}

static ashlar_status send(translator *t, const ashi_op *op)
{
    ashi_operation o = message(ASHI_DO_SEND, op);
    if (op->words == 0)
        return ASHLAR_OK;
    if (op->own) {
        ashi_panel p = own_share(t, op, ashi_whole);
        const ashlar_status status = tell_panel(t, &p);
        o.read[0] = p.id;
        return status == ASHLAR_OK ? tell(t, &o) : status;
    }
    const held *h = find(t, op->operand, op->offset);
    if (!h)
        return nothing_there(t, "sends a panel that is not there");
    o.read[0] = h->panel.id;
    return tell(t, &o);
}

/* ---- running sums ---- */

static ashlar_status scale(translator *t, int64_t panel)
{
    ashi_operation o = blank(ASHI_DO_SCALE);
    o.makes = panel;
    o.begins = true;
    return tell(t, &o);
}

static ashlar_status begin_sum(translator *t, running *r)
{
    const bool begun = r->begun;
    r->begun = true;
    return begun ? ASHLAR_OK : scale(t, r->panel.id);
}

static ashlar_status open_sum(translator *t, const ashi_box *box, bool own, int64_t part)
{
    ashi_panel p = own ? ashi_panel_own(&t->schedule->view[ASHLAR_C], ASHLAR_C, t->rank, box, ashi_whole)
                       : ashi_panel_of(ASHLAR_C, box);
    p.content = ASHI_CONTENT_ALL;
    p.owner = -1;
    p.part = part;
    const ashlar_status status = tell_panel(t, &p);
    running *r = status == ASHLAR_OK ? add(&t->sums, sizeof *r, t->err) : NULL;
    if (!r)
        return status == ASHLAR_OK ? ASHLAR_ERR_MEMORY : status;
    *r = (running){p, false};
    return ASHLAR_OK;
}

/* Sums that got no product begin before they are read, and before the rank ends. */
static ashlar_status begin_all(translator *t)
{
    running *r = t->sums.data;
    ashlar_status status = ASHLAR_OK;
    for (int64_t i = 0; i < t->sums.count && status == ASHLAR_OK; i++)
        status = begin_sum(t, &r[i]);
    return status;
}

/* The sums of all parts, before anything else of the rank. */
static ashlar_status open_parts(translator *t)
{
    const ashi_schedule *s = t->schedule;
    ashlar_status status = ASHLAR_OK;
    for (int64_t i = 0; i < s->parts(s, t->rank); i++) {
        const ashi_box box = s->domain(s, t->rank, i);
        const ashi_home home = s->home(s, t->rank, i);
        ashi_home_part piece[3];
        const int pieces = ashi_box_words(&box) > 0 ? ashi_home_parts(&home, &box, piece) : 0;
        for (int j = 0; j < pieces && status == ASHLAR_OK; j++)
            status = open_sum(t, &piece[j].box, piece[j].own, i);
    }
    return status;
}

/* ---- products ---- */

/* What a product reads of A or B: what is in the pool, and what is in the rank's array. */
static ashlar_status operand_of(translator *t, const ashi_op *op, ashlar_operand x, const ashi_box *box,
                                int64_t read[2])
{
    const ashi_view *view = &t->schedule->view[x];
    const bool dense = t->schedule->pooled && op->whole[x];
    const bool in_array = t->schedule->pooled && !op->whole[x];
    const int64_t here = in_array ? ashi_box_words(box) : words_here(t, x, box);
    const int64_t own = dense || in_array ? 0 : ashi_view_words(view, t->rank, box);
    ashlar_status status = ASHLAR_OK;
    held *h = find(t, x, place_of(t, op, op->at[x]));
    if (here > 0) {
        ashi_panel p = ashi_panel_own(view, x, t->rank, box, ashi_whole);
        p.content = ASHI_CONTENT_HERE;
        p.words = here;
        status = tell_panel(t, &p);
        read[1] = p.id;
    }
    if (status != ASHLAR_OK || in_array || here == ashi_box_words(box))
        return status;
    if (own > here && !(h && h->joined)) {
        h = panel_for(t, x, place_of(t, op, op->at[x]), box, &status);
        ashi_panel to = ashi_panel_of(x, box);
        const ashi_op from = {.operand = x, .box = *box};
        if (!h)
            return status;
        to.within = h->panel.id;
        to.owner = t->rank;
        read[0] = h->panel.id;
        h->filled += own - here;
        return move_own(t, &from, ASHI_CONTENT_REST, own - here, &to);
    }
    if (!h)
        return nothing_there(t, "multiplies a panel that is not there");
    read[0] = h->panel.id;
    return ASHLAR_OK;
}

/* Of a product, what is summed up in one place. Only a product of all that is there can begin it. */
static ashlar_status product(translator *t, ashi_operation o, running *r)
{
    const ashi_panel *p = &r->panel;
    bool all = true;
    for (int d = 0; d < 2; d++) {
        o.lo[d] = ashi_max(o.lo[d], p->lo[d]);
        o.hi[d] = ashi_min(o.hi[d], p->hi[d]);
        if (o.lo[d] >= o.hi[d])
            return ASHLAR_OK;
        all = all && o.lo[d] == p->lo[d] && o.hi[d] == p->hi[d];
    }
    const ashlar_status status = all ? ASHLAR_OK : begin_sum(t, r);
    o.begins = !r->begun;
    r->begun = true;
    o.makes = p->id;
    return status == ASHLAR_OK ? tell(t, &o) : status;
}

static ashlar_status multiply(translator *t, const ashi_op *op)
{
    const ashi_box *c = &op->box;
    const ashi_box a = {c->minor_lo, c->minor_hi, op->k_lo, op->k_hi};
    const ashi_box b = {c->major_lo, c->major_hi, op->k_lo, op->k_hi};
    ashi_operation o = blank(ASHI_DO_MULTIPLY);
    if (ashi_box_words(c) == 0 || op->k_lo >= op->k_hi)
        return ASHLAR_OK;
    ashlar_status status = operand_of(t, op, ASHLAR_A, &a, &o.read[0]);
    if (status == ASHLAR_OK)
        status = operand_of(t, op, ASHLAR_B, &b, &o.read[2]);
    memcpy(o.lo, (const int64_t[]){c->minor_lo, c->major_lo, op->k_lo, 0}, sizeof o.lo);
    memcpy(o.hi, (const int64_t[]){c->minor_hi, c->major_hi, op->k_hi, 1}, sizeof o.hi);
    for (int64_t i = 0; i < t->sums.count && status == ASHLAR_OK; i++) {
        running *r = (running *)t->sums.data + i;
        if (r->panel.part == op->part)
            status = product(t, o, r);
    }
    return status;
}

/* ---- sums that move ---- */

/* The panels of a part's sums that are in the pool; true if some are in the caller's C. */
static bool name_sums(const translator *t, int64_t part, int64_t *read)
{
    const running *r = t->sums.data;
    bool kept = false;
    for (int64_t i = 0; i < t->sums.count; i++)
        kept = kept || (r[i].panel.part == part && r[i].panel.memory == ASHI_MEMORY_CALLER);
    for (int64_t i = 0, n = 0; i < t->sums.count && n < 2; i++)
        if (r[i].panel.part == part && r[i].panel.memory == ASHI_MEMORY_POOL)
            read[n++] = r[i].panel.id;
    return kept;
}

/* What others contribute arrives in a panel of its own: at the owner, or on the way to it. */
static ashlar_status make_contributions(translator *t, const ashi_op *op, ashi_panel *p)
{
    const int64_t copies = ashi_lower_contributions(t->schedule, t->rank, op);
    *p = share_of(op, op->owner);
    p->copies = copies;
    return copies > 0 ? tell_panel(t, p) : ASHLAR_OK;
}

static ashlar_status reduce(translator *t, const ashi_op *op)
{
    ashi_panel made;
    ashlar_status status = begin_all(t);
    if (status == ASHLAR_OK)
        status = make_contributions(t, op, &made);
    if (status != ASHLAR_OK)
        return status;
    ashi_operation o = message(ASHI_DO_REDUCE, op);
    o.makes = made.id;
    if (op->owner == t->rank) {
        status = wait_for(&t->arrived, op->slot, &made, NULL, t->err);
        return status == ASHLAR_OK && made.id >= 0 ? tell(t, &o) : status;
    }
    if (op->pack_offset < 0) {
        name_sums(t, op->part, &o.read[0]);
    } else {
        ashi_panel packed = share_of(op, op->owner);
        ashi_operation pack = blank(ASHI_DO_MOVE);
        status = tell_panel(t, &packed);
        name_sums(t, op->part, &pack.read[0]);
        pack.makes = packed.id;
        o.read[0] = packed.id;
        if (status == ASHLAR_OK)
            status = tell(t, &pack);
    }
    return status == ASHLAR_OK ? tell(t, &o) : status;
}

/* The first REDUCE of a slot that still waits for its ADD. */
static bool take_arrived(translator *t, const ashi_op *op, int64_t *panel)
{
    waiting *w = t->arrived.data;
    for (int64_t i = 0; i < t->arrived.count; i++)
        if (w[i].slot == op->slot) {
            const bool same = same_box(&w[i].piece, &op->box) && w[i].piece.chunk.number == op->chunk.number;
            *panel = w[i].piece.id;
            memmove(&w[i], &w[i + 1], (size_t)(--t->arrived.count - i) * sizeof *w);
            return same;
        }
    return false;
}

static ashlar_status add_sums(translator *t, const ashi_op *op)
{
    ashi_operation o = blank(ASHI_DO_ADD);
    ashi_panel to = own_share(t, op, op->chunk);
    if (!take_arrived(t, op, &o.read[0]))
        return nothing_there(t, "adds sums that have not arrived");
    const bool kept = op->part >= 0 && name_sums(t, op->part, &o.read[1]);
    if (kept)
        o.read[1] = o.read[2] = NO_PANEL;
    if (kept && o.read[0] < 0)
        return ASHLAR_OK;
    ashlar_status status = begin_all(t);
    if (status == ASHLAR_OK)
        status = tell_panel(t, &to);
    o.makes = to.id;
    o.begins = op->begins && !kept;
    return status == ASHLAR_OK ? tell(t, &o) : status;
}

static ashlar_status scale_all(translator *t)
{
    const ashi_op all = {.operand = ASHLAR_C, .box = {0, t->schedule->m, 0, t->schedule->n}};
    ashi_panel p = own_share(t, &all, ashi_whole);
    const ashlar_status status = tell_panel(t, &p);
    return status == ASHLAR_OK ? scale(t, p.id) : status;
}

/* ---- a stream ---- */

static ashlar_status release(translator *t, const ashi_op *op)
{
    for (int x = ASHLAR_A; x <= (int)ASHLAR_B; x++) {
        if (t->schedule->pooled)
            break;
        forget(t, (ashlar_operand)x, op->slot);
    }
    return ASHLAR_OK;
}

static ashlar_status translate_op(void *context, const ashi_op *op, ashlar_error *err)
{
    translator *t = context;
    t->err = err;
    switch (op->kind) {
    case ASHI_MULTICAST:
        return multicast(t, op);
    case ASHI_COPY:
        return copy_own(t, op);
    case ASHI_SEND:
        return send(t, op);
    case ASHI_RECEIVE:
        return receive(t, op);
    case ASHI_ARRIVE:
        return arrive(t, op);
    case ASHI_MULTIPLY:
        return multiply(t, op);
    case ASHI_REDUCE:
        return reduce(t, op);
    case ASHI_ADD:
        return add_sums(t, op);
    case ASHI_SCALE:
        return scale_all(t);
    case ASHI_RELEASE:
        return release(t, op);
    default:
        return ASHLAR_OK;
    }
}

static ashlar_status one_step(translator *t, int64_t step, ashlar_error *err)
{
    t->step = step;
    t->err = err;
    ashlar_status status = step == 0 ? open_parts(t) : ASHLAR_OK;
    if (status == ASHLAR_OK)
        status = t->schedule->emit(t->schedule, t->rank, step, translate_op, t, err);
    return status == ASHLAR_OK && step + 1 == t->schedule->steps ? begin_all(t) : status;
}

static void start_over(translator *t)
{
    t->panels = t->operations = 0;
    t->held.count = t->unpack.count = t->arrived.count = t->sums.count = 0;
    t->step = -1;
}

/* Go through all of a rank's stream for the last readers, and then be ready to emit its first step. */
static ashlar_status begin_rank(translator *t, int64_t rank, ashlar_error *err)
{
    ashlar_status status = ASHLAR_OK;
    start_over(t);
    t->rank = rank;
    t->last.count = 0;
    t->visitor = NULL;
    for (int64_t step = 0; step < t->schedule->steps && status == ASHLAR_OK; step++)
        status = one_step(t, step, err);
    start_over(t);
    if (status != ASHLAR_OK)
        t->rank = -1;
    return status;
}

static ashlar_status ignore_panel(void *context, const ashi_panel *panel, ashlar_error *err)
{
    (void)context;
    (void)panel;
    (void)err;
    return ASHLAR_OK;
}

static ashlar_status ignore_operation(void *context, const ashi_operation *operation, ashlar_error *err)
{
    (void)context;
    (void)operation;
    (void)err;
    return ASHLAR_OK;
}

static ashlar_status emit(ashi_program *program, int64_t rank, int64_t step, const ashi_program_visitor *visitor,
                          ashlar_error *err)
{
    static const ashi_program_visitor deaf = {ignore_panel, ignore_operation, NULL};
    translator *t = program->own;
    ashlar_status status = ASHLAR_OK;
    if (t->rank != rank)
        status = begin_rank(t, rank, err);
    else if (step <= t->step)
        start_over(t);
    while (status == ASHLAR_OK && t->step < step) {
        t->visitor = t->step + 1 < step ? &deaf : visitor;
        status = one_step(t, t->step + 1, err);
    }
    if (status != ASHLAR_OK)
        t->rank = -1;
    return status;
}

static void free_own(ashi_program *program)
{
    translator *t = program->own;
    ashi_check_list *const lists[] = {&t->last, &t->held, &t->unpack, &t->arrived, &t->sums};
    for (size_t i = 0; i < sizeof lists / sizeof *lists; i++)
        free(lists[i]->data);
    free(t);
}

ashlar_status ashi_translate(ashi_schedule *schedule, ashi_program *out, ashlar_error *err)
{
    translator *t = calloc(1, sizeof *t);
    *out = (ashi_program){0};
    if (!t)
        return ashi_fail_memory(err, "program", (int64_t)sizeof *t);
    t->schedule = schedule;
    t->rank = t->step = -1;
    *out = (ashi_program){.m = schedule->m, .n = schedule->n, .k = schedule->k, .ranks = schedule->ranks,
                          .steps = schedule->steps, .view = schedule->view,
                          .source = {ASHI_MEMORY_CALLER, ASHI_MEMORY_CALLER, ASHI_MEMORY_CALLER}, .tree = schedule->tree, .one_sided = schedule->one_sided,
                          .torus = schedule->torus, .own = t, .emit = emit, .free_own = free_own};
    return ASHLAR_OK;
}
