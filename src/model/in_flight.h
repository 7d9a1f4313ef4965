/* How many iterations of SUMMA are in flight, and the words that they take: the formulas of the task-based SUMMA
 * paper. */
#ifndef ASHI_IN_FLIGHT_H
#define ASHI_IN_FLIGHT_H

#include <stdint.h>

/* Equation (1): iterations in flight on a grid, if k is cut into `inner` tiles. The paper's first case gives 2 also if
 * there is one iteration; it is clamped to `inner` here. */
int64_t ashi_in_flight(int64_t grid_rows, int64_t grid_cols, int64_t inner);

/* Equation (2): words that an iteration takes on each process beside the operands, on average over processes and
 * iterations. It is no bound: uneven tiles take more somewhere. */
typedef struct ashi_in_flight_words {
    double a, b; /* of the panels */
    double c;    /* of the temporary product: Ashlar adds into C and has none */
} ashi_in_flight_words;

/* m x n elements of C, k cut into `inner` tiles. */
ashi_in_flight_words ashi_words_in_flight(int64_t m, int64_t n, int64_t k, int64_t inner, int64_t grid_rows,
                                          int64_t grid_cols);

#endif
