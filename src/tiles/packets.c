/* Packets: elements that travel from any rank to any rank, in messages of a bounded size.
 *
 * Each rank has one message on its way out and one on its way in. It goes through the ranks that it sends to in one
 * order, and through those that it receives from in one order. In turn, both are the order of ranks: a message from s
 * to r waits only for messages from s to lower ranks and for messages to r from lower ranks, so that some message can
 * always go on. Otherwise rank s sends to s + 1, s + 2, ... and r receives from r - 1, r - 2, ...: in step i all ranks
 * send, each to another. */
#include "tiles/packets.h"

#include "base/array.h"
#include "base/checked.h"
#include "base/error.h"
#include "exec/mpi.h"
#include "exec/requests.h"

#include <string.h>

enum { TAG = 0 };

ashlar_status ashi_packets_add(ashi_packets *packets, const ashi_packet *packet, ashlar_error *err)
{
    ashi_packet *const room = ashi_array_room(packets->packet, &packets->capacity, packets->count + 1, sizeof *room);
    if (!room)
        return ashi_fail_memory(err, "a list of tiles", (packets->count + 1) * (int64_t)sizeof *room);
    packets->packet = room;
    packets->packet[packets->count++] = *packet;
    return ASHLAR_OK;
}

void ashi_packets_free(ashi_packets *packets)
{
    free(packets->packet);
    free(packets->start);
    *packets = (ashi_packets){0};
}

/* Elements of a message at most. */
static int64_t words_at_most(const ashi_carrier *carrier)
{
    return ASHI_PACKETS_BYTES / (int64_t)carrier->bytes;
}

/* Bytes of the longest message of a list, or more. */
static int64_t room_for(const ashi_carrier *carrier, const ashi_packets *list)
{
    const int64_t most = words_at_most(carrier);
    int64_t words = list ? 0 : most;
    for (int64_t i = 0; words < most && i < list->count; i++)
        words += ashi_min(list->packet[i].words, most);
    return ashi_max(ashi_min(words, most) * (int64_t)carrier->bytes, 1);
}

int64_t ashi_carrier_words(size_t bytes, const ashi_packets *out, const ashi_packets *in)
{
    const ashi_carrier carrier = {.bytes = bytes};
    const int64_t each = (int64_t)bytes;
    return ashi_ceil_div(room_for(&carrier, out), each) + ashi_ceil_div(room_for(&carrier, in), each);
}

ashlar_status ashi_carrier_make(ashi_carrier *carrier, const ashi_packets *out, const ashi_packets *in,
                                ashlar_error *err)
{
    const int64_t room[2] = {room_for(carrier, out), room_for(carrier, in)};
    for (int i = 0; i < 2; i++)
        carrier->buffer[i] = malloc((size_t)room[i]);
    if (carrier->buffer[0] && carrier->buffer[1])
        return ASHLAR_OK;
    return ashi_fail_memory(err, "messages of tiles", room[0] + room[1]);
}

void ashi_carrier_free(ashi_carrier *carrier)
{
    for (int i = 0; i < 2; i++)
        free(carrier->buffer[i]);
    carrier->buffer[0] = carrier->buffer[1] = NULL;
}

/* ---- carrying ---- */

/* Where one of the two ways is. */
typedef struct way {
    const ashi_packets *packets;
    int64_t step;         /* in the order of ranks */
    int peer;
    int64_t left;         /* elements that still travel to or from the peer */
    int64_t packet, first; /* the next one is element `first` of this packet */
    bool under_way;
    int64_t count;        /* elements of the message that is under way */
} way;

typedef struct carriage {
    ashi_beside base;     /* what requests ask for; first */
    ashi_play play;       /* keeps the first failure */
    ashi_requests requests;
    const ashlar_context *context;
    const ashi_carrier *carrier;
    int64_t most;         /* elements of a message */
    way out, in;
} carriage;

static bool travels(const carriage *c, const ashi_packet *p)
{
    return c->carrier->only < 0 || p->what == c->carrier->only;
}

