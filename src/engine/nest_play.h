/* Predicted seconds of a nest: its program played against lanes. */
#ifndef ASHI_NEST_PLAY_H
#define ASHI_NEST_PLAY_H

#include "engine/nest.h"
#include "simulate/joint.h"

/* Joint play of a nest's program on all its ranks. `how` has what is said of the machine; its program is not read.
 * Errors of ashi_joint_run. */
ashlar_status ashi_nest_play(const ashi_nest *nest, const ashi_joint_request *how, ashi_joint_play *out,
                             ashlar_error *err);

#endif
