/* The network lane: messages by MPI_Isend and MPI_Irecv, on the calling thread.
 *
 * A failure of MPI is noted, and the lane goes on, for other ranks wait for what this one still has to send. */
#include "exec/place_of.h"

#include "base/array.h"
#include "base/checked.h"
#include "base/error.h"
#include "exec/transport.h"

#include <stdlib.h>

/* Calls that fail are made again, as often; then what they were for is given up. One that left a request is not made
 * again: it has begun what it was for, and a second receive would wait for a message that has come. */
enum { TRIES = 3 };

typedef struct request_of {
    int64_t number; /* of the task */
    int64_t words;  /* of a receive */
} request_of;

typedef struct network {
    ashi_beside base;
    ashi_play *play;
    MPI_Datatype type;
    MPI_Request *request;
    request_of *of;      /* by request */
    int *done;
    MPI_Status *status;
    int requests;
    int64_t capacity;
    int failed_waits;    /* one after the other */
    bool synchronous;    /* every send */
} network;

static void note(network *t, int code, const char *call)
{
    ashlar_error err;
    if (ashi_mpi(code, call, &err) != ASHLAR_OK)
        ashi_play_fail(t->play, &err);
}

/* Room for one request more. */
static bool room(network *t)
{
    const int64_t wanted = t->requests + 1;
    if (wanted <= t->capacity)
        return true;
    const int64_t capacity = ashi_max(ASHI_ARRAY_LEAST, 2 * t->capacity);
    MPI_Request *request = realloc(t->request, (size_t)capacity * sizeof *request);
    t->request = request ? request : t->request;
    request_of *of = realloc(t->of, (size_t)capacity * sizeof *of);
    t->of = of ? of : t->of;
    int *done = realloc(t->done, (size_t)capacity * sizeof *done);
    t->done = done ? done : t->done;
    MPI_Status *status = realloc(t->status, (size_t)capacity * sizeof *status);
    t->status = status ? status : t->status;
    if (!request || !of || !done || !status)
        return false;
    t->capacity = capacity;
    return true;
}

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

static int post(network *t, const ashi_node *n, char *data, int words, MPI_Request *request)
{
    const MPI_Comm comm = t->play->request.comm;
    const int peer = (int)n->task.peer, tag = (int)n->task.tag;
    if (n->task.kind == ASHI_DO_RECEIVE)
        return MPI_Irecv(data, words, t->type, peer, tag, comm, request);
    if (t->synchronous || (n->task.last_to_peer && !t->play->window.keeps))
        return MPI_Issend(data, words, t->type, peer, tag, comm, request);
    return MPI_Isend(data, words, t->type, peer, tag, comm, request);
}

/* A part of a message: `most` words of the receiver's memory, of which a rank that drains sends none. */
static void begin_part(network *t, int64_t number, char *data, int64_t most)
{
    const ashi_node *n = node_of(t, number);
    const bool receives = n->task.kind == ASHI_DO_RECEIVE;
    const int words = receives || !t->play->draining ? (int)most : 0;
    if (!room(t)) {
        ashlar_error err = {0};
        ashi_fail_memory(&err, "player", t->capacity * (int64_t)sizeof(MPI_Status));
        ashi_play_fail(t->play, &err);
        part_ended(t, number);
        return;
    }
    int code = MPI_SUCCESS;
    for (int i = 0; i < TRIES; i++) {
        t->request[t->requests] = MPI_REQUEST_NULL;
        code = post(t, n, data, words, &t->request[t->requests]);
        note(t, code, receives ? "MPI_Irecv" : "MPI_Isend");
        if (code == MPI_SUCCESS || t->request[t->requests] != MPI_REQUEST_NULL)
            break;
    }
    if (t->request[t->requests] == MPI_REQUEST_NULL) {
        part_ended(t, number);
        return;
    }
    t->of[t->requests++] = (request_of){number, receives ? words : 0};
}

