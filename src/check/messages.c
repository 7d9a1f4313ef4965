/* Messages: every send meets its receive, in order, and no ranks wait for each other. */
#include "check/proof.h"

#include "base/error.h"

#include <stdlib.h>

/* What lowering one operation has told so far. */
typedef struct lowered {
    ashi_proof *p;
    const ashi_operation *o;
    int64_t first, sends, receives;
    int64_t got;     /* words received of a MULTICAST */
    int64_t arrival; /* the step of the last message that brought some of what is sent, -1 none */
} lowered;

static uint64_t members_of(const ashi_operation *op)
{
    uint64_t digest = 0;
    for (int64_t i = 0; i < op->members; i++)
        digest = ((digest + 1) ^ (uint64_t)op->member[i]) * 0x100000001B3u;
    return digest;
}

/* What both ends of a message have to agree on. */
static uint64_t digest_of(const ashi_operation *op, const ashi_message *m)
{
    const int64_t value[] = {op->kind == ASHI_DO_RECEIVE ? ASHI_DO_SEND : op->kind, op->operand, op->box.minor_lo,
                             op->box.minor_hi, op->box.major_lo, op->box.major_hi, op->owner, op->chunk.number,
                             op->chunk.chunks, op->words, op->begins, m->share, m->offset, m->place};
    uint64_t h = members_of(op);
    for (size_t i = 0; i < sizeof value / sizeof *value; i++) {
        h = (h ^ (uint64_t)value[i]) * 0x9e3779b97f4a7c15u;
        h ^= h >> 29;
    }
    return h;
}

/* Whether a share that is sent on was received before. */
static bool was_received(const lowered *l, const ashi_operation *op, const ashi_message *message)
{
    const ashi_proof_message *m = (const ashi_proof_message *)l->p->messages.data + l->first;
    if (op->kind == ASHI_DO_REDUCE)
        return l->receives > 0;
    for (int64_t i = 0; i < l->receives; i++)
        if (m[i].share == message->share && m[i].offset == message->offset && m[i].words == message->words)
            return true;
    return false;
}

static ashlar_status note(void *context, const ashi_operation *op, const ashi_message *message, ashlar_error *err)
{
    lowered *l = context;
    ashi_proof *p = l->p;
    if (message->peer < 0 || message->peer >= p->program->ranks || message->peer == p->rank)
        return ashi_proof_fail(p, l->o, err, "has a message with nobody");
    if (message->send && !message->ready && !was_received(l, op, message))
        return ashi_proof_fail(p, l->o, err, "sends on what it does not receive");
    if (message->send && message->ready && l->receives > 0)
        return ashi_proof_fail(p, l->o, err, "sends before it has received");
    if (!message->send && op->kind == ASHI_DO_MULTICAST && message->offset != l->got)
        return ashi_proof_fail(p, l->o, err, "receives its shares with gaps, or one twice");
    ashi_proof_message *m = ashi_check_add(&p->messages, sizeof *m);
    if (!m)
        return ashi_fail_memory(err, "checker", p->messages.count * (int64_t)sizeof *m);
    *m = (ashi_proof_message){.from = message->send ? p->rank : message->peer,
                              .to = message->send ? message->peer : p->rank, .number = p->messages.count,
                              .step = p->step, .words = message->words, .depth = message->before,
                              .digest = digest_of(op, message), .offset = message->offset, .place = message->place,
                              .share = message->share, .send = message->send, .forwards = !message->ready,
                              .first = l->first, .receives = l->receives};
    l->sends += message->send;
    l->receives += !message->send;
    l->got += message->send ? 0 : message->words;
    p->report->messages += message->send;
    p->report->words += message->send ? message->words : 0;
    return ASHLAR_OK;
}

static ashlar_status lower(ashi_proof *p, lowered *l, const ashi_operation *o, ashlar_error *err)
{
    *l = (lowered){.p = p, .o = o, .first = p->messages.count};
    return ashi_program_messages(p->program, p->rank, o, note, l, err);
}

/* What is sent in a step has arrived before it. */
static ashlar_status check_earlier(ashi_proof *p, const ashi_operation *o, const ashi_proof_panel *e, ashlar_error *err)
{
    return e->arrival < p->step ? ASHLAR_OK : ashi_proof_fail(p, o, err, "sends what arrives in the same step");
}

static bool is_of(const ashi_panel *panel, const ashi_operation *o)
{
    const ashi_box box = ashi_panel_box(panel);
    return panel->operand == o->operand && ashi_box_same(&box, &o->box) && panel->words == o->words;
}

