/* In how many rounds a proposal goes, so that what is in flight fits. */
#ifndef ASHI_THINNING_H
#define ASHI_THINNING_H

#include "strategy/strategy.h"

/* The longest side that rounds cut of any box: along k if C stays. */
int64_t ashi_longest_cut(const ashi_proposal *proposal);

/* The most rounds that sums are moved in; if A or B stays, that it arrives in: each cuts the products. */
int64_t ashi_most_reduce_rounds(const ashi_proposal *proposal, const ashi_totals *totals);

/* More rounds, so that each takes its budget. False if that is so, or no more can be had. `stuck`: what was thinned
 * last has not made the fullest rank hold less, so slabs are what it holds too much of. */
bool ashi_thin(const ashi_problem *problem, const ashi_totals *totals, bool stuck, ashi_proposal *proposal);

#endif
