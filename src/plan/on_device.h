/* Whether a rank's program multiplies on the context's device, and what that is predicted to take. */
#ifndef ASHI_PLAN_ON_DEVICE_H
#define ASHI_PLAN_ON_DEVICE_H

#include "choose/device_need.h"
#include "exec/onto_device.h"

struct ashlar_context;

/* Of one rank. All is 0 without a device. */
typedef struct ashi_on_device {
    bool used;            /* the products are made on the device */
    ashi_device_need need; /* if they were: exact words and memory, and predicted seconds */
    double host_seconds;  /* predicted of the same products, by the host alone */
} ashi_on_device;

/* A device that says `facts` of itself, of whose memory a rank takes `bytes`. Rates that it does not say are the
 * machine's: of copies and of products. */
ashi_device_terms ashi_device_terms_of(const ashi_device_facts *facts, int64_t bytes, ashlar_type type,
                                       const ashlar_machine *machine);

/* Predict a rank's program, and choose: *onto is what multiplies it, or NULL for the host. The device is used unless
 * the context has it as `auto` and the host is predicted to be as fast. Local.
 * Errors of ashi_context_onto and ashi_device_need_of. */
ashlar_status ashi_on_device_settle(const struct ashlar_context *context, ashlar_type type, ashi_program *program,
                                    const ashlar_machine *machine, ashi_on_device *out, ashi_onto **onto,
                                    ashlar_error *err);

#endif
