/* Messages by MPI_Put into a window that is the workspace; rounds are closed by fences. */
#include "base/checked.h"
#include "base/error.h"
#include "exec/transport.h"

#include <stdlib.h>

enum { LINE = 64 };

/* Where another rank's landings are: its C buffer, its A buffer's size, its slot's size. */
typedef struct peer {
    int64_t c_words, a_words, slot_words;
} peer;

typedef struct one_sided {
    ashi_transport base;
    MPI_Win window_of;
    MPI_Datatype type;
    size_t bytes;
    int window;
    int64_t most;
    peer *peers;
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
    for (int64_t at = 0; at < p->words; at += t->most) {
        const int count = (int)ashi_min(t->most, p->words - at);
        const ashlar_status status =
            ashi_mpi(MPI_Put((char *)p->data + (size_t)at * t->bytes, count, t->type, p->peer,
                             (MPI_Aint)(place + p->offset + at), count, t->type, t->window_of),
                     "MPI_Put", err);
        if (status != ASHLAR_OK)
            return status;
    }
    return ASHLAR_OK;
}

static ashlar_status fence(one_sided *t, ashlar_error *err)
{
    return ashi_mpi(MPI_Win_fence(0, t->window_of), "MPI_Win_fence", err);
}

static ashlar_status arrive(ashi_transport *base, int slot, ashi_arrived arrived, void *context, ashlar_error *err)
{
    (void)slot;
    (void)arrived;
    (void)context;
    return fence((one_sided *)base, err);
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
    return t->window == 1 ? fence(t, err) : ASHLAR_OK;
}

static ashlar_status phase(ashi_transport *base, ashlar_error *err)
{
    return fence((one_sided *)base, err);
}

static void poke(ashi_transport *base)
{
    (void)base;
}

static void free_one_sided(ashi_transport *base)
{
    one_sided *t = (one_sided *)base;
    if (t->window_of != MPI_WIN_NULL && ashi_mpi_runs())
        MPI_Win_free(&t->window_of);
    free(t->peers);
    free(t);
}

/* If all ranks share memory the window is not made by MPI_Win_allocate: Open MPI 4 lets its component for remote memory
 * make that one, which names a file in /dev/shm after the number of the communicator alone. Communicators without a
 * common rank may have the same number, and if both make a window at once one takes the other's file. */
static ashlar_status allocate_window(one_sided *t, const ashi_transport_request *q, void **workspace, ashlar_error *err)
{
    /* Whole lines: with odd sizes MPICH 4.0's ranks disagree by some bytes about where a shared window begins. */
    const int64_t lines = ashi_ceil_div(q->workspace * (int64_t)t->bytes, LINE);
    const MPI_Aint bytes = (MPI_Aint)(lines * LINE);
    if (q->one_node)
        return ashi_mpi(
            MPI_Win_allocate_shared(bytes, (int)t->bytes, MPI_INFO_NULL, q->comm, workspace, &t->window_of),
            "MPI_Win_allocate_shared", err);
    return ashi_mpi(MPI_Win_allocate(bytes, (int)t->bytes, MPI_INFO_NULL, q->comm, workspace, &t->window_of),
                    "MPI_Win_allocate", err);
}

ashlar_status ashi_one_sided(const ashi_transport_request *q, void **workspace, ashi_transport **out,
                             ashlar_error *err)
{
    int ranks = 0;
    *out = NULL;
    MPI_Comm_size(q->comm, &ranks);
    one_sided *t = malloc(sizeof *t);
    peer *peers = malloc((size_t)ranks * sizeof *peers);
    int mine = t && peers, all = 0; /* nobody may miss the window's making */
    ashlar_status status = ashi_mpi(MPI_Allreduce(&mine, &all, 1, MPI_INT, MPI_MIN, q->comm), "MPI_Allreduce", err);
    if (status == ASHLAR_OK && !all)
        status = ashi_fail_memory(err, "transport", (int64_t)sizeof(one_sided) + ranks * (int64_t)sizeof *peers);
    if (status != ASHLAR_OK) {
        free(t);
        free(peers);
        return status;
    }
    *t = (one_sided){.base = {receive, send, arrive, sent, release, phase, poke, free_one_sided},
                     .window_of = MPI_WIN_NULL, .type = ashi_mpi_type(q->type), .bytes = ashlar_type_bytes(q->type),
                     .window = q->window, .most = q->message_most, .peers = peers};
    const peer own = {q->c_words, q->a_words, q->slot_words};
    status = ashi_mpi(MPI_Allgather(&own, 3, MPI_INT64_T, peers, 3, MPI_INT64_T, q->comm), "MPI_Allgather", err);
    if (status == ASHLAR_OK)
        status = allocate_window(t, q, workspace, err);
    if (status == ASHLAR_OK)
        status = ashi_mpi(MPI_Win_set_errhandler(t->window_of, MPI_ERRORS_RETURN), "MPI_Win_set_errhandler", err);
    if (status != ASHLAR_OK) {
        free_one_sided(&t->base);
        return status;
    }
    *out = &t->base;
    return ASHLAR_OK;
}
