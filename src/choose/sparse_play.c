/* The program of a planned product of matrices of tiles, of all ranks, played against lanes. */
#include "choose/sparse_play.h"

#include "choose/sparse_problem.h"
#include "engine/tile_program.h"

static ashlar_status make_program(void *context, ashi_program *out, ashlar_error *err)
{
    const ashi_sparse_problem *y = context;
    return ashi_tile_program_of(&y->problem, out, err);
}

ashlar_status ashi_sparse_play(const ashi_sparse_request *q, const ashi_sparse_plan *plan, ashi_joint_play *out,
                             ashlar_error *err)
{
    ashi_sparse_problem y;
    *out = (ashi_joint_play){.played = false};
    if (ashi_sparse_is_too_much(q, plan))
        return ASHLAR_OK;
    const ashi_joint_request joint = {.program = make_program, .context = &y, .machine = q->machine, .bytes = q->bytes,
                                      .flops = q->flops};
    ashlar_status status = ashi_sparse_problem_make(q, plan, 0, &y, err);
    if (status == ASHLAR_OK)
        status = ashi_joint_run(&joint, q->ranks, out, err);
    ashi_sparse_problem_free(&y);
    return status;
}
