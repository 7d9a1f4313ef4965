/* Prove that a schedule computes C: the walk over all ranks' streams. */
#include "schedule/check_state.h"

#include "base/checked.h"
#include "base/error.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

void *ashi_check_add(ashi_check_list *list, size_t size)
{
    if (list->count == list->capacity) {
        const int64_t capacity = ashi_max(16, 2 * list->capacity);
        void *data = realloc(list->data, (size_t)capacity * size);
        if (!data)
            return NULL;
        list->data = data;
        list->capacity = capacity;
    }
    return (char *)list->data + (size_t)list->count++ * size;
}

bool ashi_check_same_box(const ashi_box *a, const ashi_box *b)
{
    return a->minor_lo == b->minor_lo && a->minor_hi == b->minor_hi && a->major_lo == b->major_lo &&
           a->major_hi == b->major_hi;
}

static const char *kind_name(ashi_op_kind kind)
{
    static const char *const names[] = {"ACQUIRE", "MULTICAST", "ARRIVE", "MULTIPLY", "REDUCE",
                                        "ADD",     "RELEASE",   "PHASE",  "COPY",     "SEND",
                                        "RECEIVE", "SENT",      "SCALE"};
    return kind >= ASHI_ACQUIRE && kind <= ASHI_SCALE ? names[kind] : "unknown operation";
}

static char operand_name(ashlar_operand x)
{
    return x >= ASHLAR_A && x <= ASHLAR_C ? "ABC"[x] : '?';
}

ashlar_status ashi_check_fail(ashi_checker *c, const ashi_op *op, ashlar_error *err, const char *what)
{
    char *text = c->report->text;
    size_t at = 0;
    if (c->rank >= 0)
        at += (size_t)snprintf(text, ASHLAR_MESSAGE_MAX, "rank %" PRId64 ", step %" PRId64 ": ", c->rank, c->step);
    if (op) {
        const ashi_box *b = &op->box;
        at += (size_t)snprintf(text + at, ASHLAR_MESSAGE_MAX - at,
                               "%s of %c, box [%" PRId64 ", %" PRId64 ") x [%" PRId64 ", %" PRId64 ")",
                               kind_name(op->kind), operand_name(op->operand), b->minor_lo, b->minor_hi, b->major_lo,
                               b->major_hi);
        if (op->kind == ASHI_MULTIPLY)
            at += (size_t)snprintf(text + at, ASHLAR_MESSAGE_MAX - at, ", k [%" PRId64 ", %" PRId64 ")", op->k_lo,
                                   op->k_hi);
        if (op->kind == ASHI_SEND || op->kind == ASHI_RECEIVE)
            at += (size_t)snprintf(text + at, ASHLAR_MESSAGE_MAX - at, ", peer %" PRId64, op->peer);
        if (op->kind == ASHI_MULTICAST || op->kind == ASHI_REDUCE || op->kind == ASHI_ADD)
            at += (size_t)snprintf(text + at, ASHLAR_MESSAGE_MAX - at, ", owner %" PRId64, op->owner);
        at += (size_t)snprintf(text + at, ASHLAR_MESSAGE_MAX - at, ": ");
    }
    snprintf(text + at, ASHLAR_MESSAGE_MAX - at, "%s", what);
    return ashi_fail(err, ASHLAR_ERR_INTERNAL, "%s", text);
}

static ashlar_status check_op(void *context, const ashi_op *op, ashlar_error *err)
{
    ashi_checker *c = context;
    switch (op->kind) {
    case ASHI_ACQUIRE:
        return ashi_check_acquire(c, op, err);
    case ASHI_MULTICAST:
        return ashi_check_multicast(c, op, err);
    case ASHI_ARRIVE:
        return ashi_check_arrive(c, op, err);
    case ASHI_MULTIPLY:
        return ashi_check_multiply(c, op, err);
    case ASHI_REDUCE:
        return ashi_check_reduce(c, op, err);
    case ASHI_ADD:
        return ashi_check_add_sums(c, op, err);
    case ASHI_SCALE:
        return ashi_check_scale(c, op, err);
    case ASHI_RELEASE:
        return ashi_check_release(c, op, err);
    case ASHI_PHASE:
        return ashi_check_phase(c, op, err);
    case ASHI_COPY:
        return ashi_check_copy(c, op, err);
    case ASHI_SEND:
        return ashi_check_send(c, op, err);
    case ASHI_RECEIVE:
        return ashi_check_receive(c, op, err);
    case ASHI_SENT:
        return ashi_check_sent(c, op, err);
    default:
        break;
    }
    return ashi_check_fail(c, op, err, "is none of the operations");
}

