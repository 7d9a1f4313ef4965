/* Joint play: all ranks' programs against lanes, in simulated time. */
#include "simulate/joint.h"

#include "base/array.h"
#include "base/checked.h"
#include "base/error.h"
#include "schedule/ways.h"
#include "simulate/joint_ports.h"
#include "simulate/message_ends.h"
#include "simulate/task_seconds.h"

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
    int free_threads;
    int64_t calling;             /* the task that the calling thread does itself, and begins no other; NONE */
    double calling_seconds;      /* that it takes */
    int64_t last_job;            /* that the cores began: under way if the calling thread is busy */
    int64_t held;                /* a product that waits until all threads are free; NONE */
    double idle_from;
    double thread_free;          /* until then the calling thread begins tasks of other lanes */
    queue disk_waiting;
    int64_t under_way[ASHI_LANES];
    double busy_from[ASHI_LANES], busy[ASHI_LANES];
    const char *waited;          /* what the cores wait for, by what ended last */
    bool ended;
} player;

typedef struct joint {
    const ashi_joint_request *request;
    int64_t ranks;
    player *player;
    ashi_jobs jobs;
    ashi_joint_ports ports;
    ashi_message_ends ends;
    int64_t tasks, ended;
    ashlar_error *err;
} joint;

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

double ashi_joint_disk_share(double ranks_per_core)
{
    return ranks_per_core > 0 ? fmin(ranks_per_core, 1) : 1;
}

/* ---- messages ---- */

static ashlar_status delay(joint *j, double seconds, const int64_t of[3])
{
    int64_t job;
    return ashi_jobs_begin(&j->jobs, seconds, NULL, 0, of, &job, j->err);
}

static int64_t key_of(const joint *j, int64_t from, int64_t to, int64_t tag)
{
    return (from * j->ranks + to) * TAGS + tag;
}

/* What a message takes until its first byte arrives. */
static double message_delay(const joint *j, const ashi_paired_message *m)
{
    const ashi_joint_late *late = j->request->late;
    const int64_t from = m->rank[ASHI_SENDER];
    const double usual = ashi_joint_delay(&j->ports, from, m->rank[ASHI_RECEIVER]);
    if (!late || !late->message)
        return usual;
    const ashi_node *n = ashi_window_node(&j->player[from].window, m->task[ASHI_SENDER]);
    return usual + late->message(late->context, from, &n->task);
}

/* One end of a message has begun; with the other, it goes. */
static ashlar_status begin_message(joint *j, int64_t rank, int64_t number)
{
    const ashi_task *t = &ashi_window_node(&j->player[rank].window, number)->task;
    const int end = t->kind == ASHI_DO_SEND ? ASHI_SENDER : ASHI_RECEIVER;
    const int64_t from = end == ASHI_SENDER ? rank : t->peer, to = end == ASHI_SENDER ? t->peer : rank;
    int64_t at;
    bool both = false;
    const ashlar_status status =
        ashi_message_ends_begin(&j->ends, key_of(j, from, to, t->tag), end, rank, number, t->words, &at, &both, j->err);
    if (status != ASHLAR_OK)
        return status;
    lane_begins(j, rank, ASHI_LANE_NETWORK);
    return both ? delay(j, message_delay(j, &j->ends.message[at]), (const int64_t[]){JOB_LATENCY, at, 0}) : ASHLAR_OK;
}

static ashlar_status begin_transfer(joint *j, int64_t at)
{
    const ashi_paired_message *m = &j->ends.message[at];
    const int64_t of[] = {JOB_MESSAGE, at, 0};
    int64_t job;
    ashi_joint_route(&j->ports, m->rank[ASHI_SENDER], m->rank[ASHI_RECEIVER]);
    return ashi_jobs_begin(&j->jobs, (double)m->words * (double)j->request->bytes / j->request->machine->bandwidth,
                           j->ports.port, j->ports.ports, of, &job, j->err);
}

/* The calling thread helps if no other thread is free. */
static bool is_calling_busy(const player *p)
{
    return p->calling >= 0 || p->free_threads == 0;
}

/* The calling thread has `seconds` more work, now or as soon as it can. */
static ashlar_status charge(joint *j, int64_t rank, double seconds)
{
    player *p = &j->player[rank];
    if (seconds <= 0)
        return ASHLAR_OK;
    if (is_calling_busy(p))
        return ashi_jobs_extend(&j->jobs, p->last_job, seconds, j->err);
    p->thread_free = fmax(p->thread_free, j->jobs.now) + seconds;
    return ASHLAR_OK;
}

