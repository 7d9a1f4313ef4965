/* Messages by MPI_Put into a window that is the workspace; rounds are closed by fences. */
#include "base/checked.h"
#include "base/error.h"
#include "exec/put_window.h"
#include "exec/transport.h"

#include <stdlib.h>

/* Where another rank's landings are: its C buffer, its A buffer's size, its slot's size. */
typedef struct peer {
    int64_t c_words, a_words, slot_words;
} peer;

typedef struct one_sided {
    ashi_transport base;
    MPI_Comm comm;
    ashi_put_window target;
    bool one_node;
    MPI_Datatype type;
    ashi_trace *trace; /* or NULL */
    int64_t step;      /* of the last message sent */
    size_t bytes;
    int window;
    int64_t most, workspace;
    peer own, *peers;
} one_sided;

/* The sender does it all. */
static ashlar_status receive(ashi_transport *base, const ashi_parcel *parcel, ashlar_error *err)
{
    (void)base;
    (void)parcel;
    (void)err;
    return ASHLAR_OK;
}

static ashlar_status send(ashi_transport *base, const ashi_parcel *p, ashlar_error *err)
{
    one_sided *t = (one_sided *)base;
    const peer *to = &t->peers[p->peer];
    const int64_t place = to->c_words + p->slot * to->slot_words + (p->landing == ASHI_LAND_B ? to->a_words : 0);
    const double begin = ashi_trace_begin(t->trace);
    for (int64_t at = 0; at < p->words; at += t->most) {
        const int count = (int)ashi_min(t->most, p->words - at);
        ashi_mpi_note(&base->failure,
                      MPI_Put((char *)p->data + (size_t)at * t->bytes, count, t->type, p->peer,
                              (MPI_Aint)(place + p->offset + at), count, t->type, t->target.win),
                      "MPI_Put");
    }
    t->step = p->step;
    if (t->trace)
        ashi_trace_note(t->trace, ASHI_LANE_NETWORK, "put", begin, ashi_trace_clock(), p->step, p->words, p->peer);
    (void)err;
    return ASHLAR_OK;
}

static ashlar_status fence(one_sided *t)
{
    const double begin = ashi_trace_begin(t->trace);
    ashi_mpi_note(&t->base.failure, MPI_Win_fence(0, t->target.win), "MPI_Win_fence");
    if (t->trace)
        ashi_trace_note(t->trace, ASHI_LANE_CORES, ASHI_WAIT_NETWORK, begin, ashi_trace_clock(), t->step, 0, -1);
    return ASHLAR_OK;
}

static ashlar_status arrive(ashi_transport *base, int slot, ashi_arrived arrived, void *context, ashlar_error *err)
{
    (void)slot;
    (void)arrived;
    (void)context;
    (void)err;
    return fence((one_sided *)base);
}

/* Puts have left when the fence of `arrive` returns. */
static ashlar_status sent(ashi_transport *base, int slot, ashlar_error *err)
{
    (void)base;
    (void)slot;
    (void)err;
    return ASHLAR_OK;
}

/* With one slot the next puts go where others may still read: wait for them. With more, the fence of the round between
 * has done that. */
static ashlar_status release(ashi_transport *base, int slot, ashlar_error *err)
{
    one_sided *t = (one_sided *)base;
    (void)slot;
    (void)err;
    return t->window == 1 ? fence(t) : ASHLAR_OK;
}

static ashlar_status phase(ashi_transport *base, ashlar_error *err)
{
    (void)err;
    return fence((one_sided *)base);
}

static void poke(ashi_transport *base)
{
    (void)base;
}

static ashlar_status record(ashi_transport *base, ashi_trace *trace, ashlar_error *err)
{
    (void)err;
    ((one_sided *)base)->trace = trace;
    return ASHLAR_OK;
}

static void free_one_sided(ashi_transport *base)
{
    one_sided *t = (one_sided *)base;
    ashi_put_window_free(&t->target);
    free(t->peers);
    free(t);
}

ashlar_status ashi_one_sided(const ashi_transport_request *q, ashi_transport **out, ashlar_error *err)
{
    *out = NULL;
    one_sided *t = malloc(sizeof *t);
    peer *peers = malloc((size_t)q->ranks * sizeof *peers);
    if (!t || !peers) {
        free(t);
        free(peers);
        return ashi_fail_memory(err, "transport", (int64_t)sizeof *t + q->ranks * (int64_t)sizeof *peers);
    }
    *t = (one_sided){.base = {receive, send, arrive, sent, release, phase, poke, record, free_one_sided, {0}},
                     .comm = q->comm,
                     .target = {MPI_WIN_NULL, false}, .one_node = q->one_node, .type = ashi_mpi_type(q->type),
                     .bytes = ashlar_type_bytes(q->type), .window = q->window, .most = q->message_most,
                     .workspace = q->workspace, .own = {q->c_words, q->a_words, q->slot_words}, .peers = peers};
    *out = &t->base;
    return ASHLAR_OK;
}

/* Every rank makes every call, whatever went wrong: the others are in it too. */
ashlar_status ashi_one_sided_open(ashi_transport *base, void **workspace, ashlar_error *err)
{
    one_sided *t = (one_sided *)base;
    ashi_mpi_note(&base->failure, MPI_Allgather(&t->own, 3, MPI_INT64_T, t->peers, 3, MPI_INT64_T, t->comm),
                  "MPI_Allgather");
    ashi_put_window_open(&t->target, t->comm, t->workspace, t->bytes, t->one_node, workspace, &base->failure);
    return ashi_mpi_noted(&base->failure, err);
}
