/* The network lane of one-sided transport: words are put into the workspace of the rank that awaits them.
 *
 * A receive that begins has a free landing: it sends the sender a credit, which says where that is. The sender waits
 * for the credit, puts the words there, and sends a note when they have arrived. Credits and notes are letters of one
 * number. A rank that drains gives credits for nothing and puts nothing, and its letters say so.
 *
 * As in the two-sided lane a failure of MPI is noted, and the lane goes on. */
#include "exec/place_of.h"

#include "base/array.h"
#include "base/checked.h"
#include "base/error.h"
#include "exec/mpi.h"
#include "exec/put_window.h"
#include "exec/requests.h"

#include <stdlib.h>

enum { DRAINS = -1, SHEET = 64 };

/* What a letter says: a credit the byte of the receiver's window, a note how many words were put; or DRAINS. */
typedef struct letter {
    int64_t word;
    struct letter *next; /* free ones are a list */
} letter;

typedef struct sheet {
    struct sheet *next;
    letter at[SHEET];
} sheet;

typedef struct one_sided_lane {
    ashi_beside base;
    ashi_play *play;
    MPI_Datatype type[3]; /* of an element of each operand */
    ashi_requests requests;
    ashi_put_window window;
    bool locked;         /* the window, for puts, or MPI failed when it was to be locked */
    bool synchronous;    /* every letter */
    sheet *sheets;
    letter *free_letter;
    int64_t *put;        /* tasks whose puts have left this rank, and are to be flushed */
    int64_t puts, put_capacity;
    int64_t drains, lost; /* letters if memory lacks for one: to be sent, and received */
} one_sided_lane;

static ashi_node *node_of(const one_sided_lane *t, int64_t number)
{
    return ashi_window_node(&t->play->window, number);
}

/* ---- letters ---- */

/* NULL if memory lacks: then this rank drains. */
static letter *take_letter(one_sided_lane *t)
{
    if (!t->free_letter) {
        sheet *s = malloc(sizeof *s);
        if (!s) {
            ashlar_error err = {0};
            ashi_fail_memory(&err, "player", (int64_t)sizeof *s);
            ashi_play_fail(t->play, &err);
            return NULL;
        }
        s->next = t->sheets;
        t->sheets = s;
        for (int i = 0; i < SHEET; i++) {
            s->at[i].next = t->free_letter;
            t->free_letter = &s->at[i];
        }
    }
    letter *l = t->free_letter;
    t->free_letter = l->next;
    return l;
}

static void leave_letter(one_sided_lane *t, letter *l)
{
    if (!l)
        return;
    l->next = t->free_letter;
    t->free_letter = l;
}

/* A letter to be sent, or received into `word`. */
typedef struct mail {
    const one_sided_lane *t;
    int64_t *word;
    int peer, tag;
} mail;

static int post_to_send(void *context, MPI_Request *request)
{
    const mail *m = context;
    const MPI_Comm comm = m->t->play->request.comm;
    return m->t->synchronous ? MPI_Issend(m->word, 1, MPI_INT64_T, m->peer, m->tag, comm, request)
                             : MPI_Isend(m->word, 1, MPI_INT64_T, m->peer, m->tag, comm, request);
}

static int post_to_receive(void *context, MPI_Request *request)
{
    const mail *m = context;
    return MPI_Irecv(m->word, 1, MPI_INT64_T, m->peer, m->tag, m->t->play->request.comm, request);
}

/* Credits travel against the messages, and have tags of their own: the upper half. */
static int tag_of(const ashi_play *play, const ashi_task *task, bool credit)
{
    return (int)(task->tag + (credit ? ashi_player_tags(&play->request) : 0));
}

/* False: it will never be sent. */
static bool send_letter(one_sided_lane *t, const ashi_node *n, int64_t word)
{
    letter *l = take_letter(t);
    if (l)
        l->word = word;
    mail m = {t, l ? &l->word : &t->drains, (int)n->task.peer,
              tag_of(t->play, &n->task, n->task.kind == ASHI_DO_RECEIVE)};
    const ashi_request_of of = {.kind = ASHI_REQUEST_SEND, .number = n->task.number, .letter = l};
    if (ashi_requests_post_and_test(&t->requests, &of, post_to_send, &m, "MPI_Isend")) {
        t->play->tally->letters++;
        return true;
    }
    leave_letter(t, l);
    return false;
}

/* False: it will never be received. */
static bool receive_letter(one_sided_lane *t, const ashi_node *n)
{
    letter *l = take_letter(t);
    if (l)
        l->word = DRAINS;
    mail m = {t, l ? &l->word : &t->lost, (int)n->task.peer,
              tag_of(t->play, &n->task, n->task.kind == ASHI_DO_SEND)};
    const ashi_request_of of = {.kind = ASHI_REQUEST_RECEIVE, .number = n->task.number, .letter = l};
    if (ashi_requests_post_and_test(&t->requests, &of, post_to_receive, &m, "MPI_Irecv"))
        return true;
    leave_letter(t, l);
    return false;
}