/* Elements of the packets to or from a rank. */
static int64_t words_of(const carriage *c, const ashi_packets *packets, int rank)
{
    int64_t words = 0;
    for (int64_t i = packets->start[rank]; i < packets->start[rank + 1]; i++)
        words += travels(c, &packets->packet[i]) ? packets->packet[i].words : 0;
    return words;
}

static int peer_of(const carriage *c, const way *w)
{
    const int ranks = c->context->ranks, rank = c->context->rank;
    if (c->carrier->in_turn)
        return (int)w->step;
    return (int)((w == &c->out ? rank + w->step : rank - w->step + ranks) % ranks);
}

/* To the next rank that there is something for, or from. What a rank has for itself does not go out. */
static void next_peer(carriage *c, way *w)
{
    while (w->left == 0 && w->step < c->context->ranks) {
        w->peer = peer_of(c, w);
        w->step++;
        if (w == &c->out && w->peer == c->context->rank)
            continue;
        w->packet = w->packets->start[w->peer];
        w->first = 0;
        w->left = words_of(c, w->packets, w->peer);
    }
}

/* The next `count` elements of a way, piece by piece. */
static void go_through(const carriage *c, way *w, int64_t count, char *buffer, bool packs)
{
    const ashi_carrier *const carrier = c->carrier;
    w->left -= count;
    while (count > 0) {
        const ashi_packet *p = &w->packets->packet[w->packet];
        const int64_t rest = travels(c, p) ? p->words - w->first : 0, now = ashi_min(rest, count);
        if (now > 0 && packs)
            carrier->pack(carrier->user, p, w->first, now, buffer);
        else if (now > 0)
            carrier->unpack(carrier->user, p, w->first, now, buffer);
        buffer += (size_t)now * carrier->bytes;
        count -= now;
        w->first += now;
        if (now == rest) {
            w->packet++;
            w->first = 0;
        }
    }
}

static int post_send(void *context, MPI_Request *request)
{
    const carriage *c = context;
    return MPI_Isend(c->carrier->buffer[0], (int)c->out.count * (int)c->carrier->bytes, MPI_BYTE, c->out.peer, TAG,
                     c->context->comm, request);
}

static int post_receive(void *context, MPI_Request *request)
{
    const carriage *c = context;
    return MPI_Irecv(c->carrier->buffer[1], (int)c->in.count * (int)c->carrier->bytes, MPI_BYTE, c->in.peer, TAG,
                     c->context->comm, request);
}

static void ended(ashi_beside *lane, const ashi_request_of *of, MPI_Status *status)
{
    carriage *const c = (carriage *)lane;
    way *const w = of->kind == ASHI_REQUEST_SEND ? &c->out : &c->in;
    w->under_way = false;
    if (of->kind == ASHI_REQUEST_SEND)
        return;
    if (status)
        go_through(c, w, w->count, c->carrier->buffer[1], false);
    else
        w->left -= w->count; /* it did not come: what follows from this rank goes to wrong places, and is not used */
}

static void begin_send(carriage *c)
{
    way *const w = &c->out;
    w->count = ashi_min(w->left, c->most);
    go_through(c, w, w->count, c->carrier->buffer[0], true);
    w->under_way = true;
    if (!ashi_requests_post(&c->requests, &(ashi_request_of){.kind = ASHI_REQUEST_SEND}, post_send, c, "MPI_Isend"))
        w->under_way = false;
}

static void begin_receive(carriage *c)
{
    way *const w = &c->in;
    const ashi_request_of of = {.kind = ASHI_REQUEST_RECEIVE};
    w->count = ashi_min(w->left, c->most);
    w->under_way = true;
    if (!ashi_requests_post(&c->requests, &of, post_receive, c, "MPI_Irecv"))
        ended(&c->base, &of, NULL);
}

