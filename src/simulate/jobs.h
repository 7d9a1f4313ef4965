/* Jobs that share what does them: messages share links, panels a disk, tasks the cores; and when each of them ends.
 *
 * A job has its seconds of work, and takes longer if it shares a port with others. A port does `capacity` seconds
 * of work in a second, of one job at most `most`, and gives all that are on it equal parts. A job may be on several
 * ports, as a message is at its sender's and at its receiver's end and on each link between them: then it is done as
 * fast as the slowest of them lets it. A job on no port is a delay.
 *
 * So a port never does more than its capacity. What others leave of it is not handed out; at the port with most jobs,
 * for which the others wait, nothing is left.
 */
#ifndef ASHI_JOBS_H
#define ASHI_JOBS_H

#include <ashlar/base.h>

#include <stdint.h>

typedef struct ashi_port {
    double capacity, most;
    int64_t count, first; /* jobs on it: a list of seats; -1 none */
    bool changed;         /* jobs came or went, and the others' rates were not found again yet */
} ashi_port;

/* A job's place on one of its ports. */
typedef struct ashi_port_seat {
    int64_t port, job;
    int64_t next, before; /* on the port */
    int64_t other;        /* the job's next one; free ones are a list by it */
} ashi_port_seat;

typedef struct ashi_port_job {
    int64_t seat; /* the first of its seats, -1 for none; free jobs are a list by it */
    double left, since, rate; /* seconds of work that were left at `since` */
    double due;               /* of its event */
    int64_t event;            /* the number of its event among the events to come; another one is out of date */
    int64_t of[3];            /* the caller's */
} ashi_port_job;

typedef struct ashi_job_event {
    double at;
    int64_t number, job;
} ashi_job_event;

typedef struct ashi_jobs {
    double now;
    ashi_port *port;
    int64_t ports;
    ashi_port_job *job;
    int64_t count, capacity, free_job, under_way;
    ashi_port_seat *seat;
    int64_t seats, seat_capacity, free_seat;
    ashi_job_event *event; /* a heap: the earliest first, and of those at one moment the one that was made first */
    int64_t events, event_capacity, numbered;
    int64_t *changed;      /* ports */
    int64_t changes;
    int64_t found;         /* how often a job's rate was found, which is what takes time */
} ashi_jobs;

/* Without ports' capacities, which the caller sets. ASHLAR_ERR_MEMORY. */
ashlar_status ashi_jobs_create(int64_t ports, ashi_jobs *out, ashlar_error *err);

/* Begin a job now, of `work` seconds, on `ports` different ports, of which those below 0 are none: *job is its place,
 * until it has ended. ASHLAR_ERR_MEMORY. */
ashlar_status ashi_jobs_begin(ashi_jobs *jobs, double work, const int64_t *port, int64_t ports, const int64_t of[3],
                              int64_t *job, ashlar_error *err);

/* A job that is under way gets more work. */
ashlar_status ashi_jobs_extend(ashi_jobs *jobs, int64_t job, double work, ashlar_error *err);

/* From now on a port does `capacity` in a second, and of one job at most `most`. */
void ashi_jobs_set_capacity(ashi_jobs *jobs, int64_t port, double capacity, double most);

/* Go on to the moment at which the next job ends, which is `now` then, and take it away: *ended. *any is false if none
 * is under way. ASHLAR_ERR_MEMORY. */
ashlar_status ashi_jobs_next(ashi_jobs *jobs, ashi_port_job *ended, bool *any, ashlar_error *err);

void ashi_jobs_free(ashi_jobs *jobs);

#endif
