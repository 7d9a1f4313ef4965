/* Threads that work beside the calling thread: each takes the first job that waits, and sleeps if there is none. */
#ifndef ASHI_WORKERS_H
#define ASHI_WORKERS_H

#include <ashlar/base.h>

/* The most jobs at once that were given and have not been reported as ended. */
enum { ASHI_WORKERS_ROOM = 256 };

/* Part `part` of `parts` of a task. */
typedef struct ashi_job {
    int64_t number;
    int part, parts;
    bool failed;
} ashi_job;

/* Do a job: false if it failed. `hand`: who does it, 0 the calling thread, from 1 on the workers. */
typedef bool (*ashi_job_do)(void *context, const ashi_job *job, int hand);

typedef struct ashi_workers ashi_workers;

/* Room for `threads` threads; none is started. All calls but ashi_workers_call are one thread's at a time.
 * ASHLAR_ERR_MEMORY. */
ashlar_status ashi_workers_create(int threads, ashi_workers **out, ashlar_error *err);

/* Start those of `wanted` threads that can be started, unless they are there. Fewer, or none, is no error: the calling
 * thread helps. */
void ashi_workers_start(ashi_workers *workers, int wanted);

/* Jobs given from now on are done by `work`, and by the first `most` threads at most. No job is under way. Returns how
 * many of those threads have started. */
int ashi_workers_serve(ashi_workers *workers, int most, ashi_job_do work, void *context);

/* There is room for the job. */
void ashi_workers_give(ashi_workers *workers, const ashi_job *job);

/* Do the first job that waits: it has ended then. False if none waits. */
bool ashi_workers_help(ashi_workers *workers, ashi_job *ended);

/* Jobs that others than the caller have ended: how many, in out, each heard of once. seconds: 0: do not wait for one;
 * below 0: wait until one has ended, or ashi_workers_call; else wait for so long at most. If none is under way, a wait
 * would not end. */
int ashi_workers_ended(ashi_workers *workers, double seconds, ashi_job out[ASHI_WORKERS_ROOM]);

/* On any thread: who waits for jobs that end, or waits next, goes on now, since there is something else to do. */
void ashi_workers_call(ashi_workers *workers);

/* Help, and wait until every job given so far is done: nothing is read or written by a worker until another is given.
 * They are heard of as ended later. */
void ashi_workers_rest(ashi_workers *workers);

/* NULL does nothing. No job is under way. */
void ashi_workers_free(ashi_workers **workers);

#endif
