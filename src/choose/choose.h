/* Compare what the strategies propose, fit it into memory, and say why one was chosen. */
#ifndef ASHI_CHOOSE_H
#define ASHI_CHOOSE_H

#include "model/bounds.h"
#include "strategy/strategy.h"

/* Find the figures of a schedule over all ranks: by walking them all, or each its own and joining them. */
typedef ashlar_status (*ashi_measure)(void *context, ashi_schedule *schedule, ashi_totals *out, ashlar_error *err);

/* The same of several at once, count <= ASHI_FITTED_MOST of fitting.h. `status` is what this rank has come to so far:
 * one that has failed takes part, so that all learn of it, and its schedules are not looked at. */
typedef ashlar_status (*ashi_measure_all)(void *context, ashlar_status status, ashi_schedule *const *schedule,
                                          int count, ashi_totals *out, ashlar_error *err);

/* What was found out about a strategy, or about one more way of it. */
typedef struct ashi_compared {
    const ashi_strategy *strategy;
    ashlar_error refusal; /* why it proposes nothing; ASHLAR_OK otherwise */
    bool has_figures;     /* else what it proposes promised less than others, or did not fit */
    bool competes;        /* else another of its strategy's comes first, or it leaves too many ranks idle */
    bool counted;         /* measured; else foreseen: messages are at most what is said */
    const char *origin;
    int64_t grid[3], ranks_used, rounds; /* grid all 0: boxes of another kind */
    int window;
    ashi_stays stays;
    ashi_totals totals;
    double seconds; /* predicted */
} ashi_compared;

/* What was chosen. The schedule refers to the proposal's layouts: free with ashi_choice_free only. */
typedef struct ashi_choice {
    const ashi_strategy *strategy;
    ashi_proposal proposal;
    ashi_schedule schedule; /* empty where what was foreseen did */
    ashi_totals totals;
    double seconds; /* predicted */
    char reason[200];
    ashi_compared *compared; /* one row a strategy, in the order asked, then other ways that were foreseen */
    int strategies, comparisons, taken; /* rows of strategies; all rows; which is the choice's */
    int64_t memory_least; /* of a choice that failed with ASHLAR_ERR_LIMIT: words a rank that would do, or 0 if it would
                             take long to find them */
} ashi_choice;

/* Between whom to choose. The choice does not depend on their order. */
typedef struct ashi_competition {
    const ashi_strategy *const *strategy; /* no two the same */
    int strategies;
    ashi_measure measure;         /* if the next is NULL */
    ashi_measure_all measure_all;
    void *context;      /* of either */
    bool foreseen_does; /* what is chosen need not be measured, and has no schedule, if closed forms tell its figures */
} ashi_competition;

/* Choose for a problem; `name` NULL compares all strategies. The layouts given must outlive the choice. The same
 * problem has the same choice on every rank, with MPI and without: figures that closed forms tell are compared as they
 * are, and the others are measured.
 * @return ASHLAR_OK; ASHLAR_ERR_LIMIT, with the least words a rank that would do in out->memory_least;
 *         ASHLAR_ERR_UNSUPPORTED; ASHLAR_ERR_ARG; ASHLAR_ERR_OVERFLOW; ASHLAR_ERR_MEMORY */
ashlar_status ashi_choose(const ashi_problem *problem, const char *name, ashi_measure measure, void *context,
                          ashi_choice *out, ashlar_error *err);

/* The same, measuring several at once. */
ashlar_status ashi_choose_together(const ashi_problem *problem, const char *name, ashi_measure_all measure_all,
                                   void *context, ashi_choice *out, ashlar_error *err);

/* The same between those strategies; errors as there. */
ashlar_status ashi_choose_among(const ashi_problem *problem, const ashi_competition *competition, ashi_choice *out,
                                ashlar_error *err);
void ashi_choice_free(ashi_choice *choice);

/* Words that the busiest of ranks rank_lo .. rank_hi-1 would receive if A and B were first moved into the best grid's
 * own layout and C back. Where a layout is not given nothing of that matrix is moved. */
ashlar_status ashi_relayout_words(const ashi_problem *problem, int64_t rank_lo, int64_t rank_hi, int64_t *out,
                                  ashlar_error *err);

#endif
