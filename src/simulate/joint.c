/* Joint play: all ranks' programs against lanes, in simulated time. */
#include "simulate/joint.h"

#include "base/array.h"
#include "base/checked.h"
#include "base/error.h"
#include "base/map.h"
#include "model/rates.h"
#include "schedule/window.h"
#include "simulate/jobs.h"

#include <inttypes.h>
#include <math.h>
#include <stdlib.h>

enum { NONE = -1, TAGS = 32768, FOUND_PER_TASK = 64 };

/* What a job is for: of[0] of an ashi_port_job. */
typedef enum job_kind {
    JOB_CORES,   /* of[1]: rank, of[2]: task */
    JOB_BEGIN,   /* the calling thread has found the time to begin a task of another lane: rank, task */
    JOB_DISK,    /* rank, task */
    JOB_LATENCY, /* of[1]: message */
    JOB_MESSAGE
} job_kind;

/* Tasks of a rank that the disk has not begun: first in, first out. */
typedef struct queue {
    int64_t *number;
    int64_t first, end, capacity;
} queue;

typedef struct player {
    ashi_program program;
    ashi_passes *passes;
    ashi_window window;
    int64_t passed;
    int64_t core_job, core_task; /* NONE: the cores are idle */
    double core_began, idle_from;
    double thread_free;          /* until then the calling thread begins tasks of other lanes */
    queue disk_waiting;
    int64_t under_way[ASHI_LANES];
    double busy_from[ASHI_LANES], busy[ASHI_LANES];
    const char *waited;          /* what the cores wait for, by what ended last */
    bool ended;
} player;

/* A message of which at least one end was begun. */
typedef struct message {
    int64_t rank[2], task[2]; /* of the sender and of the receiver; NONE: not begun */
    int64_t words;
} message;

typedef struct joint {
    const ashi_joint_request *request;
    int64_t ranks;
    player *player;
    ashi_jobs jobs;
    ashi_map message_of;
    message *message;
    int64_t messages, message_capacity, free_message; /* free ones are a list by task[0] */
    int64_t tasks, ended;
    ashlar_error *err;
} joint;

/* ---- ports ---- */

static int64_t out_of(int64_t rank)
{
    return 2 * rank;
}

static int64_t into(int64_t rank)
{
    return 2 * rank + 1;
}

/* A disk has three: for reading, for writing, and for both together. */
static int64_t disk_of(const joint *j, int64_t rank)
{
    return 2 * j->ranks + (j->request->local_disks ? 3 * rank : 0);
}

/* NONE: each rank has a core of its own. */
static int64_t cores_of(const joint *j)
{
    return j->request->ranks_per_core > 1 ? 5 * j->ranks : NONE;
}

static void set_ports(joint *j)
{
    const double ranks = (double)j->ranks;
    for (int64_t r = 0; r < j->ranks; r++) {
        j->jobs.port[out_of(r)].capacity = j->jobs.port[out_of(r)].most = 1;
        j->jobs.port[into(r)].capacity = j->jobs.port[into(r)].most = 1;
        for (int i = 0; i < 3; i++) {
            ashi_port *disk = &j->jobs.port[disk_of(j, r) + i];
            disk->capacity = disk->most = (j->request->local_disks ? 1 : ranks) *
                                          (i < 2 ? 1 : ashi_disk_overlap(j->request->machine));
        }
    }
    ashi_port *cores = &j->jobs.port[5 * j->ranks];
    const double share = fmax(1, j->request->ranks_per_core);
    cores->capacity = j->request->rates_are_shared ? ranks : ranks / share;
    cores->most = j->request->rates_are_shared ? share : 1;
}

/* ---- what a lane is busy with, and how long ---- */

static void lane_begins(joint *j, int64_t rank, ashi_trace_lane lane)
{
    player *p = &j->player[rank];
    if (p->under_way[lane]++ == 0)
        p->busy_from[lane] = j->jobs.now;
}

static void lane_ends(joint *j, int64_t rank, ashi_trace_lane lane)
{
    player *p = &j->player[rank];
    if (--p->under_way[lane] == 0)
        p->busy[lane] += j->jobs.now - p->busy_from[lane];
}

static void tell(const joint *j, int64_t rank, ashi_trace_lane lane, const char *name, double begin, int64_t step,
                 int64_t words, int64_t peer)
{
    const ashi_joint_event e = {rank, lane, name, begin, j->jobs.now, step, words, peer};
    if (j->request->event)
        j->request->event(j->request->event_context, &e);
}

