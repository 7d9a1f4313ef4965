/* The predicted timeline of a joint play as a trace's file. */
#ifndef ASHI_JOINT_TRACE_H
#define ASHI_JOINT_TRACE_H

#include "simulate/joint.h"

/* All 0: nothing was recorded. */
typedef struct ashi_joint_trace {
    ashi_joint_event *event;
    int64_t events, capacity, dropped; /* dropped: beyond the room, or for lack of memory */
} ashi_joint_trace;

/* An ashi_joint_request's `event`, with an ashi_joint_trace as its context. */
void ashi_joint_trace_note(void *trace, const ashi_joint_event *event);

/* Write what was recorded as `ashlar multiply --trace` does (plan/trace.h): whole or not at all. The events are in
 * another order afterwards. ASHLAR_ERR_IO; ASHLAR_ERR_MEMORY. */
ashlar_status ashi_joint_trace_write(ashi_joint_trace *trace, int64_t ranks, const char *path, ashlar_error *err);

void ashi_joint_trace_free(ashi_joint_trace *trace);

#endif
