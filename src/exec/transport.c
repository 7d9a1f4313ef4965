/* Messages of movements by MPI_Isend and MPI_Irecv. */
#include "base/checked.h"
#include "base/error.h"
#include "exec/transport.h"

#include <limits.h>
#include <stdlib.h>

enum { TOLD = -1, TAG = 0 };

/* The requests of one slot. */
typedef struct slot {
    MPI_Request *receive, *send;
    struct part {
        int64_t item;
        int first, left; /* the item's first receive, TOLD when this one is done with; in that one's entry, how many
                            are under way */
    } *part;             /* of each receive */
    int receives, sends;
} slot;

struct ashi_transport {
    MPI_Comm comm;
    MPI_Datatype type;
    size_t bytes;
    int window, capacity;
    int64_t most;
    ashlar_error failure; /* the first of MPI that has not been reported; status ASHLAR_OK: none */
    int *done;            /* indices that MPI_Waitsome fills */
    MPI_Status *status;   /* not looked at: gcc takes MPICH's MPI_STATUSES_IGNORE for an array that is too small */
    slot slots[];
};

static ashlar_status room(const ashi_transport *t, int used, ashlar_error *err)
{
    if (used < t->capacity)
        return ASHLAR_OK;
    return ashi_fail(err, ASHLAR_ERR_INTERNAL, "more messages in one slot than the %d planned", t->capacity);
}

ashlar_status ashi_transport_receive(ashi_transport *t, const ashi_parcel *p, ashlar_error *err)
{
    slot *s = &t->slots[p->slot];
    const int first = s->receives;
    for (int64_t at = 0; at < p->words; at += t->most) {
        const ashlar_status status = room(t, s->receives, err);
        if (status != ASHLAR_OK)
            return status;
        s->receive[s->receives] = MPI_REQUEST_NULL;
        ashi_mpi_note(&t->failure,
                      MPI_Irecv((char *)p->data + (size_t)at * t->bytes, (int)ashi_min(t->most, p->words - at), t->type,
                                p->peer, TAG, t->comm, &s->receive[s->receives]),
                      "MPI_Irecv");
        s->part[s->receives++] = (struct part){p->item, first, 0};
        s->part[first].left++;
    }
    return ASHLAR_OK;
}

ashlar_status ashi_transport_send(ashi_transport *t, const ashi_parcel *p, ashlar_error *err)
{
    slot *s = &t->slots[p->slot];
    for (int64_t at = 0; at < p->words; at += t->most) {
        const ashlar_status status = room(t, s->sends, err);
        if (status != ASHLAR_OK)
            return status;
        s->send[s->sends] = MPI_REQUEST_NULL;
        ashi_mpi_note(&t->failure,
                      MPI_Isend((char *)p->data + (size_t)at * t->bytes, (int)ashi_min(t->most, p->words - at), t->type,
                                p->peer, TAG, t->comm, &s->send[s->sends]),
                      "MPI_Isend");
        s->sends++;
    }
    return ASHLAR_OK;
}

/* Wait for all of some requests. A wait that fails is tried once more, for what it left; what is left then is given up,
 * so that MPI writes no more into memory that is to be freed. */
static void finish(ashi_transport *t, MPI_Request *request, int count, bool receives)
{
    int code = MPI_Waitall(count, request, t->status);
    ashi_mpi_note(&t->failure, code, "MPI_Waitall");
    if (code != MPI_SUCCESS)
        code = MPI_Waitall(count, request, t->status);
    for (int i = 0; i < count && code != MPI_SUCCESS; i++) {
        if (request[i] == MPI_REQUEST_NULL)
            continue;
        if (receives)
            ashi_mpi_note(&t->failure, MPI_Cancel(&request[i]), "MPI_Cancel");
        ashi_mpi_note(&t->failure, MPI_Request_free(&request[i]), "MPI_Request_free");
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
static ashlar_status arrive_broken(ashi_transport *t, slot *s, ashi_arrived arrived, void *context, ashlar_error *err)
{
    ashlar_status status = ASHLAR_OK;
    finish(t, s->receive, s->receives, true);
    for (int i = 0; i < s->receives && status == ASHLAR_OK; i++)
        if (s->part[i].first != TOLD)
            status = tell(s, i, arrived, context, err);
    return status;
}

ashlar_status ashi_transport_arrive(ashi_transport *t, int which, ashi_arrived arrived, void *context,
                                    ashlar_error *err)
{
    slot *s = &t->slots[which];
    ashlar_status status = ASHLAR_OK;
    for (int left = s->receives; left > 0 && status == ASHLAR_OK;) {
        int count = 0;
        const int code = MPI_Waitsome(s->receives, s->receive, &count, t->done, t->status);
        ashi_mpi_note(&t->failure, code, "MPI_Waitsome");
        if (code != MPI_SUCCESS || (count == MPI_UNDEFINED && t->failure.status != ASHLAR_OK)) {
            status = arrive_broken(t, s, arrived, context, err);
            break;
        }
        if (count == MPI_UNDEFINED)
            return ashi_fail(err, ASHLAR_ERR_INTERNAL, "a receive of slot %d was lost", which);
        for (int i = 0; i < count && status == ASHLAR_OK; i++)
            status = tell(s, t->done[i], arrived, context, err);
        left -= count;
    }
    s->receives = 0;
    return status;
}

void ashi_transport_sent(ashi_transport *t, int which)
{
    const int sends = t->slots[which].sends;
    t->slots[which].sends = 0;
    if (sends > 0) /* to ask MPI for nothing would give the core away where ranks share one */
        finish(t, t->slots[which].send, sends, false);
}

ashlar_status ashi_transport_outcome(ashi_transport *t, ashlar_status own, ashlar_error *err)
{
    const ashlar_status kept = ashi_mpi_noted(&t->failure, own == ASHLAR_OK ? err : NULL);
    return own == ASHLAR_OK ? kept : own;
}

void ashi_transport_free(ashi_transport **transport)
{
    ashi_transport *t = *transport;
    if (!t)
        return;
    for (int i = 0; i < t->window; i++) {
        free(t->slots[i].receive);
        free(t->slots[i].send);
        free(t->slots[i].part);
    }
    free(t->done);
    free(t->status);
    free(t);
    *transport = NULL;
}

/* Requests that a slot may need: splitting adds at most one message for each `most` words in flight. */
static bool capacity_of(const ashi_transport_request *q, int *out)
{
    int64_t n = 0;
    return ashi_mul(q->messages_in_flight, ashi_max(1, ashi_ceil_div(q->largest, q->message_most)), &n) &&
           ashi_to_int(n + 1, out);
}

ashlar_status ashi_transport_create(const ashi_transport_request *q, ashi_transport **out, ashlar_error *err)
{
    int capacity = 0;
    *out = NULL;
    if (!capacity_of(q, &capacity))
        return ashi_fail(err, ASHLAR_ERR_OVERFLOW, "too many messages in flight");
    ashi_transport *t = calloc(1, sizeof *t + (size_t)q->window * sizeof t->slots[0]);
    if (!t)
        return ashi_fail_memory(err, "transport", (int64_t)sizeof *t);
    *t = (ashi_transport){.comm = q->comm, .type = ashi_mpi_type(q->type), .bytes = ashlar_type_bytes(q->type),
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
        ashi_transport_free(&t);
        return ashi_fail_memory(err, "transport", (int64_t)capacity * q->window * 24);
    }
    *out = t;
    return ASHLAR_OK;
}
