/* Copies between the host and a CUDA device: straight, or by way of pinned pieces if the host's memory is pageable. */
#include "device/cuda/cuda.h"

static ashlar_status copy(ashi_device *device, ashi_device_queue queue, const ashi_device_copy *copy,
                          ashlar_error *err)
{
    ashi_cuda *c = ashi_cuda_of(device);
    ashlar_status status = ashi_cuda_state(c, err);
    if (status != ASHLAR_OK || copy->bytes == 0 || copy->lines == 0)
        return status;
    const int before = ashi_cuda_enter(c);
    if (ashi_cuda_reaches(queue == ASHI_DEVICE_IN ? copy->from : copy->to))
        status = ashi_cuda_judge(c, "a copy", ashi_cuda_put_copy(copy, c->stream[queue]), err);
    else
        status = ashi_cuda_bounce_copy(c, queue, copy, err);
    ashi_cuda_leave(before);
    return status;
}

ashlar_status ashi_cuda_copy_in(ashi_device *device, const ashi_device_copy *c, ashlar_error *err)
{
    return copy(device, ASHI_DEVICE_IN, c, err);
}

ashlar_status ashi_cuda_copy_out(ashi_device *device, const ashi_device_copy *c, ashlar_error *err)
{
    return copy(device, ASHI_DEVICE_OUT, c, err);
}
