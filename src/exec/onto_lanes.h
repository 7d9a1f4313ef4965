/* What a device did and when, in the lanes of a trace: copies and products that a caller puts into its queues, each
 * with an event of its own. The dense product has its own watch (exec/onto_run.h), which also knows its steps. */
#ifndef ASHI_ONTO_LANES_H
#define ASHI_ONTO_LANES_H

#include "device/device.h"
#include "exec/trace.h"
#include "kernel/share.h"

/* A task whose end is looked for. */
typedef struct ashi_onto_lane_task {
    ashi_device_queue queue;
    int64_t words;  /* of a product, its multiply-adds */
    int64_t step;
    int64_t after[ASHI_DEVICE_QUEUES];
    double put, end;
    ashi_device_event *event;
    bool seen;      /* to have ended */
} ashi_onto_lane_task;

/* All 0 to begin with, and freed by ashi_onto_lanes_free. Tasks have numbers in the order in which they were put. */
typedef struct ashi_onto_lanes {
    ashi_device *device;
    ashi_trace *trace;         /* NULL: nothing is noted */
    ashi_onto_lane_task *at;   /* those that may not have ended; the first has number `gone` */
    int64_t count, capacity, gone;
    int64_t last[ASHI_DEVICE_QUEUES]; /* one more than the number of the last task in each queue; 0: there is none */
    double queue_end[ASHI_DEVICE_QUEUES];
    ashi_device_event **spare; /* events of tasks that have ended */
    int64_t spares, spare_capacity;
} ashi_onto_lanes;

/* From now on tasks of this device are noted in a trace; NULL: none are. Nothing is under way. */
void ashi_onto_lanes_begin(ashi_onto_lanes *lanes, ashi_device *device, ashi_trace *trace);

/* A task was put into a queue. It waits for the task before it there, and for tasks of other queues: one more than the
 * number of the last of each; 0: for none. Nothing is done without a trace. ASHLAR_ERR_MEMORY; errors of the device. */
ashlar_status ashi_onto_lanes_put(ashi_onto_lanes *lanes, ashi_device_queue queue, int64_t words, int64_t step,
                                  const int64_t after[ASHI_DEVICE_QUEUES], ashlar_error *err);

/* Note the tasks that have ended since the last look, with the moments that the host saw. A task began when it was put,
 * or when what it waited for had ended. */
void ashi_onto_lanes_look(ashi_onto_lanes *lanes);

/* Wait for an event. Meanwhile look if there is a trace, and listen unless `between` is NULL. Errors of the device. */
ashlar_status ashi_onto_lanes_await(ashi_onto_lanes *lanes, ashi_device_event *event, const ashi_share_between *between,
                                    ashlar_error *err);

/* Nothing is under way any more: note the tasks that have ended, and forget all. */
void ashi_onto_lanes_end(ashi_onto_lanes *lanes);

void ashi_onto_lanes_free(ashi_onto_lanes *lanes);

/* Note what one of a device's queues did. */
void ashi_onto_lanes_note(ashi_trace *trace, ashi_device_queue queue, double begin, double end, int64_t step,
                          int64_t words);

#endif
