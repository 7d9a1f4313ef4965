/* Messages by MPI_Isend and MPI_Irecv. */
#include "base/checked.h"
#include "base/error.h"
#include "exec/transport.h"

#include <limits.h>
#include <stdlib.h>

enum { TOLD = -1 };
enum { EAGER_BYTES = 4096 }; /* shorter messages leave at once with any MPI we know: nothing need push them */

/* A message under way, for a trace. */
typedef struct flight {
    double begin;
    int64_t step, words;
    int peer;
} flight;

/* The requests of one slot. */
typedef struct slot {
    MPI_Request *receive, *send;
    struct part {
        int64_t item;
        int first, left; /* the item's first receive, TOLD when this one is done with; in that one's entry, how many
                            are under way */
    } *part;             /* of each receive */
    flight *receiving, *sending; /* of each receive, each send; NULL while nothing is recorded */
    int receives, sends;
    bool slow_sends; /* some are longer than EAGER_BYTES */
} slot;

typedef struct two_sided {
    ashi_transport base;
    MPI_Comm comm;
    MPI_Datatype type;
    size_t bytes;
    int window, capacity;
    int64_t most;
    int *done;          /* indices that MPI_Waitsome fills */
    ashi_trace *trace;  /* or NULL */
    int64_t step;       /* of the last message posted */
    MPI_Status *status; /* not looked at: gcc takes MPICH's MPI_STATUSES_IGNORE for an array that is too small */
    slot slots[];
} two_sided;

static ashlar_status room(const two_sided *t, int used, ashlar_error *err)
{
    if (used < t->capacity)
        return ASHLAR_OK;
    return ashi_fail(err, ASHLAR_ERR_INTERNAL, "more messages in one slot than the %d planned", t->capacity);
}

/* The piece of a parcel from element `at` on is posted now. */
static void take_off(const two_sided *t, flight *f, const ashi_parcel *p, int64_t at)
{
    if (f)
        *f = (flight){ashi_trace_clock(), p->step, ashi_min(t->most, p->words - at), p->peer};
}

static void note_message(const two_sided *t, const char *name, const flight *f, double end)
{
    ashi_trace_note(t->trace, ASHI_LANE_NETWORK, name, f->begin, end, f->step, f->words, f->peer);
}

/* A wait for messages, of which f was the last to end, or one of those. */
static void note_wait(const two_sided *t, double begin, double end, const flight *f)
{
    ashi_trace_note(t->trace, ASHI_LANE_CORES, ASHI_WAIT_NETWORK, begin, end, f->step, f->words, f->peer);
}

static ashlar_status receive(ashi_transport *base, const ashi_parcel *p, ashlar_error *err)
{
    two_sided *t = (two_sided *)base;
    slot *s = &t->slots[p->slot];
    const int first = s->receives;
    for (int64_t at = 0; at < p->words; at += t->most) {
        const ashlar_status status = room(t, s->receives, err);
        if (status != ASHLAR_OK)
            return status;
        s->receive[s->receives] = MPI_REQUEST_NULL;
        take_off(t, s->receiving ? &s->receiving[s->receives] : NULL, p, at);
        ashi_mpi_note(&base->failure,
                      MPI_Irecv((char *)p->data + (size_t)at * t->bytes, (int)ashi_min(t->most, p->words - at), t->type,
                                p->peer, p->tag, t->comm, &s->receive[s->receives]),
                      "MPI_Irecv");
        s->part[s->receives++] = (struct part){p->item, first, 0};
        s->part[first].left++;
    }
    t->step = p->step;
    return ASHLAR_OK;
}

static ashlar_status send(ashi_transport *base, const ashi_parcel *p, ashlar_error *err)
{
    two_sided *t = (two_sided *)base;
    slot *s = &t->slots[p->slot];
    for (int64_t at = 0; at < p->words; at += t->most) {
        const ashlar_status status = room(t, s->sends, err);
        if (status != ASHLAR_OK)
            return status;
        s->send[s->sends] = MPI_REQUEST_NULL;
        take_off(t, s->sending ? &s->sending[s->sends] : NULL, p, at);
        ashi_mpi_note(&base->failure,
                      MPI_Isend((char *)p->data + (size_t)at * t->bytes, (int)ashi_min(t->most, p->words - at), t->type,
                                p->peer, p->tag, t->comm, &s->send[s->sends]),
                      "MPI_Isend");
        s->sends++;
    }
    t->step = p->step;
    s->slow_sends = s->slow_sends || (size_t)p->words * t->bytes > EAGER_BYTES;
    return ASHLAR_OK;
}

