/* Choosing the plan of a product in memory. */
#ifndef ASHI_PLAN_CHOOSING_H
#define ASHI_PLAN_CHOOSING_H

#include "plan/plan.h"

/* Fill in plan->choice. The same on all ranks, and collective only while schedules are measured. A rank that fails
 * elsewhere meets the others in their next agreement about figures, there or at the end of ashi_plan_make. *agreed: all
 * have agreed to fail. */
ashlar_status ashi_plan_choose(ashlar_plan *plan, const ashlar_options *options, bool *agreed, ashlar_error *err);

/* What this rank would receive by way of COSMA's own layout. Local. */
ashlar_status ashi_plan_relayout(const ashlar_plan *plan, const ashlar_options *options, int64_t *own,
                                 ashlar_error *err);

#endif