/* ---- messages ---- */

static void part_ended(one_sided_lane *t, int64_t number)
{
    if (--node_of(t, number)->parts > 0)
        return;
    ashi_play_note(t->play, ASHI_LANE_NETWORK, node_of(t, number));
    t->base.under_way--;
    ashi_play_ended(t->play, number);
}

static char *address_of(const one_sided_lane *t, const ashi_node *n)
{
    ashi_play *play = t->play;
    const ashi_task *task = &n->task;
    const bool receives = task->kind == ASHI_DO_RECEIVE;
    char *data = NULL;
    ashlar_error err;
    const ashi_placed *placed = ashi_message_panel(play, n);
    if (receives && placed->panel.memory != ASHI_MEMORY_POOL) {
        ashi_fail(&err, ASHLAR_ERR_INTERNAL, "task %lld receives outside the workspace", (long long)task->number);
        ashi_play_fail(play, &err);
    } else if (ashi_message_address(play, placed, task->offset, task->words, &data, &err) != ASHLAR_OK) {
        ashi_play_fail(play, &err);
    }
    return data;
}

/* The credit, and a place for the note. Without a credit there will be no note. */
static void begin_receive(one_sided_lane *t, ashi_node *n)
{
    const ashi_play *play = t->play;
    const int64_t number = n->task.number;
    const char *data = play->draining ? NULL : address_of(t, n);
    const int64_t landing = play->draining ? DRAINS : data - t->window.begin;
    n->parts = 2;
    const bool credit = send_letter(t, n, landing);
    if (!credit || !receive_letter(t, n))
        part_ended(t, number);
    if (!credit)
        part_ended(t, number);
}

typedef struct putting {
    const one_sided_lane *t;
    const ashi_node *n;
    const char *data;
    int words;
    int64_t at; /* in the receiver's window */
} putting;

static int post_put(void *context, MPI_Request *request)
{
    const putting *p = context;
    const MPI_Datatype type = p->t->type[ashi_message_panel(p->t->play, p->n)->panel.operand];
    return MPI_Rput(p->data, p->words, type, (int)p->n->task.peer, (MPI_Aint)p->at, p->words, type, p->t->window.win,
                    request);
}

static void put_all(one_sided_lane *t, ashi_node *n, int64_t landing)
{
    const int64_t most = t->play->request.message_most, words = n->task.words;
    const ashi_request_of of = {.kind = ASHI_REQUEST_PUT, .number = n->task.number};
    const char *data = address_of(t, n);
    const size_t bytes = t->play->element[ashi_message_panel(t->play, n)->panel.operand];
    for (int64_t at = 0; at < words && !t->play->draining; at += most) {
        putting p = {t, n, data + (size_t)at * bytes, (int)ashi_min(most, words - at),
                     landing + at * (int64_t)bytes};
        n->parts++;
        if (!ashi_requests_post_and_test(&t->requests, &of, post_put, &p, "MPI_Rput"))
            n->parts--;
    }
}

/* What was put has left this rank: wait until it is in the receiver's memory. */
static void flush(const one_sided_lane *t, const ashi_node *n)
{
    int code = MPI_ERR_OTHER;
    for (int i = 0; i < ASHI_MPI_TRIES && code != MPI_SUCCESS; i++) {
        code = MPI_Win_flush((int)n->task.peer, t->window.win);
        ashi_requests_note(&t->requests, code, "MPI_Win_flush");
    }
}

/* The words are with the receiver once this rank's puts to it are flushed. */
static void end_message(one_sided_lane *t, ashi_node *n)
{
    flush(t, n);
    n->parts = 1;
    if (!send_letter(t, n, t->play->draining ? DRAINS : n->task.words))
        part_ended(t, n->task.number);
}

/* In memory that ranks share the words are there. Else a flush waits for the network, and puts to other ranks that can
 * begin meanwhile go first. */
static void put_ended(one_sided_lane *t, ashi_node *n)
{
    if (--n->parts > 0)
        return;
    int64_t *put = t->play->request.one_node
                       ? NULL
                       : ashi_array_room(t->put, &t->put_capacity, t->puts + 1, sizeof *t->put);
    if (!put) {
        end_message(t, n);
        return;
    }
    t->put = put;
    t->put[t->puts++] = n->task.number;
}

/* The first step of a message whose credit is awaited. */
static int64_t least_awaited(const one_sided_lane *t)
{
    int64_t least = INT64_MAX;
    for (int i = 0; i < t->requests.count; i++) {
        const ashi_request_of *of = &t->requests.of[i];
        const ashi_task *task = &node_of(t, of->number)->task;
        if (of->kind == ASHI_REQUEST_RECEIVE && task->kind == ASHI_DO_SEND)
            least = ashi_min(least, task->step);
    }
    return least;
}

