/* Measuring the devices of the ranks, all busy. */
#ifndef ASHI_MEASURE_DEVICE_H
#define ASHI_MEASURE_DEVICE_H

#include "cli/measure.h"

enum { ASHI_DEVICE_TYPES = 4, ASHI_DEVICE_FIGURES = 3 + ASHI_DEVICE_TYPES };

/* Copies in and out (bytes a second), the delay of a copy (seconds), and products of each type (operations a second).
 */
typedef struct ashi_device_measurement {
    ashi_measurement in, out, delay, product[ASHI_DEVICE_TYPES];
    int64_t side;   /* of the matrices of the products */
    int64_t memory; /* bytes that each rank has of its device: the least of all */
} ashi_device_measurement;

/* Whether each rank has a device that can be measured. Collective, the same on all ranks. ASHLAR_ERR_DEVICE: a rank has
 * none; ASHLAR_ERR_LIMIT: too little memory, with what would do. */
ashlar_status ashi_measure_device_check(const ashlar_context *context, ashlar_error *err);

/* Measure these devices, about `seconds` for each figure. Collective, the same on all ranks. ASHLAR_ERR_MEMORY;
 * ASHLAR_ERR_DEVICE. */
ashlar_status ashi_measure_device(const ashlar_context *context, double seconds, ashi_device_measurement *out,
                                  ashlar_error *err);

#endif
