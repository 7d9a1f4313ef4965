/* Events of a CUDA device, and waiting for all of it. */
#include "base/error.h"
#include "device/cuda/cuda.h"

#include <stdlib.h>

typedef struct cuda_event {
    ashi_device_event base;
    cudaEvent_t event;
} cuda_event;

static cudaEvent_t event_of(const ashi_device_event *event)
{
    return ((const cuda_event *)event)->event;
}

/* The thread sleeps while it waits: ranks share cores. */
ashlar_status ashi_cuda_event_create(ashi_device *device, ashi_device_event **out, ashlar_error *err)
{
    ashi_cuda *c = ashi_cuda_of(device);
    ashlar_status status = ashi_cuda_state(c, err);
    *out = NULL;
    if (status != ASHLAR_OK)
        return status;
    cuda_event *e = calloc(1, sizeof *e);
    if (!e)
        return ashi_fail_memory(err, "device: cuda", (int64_t)sizeof *e);
    const int before = ashi_cuda_enter(c);
    status = ashi_cuda_judge(c, "cudaEventCreateWithFlags",
                             cudaEventCreateWithFlags(&e->event, cudaEventDisableTiming | cudaEventBlockingSync), err);
    ashi_cuda_leave(before);
    e->base.device = device;
    if (status == ASHLAR_OK)
        *out = &e->base;
    else
        free(e);
    return status;
}

void ashi_cuda_event_free(ashi_device *device, ashi_device_event *event)
{
    (void)device;
    if (event)
        cudaEventDestroy(event_of(event));
    free(event);
}

ashlar_status ashi_cuda_record(ashi_device *device, ashi_device_queue queue, ashi_device_event *event,
                               ashlar_error *err)
{
    ashi_cuda *c = ashi_cuda_of(device);
    ashlar_status status = ashi_cuda_state(c, err);
    if (status != ASHLAR_OK)
        return status;
    const int before = ashi_cuda_enter(c);
    status = ashi_cuda_judge(c, "cudaEventRecord", cudaEventRecord(event_of(event), c->stream[queue]), err);
    ashi_cuda_leave(before);
    return status;
}

ashlar_status ashi_cuda_wait(ashi_device *device, ashi_device_queue queue, ashi_device_event *event, ashlar_error *err)
{
    ashi_cuda *c = ashi_cuda_of(device);
    ashlar_status status = ashi_cuda_state(c, err);
    if (status == ASHLAR_OK)
        status = ashi_cuda_judge(c, "cudaStreamWaitEvent", cudaStreamWaitEvent(c->stream[queue], event_of(event), 0),
                                 err);
    return status == ASHLAR_OK ? ashi_cuda_bounce_wait(c, queue, event_of(event), err) : status;
}

ashlar_status ashi_cuda_reached(ashi_device *device, ashi_device_event *event, bool *out, ashlar_error *err)
{
    ashi_cuda *c = ashi_cuda_of(device);
    const cudaError_t result = cudaEventQuery(event_of(event));
    *out = result != cudaErrorNotReady;
    if (*out)
        return ashi_cuda_judge(c, "cudaEventQuery", result, err);
    cudaGetLastError();
    return ASHLAR_OK;
}

ashlar_status ashi_cuda_await(ashi_device *device, ashi_device_event *event, ashlar_error *err)
{
    return ashi_cuda_judge(ashi_cuda_of(device), "cudaEventSynchronize", cudaEventSynchronize(event_of(event)), err);
}

ashlar_status ashi_cuda_finish(ashi_device *device, ashlar_error *err)
{
    ashi_cuda *c = ashi_cuda_of(device);
    for (int q = 0; q < ASHI_DEVICE_QUEUES; q++)
        ashi_cuda_judge(c, "cudaStreamSynchronize", cudaStreamSynchronize(c->stream[q]), err);
    ashi_cuda_bounce_finish(c);
    return ashi_cuda_state(c, err);
}