static void tell_task(const joint *j, int64_t rank, ashi_trace_lane lane, int64_t number, const char *name)
{
    const ashi_window *w = &j->player[rank].window;
    const ashi_node *n = ashi_window_node(w, number);
    tell(j, rank, lane, name, n->began, n->task.step, ashi_window_words(w, n),
         lane == ASHI_LANE_NETWORK ? n->task.peer : NONE);
}

/* The cores were idle until now. */
static void tell_wait(const joint *j, int64_t rank, int64_t step)
{
    const player *p = &j->player[rank];
    if (p->waited && j->jobs.now > p->idle_from)
        tell(j, rank, ASHI_LANE_CORES, p->waited, p->idle_from, step, 0, NONE);
}

/* ---- how long tasks take ---- */

static bool is_read(const ashi_window *w, const ashi_node *n)
{
    const ashi_placed *from = ashi_window_placed(w, n->read[0]);
    return from && from->panel.memory == ASHI_MEMORY_FILE;
}

/* What is in a file of what is read or written. */
static const ashi_panel *file_panel(const ashi_window *w, const ashi_node *n)
{
    return &ashi_window_placed(w, is_read(w, n) ? n->read[0] : n->makes)->panel;
}

static double call_seconds(const joint *j, const ashi_panel *file)
{
    return (double)file->words * j->request->word_seconds[file->operand];
}

double ashi_joint_disk_share(double ranks_per_core)
{
    return ranks_per_core > 0 ? fmin(ranks_per_core, 1) : 1;
}

static double disk_seconds(const joint *j, const ashi_window *w, const ashi_node *n)
{
    const ashlar_machine *m = j->request->machine;
    const ashi_panel *file = file_panel(w, n);
    return call_seconds(j, file) + (double)file->words * (double)j->request->bytes /
                                       (is_read(w, n) ? ashi_read_rate(m) : ashi_write_rate(m));
}

/* Of a core, meanwhile. */
static double disk_work(const joint *j, const ashi_window *w, const ashi_node *n)
{
    const ashi_panel *file = file_panel(w, n);
    const double bytes = (double)file->words * (double)j->request->bytes;
    return j->request->disk_share * (call_seconds(j, file) + ashi_disk_work(j->request->machine, bytes));
}

/* Words that are written when panels are added up, or one is scaled or copied. */
static double words_copied(const ashi_window *w, const ashi_node *n)
{
    double words = 0;
    for (int i = 0; i < ASHI_READS_MAX && n->task.kind == ASHI_DO_ADD; i++) {
        const ashi_placed *from = ashi_window_placed(w, n->read[i]);
        words += from ? (double)from->panel.words * (double)from->panel.copies : 0;
    }
    return words > 0 ? words : (double)ashi_window_words(w, n);
}

static double core_seconds(const joint *j, const ashi_window *w, const ashi_node *n)
{
    const ashlar_machine *m = j->request->machine;
    const ashi_task *t = &n->task;
    if (t->kind != ASHI_DO_MULTIPLY)
        return words_copied(w, n) * (double)j->request->bytes / m->copy_bandwidth;
    const double batch = (double)(t->hi[3] - t->lo[3]);
    return batch * ashi_product_seconds(m, (double)(t->hi[0] - t->lo[0]), (double)(t->hi[1] - t->lo[1]),
                                        (double)(t->hi[2] - t->lo[2]), j->request->bytes, j->request->flops);
}

/* ---- messages ---- */

static int64_t key_of(const joint *j, int64_t from, int64_t to, int64_t tag)
{
    return (from * j->ranks + to) * TAGS + tag;
}

static ashlar_status new_message(joint *j, int64_t key, int64_t *out)
{
    int64_t at = j->free_message;
    if (at < 0) {
        message *m = ashi_array_room(j->message, &j->message_capacity, j->messages + 1, sizeof *m);
        if (!m)
            return ashi_fail_memory(j->err, "simulate", j->messages * (int64_t)sizeof *m);
        j->message = m;
        at = j->messages++;
    } else {
        j->free_message = j->message[at].task[0];
    }
    j->message[at] = (message){.task = {NONE, NONE}};
    *out = at;
    return ashi_map_put(&j->message_of, key, at)
               ? ASHLAR_OK
               : ashi_fail_memory(j->err, "simulate", j->message_of.count * 16);
}

