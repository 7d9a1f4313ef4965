/* The tasks that a rank's program is to become: its operations, and the messages of its groups. */
#include "check/tasks.h"

#include "base/error.h"

#include <stdlib.h>
#include <string.h>

typedef struct expecting {
    ashi_ready_proof *p;
    const ashi_operation *o;
    int64_t first; /* of the operation, in p->expected */
    bool combined;
} expecting;

static ashi_expected *add(expecting *x, ashi_operation_kind kind, ashlar_error *err)
{
    const ashi_operation *o = x->o;
    ashi_expected *e = ashi_check_add(&x->p->expected, sizeof *e);
    if (!e) {
        ashi_fail_memory(err, "checker", x->p->expected.count * (int64_t)sizeof *e);
        return NULL;
    }
    *e = (ashi_expected){.task = {.kind = kind, .step = o->step, .read = {-1, -1, -1, -1}, .makes = -1, .peer = -1},
                         .operand = o->operand, .box = o->box, .owner = o->owner, .chunk = o->chunk};
    return e;
}

static ashlar_status expect_message(void *context, const ashi_operation *op, const ashi_message *m, ashlar_error *err)
{
    expecting *x = context;
    const ashi_operation *o = x->o;
    const bool group = o->kind == ASHI_DO_REDUCE;
    (void)op;
    if (m->send && group && o->makes >= 0 && !x->combined) {
        ashi_expected *sum = add(x, ASHI_DO_ADD, err);
        if (!sum)
            return ASHLAR_ERR_MEMORY;
        sum->task.read[0] = o->makes;
        sum->task.last[0] = true;
        sum->task.makes = o->read[0];
        x->combined = true;
    }
    ashi_expected *e = add(x, m->send ? ASHI_DO_SEND : ASHI_DO_RECEIVE, err);
    if (!e)
        return ASHLAR_ERR_MEMORY;
    ashi_task *t = &e->task;
    t->peer = m->peer;
    t->words = m->words;
    t->offset = m->offset + (m->send ? 0 : m->place * o->words);
    t->depth = m->send ? m->before : 0;
    if (!m->send)
        t->makes = o->makes;
    else if (o->kind == ASHI_DO_MULTICAST && o->read[0] < 0)
        t->read[0] = o->makes;
    else
        memcpy(t->read, o->read, sizeof t->read);
    return ASHLAR_OK;
}

/* The last message that sends what the operation was the last to read is the last to read it. */
static void expect_last(expecting *x)
{
    ashi_expected *e = x->p->expected.data;
    for (int64_t i = x->p->expected.count - 1; i >= x->first; i--)
        if (e[i].task.kind == ASHI_DO_SEND && e[i].task.read[0] == x->o->read[0]) {
            memcpy(e[i].task.last, x->o->last, sizeof e[i].task.last);
            return;
        }
}

static ashlar_status expect_operation(void *context, const ashi_operation *o, ashlar_error *err)
{
    ashi_ready_proof *p = context;
    expecting x = {.p = p, .o = o, .first = p->expected.count};
    if (o->kind >= ASHI_DO_SEND && o->kind <= ASHI_DO_REDUCE) {
        const ashlar_status status = ashi_program_messages(p->request->program, p->rank, o, expect_message, &x, err);
        expect_last(&x);
        return status;
    }
    ashi_expected *e = add(&x, o->kind, err);
    if (!e)
        return ASHLAR_ERR_MEMORY;
    ashi_task *t = &e->task;
    memcpy(t->read, o->read, sizeof t->read);
    memcpy(t->last, o->last, sizeof t->last);
    memcpy(t->lo, o->lo, sizeof t->lo);
    memcpy(t->hi, o->hi, sizeof t->hi);
    t->makes = o->makes;
    t->begins = o->begins;
    t->words = o->kind == ASHI_DO_MULTIPLY ? o->words : 0;
    return ASHLAR_OK;
}

static ashlar_status expect_panel(void *context, const ashi_panel *panel, ashlar_error *err)
{
    (void)context;
    (void)panel;
    (void)err;
    return ASHLAR_OK;
}

ashlar_status ashi_ready_expect(ashi_ready_proof *p, ashlar_error *err)
{
    const ashi_program_visitor visitor = {expect_panel, expect_operation, p};
    p->expected.count = 0;
    return ashi_program_walk(p->request->program, p->rank, &visitor, err);
}

/* What is read, in any order: a SEND of sums names first the panel that has its words. */
static bool same_reads(const ashi_task *a, const ashi_task *b)
{
    for (int i = 0; i < ASHI_READS_MAX; i++) {
        bool found = false;
        for (int j = 0; j < ASHI_READS_MAX && !found; j++)
            found = a->read[i] == b->read[j] && a->last[i] == b->last[j] && (a->kind == ASHI_DO_SEND || i == j);
        if (!found)
            return false;
    }
    return true;
}

bool ashi_ready_is_expected(const ashi_expected *e, const ashi_task *t)
{
    const ashi_task *x = &e->task;
    return x->kind == t->kind && x->step == t->step && same_reads(x, t) && same_reads(t, x) && x->makes == t->makes &&
           x->begins == t->begins && memcmp(x->lo, t->lo, sizeof x->lo) == 0 &&
           memcmp(x->hi, t->hi, sizeof x->hi) == 0 && x->peer == t->peer && x->words == t->words &&
           x->depth == t->depth && (x->kind == ASHI_DO_SEND || x->offset == t->offset);
}
