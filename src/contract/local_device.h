/* Whether a rank contracts in its memory on its device, and how. */
#ifndef ASHI_CONTRACT_LOCAL_DEVICE_H
#define ASHI_CONTRACT_LOCAL_DEVICE_H

#include "exec/onto_contract.h"
#include "plan/on_device.h"

typedef struct ashi_local_device {
    ashi_onto *onto;             /* NULL: the host does it */
    ashi_onto_way way[2];        /* for beta = 0, and for others */
    ashi_on_device predicted[2]; /* of these */
    int64_t bytes;               /* of the host for a device that fails, 0 without one */
} ashi_local_device;

/* Choose for a product of extents of at least 1: the device, unless there is none, the product is not one of matrices,
 * or the context has the device as `auto` and the host is predicted to be as fast. Local.
 * ASHLAR_ERR_LIMIT, with the words of the device that would do; ASHLAR_ERR_OVERFLOW; errors of ashi_context_onto. */
ashlar_status ashi_local_device_settle(const ashlar_context *context, const ashi_contraction *product,
                                       const ashlar_machine *machine, ashi_local_device *out, ashlar_error *err);

#endif