static void begin(ashi_beside *base, int64_t number)
{
    network *t = (network *)base;
    ashi_play *play = t->play;
    ashi_node *n = node_of(t, number);
    const ashi_task *task = &n->task;
    const bool receives = task->kind == ASHI_DO_RECEIVE;
    char *data = NULL;
    ashlar_error err;
    const ashi_placed *placed = ashi_window_placed(&play->window, receives ? n->makes : n->read[0]);
    if (ashi_message_address(play, placed, task->offset, task->words, &data, &err) != ASHLAR_OK)
        ashi_play_fail(play, &err);
    const int64_t most = play->request.message_most;
    int64_t *count = receives ? &play->tally->received_messages : &play->tally->sent_messages;
    ++*count;
    if (receives)
        play->tally->received += task->words;
    base->under_way++;
    n->began = ashi_trace_begin(play->request.trace);
    n->parts = ashi_max(1, ashi_ceil_div(task->words, most));
    for (int64_t at = 0, left = n->parts; left > 0; at += most, left--)
        begin_part(t, number, data + (size_t)at * play->bytes, ashi_min(most, task->words - at));
}

/* A receive without words where some were awaited: the sender has failed, or heard of a failure. */
static void hear(network *t, const request_of *of, MPI_Status *status)
{
    int words = 0;
    if (of->words == 0)
        return;
    const int code = MPI_Get_count(status, t->type, &words);
    note(t, code, "MPI_Get_count");
    if (code == MPI_SUCCESS && words == 0)
        t->play->draining = true;
}

static int larger_first(const void *a, const void *b)
{
    return *(const int *)b - *(const int *)a;
}

/* Whether a wait has said which requests ended, be it with an error. */
static bool said(int code)
{
    int class = MPI_SUCCESS;
    return code == MPI_SUCCESS || (MPI_Error_class(code, &class) == MPI_SUCCESS && class == MPI_ERR_IN_STATUS);
}

/* Requests that have ended are replaced by the last ones. */
static void end_requests(network *t, int count)
{
    qsort(t->done, (size_t)count, sizeof *t->done, larger_first);
    for (int i = 0; i < count; i++) {
        const int at = t->done[i];
        const int64_t number = t->of[at].number;
        t->requests--;
        t->request[at] = t->request[t->requests];
        t->of[at] = t->of[t->requests];
        part_ended(t, number);
    }
}

static void hear_all(network *t, int count)
{
    for (int i = 0; i < count; i++)
        hear(t, &t->of[t->done[i]], &t->status[i]);
}

/* What ended in a wait that failed is told by the requests alone. */
static int ended_unsaid(network *t)
{
    int count = 0;
    for (int i = 0; i < t->requests; i++)
        if (t->request[i] == MPI_REQUEST_NULL)
            t->done[count++] = i;
    return count;
}

/* MPI does not say any more what has ended. What is left is given up, so that MPI writes no more into memory that is to
 * be freed. */
static void give_all_up(network *t)
{
    for (int i = 0; i < t->requests; i++) {
        if (t->request[i] != MPI_REQUEST_NULL) {
            if (node_of(t, t->of[i].number)->task.kind == ASHI_DO_RECEIVE)
                note(t, MPI_Cancel(&t->request[i]), "MPI_Cancel");
            note(t, MPI_Request_free(&t->request[i]), "MPI_Request_free");
        }
    }
    const int left = t->requests;
    t->requests = 0;
    for (int i = 0; i < left; i++)
        part_ended(t, t->of[i].number);
}

static void wait_network(ashi_beside *base, double seconds)
{
    network *t = (network *)base;
    int count = 0;
    if (t->requests == 0)
        return;
    const bool blocks = seconds < 0;
    const int code = blocks ? MPI_Waitsome(t->requests, t->request, &count, t->done, t->status)
                            : MPI_Testsome(t->requests, t->request, &count, t->done, t->status);
    note(t, code, blocks ? "MPI_Waitsome" : "MPI_Testsome");
    t->failed_waits = said(code) ? 0 : t->failed_waits + 1;
    if (!said(code))
        count = ended_unsaid(t);
    if (t->failed_waits >= TRIES || count == MPI_UNDEFINED) {
        give_all_up(t);
        return;
    }
    if (said(code))
        hear_all(t, count);
    end_requests(t, count);
}

static void free_network(ashi_beside *base)
{
    network *t = (network *)base;
    free(t->request);
    free(t->of);
    free(t->done);
    free(t->status);
    free(t);
}

ashlar_status ashi_network_create(ashi_play *play, ashi_beside **out, ashlar_error *err)
{
    network *t = calloc(1, sizeof *t);
    *out = NULL;
    if (!t)
        return ashi_fail_memory(err, "player", (int64_t)sizeof *t);
    *t = (network){.base = {.begin = begin, .wait = wait_network, .free = free_network}, .play = play,
                   .type = ashi_mpi_type(play->request.type), .synchronous = play->disorder != 0};
    *out = &t->base;
    return ASHLAR_OK;
}
