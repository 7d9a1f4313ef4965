/* What a plan is inside. */
#ifndef ASHI_PLAN_H
#define ASHI_PLAN_H

#include "choose/choose.h"
#include "plan/context.h"
#include "plan/filed.h"
#include "plan/runner.h"

/* What a plan is executed with. */
typedef struct ashi_arguments {
    const void *alpha, *beta;
    ashi_part part[3];
} ashi_arguments;

struct ashlar_plan {
    ashlar_context *context; /* not owned */
    ashlar_problem problem;  /* its layouts are the caller's: use `layout` */
    int64_t memory_words;
    int64_t aside;           /* words of it for the ranks' devices (ashi_context_device_aside) */
    bool one_sided, trusted, caller_workspace;
    bool sums_stay;          /* on ranks' devices, during an execution: some rank had one when the plan was made */
    bool c_is_new;           /* beta is 0 in all executions: the context says so, or C's file is read from none */
    bool c_begins_new;       /* a part of a sum, of which the first execution may have beta 0; c_is_new is false */
    const ashi_arguments *once; /* of the only execution, while the plan is made; NULL: any number may come */
    bool checked;            /* the last agreement about the plan was also that about these */
    bool empty;              /* nothing to multiply, C is scaled only */
    ashlar_layout *given[3]; /* copies of the caller's; NULL where the plan's own is used */
    const ashlar_layout *layout[3];
    int *node_of;            /* of each rank, where the caller said how many share a node */
    ashi_choice choice;
    ashi_need need;          /* of this rank */
    ashi_runner *runner;     /* NULL if nothing is multiplied in memory */
    ashi_trace *trace;       /* of ashlar_plan_trace_begin, or NULL */
    ashi_player_tally tally;  /* of the last execution */
    ashi_onto_tally on_device; /* of the last execution, on this rank; its failure is that of any before */
    int64_t staged, staged_beside; /* of the last execution: ashi_device_parts */
    ashi_filed filed;        /* what is in files */
    ashlar_machine machine;  /* by which it was planned */
    double disk_words_per_second; /* of one rank */
    int64_t relayout_words;
    char warning[160];
};

/* Like ashlar_plan_create. With `once` the plan is not to be explained, and its execution may be checked already:
 * `checked`. */
ashlar_status ashi_plan_create(ashlar_context *context, const ashlar_problem *problem, const ashlar_options *options,
                               const ashi_arguments *once, ashlar_plan **out, ashlar_error *err);

/* Whether a plan can be executed with these on this rank. Local. */
ashlar_status ashi_plan_check(const ashlar_plan *plan, const ashi_arguments *with, ashlar_error *err);

/* Choose and prepare a plan that forms its product in memory. Collective, the same on all ranks. */
ashlar_status ashi_plan_make(ashlar_plan *plan, const ashlar_options *options, ashlar_error *err);

/* Free what making it has left, so that it can be made anew. Collective where one-sided. */
void ashi_plan_clear(ashlar_plan *plan);

/* Free a plan that has nothing in files. NULL is left alone. Collective where one-sided. */
void ashi_plan_discard(ashlar_plan **plan);

/* Execute it in memory, with arguments that were checked. Collective; the status is this rank's own. */
ashlar_status ashi_plan_run(ashlar_plan *plan, const void *alpha, const ashi_part part[3], const void *beta,
                            ashlar_error *err);

/* What this rank's products take of its device, all slabs together. Local. */
ashi_on_device ashi_plan_on_device(const ashlar_plan *plan);

/* Where executions note their events: the plan's own trace, or that of all over the context; or NULL. */
static inline ashi_trace *ashi_plan_trace(const ashlar_plan *plan)
{
    return plan->trace ? plan->trace : plan->context->trace;
}

/* Let executions note their events in a trace that is the caller's; NULL: no longer. Local. */
void ashi_plan_record(ashlar_plan *plan, ashi_trace *trace);

/* Make what runs such a plan, unless there is nothing to multiply, and find this rank's needs. Local. */
ashlar_status ashi_plan_runner(ashlar_plan *plan, ashi_runner **out, ashi_need *need, ashlar_error *err);

#endif
