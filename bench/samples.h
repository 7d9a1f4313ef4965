/* Times of several ways to do the same thing, taken in turns, and what is said about them. */
#ifndef ASHI_BENCH_SAMPLES_H
#define ASHI_BENCH_SAMPLES_H

#include "way.h"

/* Least, middle and greatest of some numbers. */
typedef struct ashi_summary {
    double median, min, max;
    double low, high; /* first and third quartile */
} ashi_summary;

/* Seconds until the last rank has finished, between a barrier before and now. Collective. */
double ashi_seconds_since(double start, MPI_Comm comm);

/*
 * Time `count` ways `repetitions` times each, in turns: a barrier, the first, a barrier, the second, and so on, so that
 * whatever else the machine does meets all of them. Who begins moves on by one each time. Before it every way runs once
 * untimed. c: for each way, where its product goes. Collective.
 *
 * @return count * repetitions seconds, way w's repetition r at w * repetitions + r; the same on every rank; to be freed
 */
double *ashi_samples_take(ashi_way *ways, int count, int repetitions, const ashi_matrices *x, double *const *c,
                          MPI_Comm comm);

/* Of n >= 1 numbers, which stay as they are. */
ashi_summary ashi_summarize(const double *values, int n);

/* Of the n quotients a[i] / b[i]: pairs were taken one right after the other. */
ashi_summary ashi_summarize_ratio(const double *a, const double *b, int n);

#endif
