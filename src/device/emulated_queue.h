/* The queues of an emulated device: a thread for each, the jobs that wait, and events. Time is emulated: a job ends
 * when its rate says so, or later if the host is slower. */
#ifndef ASHI_EMULATED_QUEUE_H
#define ASHI_EMULATED_QUEUE_H

#include "device/device.h"

#include <pthread.h>

typedef struct ashi_emulated_queues ashi_emulated_queues;

/* An event. All members are the queues' and under their lock. */
typedef struct ashi_emulated_event {
    ashi_device_event base;
    int64_t recorded, reached; /* how often */
    double moment;             /* when it was reached last */
    bool failed;               /* the device had failed by then */
} ashi_emulated_event;

/* What is queued. `run` computes or copies; NULL: a record of `event`, or if `waits` a wait for it. */
typedef struct ashi_emulated_job {
    struct ashi_emulated_job *next;
    void (*run)(struct ashi_emulated_job *job);
    double seconds; /* that it takes; 0: as long as the host */
    bool fails;     /* the device fails with it */
    bool waits;
    ashi_emulated_event *event;
    int64_t mark;   /* of event->recorded */
    double issued;
    union {
        ashi_device_copy copy;
        ashi_device_gemm gemm;
        ashi_device_sum sum;
        ashi_device_permutation permutation;
    } of;
    double _Complex scalar[2]; /* alpha and beta of a product or a sum */
    int64_t count;             /* of a batch; else 0 */
    void **list;               /* `count` addresses of A, of B and of C */
} ashi_emulated_job;

typedef struct ashi_emulated_queue {
    ashi_emulated_queues *all;
    ashi_emulated_job *first, **last; /* the first is in progress, or begins next */
    double moment;                    /* when what was done last has ended */
    bool held;
    pthread_t thread;
} ashi_emulated_queue;

struct ashi_emulated_queues {
    pthread_mutex_t mutex; /* of all that follows, and of events */
    pthread_cond_t changed;
    ashi_emulated_queue queue[ASHI_DEVICE_QUEUES];
    int threads;
    bool counts; /* time is counted by the rates alone: no thread waits, and what the host does takes none */
    double host; /* if it is counted: the latest moment that the host has seen */
    bool ends;
    ashlar_error failure; /* status ASHLAR_OK: none */
};

/* Start the threads; `counts`: with time that is counted. ASHLAR_ERR_MEMORY; then nothing is left to be closed. */
ashlar_status ashi_emulated_queues_open(ashi_emulated_queues *queues, bool counts, ashlar_error *err);

/* If time is counted, when the last job that was done has ended, from 0; else 0. */
double ashi_emulated_seconds(ashi_emulated_queues *queues);

/* End them, once all jobs are done. */
void ashi_emulated_queues_close(ashi_emulated_queues *queues);

/* A new job, all zero. NULL: there is no memory. */
ashi_emulated_job *ashi_emulated_job_new(void);
void ashi_emulated_job_free(ashi_emulated_job *job);

/* Put a job into a queue, which frees it. */
void ashi_emulated_put(ashi_emulated_queues *queues, ashi_device_queue queue, ashi_emulated_job *job);

/* The device fails now, unless it has failed before. */
void ashi_emulated_fail(ashi_emulated_queues *queues, const ashlar_error *failure);

/* ASHLAR_OK, or the failure. */
ashlar_status ashi_emulated_state(ashi_emulated_queues *queues, ashlar_error *err);

/* Wait for the last record of an event, or ask if it is reached. */
ashlar_status ashi_emulated_await(ashi_emulated_queues *queues, ashi_emulated_event *event, ashlar_error *err);
ashlar_status ashi_emulated_reached(ashi_emulated_queues *queues, ashi_emulated_event *event, bool *out,
                                    ashlar_error *err);

/* Wait until no job is left. */
void ashi_emulated_finish(ashi_emulated_queues *queues);

void ashi_emulated_queue_hold(ashi_emulated_queues *queues, ashi_device_queue queue, bool held);

#endif
