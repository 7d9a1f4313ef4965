/* Jobs of an emulated device, done in the order of their queue at emulated times.
 *
 * A queue has a moment: when what it did last has ended. A job begins at the latest of that, of the moment at which it
 * was put in, and of the events that the queue has waited for; it ends its `seconds` later. So the times of all queues
 * are those of a device with these rates, however late the host's threads wake up, unless the work itself takes the
 * host longer. If time is counted it is that of the rates alone: a job is put in at the latest moment that the host has
 * seen, by waiting for an event, and no thread sleeps. */
#include "device/emulated_queue.h"

#include "base/error.h"
#include "base/quiet_thread.h"

#include <math.h>
#include <stdlib.h>
#include <time.h>

static double clock_now(void)
{
    struct timespec t = {0};
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

static void sleep_until(double moment)
{
    const double seconds = moment - clock_now();
    const struct timespec rest = {(time_t)seconds, (long)((seconds - floor(seconds)) * 1e9)};
    if (seconds > 0)
        nanosleep(&rest, NULL);
}

/* ---- the threads; the mutex is held unless a comment says otherwise ---- */

static void reach(ashi_emulated_queue *q, ashi_emulated_job *j)
{
    if (j->mark < j->event->reached)
        return; /* another queue has reached a later record */
    j->event->reached = j->mark;
    j->event->moment = q->moment;
    j->event->failed = q->all->failure.status != ASHLAR_OK;
}

static void do_work(ashi_emulated_queue *q, ashi_emulated_job *j)
{
    ashi_emulated_queues *all = q->all;
    const double end = fmax(q->moment, j->issued) + j->seconds;
    if (all->failure.status != ASHLAR_OK)
        return;
    pthread_mutex_unlock(&all->mutex);
    j->run(j);
    if (!all->counts)
        sleep_until(end);
    const double now = clock_now();
    pthread_mutex_lock(&all->mutex);
    /* A thread that woke up late has not worked for longer. */
    q->moment = all->counts || (j->seconds > 0 && now - end < j->seconds) ? end : now;
    if (j->fails && all->failure.status == ASHLAR_OK)
        ashi_fail(&all->failure, ASHLAR_ERR_DEVICE, "device: emulated: a %s failed",
                  q == &all->queue[ASHI_DEVICE_WORK] ? "product" : "copy");
}

/* Whether the queue's first job can begin. */
static bool can_begin(const ashi_emulated_queue *q)
{
    const ashi_emulated_job *j = q->first;
    return j && !q->held && !(j->waits && j->event->reached < j->mark);
}

static void do_first(ashi_emulated_queue *q)
{
    ashi_emulated_job *j = q->first;
    const bool told = j->event && !j->waits;
    if (j->run)
        do_work(q, j);
    else if (j->waits)
        q->moment = fmax(q->moment, j->event->moment);
    else
        reach(q, j);
    q->first = j->next;
    if (!q->first)
        q->last = &q->first;
    ashi_emulated_job_free(j);
    if (told || !q->first)
        pthread_cond_broadcast(&q->all->changed);
}

static void *serve(void *context)
{
    ashi_emulated_queue *q = context;
    ashi_emulated_queues *all = q->all;
    pthread_mutex_lock(&all->mutex);
    while (q->first || !all->ends) {
        if (can_begin(q))
            do_first(q);
        else
            pthread_cond_wait(&all->changed, &all->mutex);
    }
    pthread_mutex_unlock(&all->mutex);
    return NULL;
}

/* ---- opening and closing ---- */

ashlar_status ashi_emulated_queues_open(ashi_emulated_queues *all, bool counts, ashlar_error *err)
{
    *all = (ashi_emulated_queues){.counts = counts};
    if (pthread_mutex_init(&all->mutex, NULL) != 0)
        return ashi_fail_memory(err, "device: emulated", (int64_t)sizeof all->mutex);
    if (pthread_cond_init(&all->changed, NULL) != 0) {
        pthread_mutex_destroy(&all->mutex);
        return ashi_fail_memory(err, "device: emulated", (int64_t)sizeof all->changed);
    }
    for (int i = 0; i < ASHI_DEVICE_QUEUES; i++) {
        all->queue[i].all = all;
        all->queue[i].last = &all->queue[i].first;
    }
    while (all->threads < ASHI_DEVICE_QUEUES &&
           ashi_quiet_thread_start(&all->queue[all->threads].thread, serve, &all->queue[all->threads]))
        all->threads++;
    if (all->threads == ASHI_DEVICE_QUEUES)
        return ASHLAR_OK;
    ashi_emulated_queues_close(all);
    return ashi_fail(err, ASHLAR_ERR_MEMORY, "device: emulated: no thread can be started");
}

void ashi_emulated_queues_close(ashi_emulated_queues *all)
{
    pthread_mutex_lock(&all->mutex);
    for (int i = 0; i < ASHI_DEVICE_QUEUES; i++)
        all->queue[i].held = false;
    all->ends = true;
    pthread_cond_broadcast(&all->changed);
    pthread_mutex_unlock(&all->mutex);
    for (int i = 0; i < all->threads; i++)
        pthread_join(all->queue[i].thread, NULL);
    pthread_cond_destroy(&all->changed);
    pthread_mutex_destroy(&all->mutex);
}

/* ---- what the calling thread does ---- */

ashi_emulated_job *ashi_emulated_job_new(void)
{
    return calloc(1, sizeof(ashi_emulated_job));
}

void ashi_emulated_job_free(ashi_emulated_job *job)
{
    free(job->list);
    free(job);
}

void ashi_emulated_put(ashi_emulated_queues *all, ashi_device_queue queue, ashi_emulated_job *job)
{
    ashi_emulated_queue *q = &all->queue[queue];
    pthread_mutex_lock(&all->mutex);
    job->issued = all->counts ? all->host : clock_now();
    if (job->event)
        job->mark = job->waits ? job->event->recorded : ++job->event->recorded;
    const bool idle = !q->first;
    *q->last = job;
    q->last = &job->next;
    if (idle)
        pthread_cond_broadcast(&all->changed);
    pthread_mutex_unlock(&all->mutex);
}

void ashi_emulated_fail(ashi_emulated_queues *all, const ashlar_error *failure)
{
    pthread_mutex_lock(&all->mutex);
    if (all->failure.status == ASHLAR_OK)
        all->failure = *failure;
    pthread_mutex_unlock(&all->mutex);
}

ashlar_status ashi_emulated_state(ashi_emulated_queues *all, ashlar_error *err)
{
    pthread_mutex_lock(&all->mutex);
    const ashlar_error failure = all->failure;
    pthread_mutex_unlock(&all->mutex);
    return failure.status == ASHLAR_OK ? ASHLAR_OK : ashi_fail(err, failure.status, "%s", failure.text);
}

static ashlar_status outcome(const ashi_emulated_queues *all, const ashi_emulated_event *event, ashlar_error *err)
{
    return event->failed ? ashi_fail(err, all->failure.status, "%s", all->failure.text) : ASHLAR_OK;
}

ashlar_status ashi_emulated_await(ashi_emulated_queues *all, ashi_emulated_event *event, ashlar_error *err)
{
    pthread_mutex_lock(&all->mutex);
    while (event->reached < event->recorded)
        pthread_cond_wait(&all->changed, &all->mutex);
    all->host = fmax(all->host, event->moment);
    const ashlar_status status = outcome(all, event, err);
    pthread_mutex_unlock(&all->mutex);
    return status;
}

ashlar_status ashi_emulated_reached(ashi_emulated_queues *all, ashi_emulated_event *event, bool *out, ashlar_error *err)
{
    pthread_mutex_lock(&all->mutex);
    *out = event->reached == event->recorded;
    if (*out)
        all->host = fmax(all->host, event->moment);
    const ashlar_status status = *out ? outcome(all, event, err) : ASHLAR_OK;
    pthread_mutex_unlock(&all->mutex);
    return status;
}

/* When the last of the queues has ended what was done. */
static double latest(const ashi_emulated_queues *all)
{
    double moment = 0;
    for (int i = 0; i < ASHI_DEVICE_QUEUES; i++)
        moment = fmax(moment, all->queue[i].moment);
    return moment;
}

void ashi_emulated_finish(ashi_emulated_queues *all)
{
    pthread_mutex_lock(&all->mutex);
    for (int i = 0; i < ASHI_DEVICE_QUEUES; i++)
        while (all->queue[i].first)
            pthread_cond_wait(&all->changed, &all->mutex);
    all->host = fmax(all->host, latest(all));
    pthread_mutex_unlock(&all->mutex);
}

double ashi_emulated_seconds(ashi_emulated_queues *all)
{
    pthread_mutex_lock(&all->mutex);
    const double seconds = all->counts ? latest(all) : 0;
    pthread_mutex_unlock(&all->mutex);
    return seconds;
}

void ashi_emulated_queue_hold(ashi_emulated_queues *all, ashi_device_queue queue, bool held)
{
    pthread_mutex_lock(&all->mutex);
    all->queue[queue].held = held;
    pthread_cond_broadcast(&all->changed);
    pthread_mutex_unlock(&all->mutex);
}
