/* Strategies: ways to turn a problem into schedules. One file and one row in strategy.c each. */
#ifndef ASHI_STRATEGY_H
#define ASHI_STRATEGY_H

#include "schedule/simulate.h"
#include "strategy/grid_schedule.h"

/* How group operations may be lowered. */
typedef enum ashi_route { ASHI_DIRECT, ASHI_TREE, ASHI_EITHER } ashi_route;

/* The problem and the wishes, as every strategy sees them. */
typedef struct ashi_problem {
    int64_t size[3]; /* m, n, k, all above 0 */
    int64_t ranks;
    ashlar_type type;
    ashlar_op op[2];
    const ashlar_layout *layout[3]; /* NULL: the strategy's own */
    int64_t memory_words;           /* 0: no limit */
    double idle;
    bool least_words;
    ashlar_machine machine;
    int window;
    int64_t grid[3]; /* all 0: search */
    ashi_route route;
    bool one_sided;
    double ranks_per_core; /* above 1 where ranks take turns on the cores of a node; 0 is taken for 1 */
    bool in_files; /* the matrices are in files, and are to be read from them as they are needed */
    bool adds;     /* in_files: C0 is read too */
} ashi_problem;

/* One way to do it. */
typedef struct ashi_proposal {
    ashi_bricks bricks;
    const char *origin;       /* what suggested it: a part of the sentence that explains the choice */
    double estimate;          /* words of the busiest rank, at least: to look at good ones first */
    int64_t rounds, reduce_rounds;
    int window;
    bool tree;
    bool at_home;             /* by few ranks, perhaps: weighed whatever its estimate, which knows no messages */
    ashlar_layout *own[3];    /* NULL where the caller's is used */
} ashi_proposal;

typedef struct ashi_proposals {
    ashi_proposal *at;
    int64_t count, capacity;
} ashi_proposals;

void ashi_proposal_free(ashi_proposal *proposal);
void ashi_proposals_free(ashi_proposals *proposals);

/* Takes over the proposal, also where it fails. */
ashlar_status ashi_proposals_add(ashi_proposals *list, ashi_proposal *proposal, ashlar_error *err);

typedef struct ashi_strategy {
    const char *name;    /* never reused for another */
    const char *summary; /* one line */
    /* Append what may be good. ASHLAR_ERR_UNSUPPORTED with the reason where it cannot serve the problem. */
    ashlar_status (*propose)(const ashi_problem *problem, ashi_proposals *out, ashlar_error *err);
    /* The schedule of a proposal; the problem's and the proposal's layouts outlive it. */
    ashlar_status (*schedule)(const ashi_problem *problem, const ashi_proposal *proposal, ashi_schedule *out,
                              ashlar_error *err);
} ashi_strategy;

/* Strategy number i, NULL beyond the last; and by name, NULL where there is none. */
const ashi_strategy *ashi_strategy_at(int i);
const ashi_strategy *ashi_strategy_named(const char *name);

extern const ashi_strategy ashi_strategy_cosma, ashi_strategy_sequential;

#endif
