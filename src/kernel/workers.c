/* Threads that work beside the calling thread: each takes the first job that waits, and sleeps if there is none. */
#include "kernel/workers.h"

#include "base/error.h"
#include "base/quiet_thread.h"
#include "kernel/elsewhere.h"
#include "kernel/wait.h"

#include <stdatomic.h>
#include <stdlib.h>

/* A worker without a job looks for one for AWAKE seconds before it sleeps, and the calling thread likewise for the end
 * of a job: to be woken takes longer than a small product. LOOKS: between two looks at the clock. */
enum { LOOKS = 256 };
static const double AWAKE = 1e-4;

/* First in, first out. */
typedef struct job_ring {
    ashi_job job[ASHI_WORKERS_ROOM];
    int first, count;
} job_ring;

/* A thread, and which it is, counted from 1. */
typedef struct worker {
    ashi_workers *all;
    pthread_t thread;
    int hand;
} worker;

struct ashi_workers {
    int most, started;
    int left; /* see ashi_elsewhere */
    worker *worker;
    pthread_mutex_t mutex; /* of what follows */
    pthread_cond_t come, gone;
    ashi_job_do work; /* of the jobs that are under way */
    void *context;
    int serving; /* those that are counted above this do none */
    job_ring waiting, done;
    int sleeping, running; /* workers */
    bool ends, called;
    _Atomic int seen; /* jobs that wait; 1 too if the workers are to end: may be looked at without the mutex */
    _Atomic int heard; /* likewise jobs that are done; 1 too if the calling thread is called */
};

/* Until *some is not 0, for AWAKE seconds at most. */
static void look(const _Atomic int *some)
{
    const double end = ashi_wait_now() + AWAKE;
    do
        for (int i = 0; i < LOOKS; i++)
            if (atomic_load_explicit(some, memory_order_relaxed) != 0)
                return;
    while (ashi_wait_now() < end);
}

static void put(job_ring *r, const ashi_job *job)
{
    r->job[(r->first + r->count++) % ASHI_WORKERS_ROOM] = *job;
}

static ashi_job take(job_ring *r)
{
    const ashi_job job = r->job[r->first];
    r->first = (r->first + 1) % ASHI_WORKERS_ROOM;
    r->count--;
    return job;
}

/* ---- a worker ---- */

static bool has_job(const worker *self)
{
    return self->all->waiting.count > 0 && self->hand <= self->all->serving;
}

/* With the mutex, which is given away meanwhile: wait for a job, or the end. */
static void wait_for_job(const worker *self)
{
    ashi_workers *w = self->all;
    pthread_mutex_unlock(&w->mutex);
    look(&w->seen);
    pthread_mutex_lock(&w->mutex);
    w->sleeping++;
    while (!has_job(self) && !w->ends)
        pthread_cond_wait(&w->come, &w->mutex);
    w->sleeping--;
}

static void *work(void *context)
{
    const worker *self = context;
    ashi_workers *w = self->all;
    pthread_mutex_lock(&w->mutex);
    while (!w->ends) {
        if (!has_job(self)) {
            wait_for_job(self);
            continue;
        }
        ashi_job job = take(&w->waiting);
        const ashi_job_do do_job = w->work;
        void *const of = w->context;
        atomic_store_explicit(&w->seen, w->waiting.count, memory_order_relaxed);
        w->running++;
        pthread_mutex_unlock(&w->mutex);
        job.failed = !do_job(of, &job, self->hand);
        pthread_mutex_lock(&w->mutex);
        w->running--;
        put(&w->done, &job);
        atomic_store_explicit(&w->heard, 1, memory_order_relaxed);
        pthread_cond_signal(&w->gone);
    }
    pthread_mutex_unlock(&w->mutex);
    return NULL;
}

/* ---- the calling thread ---- */

ashlar_status ashi_workers_create(int threads, ashi_workers **out, ashlar_error *err)
{
    ashi_workers *w = calloc(1, sizeof *w);
    *out = NULL;
    if (!w)
        return ashi_fail_memory(err, "workers", (int64_t)sizeof *w);
    w->most = threads;
    w->left = -1;
    w->worker = calloc((size_t)threads, sizeof *w->worker);
    if (!w->worker || pthread_mutex_init(&w->mutex, NULL) != 0) {
        free(w->worker);
        free(w);
        return ashi_fail_memory(err, "workers", threads * (int64_t)sizeof *w->worker);
    }
    if (pthread_cond_init(&w->come, NULL) != 0 || pthread_cond_init(&w->gone, NULL) != 0) {
        pthread_mutex_destroy(&w->mutex);
        free(w->worker);
        free(w);
        return ashi_fail_memory(err, "workers", (int64_t)sizeof *w);
    }
    *out = w;
    return ASHLAR_OK;
}

