/* Proposals of grids in the caller's layouts in which A or B stays instead of C. */
#ifndef ASHI_OTHERS_STAY_H
#define ASHI_OTHERS_STAY_H

#include "strategy/strategy.h"

/*
 * If all layouts are the caller's and memory is limited: fill in `memory_least` of the proposals from `first` on, and
 * append each of them again with A and with B staying. The words that a rank receives are the same whichever stays, and
 * so is the estimate.
 */
ashlar_status ashi_others_stay(const ashi_problem *problem, int64_t first, ashi_proposals *list, ashlar_error *err);

#endif
