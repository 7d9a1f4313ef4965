/* Walking a schedule, and what a walk amounts to. */
#include "schedule/schedule.h"

#include "base/checked.h"
#include "schedule/lower.h"

ashlar_status ashi_schedule_walk(ashi_schedule *schedule, int64_t rank, ashi_visit visit, void *context,
                                 ashlar_error *err)
{
    ashlar_status status = ASHLAR_OK;
    for (int64_t step = 0; step < schedule->steps && status == ASHLAR_OK; step++)
        status = schedule->emit(schedule, rank, step, visit, context, err);
    return status;
}

/* A count in the making: what the rounds in flight hold now. */
typedef struct counter {
    ashi_schedule *schedule;
    int64_t rank;
    ashi_need *need;
    int64_t b_words; /* of the largest B buffer */
    int64_t sums;    /* of the largest buffer of arriving sums */
    int64_t in_flight[ASHI_WINDOW_MAX];
} counter;

static ashlar_status count_message(void *context, const ashi_op *op, const ashi_message *message, ashlar_error *err)
{
    counter *c = context;
    (void)err;
    if (message->send) {
        c->need->sent += op->words;
        c->need->sent_messages++;
    } else {
        c->need->received += op->words;
        c->need->received_messages++;
    }
    c->need->messages_in_flight = ashi_max(c->need->messages_in_flight, ++c->in_flight[op->slot]);
    return ASHLAR_OK;
}

static void count_acquire(counter *c, const ashi_op *op)
{
    if (op->slot == ASHI_NO_SLOT) {
        c->need->c_words = ashi_max(c->need->c_words, op->words);
        return;
    }
    if (op->operand == ASHLAR_A)
        c->need->a_words = ashi_max(c->need->a_words, op->words);
    else if (op->operand == ASHLAR_B)
        c->b_words = ashi_max(c->b_words, op->words);
    else
        c->sums = ashi_max(c->sums, op->words);
    c->in_flight[op->slot] = op->operand == ASHLAR_B ? c->in_flight[op->slot] : 0;
}

/* Words that a group operation has this rank copy beside sending and receiving them. */
static int64_t copies_of(const counter *c, const ashi_op *op)
{
    const bool owner = op->owner == c->rank;
    if (op->kind == ASHI_ADD)
        return op->words * op->members;
    if (op->kind == ASHI_MULTICAST && !owner)
        return op->lands ? 0 : op->words;
    return op->pack_offset >= 0 && owner == (op->kind == ASHI_MULTICAST) ? op->words : 0;
}

static ashlar_status count_op(void *context, const ashi_op *op, ashlar_error *err)
{
    counter *c = context;
    switch (op->kind) {
    case ASHI_ACQUIRE:
        count_acquire(c, op);
        return ASHLAR_OK;
    case ASHI_MULTICAST:
    case ASHI_REDUCE:
        c->need->copied += copies_of(c, op);
        return ashi_lower(c->schedule, c->rank, op, count_message, c, err);
    case ASHI_ADD:
        c->need->copied += copies_of(c, op);
        return ASHLAR_OK;
    case ASHI_READ:
        c->need->read += op->words;
        return ASHLAR_OK;
    case ASHI_WRITE:
        c->need->written += op->words;
        return ASHLAR_OK;
    case ASHI_MULTIPLY:
        c->need->products += ashi_box_words(&op->box) * (op->k_hi - op->k_lo);
        return ASHLAR_OK;
    default:
        return ASHLAR_OK;
    }
}

ashlar_status ashi_schedule_need(ashi_schedule *schedule, int64_t rank, ashi_need *out, ashlar_error *err)
{
    *out = (ashi_need){0};
    counter c = {.schedule = schedule, .rank = rank, .need = out};
    const ashlar_status status = ashi_schedule_walk(schedule, rank, count_op, &c, err);
    for (int x = 0; x < 3 && !schedule->in_files; x++) {
        const ashi_view *view = &schedule->view[x];
        const ashi_box all = {0, view->minor.size, 0, view->major.size};
        out->share += ashi_view_words(view, rank, &all);
    }
    out->panel_words = out->a_words + c.b_words;
    out->sum_words = c.sums;
    out->sum_cols = schedule->view[ASHLAR_C].major.size;
    out->slot_words = ashi_max(out->panel_words, out->sum_words);
    out->workspace = out->c_words + schedule->window * out->slot_words;
    return status;
}

void ashi_schedule_free(ashi_schedule *schedule)
{
    if (schedule->free_own)
        schedule->free_own(schedule);
    for (int x = 0; x < 3; x++)
        ashi_view_free(&schedule->view[x]);
    *schedule = (ashi_schedule){0};
}
