/* Measure what was proposed, the most promising first, until what is left cannot be the best. */
#ifndef ASHI_MEASURING_H
#define ASHI_MEASURING_H

#include "choose/contest.h"

/* Measure what is not foreseen, and enter what fits. Several at a time, if ranks are few: each has its schedule. If
 * nothing fits what cannot is measured too, to say how much memory would do. */
ashlar_status ashi_measure_in_order(ashi_contest *contest, ashlar_error *err);

/* Decide on contest->best, NULL if there is none, and see that there is a schedule unless what is foreseen does. */
ashlar_status ashi_contest_decide(ashi_contest *contest, bool foreseen_does, ashlar_error *err);

#endif
