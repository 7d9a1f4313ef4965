/* What a plan is inside. */
#ifndef ASHI_PLAN_H
#define ASHI_PLAN_H

#include "exec/executor.h"
#include "plan/context.h"
#include "strategy/choose.h"

struct ashlar_plan {
    ashlar_context *context; /* not owned */
    ashlar_problem problem;  /* its layouts are the caller's: use `layout` */
    int64_t memory_words;
    bool one_sided, trusted, caller_workspace;
    bool empty;              /* nothing to multiply, C is scaled only */
    ashlar_layout *given[3]; /* copies of the caller's; NULL where the plan's own is used */
    const ashlar_layout *layout[3];
    int *node_of;            /* of each rank, where the caller said how many share a node */
    ashi_choice choice;
    ashi_need need;          /* of this rank */
    ashi_executor *executor;
    ashi_trace *trace;       /* of ashlar_plan_trace_begin, or NULL */
    ashi_tally tally;        /* of the last execution */
    int64_t relayout_words;
    char warning[160];
};

/* What an executor of the plan is made from: two-sided, with a workspace of its own. */
static inline ashi_executor_request ashi_executor_request_of(ashlar_plan *plan, const ashi_need *need)
{
    const ashlar_context *c = plan->context;
    return (ashi_executor_request){.schedule = &plan->choice.schedule, .need = need, .comm = c->comm, .rank = c->rank,
                                   .ranks = c->ranks, .tag_most = c->tag_most, .type = plan->problem.type,
                                   .message_most = ASHI_MESSAGE_MOST, .one_node = c->node_ranks == c->ranks};
}

#endif
