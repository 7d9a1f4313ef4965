/* The device of a context: opened once, its memory taken once, used by the players of plans. */
#ifndef ASHI_PLAN_DEVICE_H
#define ASHI_PLAN_DEVICE_H

#include "base/type.h"
#include "exec/onto_device.h"

struct ashlar_context;

enum { ASHI_DEVICE_TEXT = 256 };

/* `memory` bytes of one device, for products of each type. */
typedef struct ashi_context_device {
    char text[ASHI_DEVICE_TEXT]; /* by which it was opened */
    int64_t asked, memory;       /* bytes */
    ashi_device *device;
    void *pool;
    ashi_onto *onto[ASHI_TYPES]; /* by ashlar_type */
    bool used;                   /* by plans that are made now, */
    bool automatic;              /* for products that are predicted to be faster on it */
} ashi_context_device;

/* What multiplies elements of a type for plans that are made now: NULL without a device. Local.
 * ASHLAR_ERR_LIMIT; ASHLAR_ERR_MEMORY; ASHLAR_ERR_DEVICE. */
ashlar_status ashi_context_onto(const struct ashlar_context *context, ashlar_type type, ashi_onto **out,
                                ashlar_error *err);

/* What the products of all ranks took so far, of all types: words and multiply-adds in all, `held` the most of a rank,
 * `failure` of the first rank whose device failed. Collective. ASHLAR_ERR_MPI. */
ashlar_status ashi_context_device_total(const struct ashlar_context *context, ashi_onto_tally *out, ashlar_error *err);

/* NULL does nothing. */
void ashi_context_device_free(ashi_context_device **device);

#endif
