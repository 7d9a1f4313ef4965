/* Which device of its node a rank uses: the rule, and what may be said instead of it. */
#ifndef ASHI_DEVICE_PICK_H
#define ASHI_DEVICE_PICK_H

#include "device/device.h"

/* The environment variable by which a user says which device each rank of a node takes. */
#define ASHI_DEVICE_VARIABLE "ASHLAR_DEVICE"

enum { ASHI_DEVICE_TEXT = 256 }; /* characters of a list of devices at most, with the end */

/* Why a rank has the device that it has. */
typedef enum ashi_device_reason {
    ASHI_DEVICE_BY_RULE,        /* the number is the local rank modulo the number of devices */
    ASHI_DEVICE_BY_NAME,        /* the caller has named the number */
    ASHI_DEVICE_BY_ENVIRONMENT, /* ASHLAR_DEVICE has named it */
    ASHI_DEVICE_NONE_WANTED,
    ASHI_DEVICE_NONE_FOUND      /* it was to be looked for, and there is none */
} ashi_device_reason;

typedef struct ashi_device_pick {
    const ashi_device_kind *kind; /* NULL: no device */
    int64_t number, count;        /* of the device, and how many devices of this kind the process can open */
    bool automatic;               /* for products that are predicted to be faster on it; else for all */
    ashi_device_reason reason;
    bool by_environment;          /* ASHLAR_DEVICE has named the device, or cannot be read */
    char text[ASHI_DEVICE_TEXT + 24]; /* opens it: the kind, the number and the other options */
    char why[ASHLAR_MESSAGE_MAX]; /* none was found: why a kind's devices cannot be counted; "": all could */
} ashi_device_pick;

/* Pick the device of the process that is number `local_rank` on its node.
 *
 * `wanted` has devices with blanks between, of which the local ranks take one each, by turns: none, auto, or a kind and
 * options as ashi_device_open takes them. auto is the first kind that has a device, except the emulated one. A device
 * without a number is the local rank modulo the number of devices. ASHLAR_DEVICE has such a list, too: it decides for
 * auto, and gives the number to a device of the same kind that is named without one.
 *
 * ASHLAR_ERR_ARG: no such kind, or a text that is too long; ASHLAR_ERR_DEVICE: there is no such device; errors of
 * counting. */
ashlar_status ashi_device_pick_of(const char *wanted, int64_t local_rank, ashi_device_pick *out, ashlar_error *err);

/* An error about the device that was picked: if ASHLAR_DEVICE named it, the text says so. Returns `status`. */
ashlar_status ashi_device_pick_blame(const ashi_device_pick *pick, ashlar_status status, ashlar_error *err);

/* A number for the devices that a process sees: processes of one node that have the same number, and the same number of
 * their device, share it. Processes to which other devices are visible have another one. */
int64_t ashi_device_identity(const ashi_device_pick *pick);

#endif
