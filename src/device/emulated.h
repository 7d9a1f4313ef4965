/* A device that is emulated: memory of its own that the host cannot touch, copies and products done by threads, rates
 * and failures as wanted. So all that is not a call of a vendor's library is tested on any machine. */
#ifndef ASHI_EMULATED_H
#define ASHI_EMULATED_H

#include "device/device.h"

extern const ashi_device_kind ashi_emulated_kind;

/* How many devices are emulated: what this environment variable says, else 1. */
#define ASHI_EMULATED_DEVICES "ASHLAR_EMULATED_DEVICES"

/* What may be chosen. Rates of 0: as fast as the host does it. Counts of 0: never. */
typedef struct ashi_emulated_options {
    int64_t number;       /* of the device, from 0 on; devices share nothing */
    int64_t memory;       /* bytes */
    double in, out;       /* bytes a second */
    double flops;         /* operations a second: 2 a multiply-add of real numbers, 8 of complex ones */
    double delay;         /* seconds that each copy and each call of products takes beside that */
    int64_t count_time;   /* not 0: time is counted by the rates and the delay alone, and nothing waits for it */
    int64_t fail_copy;    /* the copy of this number, in or out, counted from 1 in the order of the calls, fails when it
                             is half done */
    int64_t fail_product; /* the call of products of this number fails before it writes anything */
    int64_t lost;         /* the device is lost with the call of this number: it fails, and all that is queued does */
} ashi_emulated_options;

/* Read "1,memory=64MiB,in=1e9,out=1e9,flops=1e10,delay=1e-5,count-time=1,fail-copy=7,fail-product=3,lost=20", each of
 * which may be left out: the number stands first. ASHLAR_ERR_ARG, naming the option. */
ashlar_status ashi_emulated_options_read(const char *text, ashi_emulated_options *out, ashlar_error *err);

/* How many devices there are. ASHLAR_ERR_ARG if the environment's number is none. */
ashlar_status ashi_emulated_count(int64_t *out, ashlar_error *err);

/* What may stand there, for errors and help. */
extern const char ashi_emulated_option_names[];

/* For tests: while a queue is held it begins nothing more. */
void ashi_emulated_hold(ashi_device *device, ashi_device_queue queue, bool held);

#endif