/* One end of a message has begun; with the other, it goes. */
static ashlar_status begin_message(joint *j, int64_t rank, int64_t number)
{
    const ashi_task *t = &ashi_window_node(&j->player[rank].window, number)->task;
    const int end = t->kind == ASHI_DO_SEND ? 0 : 1;
    const int64_t key = end == 0 ? key_of(j, rank, t->peer, t->tag) : key_of(j, t->peer, rank, t->tag);
    int64_t at = ashi_map_find(&j->message_of, key), job;
    const ashlar_status status = at < 0 ? new_message(j, key, &at) : ASHLAR_OK;
    if (status != ASHLAR_OK)
        return status;
    message *m = &j->message[at];
    m->rank[end] = rank;
    m->task[end] = number;
    m->words = t->words;
    lane_begins(j, rank, ASHI_LANE_NETWORK);
    if (m->task[1 - end] < 0)
        return ASHLAR_OK;
    ashi_map_remove(&j->message_of, key);
    return ashi_jobs_begin(&j->jobs, j->request->machine->latency, (const int64_t[]){NONE, NONE},
                           (const int64_t[]){JOB_LATENCY, at, 0}, &job, j->err);
}

static ashlar_status begin_transfer(joint *j, int64_t at)
{
    const message *m = &j->message[at];
    const int64_t port[] = {out_of(m->rank[0]), into(m->rank[1])}, of[] = {JOB_MESSAGE, at, 0};
    int64_t job;
    return ashi_jobs_begin(&j->jobs, (double)m->words * (double)j->request->bytes / j->request->machine->bandwidth,
                           port, of, &job, j->err);
}

/* The calling thread has `seconds` more work, now or as soon as it can. */
static ashlar_status charge(joint *j, int64_t rank, double seconds)
{
    player *p = &j->player[rank];
    if (seconds <= 0)
        return ASHLAR_OK;
    if (p->core_job >= 0)
        return ashi_jobs_extend(&j->jobs, p->core_job, seconds, j->err);
    p->thread_free = fmax(p->thread_free, j->jobs.now) + seconds;
    return ASHLAR_OK;
}

/* While a rank multiplies, its messages have only what they can do without the thread that does so. */
static void keep_thread(joint *j, int64_t rank, bool kept)
{
    const double left = 1 - j->request->machine->message_work;
    if (left == 1)
        return;
    ashi_jobs_set_capacity(&j->jobs, out_of(rank), kept ? left : 1);
    ashi_jobs_set_capacity(&j->jobs, into(rank), kept ? left : 1);
}

/* ---- the disk ---- */

static ashlar_status wait_for_disk(joint *j, queue *q, int64_t number)
{
    if (q->first == q->end)
        q->first = q->end = 0;
    int64_t *at = ashi_array_room(q->number, &q->capacity, q->end + 1, sizeof *at);
    if (!at)
        return ashi_fail_memory(j->err, "simulate", q->end * (int64_t)sizeof *at);
    q->number = at;
    at[q->end++] = number;
    return ASHLAR_OK;
}

static ashlar_status use_disk(joint *j, int64_t rank)
{
    player *p = &j->player[rank];
    const int64_t threads = j->request->disk_threads > 0 ? j->request->disk_threads : ASHI_JOINT_DISK_THREADS;
    ashlar_status status = ASHLAR_OK;
    while (p->under_way[ASHI_LANE_DISK] < threads && p->disk_waiting.first < p->disk_waiting.end &&
           status == ASHLAR_OK) {
        const int64_t number = p->disk_waiting.number[p->disk_waiting.first++];
        ashi_node *n = ashi_window_node(&p->window, number);
        const int64_t disk = disk_of(j, rank), of[] = {JOB_DISK, rank, number};
        const int64_t port[] = {is_read(&p->window, n) ? disk : disk + 1, disk + 2};
        int64_t job;
        n->began = j->jobs.now;
        lane_begins(j, rank, ASHI_LANE_DISK);
        status = ashi_jobs_begin(&j->jobs, disk_seconds(j, &p->window, n), port, of, &job, j->err);
        if (status == ASHLAR_OK)
            status = charge(j, rank, disk_work(j, &p->window, n));
    }
    return status;
}

/* ---- one rank ---- */

/* A task of another lane is begun, and the calling thread has taken the time for that. */
static ashlar_status begin_now(joint *j, int64_t rank, int64_t number)
{
    player *p = &j->player[rank];
    ashi_node *n = ashi_window_node(&p->window, number);
    n->began = j->jobs.now;
    if (n->task.kind != ASHI_DO_MOVE)
        return begin_message(j, rank, number);
    const ashlar_status status = wait_for_disk(j, &p->disk_waiting, number);
    return status == ASHLAR_OK ? use_disk(j, rank) : status;
}

