/* What commands say of devices: which, by which rule, and what went between them and the host. */
#ifndef ASHI_CLI_DEVICE_REPORT_H
#define ASHI_CLI_DEVICE_REPORT_H

#include "plan/device.h"

#include <ashlar/plan.h>

#include <jansson.h>

typedef struct ashi_device_report {
    const char *wanted;           /* as it was asked for; NULL: it was not */
    ashlar_device_figures figures;
    int ranks;
    char (*name_of)[ASHI_DEVICE_NAME]; /* on rank 0: the name of each rank's device, "" if it has none */
} ashi_device_report;

/* Once the figures are there: find on rank 0 which device each rank has. Collective, the same on all ranks. */
ashlar_status ashi_device_report_gather(const ashlar_context *context, ashi_device_report *report, ashlar_error *err);

void ashi_device_report_free(ashi_device_report *report);

/* Local to rank 0, as JSON; null if no device was asked for. */
json_t *ashi_device_report_json(const ashi_device_report *report);

/* Local to rank 0, for people. */
void ashi_device_report_print(const ashi_device_report *report);

#endif
