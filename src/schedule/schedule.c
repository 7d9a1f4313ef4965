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
    int64_t words[ASHI_WINDOW_MAX][3]; /* of the largest buffer of each slot, by operand */
    int64_t receives[ASHI_WINDOW_MAX], sends[ASHI_WINDOW_MAX]; /* under way */
    bool joined[ASHI_WINDOW_MAX][2]; /* the rank's own words are in the slot's panel of A, of B */
} counter;

static ashlar_status count_message(void *context, const ashi_op *op, const ashi_message *message, ashlar_error *err)
{
    counter *c = context;
    int64_t *under_way = message->send ? &c->sends[op->slot] : &c->receives[op->slot];
    (void)err;
    *(message->send ? &c->need->sent : &c->need->received) += message->words;
    *(message->send ? &c->need->sent_messages : &c->need->received_messages) += 1;
    c->need->messages_in_flight = ashi_max(c->need->messages_in_flight, ++*under_way);
    return ASHLAR_OK;
}

/* As many messages as count_message would be given one after the other: none of them arrives or leaves in between. */
static void count_bundle(counter *c, const ashi_op *op)
{
    int64_t *under_way = &c->sends[op->slot];
    *under_way += op->messages;
    c->need->sent += op->words;
    c->need->sent_messages += op->messages;
    c->need->messages_in_flight = ashi_max(c->need->messages_in_flight, *under_way);
    c->need->copied += op->packed;
}

static void count_acquire(counter *c, const ashi_op *op)
{
    if (op->slot == ASHI_NO_SLOT) {
        c->need->c_words = ashi_max(c->need->c_words, op->words);
        return;
    }
    int64_t *words = &c->words[op->slot][op->operand];
    *words = ashi_max(*words, op->words);
}

static int64_t largest(const counter *c, ashlar_operand x)
{
    int64_t words = 0;
    for (int slot = 0; slot < ASHI_WINDOW_MAX; slot++)
        words = ashi_max(words, c->words[slot][x]);
    return words;
}

/* Where the slots' buffers are, and how far the last of them reaches: the last slots may be smaller than the first. */
static void place_buffers(const counter *c)
{
    ashi_need *need = c->need;
    need->a_words = largest(c, ASHLAR_A);
    need->panel_words = need->a_words + largest(c, ASHLAR_B);
    need->sum_words = largest(c, ASHLAR_C);
    need->slot_words = c->schedule->pooled ? need->sum_words : ashi_max(need->panel_words, need->sum_words);
    need->workspace = need->c_words;
    for (int slot = 0; slot < ASHI_WINDOW_MAX; slot++)
        for (int x = 0; x < 3; x++)
            need->workspace = ashi_max(need->workspace,
                                       ashi_need_end(need, slot, (ashlar_operand)x, c->words[slot][x]));
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

/* Words of its own that a rank copies into a panel because BLAS cannot read them where they lie. */
static int64_t gathered(const counter *c, const ashi_op *op, ashlar_operand x)
{
    const ashi_box *o = &op->box;
    const ashi_box box = x == ASHLAR_A ? (ashi_box){o->minor_lo, o->minor_hi, op->k_lo, op->k_hi}
                                       : (ashi_box){o->major_lo, o->major_hi, op->k_lo, op->k_hi};
    const ashi_view *view = &c->schedule->view[x];
    const int64_t own = op->whole[x] || c->joined[op->slot][x] ? 0 : ashi_view_words(view, c->rank, &box);
    if (own == 0)
        return 0;
    const int64_t in_place = ashi_view_in_place(view, c->rank, &box, ashi_view_least_in_place(&box));
    return own - in_place * (box.minor_hi - box.minor_lo);
}

static void count_multiply(counter *c, const ashi_op *op)
{
    c->need->products += ashi_box_words(&op->box) * (op->k_hi - op->k_lo);
    for (int x = ASHLAR_A; x <= (int)ASHLAR_B; x++)
        c->need->copied += gathered(c, op, (ashlar_operand)x);
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
        if (op->joins_panel && !c->schedule->pooled)
            c->joined[op->slot][op->operand] = true;
        return ashi_lower(c->schedule, c->rank, op, count_message, c, err);
    case ASHI_ADD:
        c->need->copied += copies_of(c, op);
        return ASHLAR_OK;
    case ASHI_COPY:
    case ASHI_SCALE:
        c->need->copied += op->words;
        return ASHLAR_OK;
    case ASHI_SEND:
    case ASHI_RECEIVE:
        return ashi_lower(c->schedule, c->rank, op, count_message, c, err);
    case ASHI_ARRIVE:
        c->receives[op->slot] = 0;
        return ASHLAR_OK;
    case ASHI_SENT:
        c->sends[op->slot] = 0;
        return ASHLAR_OK;
    case ASHI_MULTIPLY:
        count_multiply(c, op);
        return ASHLAR_OK;
    case ASHI_BUNDLE:
        count_bundle(c, op);
        return ASHLAR_OK;
    case ASHI_RELEASE:
        c->joined[op->slot][ASHLAR_A] = c->joined[op->slot][ASHLAR_B] = false;
        c->sends[op->slot] = 0;
        return ASHLAR_OK;
    default:
        return ASHLAR_OK;
    }
}

