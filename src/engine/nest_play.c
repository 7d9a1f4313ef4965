/* Predicted seconds of a nest: its program played against lanes. */
#include "engine/nest_play.h"

static ashlar_status program_of(void *context, ashi_program *out, ashlar_error *err)
{
    const ashi_nest *nest = context;
    return ashi_nest_program(nest, out, err);
}

ashlar_status ashi_nest_play(const ashi_nest *nest, const ashi_joint_request *how, ashi_joint_play *out,
                             ashlar_error *err)
{
    ashi_nest own = *nest;
    ashi_joint_request request = *how;
    request.program = program_of;
    request.context = &own;
    return ashi_joint_run(&request, nest->ranks, out, err);
}