/* What a rank has for itself. */
static void carry_own(carriage *c)
{
    way from = {.packets = c->out.packets, .packet = c->out.packets->start[c->context->rank]};
    while (c->in.left > 0) {
        const int64_t count = ashi_min(c->in.left, c->most);
        go_through(c, &from, count, c->carrier->buffer[1], true);
        go_through(c, &c->in, count, c->carrier->buffer[1], false);
    }
}

/* To the next other rank that something comes from. */
static void next_incoming(carriage *c)
{
    next_peer(c, &c->in);
    if (c->in.left == 0 || c->in.peer != c->context->rank)
        return;
    carry_own(c);
    next_peer(c, &c->in);
}

static void carry_all(carriage *c)
{
    for (;;) {
        if (!c->out.under_way)
            next_peer(c, &c->out);
        if (!c->out.under_way && c->out.left > 0)
            begin_send(c);
        if (!c->in.under_way)
            next_incoming(c);
        if (!c->in.under_way && c->in.left > 0)
            begin_receive(c);
        if (c->requests.count > 0)
            ashi_requests_hear(&c->requests, true);
        else if (c->in.left == 0 && c->out.left == 0 && c->in.step >= c->context->ranks &&
                 c->out.step >= c->context->ranks)
            return;
    }
}

void ashi_packets_carry(const ashlar_context *context, const ashi_carrier *carrier, const ashi_packets *out,
                        const ashi_packets *in)
{
    carriage c = {.context = context, .carrier = carrier, .most = words_at_most(carrier),
                  .out = {.packets = out}, .in = {.packets = in}};
    MPI_Request request[2];
    ashi_request_of of[2], over[2];
    int done[2];
    MPI_Status status[2];
    c.requests = (ashi_requests){.play = &c.play, .lane = &c.base, .ended = ended, .request = request, .of = of,
                                 .over = over, .done = done, .status = status, .capacity = 2};
    carry_all(&c);
    if (c.play.failure.status != ASHLAR_OK && context->missed->status == ASHLAR_OK)
        *context->missed = c.play.failure;
}

/* ---- announcing ---- */

/* In the order of ranks, those of one as they were. */
static ashlar_status sort_by_rank(ashi_packets *p, int ranks, ashlar_error *err)
{
    int64_t *const start = calloc((size_t)ranks + 2, sizeof *start);
    ashi_packet *const sorted = malloc(((size_t)p->count + 1) * sizeof *sorted);
    if (!start || !sorted) {
        free(start);
        free(sorted);
        return ashi_fail_memory(err, "a list of tiles", p->count * (int64_t)sizeof *sorted);
    }
    for (int64_t i = 0; i < p->count; i++)
        start[p->packet[i].rank + 2]++;
    for (int r = 0; r < ranks; r++)
        start[r + 2] += start[r + 1];
    for (int64_t i = 0; i < p->count; i++)
        sorted[start[p->packet[i].rank + 1]++] = p->packet[i];
    free(p->packet);
    free(p->start);
    p->packet = sorted;
    p->capacity = p->count + 1;
    p->start = start;
    return ASHLAR_OK;
}

/* Room for what comes. `count` has how many packets each rank has for this one. */
static ashlar_status make_room(const int64_t *count, int ranks, ashi_packets *in, ashlar_error *err)
{
    in->start = malloc(((size_t)ranks + 1) * sizeof *in->start);
    int64_t all = 0;
    for (int r = 0; r < ranks; r++) {
        if (in->start)
            in->start[r] = all;
        all += count[r];
    }
    in->packet = malloc(((size_t)all + 1) * sizeof *in->packet);
    if (!in->start || !in->packet)
        return ashi_fail_memory(err, "a list of tiles", all * (int64_t)sizeof *in->packet);
    in->start[ranks] = in->count = all;
    in->capacity = all + 1;
    return ASHLAR_OK;
}

/* Two lists whose packets are the elements of one packet for each rank. */
typedef struct lists {
    ashi_packets *out, *in;
} lists;

static void pack_list(void *user, const ashi_packet *packet, int64_t first, int64_t count, char *to)
{
    const ashi_packets *const list = ((const lists *)user)->out;
    memcpy(to, &list->packet[list->start[packet->rank] + first], (size_t)count * sizeof *list->packet);
}