ashlar_status ashi_proof_send(ashi_proof *p, const ashi_operation *o, ashlar_error *err)
{
    lowered l;
    ashi_proof_panel *e = ashi_proof_read(p, o, 0, err);
    if (!e)
        return ASHLAR_ERR_INTERNAL;
    const bool sums = p->program->replicated && o->operand == ASHLAR_C;
    if (!is_of(&e->panel, o) || o->words != ashi_box_words(&o->box) || (e->panel.part >= 0) != sums || o->makes >= 0)
        return ashi_proof_fail(p, o, err, "sends something else than it reads");
    ashlar_status status = check_earlier(p, o, e, err);
    if (status == ASHLAR_OK && sums)
        status = ashi_proof_send_sum(p, o, e, err);
    return status == ASHLAR_OK ? lower(p, &l, o, err) : status;
}

ashlar_status ashi_proof_receive(ashi_proof *p, const ashi_operation *o, ashlar_error *err)
{
    lowered l;
    ashi_proof_panel *e = ashi_proof_find(p, o->makes);
    if (!e || !is_of(&e->panel, o) || e->panel.memory != ASHI_MEMORY_POOL || e->panel.content != ASHI_CONTENT_ALL)
        return ashi_proof_fail(p, o, err, "receives something else than it makes");
    ashlar_status status = o->operand == ASHLAR_C ? ashi_proof_receive_sum(p, o, e, err) : ASHLAR_OK;
    if (status == ASHLAR_OK)
        status = lower(p, &l, o, err);
    return status == ASHLAR_OK ? ashi_proof_make(p, o, p->step, err) : status;
}

/* Owner and members are ranks, and this rank is where it says among them. */
static ashlar_status check_group(ashi_proof *p, const ashi_operation *o, ashlar_error *err)
{
    bool owner = false, me = false;
    if (o->owner < 0 || o->owner >= p->program->ranks || o->members < 1 || o->words < 1)
        return ashi_proof_fail(p, o, err, "has no owner, no members or no words");
    p->naming++;
    for (int64_t i = 0; i < o->members; i++) {
        if (o->member[i] < 0 || o->member[i] >= p->program->ranks || p->named[o->member[i]] == p->naming)
            return ashi_proof_fail(p, o, err, "a member is no rank, or named twice");
        p->named[o->member[i]] = p->naming;
        owner = owner || o->member[i] == o->owner;
        me = me || o->member[i] == p->rank;
    }
    const bool placed = (o->owner_at < 0 ? !owner : o->owner_at < o->members && o->member[o->owner_at] == o->owner) &&
                        (o->rank_at < 0 ? !me : o->rank_at < o->members && o->member[o->rank_at] == p->rank);
    return placed && (me || o->owner == p->rank)
               ? ASHLAR_OK : ashi_proof_fail(p, o, err, "the rank or the owner is not where it says among the members");
}

/* A panel of the owner's piece that a group moves. */
static bool is_piece(const ashi_proof_panel *e, const ashi_operation *o)
{
    return e && is_of(&e->panel, o) && e->panel.content == ASHI_CONTENT_SHARE && e->panel.owner == o->owner &&
           e->panel.chunk.number == o->chunk.number && e->panel.chunk.chunks == o->chunk.chunks;
}

ashlar_status ashi_proof_multicast(ashi_proof *p, const ashi_operation *o, ashlar_error *err)
{
    lowered l;
    ashlar_status status = check_group(p, o, err);
    const bool owner = o->owner == p->rank;
    if (status != ASHLAR_OK)
        return status;
    const ashi_proof_panel *e = owner ? ashi_proof_read(p, o, 0, err) : ashi_proof_find(p, o->makes);
    if (owner && !e)
        return ASHLAR_ERR_INTERNAL;
    if (!is_piece(e, o) || (owner ? o->makes : o->read[0]) >= 0 || o->operand == ASHLAR_C ||
        (!owner && e->panel.memory != ASHI_MEMORY_POOL))
        return ashi_proof_fail(p, o, err, "multicasts something else than the owner's piece");
    status = owner ? check_earlier(p, o, e, err) : ASHLAR_OK;
    if (status == ASHLAR_OK)
        status = lower(p, &l, o, err);
    if (status != ASHLAR_OK || owner)
        return status;
    if (l.got != o->words)
        return ashi_proof_fail(p, o, err, "does not receive all of the piece");
    return ashi_proof_make(p, o, p->step, err);
}

/* What a member contributes: sums as they lie, or packed. */
static ashlar_status contribute(ashi_proof *p, const ashi_operation *o, bool passes_on, ashlar_error *err)
{
    const ashi_proof_panel *e = ashi_proof_read(p, o, 0, err);
    if (!e)
        return ASHLAR_ERR_INTERNAL;
    const ashlar_status status = check_earlier(p, o, e, err);
    if (status != ASHLAR_OK || (is_piece(e, o) && e->panel.memory == ASHI_MEMORY_POOL && o->last[0]))
        return status;
    if (e->panel.part < 0 || passes_on)
        return ashi_proof_fail(p, o, err, "contributes something else than its sums, or not for the last time");
    ashi_panel piece = ashi_panel_of(o->operand, &o->box);
    piece.content = ASHI_CONTENT_SHARE;
    piece.owner = o->owner;
    piece.chunk = o->chunk;
    piece.words = o->words;
    if (ashi_proof_owned(p, ASHLAR_C, &o->box, o->chunk, o->owner) != o->words)
        return ashi_proof_fail(p, o, err, "the owner has another number of words of the box");
    return ashi_proof_leave(p, o, 0, &piece, err);
}