static ashlar_status begin_beside(joint *j, int64_t rank, int64_t number)
{
    player *p = &j->player[rank];
    const double cost = j->request->machine->task_seconds;
    const int64_t nowhere[] = {NONE, NONE}, of[] = {JOB_BEGIN, rank, number};
    int64_t job;
    if (cost <= 0)
        return begin_now(j, rank, number);
    const ashlar_status status = charge(j, rank, cost);
    const double wait = p->core_job >= 0 ? cost : p->thread_free - j->jobs.now;
    return status == ASHLAR_OK ? ashi_jobs_begin(&j->jobs, wait, nowhere, of, &job, j->err) : status;
}

static ashlar_status begin_cores(joint *j, int64_t rank, int64_t number)
{
    player *p = &j->player[rank];
    ashi_node *n = ashi_window_node(&p->window, number);
    const double begun = fmax(0, p->thread_free - j->jobs.now), cost = j->request->machine->task_seconds;
    const int64_t port[] = {cores_of(j), NONE}, of[] = {JOB_CORES, rank, number};
    tell_wait(j, rank, n->task.step);
    n->began = p->core_began = j->jobs.now;
    p->core_task = number;
    p->thread_free = 0;
    lane_begins(j, rank, ASHI_LANE_CORES);
    keep_thread(j, rank, true);
    return ashi_jobs_begin(&j->jobs, core_seconds(j, &p->window, n) + begun + cost, port, of, &p->core_job, j->err);
}

/* The last step of which tasks may begin. */
static int64_t last_step(const player *p)
{
    return ashi_window_is_empty(&p->window) ? INT64_MAX : ashi_window_step(&p->window) + p->program.look_ahead;
}

static ashlar_status pass(joint *j, player *p)
{
    const ashi_task_visitor visitor = ashi_window_visitor(&p->window);
    ashlar_status status = ASHLAR_OK;
    while (p->passed < p->program.steps && p->passed <= last_step(p) && status == ASHLAR_OK) {
        const int64_t before = p->window.end;
        status = ashi_passes_step(p->passes, &visitor, j->err);
        p->passed++;
        j->tasks += p->window.end - before;
    }
    return status;
}

/* Begin what a rank may begin now. */
static ashlar_status advance(joint *j, int64_t rank)
{
    player *p = &j->player[rank];
    ashlar_status status = pass(j, p);
    for (int64_t number; status == ASHLAR_OK &&
                         (number = ashi_window_take(&p->window, ASHI_QUEUE_BESIDE, last_step(p))) >= 0;)
        status = begin_beside(j, rank, number);
    if (status != ASHLAR_OK || p->core_job >= 0)
        return status;
    const int64_t number = ashi_window_take(&p->window, ASHI_QUEUE_CORES, last_step(p));
    if (number >= 0)
        return begin_cores(j, rank, number);
    if (!p->ended && ashi_window_is_empty(&p->window) && p->passed == p->program.steps) {
        tell_wait(j, rank, p->program.steps - 1);
        p->ended = true;
        j->ended++;
    }
    return ASHLAR_OK;
}

static ashlar_status task_ended(joint *j, int64_t rank, int64_t number, const char *waited)
{
    player *p = &j->player[rank];
    p->waited = waited;
    ashi_window_ended(&p->window, number);
    return advance(j, rank);
}

/* ---- events ---- */

static ashlar_status message_ended(joint *j, int64_t at)
{
    const message m = j->message[at];
    ashlar_status status = ASHLAR_OK;
    j->message[at].task[0] = j->free_message;
    j->free_message = at;
    for (int i = 1; i >= 0 && status == ASHLAR_OK; i--) {
        tell_task(j, m.rank[i], ASHI_LANE_NETWORK, m.task[i],
                  ashi_task_name(i == 0 ? ASHI_DO_SEND : ASHI_DO_RECEIVE));
        lane_ends(j, m.rank[i], ASHI_LANE_NETWORK);
        status = task_ended(j, m.rank[i], m.task[i], ASHI_WAIT_NETWORK);
    }
    return status;
}

static ashlar_status disk_ended(joint *j, int64_t rank, int64_t number)
{
    const player *p = &j->player[rank];
    const bool read = is_read(&p->window, ashi_window_node(&p->window, number));
    tell_task(j, rank, ASHI_LANE_DISK, number, read ? ASHI_READ_FILE : ASHI_WRITE_FILE);
    lane_ends(j, rank, ASHI_LANE_DISK);
    const ashlar_status status = use_disk(j, rank);
    return status == ASHLAR_OK ? task_ended(j, rank, number, ASHI_WAIT_DISK) : status;
}