/* Flush what no other put of its step or an earlier one is to go before; whether there was any. Nobody waits for ever:
 * a receive waits for no task of its step, so its credit depends on earlier steps alone. */
static bool end_puts(one_sided_lane *t)
{
    const int64_t least = least_awaited(t), before = t->puts;
    int64_t left = 0;
    for (int64_t i = 0; i < before; i++) {
        ashi_node *n = node_of(t, t->put[i]);
        if (n->task.step < least)
            end_message(t, n);
        else
            t->put[left++] = t->put[i];
    }
    t->puts = left;
    return left < before;
}

static void credit_arrived(one_sided_lane *t, ashi_node *n, int64_t landing)
{
    t->play->draining = t->play->draining || landing < 0;
    n->began = ashi_trace_begin(t->play->request.trace);
    n->parts = 1; /* until all puts are posted */
    if (!t->play->draining)
        put_all(t, n, landing);
    put_ended(t, n);
}

/* The words are there; MPI lets this rank see them. */
static void note_arrived(one_sided_lane *t, int64_t number, int64_t words)
{
    t->play->draining = t->play->draining || words < 0;
    ashi_requests_note(&t->requests, MPI_Win_sync(t->window.win), "MPI_Win_sync");
    part_ended(t, number);
}

static void request_ended(ashi_beside *base, const ashi_request_of *of, MPI_Status *status)
{
    one_sided_lane *t = (one_sided_lane *)base;
    letter *l = of->letter;
    const int64_t word = l ? l->word : DRAINS;
    ashi_node *n = node_of(t, of->number);
    leave_letter(t, l);
    (void)status;
    if (of->kind == ASHI_REQUEST_PUT)
        put_ended(t, n);
    else if (of->kind == ASHI_REQUEST_SEND)
        part_ended(t, of->number);
    else if (n->task.kind == ASHI_DO_SEND)
        credit_arrived(t, n, word);
    else
        note_arrived(t, of->number, word);
}

static void begin(ashi_beside *base, int64_t number)
{
    one_sided_lane *t = (one_sided_lane *)base;
    ashi_node *n = node_of(t, number);
    ashi_play_count_message(t->play, n);
    base->under_way++;
    n->began = ashi_trace_begin(t->play->request.trace);
    if (n->task.kind == ASHI_DO_RECEIVE)
        begin_receive(t, n);
    else if (!receive_letter(t, n))
        credit_arrived(t, n, DRAINS);
}

static void wait_one_sided(ashi_beside *base, double seconds)
{
    one_sided_lane *t = (one_sided_lane *)base;
    while (t->puts > 0 && ashi_requests_hear(&t->requests, false))
        continue;
    if (!end_puts(t))
        ashi_requests_hear(&t->requests, seconds < 0);
}

/* ---- before and after ---- */

/* Unlocking fails together with freeing at worst, and what fails to be freed stays until MPI ends. */
static void free_one_sided(ashi_beside *base)
{
    one_sided_lane *t = (one_sided_lane *)base;
    int code = MPI_ERR_OTHER;
    for (int i = 0; i < ASHI_MPI_TRIES && t->locked && code != MPI_SUCCESS && ashi_mpi_runs(NULL); i++)
        code = MPI_Win_unlock_all(t->window.win);
    ashi_put_window_free(&t->window);
    for (sheet *next, *s = t->sheets; s; s = next) {
        next = s->next;
        free(s);
    }
    ashi_requests_free(&t->requests);
    free(t->put);
    free(t);
}

ashlar_status ashi_puts_create(ashi_play *play, ashi_beside **out, ashlar_error *err)
{
    one_sided_lane *t = calloc(1, sizeof *t);
    *out = NULL;
    if (!t)
        return ashi_fail_memory(err, "player", (int64_t)sizeof *t);
    *t = (one_sided_lane){.base = {.begin = begin, .wait = wait_one_sided, .free = free_one_sided}, .play = play,
                          .requests = {.play = play, .lane = &t->base, .ended = request_ended},
                          .window = {.win = MPI_WIN_NULL}, .synchronous = play->disorder != 0, .drains = DRAINS};
    ashi_mpi_types(play->request.type, t->type);
    *out = &t->base;
    return ashi_requests_reserve(&t->requests, play->requests, err);
}

ashlar_status ashi_puts_open(ashi_beside *base, int64_t words, ashlar_error *err)
{
    one_sided_lane *t = (one_sided_lane *)base;
    ashi_play *play = t->play;
    ashlar_error failure = {0};
    void *workspace = NULL;
    ashi_put_window_open(&t->window, play->request.comm, words, play->bytes, play->request.one_node, &workspace,
                         &failure);
    play->workspace = workspace;
    if (failure.status == ASHLAR_OK) { /* nobody locks it for himself, so nothing need be checked */
        ashi_mpi_note(&failure, MPI_Win_lock_all(MPI_MODE_NOCHECK, t->window.win), "MPI_Win_lock_all");
        t->locked = true;
    }
    return ashi_mpi_noted(&failure, err);
}
