/* Fit a proposal into memory, and take the better route. */
#ifndef ASHI_FITTING_H
#define ASHI_FITTING_H

#include "choose/choose.h"

/* Predictions nearer than this are a tie, which fewer words decide: they are exact, and cost others' links too. */
extern const double ashi_fit_tie;

/* What fitting needs, and the least memory that would have done, over all proposals that did not fit. */
typedef struct ashi_fitting {
    const ashi_problem *problem;
    ashi_measure measure;         /* if the next is NULL */
    ashi_measure_all measure_all;
    void *context; /* of either */
    int64_t least; /* INT64_MAX: all fitted so far */
    ashi_proposal *put_off; /* what would have done with the least memory, and is measured only if nothing fits */
    int64_t puts_off;
    /* Within a memory limit, of those that fit so far. What is beyond them before it fits cannot be chosen, since more
     * rounds take no less: no more of its schedules are measured. */
    double seconds;  /* the least: others are chosen only if they take at most ashi_fit_tie times as long */
    int64_t words;   /* the fewest, which decide if the problem wants the fewest */
} ashi_fitting;

/* That compares nothing yet. */
ashi_fitting ashi_fitting_begin(const ashi_problem *problem, const ashi_competition *asked);

/* Note that one fits. */
void ashi_fitting_note(ashi_fitting *fitting, double seconds, int64_t words);

/* A proposal's schedule and figures, measured. */
typedef struct ashi_fitted {
    ashi_schedule schedule;
    ashi_totals totals;
    double seconds;
    bool fits;
} ashi_fitted;

enum { ASHI_FITTED_MOST = 12 }; /* proposals at once */

/* Furnish and measure 1 to ASHI_FITTED_MOST proposals, side by side: the first schedules of all are measured together,
 * then the second ones of those that need another, and so on. A proposal's rounds, window and route become those that
 * fit, if any do. The schedules are freed by the caller; if this fails there are none. */
ashlar_status ashi_fit(ashi_fitting *fitting, ashi_proposal *const *proposal, int count, ashi_fitted *out,
                       ashlar_error *err);

/* If nothing fits: measure what was put off, for the least memory that would have done. */
ashlar_status ashi_fit_least(ashi_fitting *fitting, ashlar_error *err);

/* The schedule of a proposal that has been fitted. */
ashlar_status ashi_fit_schedule(const ashi_problem *problem, const ashi_proposal *proposal, ashi_schedule *out,
                                ashlar_error *err);

/* Whether all layouts are the proposal's: then its rounds, if it has any, were chosen by the search that proposed
 * it. */
bool ashi_proposal_is_own(const ashi_proposal *proposal);

#endif
