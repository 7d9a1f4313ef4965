/* Messages under way: what is sent at once, what is awaited, what a group operation passes on. */
#include "base/checked.h"
#include "base/error.h"
#include "exec/run.h"
#include "schedule/rectangle.h"

#include <stdlib.h>
#include <string.h>

/* Three operands' groups, A's and B's SEND. */
enum { TAGS = 5 };

static ashi_landing landing_of(ashlar_operand operand)
{
    return operand == ASHLAR_A ? ASHI_LAND_A : operand == ASHLAR_B ? ASHI_LAND_B : ASHI_LAND_SUM;
}

/* Straight messages between two ranks come in the same order on both: those of groups, and those of SEND. Along trees
 * they are told apart by number and share, and by slot: a round's own pieces leave at once, those of the round before
 * may still have to arrive before they go on. */
static int tag_of(const ashi_executor *x, const ashi_op *op, int share)
{
    const int64_t shares = x->schedule->torus.dims > 0 ? ASHI_SHARES_MOST : 1;
    if (op->kind == ASHI_SEND || op->kind == ASHI_RECEIVE)
        return 3 + (int)op->operand;
    if (!x->schedule->tree)
        return (int)op->operand;
    const int64_t message = (op->number * shares + share) * ASHI_WINDOW_MAX + op->slot;
    return (int)((message * TAGS + op->operand) % ((int64_t)x->tag_most + 1));
}

/* What this rank sends: the caller's own memory, a packed copy, or what it received. */
static char *outgoing_data(const ashi_executor *x, const ashi_op *op)
{
    char *buffer = ashi_run_buffer(x, op->operand, op->slot);
    ashi_block block;
    if (op->pack_offset >= 0)
        return buffer + (size_t)op->pack_offset * x->bytes;
    if (op->kind == ASHI_REDUCE)
        return ashi_run_packed_sums(x, op);
    if (op->kind == ASHI_SEND ? !op->own : op->owner != x->rank)
        return buffer + (size_t)op->offset * x->bytes;
    ashi_view_is_packed(&x->schedule->view[op->operand], x->rank, &op->box, op->chunk, &block);
    return ashi_run_address(x, op->operand, &block);
}

/* `offset`: where it arrives. */
static ashlar_status post_send(ashi_executor *x, const ashi_op *op, const ashi_message *message, int64_t offset,
                               ashlar_error *err)
{
    const ashi_parcel parcel = {.data = outgoing_data(x, op) + (size_t)message->offset * x->bytes,
                                .words = message->words, .peer = (int)message->peer,
                                .tag = tag_of(x, op, message->share), .slot = op->slot,
                                .step = x->step, .landing = landing_of(op->operand), .offset = offset};
    x->tally->sent_messages++;
    return x->transport->send(x->transport, &parcel, err);
}

static ashlar_status post_receive(ashi_executor *x, const ashi_op *op, const ashi_message *message, int64_t offset,
                                  int64_t item, ashlar_error *err)
{
    char *to = ashi_run_buffer(x, op->operand, op->slot) + (size_t)offset * x->bytes;
    const ashi_parcel parcel = {.data = to, .words = message->words, .peer = (int)message->peer,
                                .tag = tag_of(x, op, message->share), .slot = op->slot, .item = item,
                                .step = x->step};
    x->tally->received += message->words;
    x->tally->received_messages++;
    return x->transport->receive(x->transport, &parcel, err);
}

ashlar_status ashi_run_send(ashi_executor *x, const ashi_op *op, ashlar_error *err)
{
    const ashi_message message = {.send = true, .peer = op->peer, .words = op->words};
    return op->words ? post_send(x, op, &message, op->peer_offset, err) : ASHLAR_OK;
}

/* Nothing is to be done once it is there. */
ashlar_status ashi_run_receive(ashi_executor *x, const ashi_op *op, ashlar_error *err)
{
    const ashi_message message = {.peer = op->peer, .words = op->words};
    return op->words ? post_receive(x, op, &message, op->offset, -1, err) : ASHLAR_OK;
}

/* Where a message of a group operation arrives. */
static int64_t arrival_of(const ashi_op *op, const ashi_message *message)
{
    return op->offset + message->place * op->words + message->offset;
}

/* Items are shares of pending operations, slot by slot. */
static int64_t item_of(int slot, int64_t pending, int share)
{
    return (pending * ASHI_SHARES_MOST + share) * ASHI_WINDOW_MAX + slot;
}

static ashlar_status first_message(void *context, const ashi_op *op, const ashi_message *message, ashlar_error *err)
{
    ashi_executor *x = context;
    ashi_slot *s = &x->slot[op->slot];
    if (!message->send) {
        const int64_t item = item_of(op->slot, s->pendings - 1, message->share);
        s->pending[s->pendings - 1].awaited++;
        return post_receive(x, op, message, arrival_of(op, message), item, err);
    }
    return message->ready ? post_send(x, op, message, arrival_of(op, message), err) : ASHLAR_OK;
}

