/* Messages pair, and what they carry comes from who had it and goes where it belongs. */
#include "schedule/check_state.h"

#include "base/error.h"

#include <stdlib.h>

/* FNV-1a over the members in their order. */
uint64_t ashi_check_digest(const ashi_op *op)
{
    uint64_t digest = 0xCBF29CE484222325u;
    for (int64_t i = 0; i < op->members; i++)
        digest = (digest ^ (uint64_t)op->member[i]) * 0x100000001B3u;
    return digest;
}

bool ashi_check_is_member(const ashi_op *op, int64_t rank)
{
    for (int64_t i = 0; i < op->members; i++)
        if (op->member[i] == rank)
            return true;
    return false;
}

bool ashi_check_inside(const ashi_box *box, const ashi_view *view)
{
    return box->minor_lo >= 0 && box->minor_lo <= box->minor_hi && box->minor_hi <= view->minor.size &&
           box->major_lo >= 0 && box->major_lo <= box->major_hi && box->major_hi <= view->major.size;
}

/* Whether a rank is at an index among the members, which is -1 where it is none of them. */
static bool stands_at(const ashi_op *op, int64_t rank, int64_t index)
{
    if (index == -1)
        return !ashi_check_is_member(op, rank);
    return index >= 0 && index < op->members && op->member[index] == rank;
}

static bool distinct_members(const ashi_op *op, int64_t ranks)
{
    for (int64_t i = 0; i < op->members; i++) {
        if (op->member[i] < 0 || op->member[i] >= ranks)
            return false;
        for (int64_t j = 0; j < i; j++)
            if (op->member[j] == op->member[i])
                return false;
    }
    return op->members > 0;
}

ashlar_status ashi_check_group(ashi_checker *c, const ashi_op *op, ashlar_error *err)
{
    const int64_t ranks = c->schedule->ranks;
    if (op->owner < 0 || op->owner >= ranks || !distinct_members(op, ranks))
        return ashi_check_fail(c, op, err, "names ranks that are not there, or one twice");
    if (op->owner != c->rank && !ashi_check_is_member(op, c->rank))
        return ashi_check_fail(c, op, err, "is no business of this rank");
    if (!stands_at(op, op->owner, op->owner_at) || !stands_at(op, c->rank, op->rank_at))
        return ashi_check_fail(c, op, err, "the owner or this rank is elsewhere among the members");
    if (!ashi_check_inside(&op->box, &c->schedule->view[op->operand]))
        return ashi_check_fail(c, op, err, "is not inside the matrix");
    if (op->chunk.chunks < 1 || op->chunk.number < 0 || op->chunk.number >= op->chunk.chunks)
        return ashi_check_fail(c, op, err, "is no chunk");
    if (op->words < 1 || ashi_check_count(c, op->operand, &op->box, op->chunk)->words[op->owner] != op->words)
        return ashi_check_fail(c, op, err, "the owner has another number of words of the box");
    return ASHLAR_OK;
}

/* What lowering one operation has told so far. */
typedef struct lowering {
    ashi_checker *c;
    ashi_check_slot *slot;
    int64_t first, sends, receives;
    int64_t got; /* words of a MULTICAST received */
} lowering;

/* Shares of a piece arrive one after the other, and are sent on as they came. */
static ashlar_status check_share(lowering *l, const ashi_op *op, const ashi_message *message, ashlar_error *err)
{
    const ashi_check_message *m = l->c->messages.data;
    if (op->kind != ASHI_MULTICAST || message->words < 1 || message->offset < 0 ||
        message->words > op->words - message->offset)
        return message->words == op->words && message->offset == 0
                   ? ASHLAR_OK : ashi_check_fail(l->c, op, err, "has a message of other words than its own");
    if (!message->send) {
        const bool next = message->offset == l->got;
        l->got += message->words;
        return next ? ASHLAR_OK : ashi_check_fail(l->c, op, err, "receives its shares with gaps, or one twice");
    }
    for (int64_t i = l->first; i < l->c->messages.count && !message->ready; i++)
        if (!m[i].send && m[i].share == message->share && m[i].offset == message->offset &&
            m[i].words == message->words)
            return ASHLAR_OK;
    return message->ready ? ASHLAR_OK : ashi_check_fail(l->c, op, err, "sends on a share that it does not receive");
}