/* Wait for all of some requests. A wait that fails is tried once more, for what it left; what is left then is given up,
 * so that MPI writes no more into memory that is to be freed. */
static void finish(two_sided *t, MPI_Request *request, int count, bool receives)
{
    int code = MPI_Waitall(count, request, t->status);
    ashi_mpi_note(&t->base.failure, code, "MPI_Waitall");
    if (code != MPI_SUCCESS)
        code = MPI_Waitall(count, request, t->status);
    for (int i = 0; i < count && code != MPI_SUCCESS; i++) {
        if (request[i] == MPI_REQUEST_NULL)
            continue;
        if (receives)
            ashi_mpi_note(&t->base.failure, MPI_Cancel(&request[i]), "MPI_Cancel");
        ashi_mpi_note(&t->base.failure, MPI_Request_free(&request[i]), "MPI_Request_free");
    }
}

/* One receive is done with: act on its item if that was the last of it. */
static ashlar_status tell(slot *s, int receive, ashi_arrived arrived, void *context, ashlar_error *err)
{
    struct part *first = &s->part[s->part[receive].first];
    s->part[receive].first = TOLD;
    return --first->left == 0 && arrived && first->item >= 0 ? arrived(context, first->item, err) : ASHLAR_OK;
}

/* MPI has failed: what is in memory is acted on as if it had arrived, for others wait for what is passed on. */
static ashlar_status arrive_broken(two_sided *t, slot *s, ashi_arrived arrived, void *context, ashlar_error *err)
{
    ashlar_status status = ASHLAR_OK;
    finish(t, s->receive, s->receives, true);
    for (int i = 0; i < s->receives && status == ASHLAR_OK; i++)
        if (s->part[i].first != TOLD)
            status = tell(s, i, arrived, context, err);
    return status;
}

/* What a wait from `begin` until now has brought: `count` of the receives, by their numbers in t->done. */
static void note_arrivals(const two_sided *t, const slot *s, int count, double begin)
{
    const double end = ashi_trace_clock();
    for (int i = 0; i < count; i++)
        note_message(t, "receive", &s->receiving[t->done[i]], end);
    if (count > 0)
        note_wait(t, begin, end, &s->receiving[t->done[count - 1]]);
}

static ashlar_status arrive(ashi_transport *base, int which, ashi_arrived arrived, void *context, ashlar_error *err)
{
    two_sided *t = (two_sided *)base;
    slot *s = &t->slots[which];
    ashlar_status status = ASHLAR_OK;
    for (int left = s->receives; left > 0 && status == ASHLAR_OK;) {
        int count = 0;
        const double begin = ashi_trace_begin(t->trace);
        const int code = MPI_Waitsome(s->receives, s->receive, &count, t->done, t->status);
        ashi_mpi_note(&base->failure, code, "MPI_Waitsome");
        if (code != MPI_SUCCESS || (count == MPI_UNDEFINED && base->failure.status != ASHLAR_OK)) {
            status = arrive_broken(t, s, arrived, context, err);
            break;
        }
        if (count == MPI_UNDEFINED)
            return ashi_fail(err, ASHLAR_ERR_INTERNAL, "a receive of slot %d was lost", which);
        if (t->trace)
            note_arrivals(t, s, count, begin);
        for (int i = 0; i < count && status == ASHLAR_OK; i++)
            status = tell(s, t->done[i], arrived, context, err);
        left -= count;
    }
    s->receives = 0;
    return status;
}

static void note_departures(const two_sided *t, const slot *s, int sends, double begin)
{
    const double end = ashi_trace_clock();
    for (int i = 0; i < sends; i++)
        note_message(t, "send", &s->sending[i], end);
    note_wait(t, begin, end, &s->sending[sends - 1]);
}

static ashlar_status sent(ashi_transport *base, int which, ashlar_error *err)
{
    two_sided *t = (two_sided *)base;
    const int sends = t->slots[which].sends;
    const double begin = ashi_trace_begin(sends > 0 ? t->trace : NULL);
    (void)err;
    t->slots[which].sends = 0;
    t->slots[which].slow_sends = false;
    if (sends > 0) /* to ask MPI for nothing would give the core away where ranks share one */
        finish(t, t->slots[which].send, sends, false);
    if (sends > 0 && t->trace)
        note_departures(t, &t->slots[which], sends, begin);
    return ASHLAR_OK;
}