/* While the calling thread is busy, messages have only what they can do without it, since it makes MPI's calls. */
static void keep_thread(joint *j, int64_t rank, bool kept)
{
    const double left = 1 - j->request->machine->message_work;
    if (left < 1)
        ashi_joint_slow_down(&j->ports, &j->jobs, rank, kept ? left : 1);
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
        const int64_t of[] = {JOB_DISK, rank, number};
        int64_t port[ASHI_DISK_PORTS], job;
        ashi_joint_disk(&j->ports, rank, ashi_task_reads_file(&p->window, n), port);
        n->began = j->jobs.now;
        lane_begins(j, rank, ASHI_LANE_DISK);
        status = ashi_jobs_begin(&j->jobs, ashi_task_disk_seconds(j->request, &p->window, n), port, ASHI_DISK_PORTS, of,
                                 &job, j->err);
        if (status == ASHLAR_OK)
            status = charge(j, rank, ashi_task_disk_work(j->request, &p->window, n));
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

/* The calling thread hears of other lanes between two tasks of a product of tiles. Products of boxes are cut so often
 * that it hears of them at once. */
static double heard_after(const joint *j, const player *p)
{
    const ashi_node *n = p->calling >= 0 && p->program.tiles ? ashi_window_node(&p->window, p->calling) : NULL;
    if (!n || n->task.kind != ASHI_DO_MULTIPLY || n->task.words == 0)
        return 0;
    const double passed = j->jobs.now - n->began;
    const double part = p->calling_seconds / (double)ashi_ceil_div(n->task.words, ASHI_TILE_TASK_WORK);
    return ceil(passed / part) * part - passed;
}

static ashlar_status begin_beside(joint *j, int64_t rank, int64_t number)
{
    player *p = &j->player[rank];
    const ashi_joint_late *late = j->request->late;
    const ashi_task *t = &ashi_window_node(&p->window, number)->task;
    const bool rests = late && late->rank && t->kind != ASHI_DO_MOVE;
    const double cost = j->request->machine->task_seconds + (rests ? late->rank(late->context, rank, t) : 0);
    const double heard = heard_after(j, p);
    if (cost + heard <= 0 && !(late && late->rank && p->thread_free > j->jobs.now))
        return begin_now(j, rank, number);
    const ashlar_status status = charge(j, rank, cost);
    const double wait = is_calling_busy(p) ? heard + cost : p->thread_free - j->jobs.now;
    return status == ASHLAR_OK ? delay(j, wait, (const int64_t[]){JOB_BEGIN, rank, number}) : status;
}

/* A task of the cores, on some of the threads that are free. */
static ashlar_status begin_cores(joint *j, int64_t rank, int64_t number, int threads)
{
    player *p = &j->player[rank];
    ashi_node *n = ashi_window_node(&p->window, number);
    const double begun = fmax(0, p->thread_free - j->jobs.now), cost = j->request->machine->task_seconds;
    const double seconds = ashi_task_thread_seconds(j->request, &p->window, n, threads) + begun + cost;
    const int64_t port = ashi_joint_cores(&j->ports), of[] = {JOB_CORES, rank, number};
    if (p->free_threads == ashi_joint_threads(j->request))
        tell_wait(j, rank, n->task.step);
    n->began = j->jobs.now;
    n->parts = threads;
    p->free_threads -= threads;
    p->calling = ashi_task_is_handed(j->request, &p->window, n) ? NONE : number;
    p->calling_seconds = seconds;
    p->thread_free = 0;
    lane_begins(j, rank, ASHI_LANE_CORES);
    if (is_calling_busy(p))
        keep_thread(j, rank, true);
    return ashi_jobs_begin(&j->jobs, seconds, &port, 1, of, &p->last_job, j->err);
}

/* The last step of which tasks may begin. */
static int64_t last_step(const player *p)
{
    return ashi_window_is_empty(&p->window) ? INT64_MAX : ashi_window_step(&p->window) + p->program.look_ahead;
}

static ashlar_status pass(joint *j, player *p)
{
    const ashi_way_sizes sizes = ashi_way_sizes_usual();
    const int threads = ashi_joint_threads(j->request);
    const ashi_task_visitor visitor = ashi_window_visitor(&p->window);
    ashlar_status status = ASHLAR_OK;
    while (p->passed < p->program.steps && p->passed <= last_step(p) && status == ASHLAR_OK) {
        const int64_t before = p->window.end;
        status = ashi_passes_step(p->passes, &visitor, j->err);
        if (status == ASHLAR_OK && threads > 1 && !p->program.tiles) /* a product of tiles takes all threads */
            ashi_ways_find(&p->window, before, threads, &sizes);
        p->passed++;
        j->tasks += p->window.end - before;
    }
    return status;
}

/* Begin tasks of the cores as long as there are threads for them. A product for all threads waits for those that are
 * busy, and others wait behind it. */
static ashlar_status use_cores(joint *j, int64_t rank)
{
    player *p = &j->player[rank];
    const int all = ashi_joint_threads(j->request);
    ashlar_status status = ASHLAR_OK;
    while (status == ASHLAR_OK && !is_calling_busy(p)) {
        const int64_t number =
            p->held >= 0 ? p->held : ashi_window_take(&p->window, ASHI_QUEUE_CORES, last_step(p));
        p->held = NONE;
        if (number < 0)
            break;
        const ashi_node *n = ashi_window_node(&p->window, number);
        const int most = ashi_task_threads(j->request, &p->window, n);
        if (n->task.kind == ASHI_DO_MULTIPLY && most == all && p->free_threads < all) {
            p->held = number;
            break;
        }
        status = begin_cores(j, rank, number, most < p->free_threads ? most : p->free_threads);
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
    if (status == ASHLAR_OK)
        status = use_cores(j, rank);
    if (status == ASHLAR_OK && !p->ended && ashi_window_is_empty(&p->window) && p->passed == p->program.steps) {
        tell_wait(j, rank, p->program.steps - 1);
        p->ended = true;
        j->ended++;
    }
    return status;
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
    const ashi_paired_message m = j->ends.message[at];
    ashlar_status status = ASHLAR_OK;
    ashi_message_ends_release(&j->ends, at);
    for (int i = ASHI_RECEIVER; i >= ASHI_SENDER && status == ASHLAR_OK; i--) {
        tell_task(j, m.rank[i], ASHI_LANE_NETWORK, m.task[i],
                  ashi_task_name(i == ASHI_SENDER ? ASHI_DO_SEND : ASHI_DO_RECEIVE));
        lane_ends(j, m.rank[i], ASHI_LANE_NETWORK);
        status = task_ended(j, m.rank[i], m.task[i], ASHI_WAIT_NETWORK);
    }
    return status;
}

static ashlar_status disk_ended(joint *j, int64_t rank, int64_t number)
{
    const player *p = &j->player[rank];
    const bool read = ashi_task_reads_file(&p->window, ashi_window_node(&p->window, number));
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
    p->free_threads += (int)ashi_window_node(&p->window, number)->parts;
    p->calling = p->calling == number ? NONE : p->calling;
    if (!is_calling_busy(p))
        keep_thread(j, rank, false);
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
    p->free_threads = ashi_joint_threads(j->request);
    p->held = p->calling = NONE;
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
    ashi_message_ends_free(&j->ends);
    ashi_joint_ports_free(&j->ports);
    ashi_jobs_free(&j->jobs);
}

ashlar_status ashi_joint_run(const ashi_joint_request *q, int64_t ranks, ashi_joint_play *out, ashlar_error *err)
{
    joint j = {.request = q, .ranks = ranks, .ends = ashi_message_ends_none(), .err = err};
    *out = (ashi_joint_play){0};
    ashlar_status status = ashi_joint_ports_create(q, ranks, &j.ports, &j.jobs, err);
    j.player = calloc((size_t)ranks, sizeof *j.player);
    if (status == ASHLAR_OK && !j.player)
        status = ashi_fail_memory(err, "simulate", ranks * (int64_t)sizeof *j.player);
    if (status == ASHLAR_OK)
        status = play(&j);
    if (status == ASHLAR_OK && goes_on(&j)) {
        *out = (ashi_joint_play){.played = true, .seconds = j.jobs.now, .tasks = j.tasks};
        for (int64_t rank = 0; rank < ranks; rank++)
            for (int lane = 0; lane < ASHI_LANES; lane++)
                out->busy[lane] = fmax(out->busy[lane], j.player[rank].busy[lane]);
    }
    close_all(&j);
    return status;
}