ashlar_status ashi_proof_reduce(ashi_proof *p, const ashi_operation *o, ashlar_error *err)
{
    lowered l;
    ashlar_status status = check_group(p, o, err);
    const bool owner = o->owner == p->rank;
    const ashi_proof_panel *e = ashi_proof_find(p, o->makes);
    if (status == ASHLAR_OK && (o->operand != ASHLAR_C || (o->makes >= 0 && !is_piece(e, o)) || (owner && !e)))
        status = ashi_proof_fail(p, o, err, "reduces something else than sums of the owner's piece");
    if (status == ASHLAR_OK && !owner)
        status = contribute(p, o, e != NULL, err);
    if (status == ASHLAR_OK)
        status = lower(p, &l, o, err);
    if (status != ASHLAR_OK)
        return status;
    e = ashi_proof_find(p, o->makes);
    if (l.receives != (e ? e->panel.copies : 0) || l.sends != !owner)
        return ashi_proof_fail(p, o, err, "has room for other contributions than arrive, or sends its own not once");
    if (owner)
        return ashi_proof_make(p, o, p->step, err);
    ashi_proof_drop(p, o->makes);
    return ASHLAR_OK;
}

/* ---- pairing ---- */

static int by_pair(const void *a, const void *b)
{
    const ashi_proof_message *x = *(const ashi_proof_message *const *)a, *y = *(const ashi_proof_message *const *)b;
    const int64_t u[] = {x->from, x->to, x->send, x->number}, v[] = {y->from, y->to, y->send, y->number};
    for (int i = 0; i < 4; i++)
        if (u[i] != v[i])
            return u[i] < v[i] ? -1 : 1;
    return 0;
}

static ashlar_status fail_at(ashi_proof *p, const ashi_proof_message *m, ashlar_error *err, const char *what)
{
    p->rank = m->send ? m->from : m->to;
    p->step = m->step;
    return ashi_proof_fail(p, NULL, err, what);
}

/* The messages of one pair: first those that are received, then those that are sent. */
static ashlar_status match_pair(ashi_proof *p, ashi_proof_message **m, int64_t count, ashlar_error *err)
{
    int64_t receives = 0;
    while (receives < count && !m[receives]->send)
        receives++;
    if (2 * receives != count)
        return fail_at(p, m[0], err, "a message is sent and not received, or received and not sent");
    for (int64_t i = 0; i < receives; i++) {
        const ashi_proof_message *r = m[i], *s = m[receives + i];
        if (r->words != s->words || r->step != s->step || r->digest != s->digest)
            return fail_at(p, r, err, "receives another message than the next that is sent to it");
        m[i]->match = s->depth;
    }
    return ASHLAR_OK;
}

/* Messages of one step that wait for each other are of growing depth, so they are no circle. */
static ashlar_status check_depth(ashi_proof *p, ashlar_error *err)
{
    const ashi_proof_message *m = p->messages.data;
    for (int64_t i = 0; i < p->messages.count; i++) {
        if (!m[i].send || !m[i].forwards)
            continue;
        for (int64_t r = m[i].first; r < m[i].first + m[i].receives; r++)
            if (m[r].share == m[i].share && m[r].match >= m[i].depth)
                return fail_at(p, &m[i], err, "sends on what arrives over as many links");
    }
    return ASHLAR_OK;
}

ashlar_status ashi_proof_pairing(ashi_proof *p, ashlar_error *err)
{
    ashi_proof_message *m = p->messages.data, **order = NULL;
    const int64_t n = p->messages.count;
    ashlar_status status = ASHLAR_OK;
    if (n == 0)
        return ASHLAR_OK;
    order = malloc((size_t)n * sizeof *order);
    if (!order)
        return ashi_fail_memory(err, "checker", n * (int64_t)sizeof *order);
    for (int64_t i = 0; i < n; i++)
        order[i] = &m[i];
    qsort(order, (size_t)n, sizeof *order, by_pair);
    for (int64_t i = 0, end = 0; i < n && status == ASHLAR_OK; i = end) {
        while (end < n && order[end]->from == order[i]->from && order[end]->to == order[i]->to)
            end++;
        status = match_pair(p, order + i, end - i, err);
    }
    free(order);
    return status == ASHLAR_OK ? check_depth(p, err) : status;
}