static ashlar_status cores_ended(joint *j, int64_t rank, int64_t number)
{
    player *p = &j->player[rank];
    tell_task(j, rank, ASHI_LANE_CORES, number, ashi_task_name(ashi_window_node(&p->window, number)->task.kind));
    lane_ends(j, rank, ASHI_LANE_CORES);
    keep_thread(j, rank, false);
    p->core_job = p->core_task = NONE;
    p->idle_from = j->jobs.now;
    return task_ended(j, rank, number, NULL);
}

static ashlar_status job_ended(joint *j, const ashi_port_job *job)
{
    switch ((job_kind)job->of[0]) {
    case JOB_CORES: return cores_ended(j, job->of[1], job->of[2]);
    case JOB_BEGIN: return begin_now(j, job->of[1], job->of[2]);
    case JOB_DISK: return disk_ended(j, job->of[1], job->of[2]);
    case JOB_LATENCY: return begin_transfer(j, job->of[1]);
    default: return message_ended(j, job->of[1]);
    }
}

/* ---- all ranks ---- */

static ashlar_status open_player(joint *j, int64_t rank)
{
    player *p = &j->player[rank];
    ashlar_status status = j->request->program(j->request->context, &p->program, j->err);
    if (status != ASHLAR_OK)
        return status;
    const ashi_passes_request passes = {.program = &p->program, .rank = rank, .look_ahead = p->program.look_ahead,
                                        .tags = TAGS};
    p->core_job = p->core_task = NONE;
    p->waited = ASHI_WAIT_NETWORK;
    ashi_window_clear(&p->window);
    return ashi_passes_create(&passes, &p->passes, j->err);
}

static ashlar_status stuck(const joint *j)
{
    int64_t rank = 0;
    while (rank + 1 < j->ranks && j->player[rank].ended)
        rank++;
    const ashi_window *w = &j->player[rank].window;
    const ashi_task *t = &ashi_window_node(w, w->first)->task;
    return ashi_fail(j->err, ASHLAR_ERR_INTERNAL,
                     "rank %" PRId64 ", step %" PRId64 ": task %" PRId64 ", %s, never ends", rank, t->step, t->number,
                     ashi_operation_name(t->kind));
}

/* False ends the play: it would take too long. */
static bool goes_on(const joint *j)
{
    const int64_t most = j->request->tasks > 0 ? j->request->tasks : ASHI_JOINT_TASKS;
    return j->tasks <= most && j->jobs.found / FOUND_PER_TASK <= most;
}

static ashlar_status play(joint *j)
{
    ashlar_status status = ASHLAR_OK;
    ashi_port_job job;
    bool any = true;
    for (int64_t rank = 0; rank < j->ranks && status == ASHLAR_OK && goes_on(j); rank++) {
        status = open_player(j, rank);
        if (status == ASHLAR_OK)
            status = advance(j, rank);
    }
    while (status == ASHLAR_OK && any && goes_on(j)) {
        status = ashi_jobs_next(&j->jobs, &job, &any, j->err);
        if (status == ASHLAR_OK && any)
            status = job_ended(j, &job);
    }
    return status == ASHLAR_OK && goes_on(j) && j->ended < j->ranks ? stuck(j) : status;
}

static void close_all(joint *j)
{
    for (int64_t rank = 0; j->player && rank < j->ranks; rank++) {
        player *p = &j->player[rank];
        ashi_passes_free(&p->passes);
        ashi_window_free(&p->window);
        ashi_program_free(&p->program);
        free(p->disk_waiting.number);
    }
    free(j->player);
    free(j->message);
    ashi_map_free(&j->message_of);
    ashi_jobs_free(&j->jobs);
}

ashlar_status ashi_joint_run(const ashi_joint_request *q, int64_t ranks, ashi_joint_play *out, ashlar_error *err)
{
    joint j = {.request = q, .ranks = ranks, .free_message = NONE, .err = err};
    *out = (ashi_joint_play){0};
    ashlar_status status = ashi_jobs_create(5 * ranks + 1, &j.jobs, err);
    j.player = calloc((size_t)ranks, sizeof *j.player);
    if (status == ASHLAR_OK && !j.player)
        status = ashi_fail_memory(err, "simulate", ranks * (int64_t)sizeof *j.player);
    if (status == ASHLAR_OK) {
        set_ports(&j);
        status = play(&j);
    }
    if (status == ASHLAR_OK && goes_on(&j)) {
        *out = (ashi_joint_play){.played = true, .seconds = j.jobs.now, .tasks = j.tasks};
        for (int64_t rank = 0; rank < ranks; rank++)
            for (int lane = 0; lane < ASHI_LANES; lane++)
                out->busy[lane] = fmax(out->busy[lane], j.player[rank].busy[lane]);
    }
    close_all(&j);
    return status;
}
