/* The network lane: messages by MPI_Isend and MPI_Irecv, on the calling thread.
 *
 * A failure of MPI is noted, and the lane goes on, for other ranks wait for what this one still has to send. */
#include "exec/place_of.h"

#include "base/checked.h"
#include "base/error.h"
#include "exec/mpi.h"
#include "exec/requests.h"

#include <stdlib.h>

typedef struct network {
    ashi_beside base;
    ashi_play *play;
    MPI_Datatype type[3]; /* of an element of each operand */
    ashi_requests requests;
    bool synchronous; /* every send */
} network;

static ashi_node *node_of(network *t, int64_t number)
{
    return ashi_window_node(&t->play->window, number);
}

/* A part of a message has arrived or left, or was given up. */
static void part_ended(network *t, int64_t number)
{
    if (--node_of(t, number)->parts > 0)
        return;
    ashi_play_note(t->play, ASHI_LANE_NETWORK, node_of(t, number));
    t->base.under_way--;
    ashi_play_ended(t->play, number);
}

/* A part of a message that begins: `words` at `data`. */
typedef struct beginning {
    network *t;
    const ashi_node *n;
    char *data;
    int words;
    MPI_Datatype type;
} beginning;

static int post(void *context, MPI_Request *request)
{
    const beginning *b = context;
    const network *t = b->t;
    const ashi_task *task = &b->n->task;
    const MPI_Comm comm = t->play->request.comm;
    const int peer = (int)task->peer, tag = (int)task->tag;
    if (task->kind == ASHI_DO_RECEIVE)
        return MPI_Irecv(b->data, b->words, b->type, peer, tag, comm, request);
    if (t->synchronous || (task->last_to_peer && !t->play->window.keeps))
        return MPI_Issend(b->data, b->words, b->type, peer, tag, comm, request);
    return MPI_Isend(b->data, b->words, b->type, peer, tag, comm, request);
}

/* Whose elements a message has. */
static ashlar_operand operand_of(const network *t, const ashi_node *n)
{
    return ashi_message_panel(t->play, n)->panel.operand;
}

/* A part of a message: `most` words of the receiver's memory, of which a rank that drains sends none. */
static void begin_part(network *t, int64_t number, char *data, int64_t most)
{
    const ashi_node *n = node_of(t, number);
    const bool receives = n->task.kind == ASHI_DO_RECEIVE;
    beginning b = {t, n, data, receives || !t->play->draining ? (int)most : 0, t->type[operand_of(t, n)]};
    const ashi_request_of of = {.kind = receives ? ASHI_REQUEST_RECEIVE : ASHI_REQUEST_SEND, .number = number,
                                .words = receives ? most : 0};
    if (!ashi_requests_post(&t->requests, &of, post, &b, receives ? "MPI_Irecv" : "MPI_Isend"))
        part_ended(t, number);
}

static void begin(ashi_beside *base, int64_t number)
{
    network *t = (network *)base;
    ashi_play *play = t->play;
    ashi_node *n = node_of(t, number);
    const ashi_task *task = &n->task;
    char *data = NULL;
    ashlar_error err;
    const ashi_placed *placed = ashi_message_panel(play, n);
    if (ashi_message_address(play, placed, task->offset, task->words, &data, &err) != ASHLAR_OK)
        ashi_play_fail(play, &err);
    const int64_t most = play->request.message_most;
    const size_t bytes = play->element[placed->panel.operand];
    ashi_play_count_message(play, n);
    base->under_way++;
    n->began = ashi_trace_begin(play->request.trace);
    n->parts = ashi_max(1, ashi_ceil_div(task->words, most));
    for (int64_t at = 0, left = n->parts; left > 0; at += most, left--)
        begin_part(t, number, data + (size_t)at * bytes, ashi_min(most, task->words - at));
}

/* A receive without words where some were awaited: the sender has failed, or heard of a failure. */
static void hear(network *t, const ashi_request_of *of, MPI_Status *status)
{
    int words = 0;
    if (of->words == 0)
        return;
    const int code = MPI_Get_count(status, t->type[operand_of(t, node_of(t, of->number))], &words);
    ashi_requests_note(&t->requests, code, "MPI_Get_count");
    if (code == MPI_SUCCESS && words == 0)
        t->play->draining = true;
}

static void request_ended(ashi_beside *base, const ashi_request_of *of, MPI_Status *status)
{
    network *t = (network *)base;
    if (status)
        hear(t, of, status);
    part_ended(t, of->number);
}

static void wait_network(ashi_beside *base, double seconds)
{
    ashi_requests_hear(&((network *)base)->requests, seconds < 0);
}

static void free_network(ashi_beside *base)
{
    network *t = (network *)base;
    ashi_requests_free(&t->requests);
    free(t);
}

ashlar_status ashi_network_create(ashi_play *play, ashi_beside **out, ashlar_error *err)
{
    network *t = calloc(1, sizeof *t);
    *out = NULL;
    if (!t)
        return ashi_fail_memory(err, "player", (int64_t)sizeof *t);
    *t = (network){.base = {.begin = begin, .wait = wait_network, .free = free_network}, .play = play,
                   .requests = {.play = play, .lane = &t->base, .ended = request_ended},
                   .synchronous = play->disorder != 0};
    ashi_mpi_types(play->request.type, t->type);
    *out = &t->base;
    return ashi_requests_reserve(&t->requests, play->requests, err);
}
