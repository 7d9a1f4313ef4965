/* How messages travel: one interface over two-sided and one-sided MPI.
 *
 * Messages belong to a slot of the schedule. An item is what the executor waits for: it may be several messages, and is
 * told once all of them are there. Counts are elements; a message beyond what MPI can count is split here. */
#ifndef ASHI_TRANSPORT_H
#define ASHI_TRANSPORT_H

#include "exec/trace.h"

#include <ashlar/plan.h>

/* Most elements of one MPI message. */
enum { ASHI_MESSAGE_MOST = 1 << 30 };

/* An item has arrived: act on it. */
typedef ashlar_status (*ashi_arrived)(void *context, int64_t item, ashlar_error *err);

/* Where in the receiver's workspace a message arrives. */
typedef enum ashi_landing { ASHI_LAND_A, ASHI_LAND_B, ASHI_LAND_SUM } ashi_landing;

typedef struct ashi_parcel {
    void *data;      /* to be sent from, or received into */
    int64_t words;
    int peer, tag, slot;
    int64_t item;    /* of a receive; below 0 where nobody need be told */
    int64_t step;    /* of the schedule, for a trace */
    ashi_landing landing;
    int64_t offset;  /* of a send: after the landing's place in the slot of the peer */
} ashi_parcel;

typedef struct ashi_transport ashi_transport;

/* A failure of MPI is kept in `failure` and the transport goes on, for other ranks wait for what this one still has to
 * send: a run ends with `ashi_transport_outcome`. Other failures are returned at once. */
struct ashi_transport {
    ashlar_status (*receive)(ashi_transport *t, const ashi_parcel *parcel, ashlar_error *err);
    ashlar_status (*send)(ashi_transport *t, const ashi_parcel *parcel, ashlar_error *err);
    /* Wait for all items of a slot. */
    ashlar_status (*arrive)(ashi_transport *t, int slot, ashi_arrived arrived, void *context, ashlar_error *err);
    /* Wait until what the slot has sent so far, all of it before the last `arrive`, has left. */
    ashlar_status (*sent)(ashi_transport *t, int slot, ashlar_error *err);
    /* Wait until what the slot sent has left and others may send to it again. */
    ashlar_status (*release)(ashi_transport *t, int slot, ashlar_error *err);
    /* Every rank is done with what buffers meant so far. */
    ashlar_status (*phase)(ashi_transport *t, ashlar_error *err);
    /* Let MPI work while the executor computes. */
    void (*poke)(ashi_transport *t);
    /* Record messages and waits from the next execution on; NULL: no longer. */
    ashlar_status (*record)(ashi_transport *t, ashi_trace *trace, ashlar_error *err);
    void (*free)(ashi_transport *t);
    ashlar_error failure; /* the first of MPI that has not been reported; status ASHLAR_OK: none */
};

/* What a transport must know of the plan. */
typedef struct ashi_transport_request {
    MPI_Comm comm;
    int ranks; /* of comm */
    ashlar_type type;
    int window;
    int64_t messages_in_flight; /* most receives, or most sends, in one slot of this rank, before splitting */
    int64_t message_most;       /* ASHI_MESSAGE_MOST, or less in tests */
    int64_t largest;            /* words of the largest message of this rank */
    int64_t c_words, a_words, slot_words, workspace;
    bool one_node;              /* all ranks share memory */
} ashi_transport_request;

ashlar_status ashi_two_sided(const ashi_transport_request *request, ashi_transport **out, ashlar_error *err);

/* Without its window. Local. */
ashlar_status ashi_one_sided(const ashi_transport_request *request, ashi_transport **out, ashlar_error *err);

/* Make the window, which is the workspace, at *workspace. Collective; every rank must have its transport. The status is
 * this rank's own. */
ashlar_status ashi_one_sided_open(ashi_transport *transport, void **workspace, ashlar_error *err);

/* ASHLAR_ERR_MPI with MPI's own words, unless code is MPI_SUCCESS. */
ashlar_status ashi_mpi(int code, const char *call, ashlar_error *err);

/* Keep a failure in *first, unless code is MPI_SUCCESS or one is kept there already. */
void ashi_mpi_note(ashlar_error *first, int code, const char *call);

/* The failure that is kept, or ASHLAR_OK. It is kept no longer. */
ashlar_status ashi_mpi_noted(ashlar_error *first, ashlar_error *err);

/* False before MPI_Init and after MPI_Finalize, when no other call of MPI is allowed. */
bool ashi_mpi_runs(void);

/* The status of a run: its own, or that of MPI which the transport has kept. */
ashlar_status ashi_transport_outcome(ashi_transport *transport, ashlar_status own, ashlar_error *err);

/* The MPI datatype of an element. */
MPI_Datatype ashi_mpi_type(ashlar_type type);

#endif
