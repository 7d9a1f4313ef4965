/* Runs a schedule: the rank's operations in their order, on MPI and BLAS. */
#ifndef ASHI_EXECUTOR_H
#define ASHI_EXECUTOR_H

#include "exec/part.h"
#include "exec/trace.h"
#include "exec/transport.h"
#include "schedule/schedule.h"

typedef struct ashi_executor ashi_executor;

typedef struct ashi_executor_request {
    ashi_schedule *schedule; /* outlives the executor */
    const ashi_need *need;   /* of this rank */
    MPI_Comm comm;
    int rank, ranks, tag_most; /* tag_most: the largest tag, the same on all ranks */
    ashlar_type type;
    bool one_sided;
    bool no_workspace;       /* the caller will give it */
    int64_t message_most;
    bool one_node;           /* all ranks of comm share memory */
} ashi_executor_request;

/* What one execution moved and held, on this rank. */
typedef struct ashi_tally {
    int64_t received, received_messages, sent_messages;
    int64_t workspace; /* words, up to the end of the buffer acquired that reaches furthest */
    double seconds;
} ashi_tally;

/* The first element of a block in such a part. */
char *ashi_part_address(const ashi_part *part, const ashi_block *block, size_t bytes);

/* Allocate what an execution needs, without the window of one-sided transport. Local. */
ashlar_status ashi_executor_create(const ashi_executor_request *request, ashi_executor **out, ashlar_error *err);

/* Make the window; with two-sided transport there is none. Collective, once every rank has its executor; the status is
 * this rank's own. */
ashlar_status ashi_executor_open(ashi_executor *executor, ashlar_error *err);

/* Work in the caller's memory from now on. Not with one-sided transport. */
void ashi_executor_use_workspace(ashi_executor *executor, void *workspace);

/* Call `progress` after each step; NULL: nothing. */
void ashi_executor_on_progress(ashi_executor *executor, void (*progress)(void *user, int64_t done, int64_t all),
                               void *user);

/* Record from now on what executions do; NULL: no longer. The trace is the caller's and outlives that. Local.
 * ASHLAR_ERR_MEMORY: then nothing is recorded. */
ashlar_status ashi_executor_record(ashi_executor *executor, ashi_trace *trace, ashlar_error *err);

/* Whether there is the workspace that a run needs. */
bool ashi_executor_is_ready(const ashi_executor *executor);

/* C <- alpha op(A) op(B) + beta C. part[ASHLAR_C] is written to. Collective; the status is this rank's own. */
ashlar_status ashi_executor_run(ashi_executor *executor, const void *alpha, const ashi_part part[3], const void *beta,
                                ashi_tally *tally, ashlar_error *err);

/* C <- beta C of this rank's part, where nothing is to be multiplied. Local. */
void ashi_executor_scale(ashi_executor *executor, const void *beta, const ashi_part *c);

/* Collective where one-sided. */
void ashi_executor_free(ashi_executor **executor);

#endif
