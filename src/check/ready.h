/* Prove that programs ready to run can be run as data arrive: an independent reading of all ranks' tasks. */
#ifndef ASHI_READY_CHECK_H
#define ASHI_READY_CHECK_H

#include "check/program.h"
#include "schedule/ready.h"

typedef struct ashi_ready_request {
    ashi_program *program;
    int64_t look_ahead, tags;
    /* Visit all tasks of a rank; *pool: words of its pool. */
    ashlar_status (*walk)(void *context, int64_t rank, const ashi_task_visitor *visitor, int64_t *pool,
                          ashlar_error *err);
    void *context;
    ashi_check_progress progress;
} ashi_ready_request;

/* The tasks that the passes make: a walk whose context is the ashi_ready_request itself. */
ashlar_status ashi_ready_walk(void *request, int64_t rank, const ashi_task_visitor *visitor, int64_t *pool,
                              ashlar_error *err);

/* Read every rank's tasks and prove that
 *   - they are the program's operations, in its order, with groups as the messages that they are lowered to;
 *   - a task waits only for earlier ones, of steps that the look-ahead allows to be still under way;
 *   - if one of two tasks writes words of the pool, of the rank's C or of C's file that the other reads or writes, the
 *     later waits for the earlier: by a path of predecessors, or because the look-ahead keeps it back;
 *   - every word that is read was written for the panel that is read, and nothing was written over it; no word is made
 *     twice; what is sent are the owner's words of the sums, as they are packed;
 *   - what is received lands only where the last use is in an earlier step;
 *   - messages pair in order, with one tag, step and size, and of the messages of a pair that may be under way
 *     together no two have the same tag; the last SEND of a step to each peer says so;
 *   - with every send synchronous, no tasks of all ranks wait for each other.
 * It does not prove that the program computes C: ashi_check_program does.
 *
 * Returns and report as of ashi_check_program; of the report messages, words and text are set. */
ashlar_status ashi_check_ready(const ashi_ready_request *request, ashi_check_report *report, ashlar_error *err);

#endif
