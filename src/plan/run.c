/* Running a plan in memory, with arguments that were checked. */
#include "base/type.h"
#include "exec/scale.h"
#include "kernel/kernels.h"
#include "plan/plan.h"

/* C <- beta C of this rank's part. */
static void scale(ashlar_plan *plan, const void *beta, const ashi_part *c)
{
    const ashlar_type type = plan->problem.type;
    const int rank = plan->context->rank;
    ashi_trace *const trace = ashi_plan_trace(plan);
    const double begin = ashi_trace_begin(trace);
    ashi_scale_view(&plan->choice.schedule.view[ASHLAR_C], rank, ashi_kernels_of(type), ashi_type_bytes(type, ASHLAR_C),
                    beta, c);
    ashi_trace_note(trace, ASHI_LANE_CORES, "scale", begin, ashi_trace_begin(trace), 0,
                    ashlar_layout_words(plan->layout[ASHLAR_C], rank), -1);
}

ashlar_status ashi_plan_run(ashlar_plan *plan, const void *alpha, const ashi_part part[3], const void *beta,
                            ashlar_error *err)
{
    if (!plan->empty && !ashi_kernels_of(plan->problem.type)->is_zero(alpha))
        return ashi_runner_run(plan->runner, alpha, part, beta, &plan->tally, err);
    scale(plan, beta, &part[ASHLAR_C]);
    plan->tally = (ashi_player_tally){0};
    return ASHLAR_OK;
}
