/* What a product through a device is predicted to take. */
#ifndef ASHI_SEARCH_ONTO_SECONDS_H
#define ASHI_SEARCH_ONTO_SECONDS_H

#include "search/onto_device.h"

/* Rates of a device, all above 0 except the delay. */
typedef struct ashi_onto_rates {
    double in, out; /* bytes a second of copies from and to the host, which go at the same time */
    double flops;   /* operations a second of products */
    double delay;   /* seconds that each copy and each call of products takes beside that */
} ashi_onto_rates;

/* Seconds of a product that is cut as `nest`, whatever stays: the longest of copies in, copies out and products, and
 * beside it what has nothing else going on: the first copy in, the last copy out, and if C stays and strips are not
 * staggered the way back of every tile. */
double ashi_onto_predict(const ashi_onto_problem *problem, const ashi_nest *nest, const ashi_onto_rates *rates);

#endif
