/* Weigh what the strategies propose, fit it into memory, and say why one was chosen. */
#ifndef ASHI_CHOOSE_H
#define ASHI_CHOOSE_H

#include "model/bounds.h"
#include "strategy/strategy.h"

/* Find the figures of a schedule over all ranks: by walking them all, or each its own and joining them. */
typedef ashlar_status (*ashi_measure)(void *context, ashi_schedule *schedule, ashi_totals *out, ashlar_error *err);

/* What was chosen. The schedule refers to the proposal's layouts: free with ashi_choice_free only. */
typedef struct ashi_choice {
    const ashi_strategy *strategy;
    ashi_proposal proposal;
    ashi_schedule schedule;
    ashi_totals totals;
    double seconds, fastest; /* predicted: of the choice, and the least of all that was weighed */
    char reason[200];
} ashi_choice;

/* Predictions nearer than this are a tie, which fewer words decide: they are exact, and cost others' links too. */
extern const double ashi_choose_tie;

/* Choose for a problem; `name` NULL weighs all strategies. The layouts given must outlive the choice.
 * @return ASHLAR_OK; ASHLAR_ERR_LIMIT with the least words a rank that would do; ASHLAR_ERR_UNSUPPORTED;
 * ASHLAR_ERR_ARG;
 *         ASHLAR_ERR_OVERFLOW; ASHLAR_ERR_MEMORY */
ashlar_status ashi_choose(const ashi_problem *problem, const char *name, ashi_measure measure, void *context,
                          ashi_choice *out, ashlar_error *err);
void ashi_choice_free(ashi_choice *choice);

/* Words that the busiest of ranks rank_lo .. rank_hi-1 would receive if A and B were first moved into the best grid's
 * own layout and C back. Where a layout is not given nothing of that matrix is moved. */
ashlar_status ashi_relayout_words(const ashi_problem *problem, int64_t rank_lo, int64_t rank_hi, int64_t *out,
                                  ashlar_error *err);

#endif
