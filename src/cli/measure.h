/* Measuring one figure of the machine while all ranks are busy. */
#ifndef ASHI_MEASURE_H
#define ASHI_MEASURE_H

#include "model/forms.h"
#include "plan/context.h"

/* The median of several repetitions, each the slowest rank's; and how far they were apart. */
typedef struct ashi_measurement {
    double value;
    double low, high;
    int repetitions;
} ashi_measurement;

/* Each takes about `seconds`, is collective over the context, and returns the same on all ranks. `folder` is where a
 * temporary file may be. */
typedef ashlar_status ashi_measure_one(const ashlar_context *context, double seconds, const char *folder,
                                       ashi_measurement *out, ashlar_error *err);

ashi_measure_one ashi_measure_flops; /* flop per second of a real double product on one rank */
ashi_measure_one ashi_measure_thin;  /* seconds of a product with a short k and a large C */

/* From the seconds of that product and the rate of products: the bandwidth with which a product goes through its
 * matrices (ashlar_machine.product_bandwidth), 0 if that takes no time beside the arithmetic. */
double ashi_thin_bandwidth(double seconds, double flops_per_second);

/* Flop per second of each form of a real double product with a long k, by turns, so that whatever else the machine does
 * meets all alike. `out` has ASHI_FORMS. */
ashlar_status ashi_measure_forms(const ashlar_context *context, double seconds, ashi_measurement *out,
                                 ashlar_error *err);

/* Seconds of an empty message, half a round trip. Every rank has a partner, except the last of an odd number. On one
 * rank, an empty message to itself. */
ashi_measure_one ashi_measure_latency;

/* Bytes per second that a rank receives while it sends as many, from and to several ranks at once (cli/partners.h). On
 * one rank, those of a copy. */
ashi_measure_one ashi_measure_bandwidth;

ashi_measure_one ashi_measure_copy; /* bytes per second of a copy in memory, each byte counted once */

ashi_measure_one ashi_measure_disk;    /* bytes per second of reading one file and writing another at once, */
ashi_measure_one ashi_measure_reading; /* of reading a file from the disk, */
ashi_measure_one ashi_measure_writing; /* and of writing one through to it */

ashi_measure_one ashi_measure_task; /* seconds that the player takes for a task in which next to nothing is done */

/* The part of its rate that a message loses while the ranks at both ends multiply, 0 to 1: from how much longer a
 * message takes if a product is made meanwhile, in the player's way. 0 on one rank. */
ashi_measure_one ashi_measure_message_work;

#endif
