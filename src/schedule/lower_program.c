/* The first pass: groups become messages, and the additions that combine what comes up a tree. */
#include "schedule/passes.h"

#include "base/array.h"
#include "base/error.h"

#include <string.h>

/* One operation that is lowered. */
typedef struct lowering {
    ashi_passes *p;
    const ashi_operation *o;
    ashi_task_visit visit;
    int64_t sends, sent; /* how many there are, and were visited */
    bool added;          /* what came up the tree is combined */
} lowering;

static ashi_task task_of(const ashi_operation *o, ashi_operation_kind kind)
{
    ashi_task t = {.kind = kind, .step = o->step, .read = {-1, -1, -1, -1}, .makes = -1, .peer = -1};
    return t;
}

static ashi_peer *peer_of(ashi_passes *p, int64_t rank)
{
    int64_t at = ashi_map_find(&p->peer_of, rank);
    if (at >= 0)
        return &p->peer[at];
    at = p->peers;
    ashi_peer *peer = ashi_array_room(p->peer, &p->peer_capacity, at + 1, sizeof *peer);
    if (!peer || !ashi_map_put(&p->peer_of, rank, at)) {
        p->peer = peer ? peer : p->peer;
        return NULL;
    }
    p->peer = peer;
    p->peers++;
    p->peer[at] = (ashi_peer){.step = -1};
    return &p->peer[at];
}

/* A message's tag is its number within the ordered pair of ranks. */
static ashlar_status visit_message(lowering *l, ashi_task *t, ashlar_error *err)
{
    ashi_peer *peer = peer_of(l->p, t->peer);
    if (!peer)
        return ashi_fail_memory(err, "passes", (l->p->peers + 1) * (int64_t)sizeof *peer);
    t->tag = (t->kind == ASHI_DO_SEND ? peer->sent++ : peer->received++) % l->p->request.tags;
    return l->visit(l->p, l->o, t, err);
}

/* On a member that others' contributions pass through they are added to its own. */
static ashlar_status combine(lowering *l, ashlar_error *err)
{
    ashi_task t = task_of(l->o, ASHI_DO_ADD);
    l->added = true;
    t.read[0] = l->o->makes;
    t.last[0] = true;
    t.makes = l->o->read[0];
    return l->visit(l->p, l->o, &t, err);
}

static ashlar_status lower_message(void *context, const ashi_operation *op, const ashi_message *m, ashlar_error *err)
{
    lowering *l = context;
    const ashi_operation *o = l->o;
    ashi_task t = task_of(o, m->send ? ASHI_DO_SEND : ASHI_DO_RECEIVE);
    (void)op;
    t.peer = m->peer;
    t.words = m->words;
    t.offset = m->offset;
    if (!m->send) {
        t.makes = o->makes;
        t.offset += m->place * o->words;
        return visit_message(l, &t, err);
    }
    if (o->kind == ASHI_DO_REDUCE && o->makes >= 0 && !l->added) {
        const ashlar_status status = combine(l, err);
        if (status != ASHLAR_OK)
            return status;
    }
    t.depth = m->before;
    memcpy(t.read, o->read, sizeof t.read);
    if (o->kind == ASHI_DO_MULTICAST && o->read[0] < 0)
        t.read[0] = o->makes;
    else if (++l->sent == l->sends)
        memcpy(t.last, o->last, sizeof t.last);
    return visit_message(l, &t, err);
}

static ashlar_status count_send(void *context, const ashi_operation *op, const ashi_message *m, ashlar_error *err)
{
    lowering *l = context;
    (void)op;
    (void)err;
    l->sends += m->send;
    return ASHLAR_OK;
}

static ashlar_status lower_alone(ashi_passes *p, const ashi_operation *o, ashi_task_visit visit, ashlar_error *err)
{
    ashi_task t = task_of(o, o->kind);
    memcpy(t.read, o->read, sizeof t.read);
    memcpy(t.last, o->last, sizeof t.last);
    t.makes = o->makes;
    t.begins = o->begins;
    memcpy(t.lo, o->lo, sizeof t.lo);
    memcpy(t.hi, o->hi, sizeof t.hi);
    t.words = o->kind == ASHI_DO_MULTIPLY ? o->words : 0;
    return visit(p, o, &t, err);
}

ashlar_status ashi_lower_operation(ashi_passes *p, const ashi_operation *o, ashi_task_visit visit, ashlar_error *err)
{
    const ashi_program *program = p->request.program;
    lowering l = {.p = p, .o = o, .visit = visit};
    if (o->kind < ASHI_DO_SEND || o->kind > ASHI_DO_REDUCE)
        return lower_alone(p, o, visit, err);
    const ashlar_status status = ashi_program_messages(program, p->request.rank, o, count_send, &l, err);
    return status == ASHLAR_OK ? ashi_program_messages(program, p->request.rank, o, lower_message, &l, err) : status;
}

ashlar_status ashi_lower_end_step(ashi_passes *p, ashlar_error *err)
{
    for (int64_t i = p->task_count - 1; i >= 0; i--) {
        ashi_task *t = &p->task[i];
        if (t->kind != ASHI_DO_SEND)
            continue;
        ashi_peer *peer = peer_of(p, t->peer);
        if (!peer)
            return ashi_fail_memory(err, "passes", (int64_t)sizeof *peer);
        t->last_to_peer = peer->step != p->step;
        peer->step = p->step;
    }
    return ASHLAR_OK;
}
