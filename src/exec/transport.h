/* How the messages of a movement between layouts travel.
 *
 * Messages belong to a slot: a round in flight has one. An item is what a movement waits for: one or several messages.
 * It is reported once all of them are there. Counts are elements; a message beyond what MPI can count is split here. */
#ifndef ASHI_TRANSPORT_H
#define ASHI_TRANSPORT_H

#include "exec/mpi.h"

/* An item has arrived: act on it. */
typedef ashlar_status (*ashi_arrived)(void *context, int64_t item, ashlar_error *err);

typedef struct ashi_parcel {
    void *data;      /* to be sent from, or received into */
    int64_t words;
    int peer, slot;
    int64_t item;    /* of a receive */
} ashi_parcel;

typedef struct ashi_transport ashi_transport;

/* What a transport needs to be made. */
typedef struct ashi_transport_request {
    MPI_Comm comm;
    ashlar_type type;
    int window;                 /* slots */
    int64_t messages_in_flight; /* most receives, or most sends, in one slot of this rank, before splitting */
    int64_t message_most;       /* ASHI_MESSAGE_MOST, or less in tests */
    int64_t largest;            /* words of the largest message of this rank */
} ashi_transport_request;

ashlar_status ashi_transport_create(const ashi_transport_request *request, ashi_transport **out, ashlar_error *err);

/* A failure of MPI is kept and the transport goes on, for other ranks wait for what this one still has to send: a run
 * ends with `ashi_transport_outcome`. Other failures are returned at once. */
ashlar_status ashi_transport_receive(ashi_transport *transport, const ashi_parcel *parcel, ashlar_error *err);
ashlar_status ashi_transport_send(ashi_transport *transport, const ashi_parcel *parcel, ashlar_error *err);

/* Wait for all items of a slot. */
ashlar_status ashi_transport_arrive(ashi_transport *transport, int slot, ashi_arrived arrived, void *context,
                                    ashlar_error *err);

/* Wait until what a slot has sent so far, all of it before the last `arrive`, has left. */
void ashi_transport_sent(ashi_transport *transport, int slot);

/* The status of a run: its own, or that of MPI which the transport has kept. */
ashlar_status ashi_transport_outcome(ashi_transport *transport, ashlar_status own, ashlar_error *err);

/* NULL does nothing. */
void ashi_transport_free(ashi_transport **transport);

#endif
