/* Plans of one product that differ in their options, timed in turns on the same data. */
#ifndef ASHI_BENCH_VARIANTS_H
#define ASHI_BENCH_VARIANTS_H

#include "report.h"
#include "way.h"

/* Adds to the report, by name, seconds, ratio_to_default (to number `base`) and plans. Ends the program if a product is
 * wrong. Collective. */
void ashi_compare_variants(ashi_matrices *x, const char *const *names, const ashlar_options *options, int count,
                           int base, json_t *report);

#endif
