/* What proposals in the caller's layouts would move: found for those that may be among the best. */
#ifndef ASHI_ESTIMATE_H
#define ASHI_ESTIMATE_H

#include "strategy/strategy.h"

/* Fill the estimate of proposal number `first` and all after it: words or seconds of the busiest rank, the latter
 * without messages. Boxes that are not settled get their ranks first. Without a memory limit those that cannot be among
 * the ones that are looked at closely, because as many others are better, are taken off the list. */
ashlar_status ashi_estimate_proposals(const ashi_problem *problem, int64_t first, ashi_proposals *list,
                                      ashlar_error *err);

/* No estimate of the proposal is below, whatever the layouts are and whichever ranks have its boxes: 0 if there is no
 * quick answer. */
double ashi_estimate_least(const ashi_problem *problem, const ashi_proposal *proposal);

#endif
