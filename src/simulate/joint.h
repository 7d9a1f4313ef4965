/* Joint play: all ranks' programs against lanes, in simulated time, with what overlaps and what waits.
 *
 * Each rank's program goes through the passes and into a window of tasks, as it does in the player, and the same rules
 * say when a task may begin. A rank has three lanes:
 *
 * - the cores do one task after the other, the first in program order first. A rank with several threads does those
 *   side by side that the player hands to workers (schedule/ways.h): a product that one thread makes takes one of them,
 *   another one waits until all are free, and what is copied or added up is cut for those that are free. If ranks share
 *   cores, tasks of all of them share the rate of the cores that there are;
 * - the network: a message goes when both its ends have begun it. It takes the latency, and then passes the sender's
 *   and the receiver's end of the network, each of which has the machine's bandwidth for all messages on it. On a torus
 *   it takes the latency of each link of its route, and then passes all of these links at once: each of them has the
 *   machine's bandwidth for all messages on it, and the ends as much as the node's links together;
 * - the disk: panels are read and written in the order in which their tasks became ready, some at a time. How far the
 *   disk does both at once follows from the machine's three figures of it.
 *
 * What a task costs the calling thread beside its work is added to the cores, and while those are busy messages go on
 * as far as they can do without that thread (ashlar_machine). Nothing is random, and no clock is read. */
#ifndef ASHI_JOINT_H
#define ASHI_JOINT_H

#include "model/torus.h"
#include "schedule/lanes.h"
#include "schedule/ready.h"

#include <ashlar/machine.h>

enum { ASHI_JOINT_TASKS = 10000000 }; /* as many take about ten seconds */

/* One event of a lane, in seconds from the beginning; the others are as in a trace (exec/trace.h). */
typedef struct ashi_joint_event {
    int64_t rank;
    ashi_trace_lane lane;
    const char *name;
    double begin, end;
    int64_t step, words, peer;
} ashi_joint_event;

/* Ranks and messages that are late, to see who waits for them. Each is given a SEND or a RECEIVE and its rank, and
 * answers with seconds. */
typedef struct ashi_joint_late {
    double (*rank)(void *context, int64_t rank, const ashi_task *task);    /* the calling thread rests before it begins
                                                                              the task; NULL: it never does */
    double (*message)(void *context, int64_t rank, const ashi_task *task); /* what a message takes longer, by its SEND;
                                                                              NULL: nothing */
    void *context;
} ashi_joint_late;

typedef struct ashi_joint_request {
    /* Make the program of all ranks, once for each rank, since each goes through its own steps. */
    ashlar_status (*program)(void *context, ashi_program *out, ashlar_error *err);
    void *context;
    const ashlar_machine *machine;
    int64_t bytes;         /* of a word */
    int flops;             /* of a multiply-add */
    ashi_torus torus;      /* the ranks are its nodes; no dimensions: there is none */
    int threads;           /* of a rank, which has a core for each: see ashi_player_request. 0 is 1. The machine's rate
                              of products is that of all of them together */
    double ranks_per_core; /* above 1 if ranks share cores: then each has one thread */
    bool rates_are_shared; /* the machine's rates are those of a rank while all are busy, so that one alone is faster if
                              ranks share cores; else those of a rank that has a core */
    bool local_disks;      /* each rank has a disk of its own; else all share one, which is as fast as all their rates
                              together */
    double disk_share;     /* of the time that a core works for the disk (ashi_disk_work), what a rank's products go
                              without: see ashi_joint_disk_share */
    double word_seconds[3]; /* for which a core parses or unpacks a word of A, B or C, which takes the disk's thread as
                              long; 0 if files are plain */
    int disk_threads;      /* panels of a rank that the disk works on at once; 0: ASHI_JOINT_DISK_THREADS */
    int64_t tasks;         /* the most that all ranks may have; 0: ASHI_JOINT_TASKS */
    const ashi_joint_late *late; /* NULL: nobody is */
    /* NULL, or called with each event when it ends. */
    void (*event)(void *context, const ashi_joint_event *event);
    void *event_context;
} ashi_joint_request;

enum { ASHI_JOINT_DISK_THREADS = 2 };

static inline int ashi_joint_threads(const ashi_joint_request *request)
{
    return request->threads > 1 ? request->threads : 1;
}

typedef struct ashi_joint_play {
    bool played;              /* else there are more tasks than may be, or more messages at once, and all is 0 */
    double seconds;           /* until the last task of any rank has ended */
    double busy[ASHI_LANES];  /* of each lane, on the rank on which it is busy longest */
    int64_t tasks;            /* of all ranks */
} ashi_joint_play;

/* The `disk_share` of a request. It is 1 if a rank has at most one core, or if ranks_per_core is 0, not known. It is
 * less if a rank has more cores: the disk then takes time from some of them only. */
double ashi_joint_disk_share(double ranks_per_core);

/* Errors of making and passing the programs; ASHLAR_ERR_MEMORY; ASHLAR_ERR_OVERFLOW; ASHLAR_ERR_INTERNAL if tasks wait
 * for each other. */
ashlar_status ashi_joint_run(const ashi_joint_request *request, int64_t ranks, ashi_joint_play *out, ashlar_error *err);

#endif