void ashi_workers_start(ashi_workers *w, int wanted)
{
    while (w->started < wanted && w->started < w->most) {
        worker *next = &w->worker[w->started];
        *next = (worker){.all = w, .hand = w->started + 1};
        if (!ashi_quiet_thread_start(&next->thread, work, next))
            break;
        w->started++;
        w->left = -1;
    }
}

int ashi_workers_serve(ashi_workers *w, int most, ashi_job_do do_job, void *context)
{
    pthread_mutex_lock(&w->mutex);
    w->work = do_job;
    w->context = context;
    w->serving = most;
    pthread_mutex_unlock(&w->mutex);
    if (w->started > 0)
        ashi_elsewhere(&w->worker[0].thread, sizeof w->worker[0], w->started, &w->left);
    return most < w->started ? most : w->started;
}

void ashi_workers_give(ashi_workers *w, const ashi_job *job)
{
    pthread_mutex_lock(&w->mutex);
    put(&w->waiting, job);
    atomic_store_explicit(&w->seen, w->waiting.count, memory_order_relaxed);
    if (w->sleeping > 0 && w->serving < w->started) /* one that serves has to hear of it */
        pthread_cond_broadcast(&w->come);
    else if (w->sleeping > 0)
        pthread_cond_signal(&w->come);
    pthread_mutex_unlock(&w->mutex);
}

bool ashi_workers_help(ashi_workers *w, ashi_job *ended)
{
    pthread_mutex_lock(&w->mutex);
    const bool some = w->waiting.count > 0;
    if (some) {
        *ended = take(&w->waiting);
        atomic_store_explicit(&w->seen, w->waiting.count, memory_order_relaxed);
    }
    pthread_mutex_unlock(&w->mutex);
    if (some)
        ended->failed = !w->work(w->context, ended, 0);
    return some;
}

int ashi_workers_ended(ashi_workers *w, double seconds, ashi_job out[ASHI_WORKERS_ROOM])
{
    int count = 0;
    const struct timespec end = seconds > 0 ? ashi_wait_end(seconds) : (struct timespec){0};
    if (seconds < 0)
        look(&w->heard);
    pthread_mutex_lock(&w->mutex);
    for (bool more = seconds != 0; more && w->done.count == 0 && !w->called;)
        more = ashi_wait_once(&w->gone, &w->mutex, seconds < 0 ? NULL : &end);
    w->called = w->called && seconds == 0;
    while (w->done.count > 0)
        out[count++] = take(&w->done);
    atomic_store_explicit(&w->heard, w->called, memory_order_relaxed);
    pthread_mutex_unlock(&w->mutex);
    return count;
}

void ashi_workers_call(ashi_workers *w)
{
    pthread_mutex_lock(&w->mutex);
    w->called = true;
    atomic_store_explicit(&w->heard, 1, memory_order_relaxed);
    pthread_cond_signal(&w->gone);
    pthread_mutex_unlock(&w->mutex);
}

void ashi_workers_rest(ashi_workers *w)
{
    ashi_job job;
    while (ashi_workers_help(w, &job)) {
        pthread_mutex_lock(&w->mutex);
        put(&w->done, &job);
        pthread_mutex_unlock(&w->mutex);
    }
    pthread_mutex_lock(&w->mutex);
    const bool waits = w->running > 0;
    pthread_mutex_unlock(&w->mutex);
    if (waits)
        look(&w->heard);
    pthread_mutex_lock(&w->mutex);
    while (w->running > 0)
        pthread_cond_wait(&w->gone, &w->mutex);
    pthread_mutex_unlock(&w->mutex);
}

void ashi_workers_free(ashi_workers **workers)
{
    ashi_workers *w = *workers;
    if (!w)
        return;
    pthread_mutex_lock(&w->mutex);
    w->ends = true;
    atomic_store_explicit(&w->seen, 1, memory_order_relaxed);
    pthread_cond_broadcast(&w->come);
    pthread_mutex_unlock(&w->mutex);
    for (int i = 0; i < w->started; i++)
        pthread_join(w->worker[i].thread, NULL);
    pthread_cond_destroy(&w->come);
    pthread_cond_destroy(&w->gone);
    pthread_mutex_destroy(&w->mutex);
    free(w->worker);
    free(w);
    *workers = NULL;
}