static ashlar_status phase(ashi_transport *base, ashlar_error *err)
{
    (void)base;
    (void)err;
    return ASHLAR_OK;
}

static void poke(ashi_transport *base)
{
    two_sided *t = (two_sided *)base;
    int flag = 0;
    bool moving = false;
    for (int i = 0; i < t->window; i++)
        moving = moving || t->slots[i].receives > 0 || t->slots[i].slow_sends;
    if (!moving)
        return;
    const double begin = ashi_trace_begin(t->trace);
    ashi_mpi_note(&base->failure, MPI_Iprobe(MPI_ANY_SOURCE, MPI_ANY_TAG, t->comm, &flag, MPI_STATUS_IGNORE),
                  "MPI_Iprobe");
    if (t->trace)
        ashi_trace_note(t->trace, ASHI_LANE_CORES, "poll", begin, ashi_trace_clock(), t->step, 0, -1);
}

static void free_flights(slot *s)
{
    free(s->receiving);
    free(s->sending);
    s->receiving = s->sending = NULL;
}

static ashlar_status record(ashi_transport *base, ashi_trace *trace, ashlar_error *err)
{
    two_sided *t = (two_sided *)base;
    bool ok = true;
    for (int i = 0; i < t->window; i++) {
        slot *s = &t->slots[i];
        free_flights(s);
        if (!trace)
            continue;
        s->receiving = malloc((size_t)t->capacity * sizeof *s->receiving);
        s->sending = malloc((size_t)t->capacity * sizeof *s->sending);
        ok = ok && s->receiving && s->sending;
    }
    t->trace = ok ? trace : NULL;
    for (int i = 0; i < t->window && !ok; i++)
        free_flights(&t->slots[i]);
    return ok ? ASHLAR_OK : ashi_fail_memory(err, "transport", (int64_t)t->capacity * t->window * 64);
}

static void free_two_sided(ashi_transport *base)
{
    two_sided *t = (two_sided *)base;
    for (int i = 0; i < t->window; i++) {
        free(t->slots[i].receive);
        free(t->slots[i].send);
        free(t->slots[i].part);
        free_flights(&t->slots[i]);
    }
    free(t->done);
    free(t->status);
    free(t);
}

/* Requests that a slot may need: splitting adds at most one message for each `most` words in flight. */
static bool capacity_of(const ashi_transport_request *q, int *out)
{
    int64_t n = 0;
    return ashi_mul(q->messages_in_flight, ashi_max(1, ashi_ceil_div(q->largest, q->message_most)), &n) &&
           ashi_to_int(n + 1, out);
}

ashlar_status ashi_two_sided(const ashi_transport_request *q, ashi_transport **out, ashlar_error *err)
{
    int capacity = 0;
    *out = NULL;
    if (!capacity_of(q, &capacity))
        return ashi_fail(err, ASHLAR_ERR_OVERFLOW, "too many messages in flight");
    two_sided *t = calloc(1, sizeof *t + (size_t)q->window * sizeof t->slots[0]);
    if (!t)
        return ashi_fail_memory(err, "transport", (int64_t)sizeof *t);
    *t = (two_sided){.base = {receive, send, arrive, sent, sent, phase, poke, record, free_two_sided, {0}},
                     .comm = q->comm, .type = ashi_mpi_type(q->type), .bytes = ashlar_type_bytes(q->type),
                     .window = q->window, .capacity = capacity, .most = q->message_most};
    t->done = malloc((size_t)capacity * sizeof *t->done);
    t->status = malloc((size_t)capacity * sizeof *t->status);
    bool ok = t->done && t->status;
    for (int i = 0; i < q->window; i++) {
        slot *s = &t->slots[i];
        s->receive = malloc((size_t)capacity * sizeof(MPI_Request));
        s->send = malloc((size_t)capacity * sizeof(MPI_Request));
        s->part = malloc((size_t)capacity * sizeof *s->part);
        ok = ok && s->receive && s->send && s->part;
    }
    if (!ok) {
        free_two_sided(&t->base);
        return ashi_fail_memory(err, "transport", (int64_t)capacity * q->window * 24);
    }
    *out = &t->base;
    return ASHLAR_OK;
}
