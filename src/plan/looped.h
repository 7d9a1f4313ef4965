/* Plans that run one of the paper's 48 schedules (search/paper.h) because its name is asked for. */
#ifndef ASHI_PLAN_LOOPED_H
#define ASHI_PLAN_LOOPED_H

#include "plan/plan.h"

/* Whether a strategy's name is that of such a schedule, as "outside/rotation/ABC". */
bool ashi_looped_named(const char *strategy);

/* As ashi_streamed_make. ASHLAR_ERR_LIMIT; ASHLAR_ERR_UNSUPPORTED: the schedule is none for the problem. */
ashlar_status ashi_looped_make(ashlar_plan *plan, const ashlar_options *options, int64_t memory_words,
                               ashlar_error *err);

/* Execute it: products are formed. Collective; the status is this rank's own. */
ashlar_status ashi_looped_run(ashlar_plan *plan, const void *alpha, const void *beta, bool adds, ashlar_error *err);

/* ---- what the two share ---- */

/* A player of loops, to work in the memory of the plan; *on_device: what its products take of the device. Local. */
ashlar_status ashi_looped_player(const ashlar_plan *plan, const ashi_tile_loops *loops, ashi_program *program,
                                 ashi_player **player, ashi_on_device *on_device, ashlar_error *err);

#endif