static void unpack_list(void *user, const ashi_packet *packet, int64_t first, int64_t count, const char *from)
{
    ashi_packets *const list = ((const lists *)user)->in;
    ashi_packet *const to = &list->packet[list->start[packet->rank] + first];
    memcpy(to, from, (size_t)count * sizeof *to);
    for (int64_t i = 0; i < count; i++)
        to[i].rank = packet->rank;
}

/* One packet for each rank, as long as the list that is for it. */
static ashlar_status list_of_lists(const ashi_packets *list, int ranks, ashi_packets *out, ashlar_error *err)
{
    ashlar_status status = ASHLAR_OK;
    out->start = malloc(((size_t)ranks + 1) * sizeof *out->start);
    for (int r = 0; r < ranks && status == ASHLAR_OK; r++) {
        const ashi_packet p = {.rank = r, .words = list->start[r + 1] - list->start[r]};
        status = ashi_packets_add(out, &p, err);
    }
    for (int r = 0; r <= ranks && out->start; r++)
        out->start[r] = r;
    return status == ASHLAR_OK && !out->start ? ashi_fail_memory(err, "a list of tiles", ranks * 8) : status;
}

/* What all ranks hold while they tell each other what they have. */
typedef struct announcement {
    ashi_carrier carrier;
    ashi_packets out, in; /* lists of lists */
    int64_t *count;       /* of packets to each rank, then from each */
} announcement;

static ashlar_status prepare(announcement *a, const ashlar_context *c, ashi_packets *out, ashlar_error *err)
{
    a->count = calloc(2 * (size_t)c->ranks, sizeof *a->count);
    if (!a->count)
        return ashi_fail_memory(err, "a list of tiles", c->ranks * 16);
    const ashlar_status status = sort_by_rank(out, c->ranks, err);
    for (int r = 0; r < c->ranks && status == ASHLAR_OK; r++)
        a->count[r] = out->start[r + 1] - out->start[r];
    return status;
}

static ashlar_status announce(announcement *a, const ashlar_context *c, ashi_packets *out, ashi_packets *in,
                              ashlar_error *err)
{
    int64_t *const coming = a->count + c->ranks;
    ashi_note(c, MPI_Alltoall(a->count, 1, MPI_INT64_T, coming, 1, MPI_INT64_T, c->comm), "MPI_Alltoall");
    ashlar_status status = ashi_agree(c, ASHLAR_OK, err);
    if (status != ASHLAR_OK)
        return status;
    status = make_room(coming, c->ranks, in, err);
    if (status == ASHLAR_OK)
        status = list_of_lists(out, c->ranks, &a->out, err);
    if (status == ASHLAR_OK)
        status = list_of_lists(in, c->ranks, &a->in, err);
    if (status == ASHLAR_OK)
        status = ashi_carrier_make(&a->carrier, &a->out, &a->in, err);
    status = ashi_agree(c, status, err);
    if (status != ASHLAR_OK)
        return status;
    a->carrier.user = &(lists){out, in};
    ashi_packets_carry(c, &a->carrier, &a->out, &a->in);
    return ashi_agree(c, ASHLAR_OK, err);
}

ashlar_status ashi_packets_announce(const ashlar_context *context, ashlar_status mine, ashi_packets *out,
                                    ashi_packets *in, ashlar_error *err)
{
    announcement a = {
        .carrier = {.bytes = sizeof(ashi_packet), .only = -1, .pack = pack_list, .unpack = unpack_list}};
    *in = (ashi_packets){0};
    ashlar_status status = mine == ASHLAR_OK ? prepare(&a, context, out, err) : mine;
    status = ashi_agree_named(context, status, err);
    if (status == ASHLAR_OK)
        status = announce(&a, context, out, in, err);
    ashi_carrier_free(&a.carrier);
    ashi_packets_free(&a.out);
    ashi_packets_free(&a.in);
    free(a.count);
    return status;
}