/* What goes on now that a share has arrived. */
typedef struct passing {
    ashi_executor *x;
    int share;
} passing;

static ashlar_status later_message(void *context, const ashi_op *op, const ashi_message *message, ashlar_error *err)
{
    const passing *p = context;
    if (!message->send || message->ready || message->share != p->share)
        return ASHLAR_OK;
    return post_send(p->x, op, message, arrival_of(op, message), err);
}

static ashlar_status grow(void **list, int64_t wanted, int64_t *capacity, size_t bytes, ashlar_error *err)
{
    if (wanted <= *capacity)
        return ASHLAR_OK;
    const int64_t more = ashi_max(wanted, ashi_max(16, 2 * *capacity));
    void *grown = realloc(*list, (size_t)more * bytes);
    if (!grown)
        return ashi_fail_memory(err, "executor", more * (int64_t)bytes);
    *list = grown;
    *capacity = more;
    return ASHLAR_OK;
}

ashlar_status ashi_run_keep(ashi_executor *x, const ashi_op *op, ashlar_error *err)
{
    ashi_slot *s = &x->slot[op->slot];
    const int64_t members = x->schedule->tree ? op->members : 0;
    void *pending = s->pending, *member = s->member;
    ashlar_status status = grow(&pending, s->pendings + 1, &s->pending_capacity, sizeof *s->pending, err);
    s->pending = pending;
    if (status == ASHLAR_OK)
        status = grow(&member, s->members + members, &s->member_capacity, sizeof *s->member, err);
    s->member = member;
    if (status != ASHLAR_OK)
        return status;
    if (members)
        memcpy(s->member + s->members, op->member, (size_t)members * sizeof *s->member);
    s->pending[s->pendings++] = (ashi_pending){*op, 0, s->members};
    s->members += members;
    return ASHLAR_OK;
}

static bool sends_own(const ashi_executor *x, const ashi_op *op)
{
    return (op->kind == ASHI_MULTICAST) == (op->owner == x->rank);
}

ashlar_status ashi_run_begin(ashi_executor *x, const ashi_op *op, ashlar_error *err)
{
    const ashlar_status status = ashi_run_keep(x, op, err);
    if (status != ASHLAR_OK)
        return status;
    if (op->joins_panel && !x->schedule->pooled)
        x->slot[op->slot].joined[op->operand] = true;
    if (op->pack_offset >= 0 && sends_own(x, op)) {
        char *to = ashi_run_buffer(x, op->operand, op->slot) + (size_t)op->pack_offset * x->bytes;
        if (op->kind == ASHI_MULTICAST)
            ashi_run_pack(x, op, to);
        else
            ashi_run_pack_sums(x, op, to);
    }
    return ashi_lower(x->schedule, x->rank, op, first_message, x, err);
}

/* Add what arrived to the packed sums that go on to the next rank of the tree. */
static void combine(const ashi_executor *x, const ashi_op *op)
{
    const int64_t count = ashi_lower_contributions(x->schedule, x->rank, op);
    const double begin = ashi_trace_begin(x->trace);
    char *buffer = ashi_run_buffer(x, op->operand, op->slot);
    for (int64_t i = 0; i < count; i++) {
        const ashi_matrix from = {buffer + (size_t)(op->offset + i * op->words) * x->bytes, 1, op->words};
        x->kernels->axpby(op->words, 1, x->kernels->one, &from, false, x->kernels->one,
                          buffer + (size_t)op->pack_offset * x->bytes, 1, op->words);
    }
    ashi_run_note(x, "add", begin, count * op->words);
}

static ashlar_status arrived(void *executor, int64_t item, ashlar_error *err)
{
    ashi_executor *x = executor;
    ashi_slot *s = &x->slot[item % ASHI_WINDOW_MAX];
    ashi_pending *p = &s->pending[item / ASHI_WINDOW_MAX / ASHI_SHARES_MOST];
    passing on = {x, (int)(item / ASHI_WINDOW_MAX % ASHI_SHARES_MOST)};
    p->awaited--;
    if ((p->op.kind == ASHI_REDUCE && p->awaited > 0) || !x->schedule->tree)
        return ASHLAR_OK;
    ashi_op op = p->op;
    op.member = s->member + p->member_at;
    if (op.kind == ASHI_REDUCE && op.owner != x->rank)
        combine(x, &op);
    return ashi_lower(x->schedule, x->rank, &op, later_message, &on, err);
}

/* Panels that stay are completed at once; others where they are multiplied, after the next round's messages have been
 * sent. */
ashlar_status ashi_run_arrive(ashi_executor *x, int slot, ashlar_error *err)
{
    const ashlar_status status = x->transport->arrive(x->transport, slot, arrived, x, err);
    if (status == ASHLAR_OK && x->schedule->pooled)
        ashi_run_unpack(x, slot);
    return status;
}
