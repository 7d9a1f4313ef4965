/* What each rank receives, multiplies and holds in SUMMA over tiles of which many are absent. */
#ifndef ASHI_SPARSE_COUNT_H
#define ASHI_SPARSE_COUNT_H

#include "simulate/sparse_iteration.h"

/* Of one rank. Words are elements. */
typedef struct ashi_sparse_need {
    int64_t received, messages; /* each tile that arrives is a message */
    int64_t multiplies;         /* multiply-adds */
    int64_t share;              /* its tiles of A, of B, and of C as it is afterwards */
    int64_t in_flight;          /* of the worst window of iterations */
} ashi_sparse_need;

typedef struct ashi_sparse_totals {
    int64_t received_most, received, messages_most, messages, multiplies, share_most;
    int64_t peak_most;          /* of share + in_flight */
    int64_t share_least;        /* of a process of C's grid */
    int64_t in_flight_most;
    int64_t c_tiles, c_words;   /* of C as it is afterwards */
    double received_mean;
    double imbalance;           /* the busiest rank's multiply-adds over the mean of C's grid; 1 if there are none */
    int64_t iterations;         /* in which something is multiplied */
    int64_t window;             /* as it was asked for, at most `iterations` */
} ashi_sparse_totals;

/* need[ranks]; all owners are less than `ranks`. Nothing is held for each tile, so that 10^7 tiles of A and of B and
 * 10^4 ranks take the memory of the two patterns and little more: C's tiles are found row by row, and forgotten.
 * ASHLAR_ERR_MEMORY; ASHLAR_ERR_ARG as ashi_sparse_iteration_begin. */
ashlar_status ashi_sparse_count(const ashi_sparse_summa *summa, int64_t window, int64_t ranks, ashi_sparse_need *need,
                                ashi_sparse_totals *totals, ashlar_error *err);

#endif
