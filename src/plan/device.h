/* The device of a context: picked and opened once, its memory taken once, used by the players of plans. */
#ifndef ASHI_PLAN_DEVICE_H
#define ASHI_PLAN_DEVICE_H

#include "base/type.h"
#include "device/pick.h"
#include "exec/onto_device.h"
#include "plan/on_device.h"

#include <ashlar/plan.h>

struct ashlar_context;

enum { ASHI_DEVICE_SENTENCE = 600, ASHI_DEVICE_NAME = 40 };

/* Of this rank. A rank without a device has one, too, if it was asked for: then `device` is NULL. */
typedef struct ashi_context_device {
    char wanted[ASHI_DEVICE_TEXT]; /* as the caller asked for it */
    int64_t asked, memory;         /* bytes: asked for, and taken */
    ashi_device_pick pick;
    char name[ASHI_DEVICE_NAME];   /* the kind and the number; "": no device */
    int64_t sharers;               /* ranks of the node that use the same device, this one among them */
    char rule[ASHI_DEVICE_SENTENCE];    /* by which rule it was picked */
    char warning[ASHI_DEVICE_SENTENCE]; /* ranks share a device without need; "": they do not. The same on all ranks */
    ashi_device *device;
    void *pool;                    /* `memory` bytes of it, for products of each type */
    void *stages;                  /* `stage_bytes` bytes of the host for results on their way back, of each type */
    int64_t stage_bytes;
    ashi_onto *onto[ASHI_TYPES];   /* by ashlar_type */
    void *staging;                 /* memory of the host for copies of operands that are on the device, */
    int64_t staging_bytes;         /* as much as an execution has needed most; all executions share it */
    bool used;                     /* by plans that are made now */
    ashi_on_device tiles;          /* of the last call that multiplied matrices of tiles: what it would take, */
    ashi_onto_tally tiles_did;     /* and what it took. After a failure the host multiplies tiles for good */
} ashi_context_device;

/* What multiplies elements of a type for plans that are made now: NULL without a device. Local.
 * ASHLAR_ERR_LIMIT; ASHLAR_ERR_MEMORY; ASHLAR_ERR_DEVICE. */
ashlar_status ashi_context_onto(const struct ashlar_context *context, ashlar_type type, ashi_onto **out,
                                ashlar_error *err);

/* What this rank's products of a type took so far; all 0 without a device. */
ashi_onto_tally ashi_context_device_tally(const struct ashlar_context *context, ashlar_type type);

/* Words of the host that plans with devices count beside what they hold themselves: for results on their way back, and
 * by which copies go that cannot be made directly. The same on all ranks. Local. */
int64_t ashi_context_device_aside(const struct ashlar_context *context, ashlar_type type);

/* Say in the refusal of a limit that these words come beside what would do, and what would do in all if that is not 0.
 * Returns ASHLAR_ERR_LIMIT. */
ashlar_status ashi_device_say_aside(int64_t words, int64_t all, ashlar_error *err);

/* What of that this rank's device holds now. Local. */
int64_t ashi_context_device_beside(const struct ashlar_context *context, ashlar_type type);

/* What they took since the tally was `before`; words held and a failure are those of all so far. */
ashi_onto_tally ashi_context_device_since(const struct ashlar_context *context, ashlar_type type,
                                          const ashi_onto_tally *before);

/* Memory of the host for `bytes` bytes of one execution, which ends before another one asks. Local.
 * ASHLAR_ERR_MEMORY; ASHLAR_ERR_DEVICE. */
ashlar_status ashi_context_staging(const struct ashlar_context *context, int64_t bytes, void **out, ashlar_error *err);

/* NULL does nothing. */
void ashi_context_device_free(ashi_context_device **device);

/* ---- device_share.c ---- */

/* Find how many ranks of the node share this rank's device, by which rule it was picked, and whether ranks share
 * without need. uses: plans that are made now use the device. *any: some rank's do. device: NULL, or one that is open.
 * Collective, the same on all ranks. ASHLAR_ERR_MEMORY; what else fails is noted. */
ashlar_status ashi_context_device_share(const struct ashlar_context *context, ashi_context_device *device, bool uses,
                                        bool *any, ashlar_error *err);

#endif
