/* What `ashlar plan --device` says of the devices of ranks that are not here: words, memory, and the seconds of both
 * ways. */
#ifndef ASHI_CLI_PLAN_DEVICE_H
#define ASHI_CLI_PLAN_DEVICE_H

#include "choose/device_need.h"

#include <jansson.h>

/* What is asked for. */
typedef struct ashi_plan_device_wish {
    const char *device;  /* NULL: nothing is to be said of devices */
    int64_t bytes;       /* of the device's memory that a rank may hold; 0: all */
    bool bytes_given;
} ashi_plan_device_wish;

/* Of all ranks. `device` NULL: nothing was asked for, or no device. */
typedef struct ashi_plan_device {
    const char *device;
    const char *source;  /* of its rates */
    bool automatic, used;
    ashi_device_terms terms;
    int64_t aside; /* words of the host, of each rank, for copies to and from devices */
    int64_t in_max, in_total, out_max, out_total, held; /* words */
    double seconds, host_seconds;                       /* of the slowest rank */
} ashi_plan_device;

/* Local, and without MPI: the terms by which a device is predicted. A device of this process says what it is; if there
 * is none, it is the one of the machine's figures, and each rank has it for itself. ASHLAR_ERR_ARG; ASHLAR_ERR_DEVICE
 * if neither has it; errors of opening. */
ashlar_status ashi_plan_device_terms(const ashi_plan_device_wish *wish, ashlar_type type, const ashlar_machine *machine,
                                     ashi_plan_device *out, ashlar_error *err);

/* Take them off a limit of words a rank, 0 if there is none; and say so in its refusal, and complain. Returns the exit
 * status. */
int64_t ashi_plan_device_leaves(const ashi_plan_device *device, int64_t memory_words);
int ashi_plan_device_complain(const ashi_plan_device *device, const char *command, ashlar_error *err);

/* Add what a rank takes; after the last one `used` is set. ASHLAR_ERR_OVERFLOW. */
ashlar_status ashi_plan_device_add(const ashi_device_need *need, const ashlar_machine *machine,
                                   ashi_plan_device *device, ashlar_error *err);

/* Go through the programs of all ranks. Nothing is done without a device. Errors of ashi_device_need_of. */
ashlar_status ashi_plan_device_count(ashi_program *program, int64_t ranks, const ashlar_machine *machine,
                                     ashi_plan_device *device, ashlar_error *err);

/* As JSON: null without a device. And for people, on standard output: nothing without one. */
json_t *ashi_plan_device_json(const ashi_plan_device *device);
void ashi_plan_device_print(const ashi_plan_device *device);

#endif
