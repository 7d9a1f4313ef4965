/* One line of JSON a measurement: what was measured, on what, with what, and the figures. */
#ifndef ASHI_BENCH_REPORT_H
#define ASHI_BENCH_REPORT_H

#include "matrices.h"
#include "samples.h"

#include <jansson.h>

/* A report of this kind: versions, commit, compiler, BLAS and its threads, MPI, processor. */
json_t *ashi_report_start(const char *kind);

/* The same with the ranks, the problem and its layout. Only rank 0's is printed. */
json_t *ashi_report_begin(const char *kind, const ashi_matrices *x, int ranks);

/* Add a figure, and take over `value`. Ends the program where memory is short. */
void ashi_report_set(json_t *report, const char *key, json_t *value);

/* {median, low, high, min, max}, and the values themselves if there are any. */
json_t *ashi_report_summary(const ashi_summary *s, const double *values, int n);

/* What Ashlar chose and moved in this plan's last execution. Collective. */
json_t *ashi_report_plan(ashlar_plan *plan);

/* KiB resident before and after, for each rank, and the greatest peak. Collective. */
json_t *ashi_report_resident(const char *const *when, int moments, const long *now, const long *peak, MPI_Comm comm);

/* Print on standard output on rank 0, and free. */
void ashi_report_end(json_t *report, int rank);

#endif