ashlar_status ashi_schedule_need_in_full(ashi_schedule *schedule, int64_t rank, ashi_need *out, ashlar_error *err)
{
    *out = (ashi_need){0};
    counter c = {.schedule = schedule, .rank = rank, .need = out};
    const ashlar_status status = ashi_schedule_walk(schedule, rank, count_op, &c, err);
    for (int x = 0; x < 3; x++) {
        const ashi_view *view = &schedule->view[x];
        const ashi_box all = {0, view->minor.size, 0, view->major.size};
        out->share += ashi_view_words(view, rank, &all);
    }
    out->sum_cols = schedule->view[ASHLAR_C].major.size;
    place_buffers(&c);
    return status;
}

ashlar_status ashi_schedule_need(ashi_schedule *schedule, int64_t rank, ashi_need *out, ashlar_error *err)
{
    schedule->brief = true;
    const ashlar_status status = ashi_schedule_need_in_full(schedule, rank, out, err);
    schedule->brief = false;
    return status;
}

int64_t ashi_need_place(const ashi_need *need, int slot, ashlar_operand x)
{
    return slot == ASHI_NO_SLOT ? 0 : need->c_words + slot * need->slot_words + (x == ASHLAR_B ? need->a_words : 0);
}

int64_t ashi_need_end(const ashi_need *need, int slot, ashlar_operand x, int64_t words)
{
    return words > 0 ? ashi_need_place(need, slot, x) + words : 0;
}

int64_t ashi_schedule_one_part(const ashi_schedule *schedule, int64_t rank)
{
    (void)schedule;
    (void)rank;
    return 1;
}

int64_t ashi_schedule_sum_words(const ashi_schedule *s, int64_t rank)
{
    int64_t words = 0;
    for (int64_t i = 0; i < s->parts(s, rank); i++) {
        const ashi_box box = s->domain(s, rank, i);
        const ashi_home home = s->home(s, rank, i);
        words += ashi_home_buffer_words(&home, &box);
    }
    return words;
}

bool ashi_schedule_sums_move(const ashi_schedule *s)
{
    for (int64_t r = 0; r < s->ranks; r++)
        if (ashi_schedule_sum_words(s, r) > 0)
            return true;
    return false;
}

void ashi_schedule_free(ashi_schedule *schedule)
{
    if (schedule->free_own)
        schedule->free_own(schedule);
    for (int x = 0; x < 3; x++)
        ashi_view_free(&schedule->view[x]);
    *schedule = (ashi_schedule){0};
}
