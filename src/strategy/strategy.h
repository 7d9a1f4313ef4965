/* Strategies: ways to turn a problem into schedules. One file and one row in strategies.c each. */
#ifndef ASHI_STRATEGY_H
#define ASHI_STRATEGY_H

#include "model/torus.h"
#include "simulate/simulate.h"
#include "strategy/grid_choice.h"
#include "engine/grid_schedule.h"

/* How group operations may be lowered. */
typedef enum ashi_route { ASHI_DIRECT, ASHI_TREE, ASHI_EITHER, ASHI_RECTANGULAR } ashi_route;

typedef struct ashi_sights ashi_sights;

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
    bool window_given; /* by the user; else a strategy may have more rounds in flight */
    int64_t grid[3];   /* all 0: search */
    ashi_route route;
    bool one_sided;
    double ranks_per_core; /* above 1 where ranks take turns on the cores of a node; 0 is taken for 1 */
    ashi_torus torus;      /* the network, where it is known to be one */
    const int *node_of;    /* the node that each rank is on, counted from 0; NULL: not known */
    bool compared; /* with other strategies: what one of them does as well need not be proposed */
    ashi_sights *sights; /* kept while strategies propose (strategy/sight.h); NULL: none are kept */
} ashi_problem;

/* Whether there is nothing to multiply. */
static inline bool ashi_problem_is_empty(const ashi_problem *problem)
{
    return problem->size[0] == 0 || problem->size[1] == 0 || problem->size[2] == 0;
}

/* The words of all three matrices, shared evenly among the ranks. */
double ashi_problem_share(const ashi_problem *problem);

/* Predicted seconds of a schedule of these totals, along trees or straight. */
double ashi_problem_seconds(const ashi_problem *problem, const ashi_totals *totals, bool tree);

typedef struct ashi_strategy ashi_strategy;
typedef struct ashi_proposal ashi_proposal;

/* How the boxes of a proposal still have to find their ranks before it is estimated: along the axes that they have, or
 * with other orders of k too (strategy/settle.h). */
typedef enum ashi_settling { ASHI_SETTLED, ASHI_SETTLES_RANKS, ASHI_SETTLES_ORDERS } ashi_settling;

/* How many of the proposals that fit are measured: those with the least estimates. */
enum { ASHI_LOOKED_AT = 6 };

/* One way to do it. */
struct ashi_proposal {
    const ashi_strategy *strategy; /* whose it is: set by who asked for proposals */
    ashi_bricks bricks;
    ashi_settling settling;
    const char *origin;       /* what suggested it: a part of the sentence that explains the choice */
    double estimate;          /* words of the busiest rank, or seconds where time counts: to look at good ones first */
    bool exact;               /* the estimate is what will be measured: none of a higher one need be looked at */
    int64_t rounds, reduce_rounds; /* 0: left to the choice */
    int window;
    ashi_stays stays;
    bool one_sum;             /* a grid's rank sums up its box of C as one, its own part of it too */
    bool once;                /* what a rank owns of the matrix that stays is not held twice */
    bool tree;
    int64_t memory_least;     /* no rank can do with less; 0: not known */
    int64_t ranks;            /* that compute something, where these are not one for each of the bricks */
    int64_t shape[4];         /* what the strategy wants to find again when it makes the schedule */
    int64_t longest_k;        /* the longest side along k of any block, where that is not the bricks' */
    bool at_home;             /* by few ranks, perhaps: measured whatever its estimate, which has no messages */
    ashlar_layout *own[3];    /* NULL where the caller's is used */
    bool foreseen;            /* `totals` has its figures, words and products exact, messages at most what is said:
                                 it is compared by them, unmeasured */
    ashi_totals totals;
    /* Makes what is left out until the proposal is taken: boxes' places and layouts; NULL where nothing is. */
    ashlar_status (*furnish)(const ashi_problem *problem, ashi_proposal *proposal, ashlar_error *err);
};

typedef struct ashi_proposals {
    ashi_proposal *at;
    int64_t count, capacity;
    int64_t memory_least; /* of a strategy that fails with ASHLAR_ERR_LIMIT: words a rank that would do; 0: not known */
} ashi_proposals;

/* Make what a strategy left out. A schedule is made from a proposal that has been furnished. */
ashlar_status ashi_proposal_furnish(const ashi_problem *problem, ashi_proposal *proposal, ashlar_error *err);

void ashi_proposal_free(ashi_proposal *proposal);
void ashi_proposals_free(ashi_proposals *proposals);

/* Forget all but the first `count`. */
void ashi_proposals_shrink(ashi_proposals *list, int64_t count);

/* Takes over the proposal, also where it fails. */
ashlar_status ashi_proposals_add(ashi_proposals *list, ashi_proposal *proposal, ashlar_error *err);

/* What the paper says that the busiest rank moves. */
typedef struct ashi_formula {
    double words;       /* NAN where the paper has none for the case */
    const char *text;   /* in symbols */
    const char *source; /* paper and equation */
} ashi_formula;

struct ashi_strategy {
    const char *name;    /* never reused for another */
    const char *summary; /* one line */
    /* Append what may be good, the best first of those that are foreseen. ASHLAR_ERR_UNSUPPORTED with the reason if
     * it cannot serve the problem; ASHLAR_ERR_LIMIT if nothing fits, with out->memory_least. Nothing depends on what
     * others appended before. */
    ashlar_status (*propose)(const ashi_problem *problem, ashi_proposals *out, ashlar_error *err);
    /* The schedule of a proposal; the problem's and the proposal's layouts outlive it. NULL if nothing is proposed. */
    ashlar_status (*schedule)(const ashi_problem *problem, const ashi_proposal *proposal, ashi_schedule *out,
                              ashlar_error *err);
    /* The closed form for a proposal; NULL where there is no paper. */
    ashi_formula (*formula)(const ashi_problem *problem, const ashi_proposal *proposal);
    /* In its own layouts, the best first of at most `most`: words exact, messages and memory at most what is said.
     * Errors as of `propose`; with ASHLAR_ERR_LIMIT the least memory is in out[0] (cosma_grid.h). NULL if only the
     * schedules themselves can tell. */
    ashlar_status (*foresee)(const ashi_problem *problem, int most, ashi_grid_choice *out, int *count,
                             ashlar_error *err);
};

/* Strategy number i, NULL beyond the last; and by name, NULL where there is none. */
const ashi_strategy *ashi_strategy_at(int i);
const ashi_strategy *ashi_strategy_named(const char *name);

/* Where there are no more ranks than this, all may be walked without being asked for. */
enum { ASHI_MEASURED_MOST = 1024 };

/* Whether one rank sends or receives so much more than others that work that a tree may help. */
bool ashi_is_lopsided(const ashi_totals *totals, int64_t ranks_used);

/* How many ranks compute something. */
int64_t ashi_proposal_ranks(const ashi_proposal *proposal);

/* The fewest ranks that a proposal has to use where the user has not named a strategy: as many as may not idle, or as
 * many as any proposal uses. Few ranks receive little: one alone nothing. */
int64_t ashi_proposals_ranks_wanted(const ashi_problem *problem, const ashi_proposals *list);

extern const ashi_strategy ashi_strategy_cosma, ashi_strategy_summa, ashi_strategy_25d, ashi_strategy_carma,
    ashi_strategy_uneven, ashi_strategy_cannon, ashi_strategy_sd_cannon, ashi_strategy_tpmm, ashi_strategy_cosma_tpmm,
    ashi_strategy_summa_tpmm, ashi_strategy_sequential;

#endif