/* What ashi_schedule_need counts is what was seen. */
static ashlar_status check_need(ashi_checker *c, ashlar_error *err)
{
    ashi_need need;
    int64_t share = 0;
    const ashlar_status status = ashi_schedule_need(c->schedule, c->rank, &need, err);
    if (status != ASHLAR_OK)
        return status;
    for (int x = 0; x < 3; x++)
        share += ashlar_layout_words(c->schedule->view[x].layout, (int)c->rank);
    if (need.received != c->received || need.sent != c->sent || need.products != c->rank_products ||
        need.share != share)
        return ashi_check_fail(c, NULL, err, "the words or products counted are not those of the stream");
    if (need.received_messages != c->received_messages || need.sent_messages != c->sent_messages)
        return ashi_check_fail(c, NULL, err, "the messages counted are not those of the stream");
    if (c->held_peak > need.workspace || c->c_words > need.c_words)
        return ashi_check_fail(c, NULL, err, "holds more than the workspace counted");
    return ASHLAR_OK;
}

static void begin_rank(ashi_checker *c, int64_t rank)
{
    c->rank = rank;
    c->step = 0;
    c->sent_messages = c->received_messages = c->fences_seen = 0;
    c->c_held = c->summing = c->phase_used = false;
    c->c_words = c->held_words = c->held_peak = c->phases_seen = c->rank_products = c->sent = c->received = 0;
    c->deliveries.count = 0;
    c->begun = 0;
    c->scaled = false;
    ashi_check_pool_begin(c);
}

static ashlar_status end_rank(ashi_checker *c, ashlar_error *err)
{
    for (int i = 0; i < ASHI_WINDOW_MAX; i++)
        for (int x = 0; x < 3; x++)
            if (c->slot[i].held[x])
                return ashi_check_fail(c, NULL, err, "the stream ends with a slot in use");
    if (c->phases_seen != c->phases.count)
        return ashi_check_fail(c, NULL, err, "the stream ends with fewer phases than rank 0's");
    if (c->fences_seen != c->fences.count)
        return ashi_check_fail(c, NULL, err, "the stream ends with fewer ARRIVEs than rank 0's");
    ashlar_status status = ashi_check_handed_over(c, err);
    if (status == ASHLAR_OK)
        status = ashi_check_begun(c, err);
    return status == ASHLAR_OK ? check_need(c, err) : status;
}

static ashlar_status check_rank(ashi_checker *c, int64_t rank, ashlar_error *err)
{
    begin_rank(c, rank);
    ashlar_status status = ashi_check_parts(c, err);
    for (; c->step < c->schedule->steps && status == ASHLAR_OK; c->step++)
        status = c->schedule->emit(c->schedule, rank, c->step, check_op, c, err);
    return status == ASHLAR_OK ? end_rank(c, err) : status;
}

static ashlar_status check_shape(ashi_checker *c, ashlar_error *err)
{
    const ashi_schedule *s = c->schedule;
    if (s->window < 1 || s->window > ASHI_WINDOW_MAX)
        return ashi_check_fail(c, NULL, err, "the window is not one that buffers can be had for");
    for (int x = 0; x < 3; x++)
        if (ashi_layout_ranks(s->view[x].layout) > s->ranks)
            return ashi_check_fail(c, NULL, err, "a layout names a rank beyond the last");
    return ashi_check_places(c, err);
}

/* Who wants to hear how far the check has come. */
typedef struct listener {
    void (*progress)(void *context, int64_t done, int64_t of);
    void *context;
} listener;

static ashlar_status check_all(ashi_checker *c, const listener *l, ashlar_error *err)
{
    ashlar_status status = check_shape(c, err);
    if (status == ASHLAR_OK)
        status = ashi_check_tally_init(c, err);
    for (int64_t rank = 0; rank < c->schedule->ranks && status == ASHLAR_OK; rank++) {
        status = check_rank(c, rank, err);
        if (l->progress)
            l->progress(l->context, rank + 1, c->schedule->ranks);
    }
    c->rank = c->step = -1;
    if (status == ASHLAR_OK)
        status = ashi_check_products(c, err);
    return status == ASHLAR_OK ? ashi_check_pairing(c, err) : status;
}

static void free_all(ashi_checker *c)
{
    ashi_check_tally_free(c);
    for (int x = 0; x < 2; x++)
        free(c->pool.extent[x].data);
    free(c->pool.pieces.data);
    free(c->fences.data);
    free(c->parts.data);
    free(c->kept.data);
    for (int i = 0; i < ASHI_WINDOW_MAX; i++) {
        free(c->slot[i].regions.data);
        free(c->slot[i].entries.data);
    }
    free(c->products.data);
    free(c->messages.data);
    free(c->phases.data);
    free(c->deliveries.data);
}

ashlar_status ashi_check_schedule(ashi_schedule *schedule, ashi_check_report *report, ashlar_error *err)
{
    return ashi_check_schedule_telling(schedule, NULL, NULL, report, err);
}

ashlar_status ashi_check_schedule_telling(ashi_schedule *schedule,
                                         void (*progress)(void *context, int64_t done, int64_t of), void *context,
                                         ashi_check_report *report, ashlar_error *err)
{
    const listener l = {progress, context};
    *report = (ashi_check_report){0};
    ashi_checker *c = calloc(1, sizeof *c);
    if (!c)
        return ashi_fail_memory(err, "checker", (int64_t)sizeof *c);
    c->schedule = schedule;
    c->report = report;
    c->rank = c->step = -1;
    const ashlar_status status = check_all(c, &l, err);
    free_all(c);
    free(c);
    return status;
}
