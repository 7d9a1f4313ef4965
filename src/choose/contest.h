/* The order of what competes for a problem, which does not depend on who was asked first. */
#ifndef ASHI_CONTEST_H
#define ASHI_CONTEST_H

#include "choose/choose.h"
#include "choose/fitting.h"

/* A proposal whose figures are there: foreseen, or measured. */
typedef struct ashi_contender {
    ashi_proposal *proposal; /* in the list */
    ashi_schedule schedule;  /* made where it was measured, and may be taken */
    ashi_totals totals;
    double seconds;
    bool counted; /* measured */
    bool out;     /* does not compete: it does not fit, or another of its strategy's comes first */
} ashi_contender;

/* All that is compared for a problem. */
typedef struct ashi_contest {
    const ashi_problem *problem;
    ashi_fitting fitting;
    ashi_proposals list;
    ashi_proposal **sorted; /* the most promising first */
    ashi_contender *entry;  /* those that are foreseen first */
    int64_t entries;
    int64_t wanted;         /* ranks that a proposal has to use */
    ashi_contender *best;   /* what was decided on: that it has been measured since decides nothing */
    ashi_compared *row;     /* becomes the choice's */
    int rows;
} ashi_contest;

/* The best of those that compete, or of one strategy's: the fewest words, unless they need much memory and some more
 * words do not, or take longer in shared memory. NULL if there is none. */
ashi_contender *ashi_contest_best(const ashi_contest *contest, const ashi_strategy *only);

#endif