static ashlar_status note_message(void *context, const ashi_op *op, const ashi_message *message, ashlar_error *err)
{
    lowering *l = context;
    ashi_checker *c = l->c;
    ashi_check_message *m = ashi_check_add(&c->messages, sizeof *m);
    if (!m)
        return ashi_fail_memory(err, "checker", c->messages.count * (int64_t)sizeof *m);
    *m = (ashi_check_message){.rank = c->rank, .peer = message->peer, .step = c->step, .place = message->place,
                              .words = message->words, .offset = message->offset, .share = message->share,
                              .send = message->send, .op = *op, .members = ashi_check_digest(op), .upward = -1,
                              .match = -1};
    m->op.member = NULL;
    if (message->peer < 0 || message->peer >= c->schedule->ranks || message->peer == c->rank)
        return ashi_check_fail(c, op, err, "has a message with nobody");
    const ashlar_status status = check_share(l, op, message, err);
    if (status != ASHLAR_OK)
        return status;
    if (message->send) {
        l->sends++;
        c->sent_messages++;
        c->sent += message->words;
        if (message->ready && l->receives > 0)
            return ashi_check_fail(c, op, err, "a message is called ready that waits for another");
        return ASHLAR_OK;
    }
    l->receives++;
    c->received_messages++;
    c->received += message->words;
    if (op->kind == ASHI_MULTICAST)
        return ASHLAR_OK;
    return ashi_check_use(c, l->slot, ASHLAR_C, op->offset + message->place * op->words, op->words, err);
}

ashlar_status ashi_check_lower(ashi_checker *c, ashi_check_slot *slot, const ashi_op *op, ashlar_error *err)
{
    const bool multicast = op->kind == ASHI_MULTICAST, owner = op->owner == c->rank;
    lowering l = {.c = c, .slot = slot, .first = c->messages.count};
    const ashlar_status status = ashi_lower(c->schedule, c->rank, op, note_message, &l, err);
    if (status != ASHLAR_OK)
        return status;
    if (multicast ? l.got != (owner ? 0 : op->words) : l.sends != !owner)
        return ashi_check_fail(c, op, err, "has no message, or several, on the owner's side");
    if (!multicast && l.receives != ashi_lower_contributions(c->schedule, c->rank, op))
        return ashi_check_fail(c, op, err, "has another number of contributions than it expects");
    ashi_check_message *m = c->messages.data;
    for (int64_t i = l.first; i < c->messages.count && !owner; i++)
        if (m[i].send != multicast)
            for (int64_t j = l.first; j < c->messages.count; j++)
                if (m[j].share == m[i].share)
                    m[j].upward = i;
    return ASHLAR_OK;
}

ashlar_status ashi_check_handing(ashi_checker *c, const ashi_op *op, ashlar_error *err)
{
    const bool send = op->kind == ASHI_SEND;
    ashi_check_message *m = ashi_check_add(&c->messages, sizeof *m);
    if (!m)
        return ashi_fail_memory(err, "checker", c->messages.count * (int64_t)sizeof *m);
    *m = (ashi_check_message){.rank = c->rank, .peer = op->peer, .step = c->step, .words = op->words, .send = send,
                              .op = *op, .upward = -1, .match = -1};
    m->op.member = NULL;
    if (op->peer < 0 || op->peer >= c->schedule->ranks || op->peer == c->rank)
        return ashi_check_fail(c, op, err, "has a message with nobody");
    *(send ? &c->sent_messages : &c->received_messages) += 1;
    *(send ? &c->sent : &c->received) += op->words;
    return ASHLAR_OK;
}

/* Messages of one direction in the order of pairs, then of the stream. */
typedef struct key {
    int64_t from, to, index;
} key;

static int by_pair(const void *a, const void *b)
{
    const key *x = a, *y = b;
    if (x->from != y->from)
        return x->from < y->from ? -1 : 1;
    if (x->to != y->to)
        return x->to < y->to ? -1 : 1;
    return (x->index > y->index) - (x->index < y->index);
}

static ashlar_status fail_message(ashi_checker *c, const ashi_check_message *m, ashlar_error *err, const char *what)
{
    c->rank = m->rank;
    c->step = m->step;
    return ashi_check_fail(c, &m->op, err, what);
}

static bool same_operation(const ashi_check_message *a, const ashi_check_message *b)
{
    const ashi_op *x = &a->op, *y = &b->op;
    return a->step == b->step && a->members == b->members && x->kind == y->kind && x->operand == y->operand &&
           x->slot == y->slot && x->owner == y->owner && x->words == y->words &&
           ashi_check_same_box(&x->box, &y->box) && x->chunk.number == y->chunk.number &&
           x->chunk.chunks == y->chunk.chunks;
}

/* A panel that is handed on. */
static bool is_handing(const ashi_op *op)
{
    return op->kind == ASHI_SEND || op->kind == ASHI_RECEIVE;
}

static ashlar_status compare_handing(ashi_checker *c, const ashi_check_message *send,
                                     const ashi_check_message *receive, ashlar_error *err)
{
    const ashi_op *x = &send->op, *y = &receive->op;
    if (x->kind != ASHI_SEND || y->kind != ASHI_RECEIVE || send->step != receive->step || x->operand != y->operand ||
        x->slot != y->slot || x->words != y->words || !ashi_check_same_box(&x->box, &y->box))
        return fail_message(c, send, err, "is sent where the other rank receives something else");
    if (c->schedule->one_sided && x->peer_offset != y->offset)
        return fail_message(c, send, err, "is written to another place than the receiver expects");
    return ASHLAR_OK;
}

