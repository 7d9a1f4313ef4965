/* A record of what all executions over a context do. */
#ifndef ASHI_PLAN_RECORDING_H
#define ASHI_PLAN_RECORDING_H

#include "plan/context.h"
#include "store/output.h"

struct ashi_recording {
    ashi_output output; /* of rank 0 */
};

/* End recording, if it was begun, without a file. Local. */
void ashi_recording_drop(ashlar_context *context);

#endif