/* A tree, or a sender that writes into the receiver's buffer, needs more than the order of messages. */
static ashlar_status compare(ashi_checker *c, const ashi_check_message *send, const ashi_check_message *receive,
                             ashlar_error *err)
{
    const ashi_schedule *s = c->schedule;
    if (is_handing(&send->op) || is_handing(&receive->op))
        return compare_handing(c, send, receive, err);
    if (!same_operation(send, receive) || send->place != receive->place || send->share != receive->share ||
        send->words != receive->words || send->offset != receive->offset)
        return fail_message(c, send, err, "is sent where the other rank receives something else");
    if ((s->tree || s->one_sided) && send->op.number != receive->op.number)
        return fail_message(c, send, err, "has another number at the receiver");
    if (s->one_sided && send->op.offset != receive->op.offset)
        return fail_message(c, send, err, "is written to another place than the receiver expects");
    return ASHLAR_OK;
}

/* Within a step a pair of ranks tells its messages apart by operand and number. */
static ashlar_status check_number(ashi_checker *c, const key *sends, int64_t i, ashlar_error *err)
{
    const ashi_check_message *m = c->messages.data, *here = &m[sends[i].index];
    if ((!c->schedule->tree && !c->schedule->one_sided) || is_handing(&here->op))
        return ASHLAR_OK;
    for (int64_t j = i - 1; j >= 0 && sends[j].from == sends[i].from && sends[j].to == sends[i].to; j--) {
        const ashi_check_message *other = &m[sends[j].index];
        if (other->step != here->step)
            break;
        if (!is_handing(&other->op) && other->op.operand == here->op.operand && other->op.slot == here->op.slot &&
            other->op.number == here->op.number && other->share == here->share)
            return fail_message(c, here, err, "has the number of another message of the same step");
    }
    return ASHLAR_OK;
}

static ashlar_status pair_up(ashi_checker *c, const key *sends, int64_t n, const key *receives, int64_t r,
                             ashlar_error *err)
{
    ashi_check_message *m = c->messages.data;
    ashlar_status status = ASHLAR_OK;
    for (int64_t i = 0; i < n || i < r; i++) {
        const bool no_send = i >= n || (i < r && (sends[i].from != receives[i].from || sends[i].to != receives[i].to) &&
                                        by_pair(&sends[i], &receives[i]) > 0);
        if (no_send)
            return fail_message(c, &m[receives[i].index], err, "is never sent");
        if (i >= r || sends[i].from != receives[i].from || sends[i].to != receives[i].to)
            return fail_message(c, &m[sends[i].index], err, "is never received");
        m[sends[i].index].match = receives[i].index;
        m[receives[i].index].match = sends[i].index;
        status = compare(c, &m[sends[i].index], &m[receives[i].index], err);
        if (status == ASHLAR_OK)
            status = check_number(c, sends, i, err);
        if (status != ASHLAR_OK)
            return status;
        c->report->messages++;
        c->report->words += m[sends[i].index].words;
    }
    return ASHLAR_OK;
}

/* From each message, rank by rank, towards the owner: it must be reached. */
static ashlar_status check_ways(ashi_checker *c, ashlar_error *err)
{
    const ashi_check_message *m = c->messages.data;
    for (int64_t i = 0; i < c->messages.count; i++) {
        int64_t at = i, hops = 0;
        if (m[i].send != (m[i].op.kind == ASHI_REDUCE))
            continue;
        while (at >= 0 && hops++ <= c->schedule->ranks)
            at = m[m[at].match].upward;
        if (at >= 0)
            return fail_message(c, &m[i], err, "goes round in a circle, away from the owner");
    }
    return ASHLAR_OK;
}

ashlar_status ashi_check_pairing(ashi_checker *c, ashlar_error *err)
{
    const ashi_check_message *m = c->messages.data;
    const size_t most = (size_t)c->messages.count + 1;
    key *sends = malloc(most * sizeof *sends), *receives = malloc(most * sizeof *receives);
    ashlar_status status = ASHLAR_OK;
    if (!sends || !receives) {
        status = ashi_fail_memory(err, "checker", (int64_t)(most * sizeof *sends));
    } else {
        int64_t n = 0, r = 0;
        for (int64_t i = 0; i < c->messages.count; i++)
            if (m[i].send)
                sends[n++] = (key){m[i].rank, m[i].peer, i};
            else
                receives[r++] = (key){m[i].peer, m[i].rank, i};
        qsort(sends, (size_t)n, sizeof *sends, by_pair);
        qsort(receives, (size_t)r, sizeof *receives, by_pair);
        status = pair_up(c, sends, n, receives, r, err);
        if (status == ASHLAR_OK)
            status = check_ways(c, err);
    }
    free(sends);
    free(receives);
    return status;
}
