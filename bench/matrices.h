/* A, B and C in ScaLAPACK's block-cyclic layout, filled with numbers that any rank can work out for itself. */
#ifndef ASHI_BENCH_MATRICES_H
#define ASHI_BENCH_MATRICES_H

#include "case.h"

/* One rank's part of one matrix. */
typedef struct ashi_part {
    ashlar_layout *layout;
    int64_t rows, cols;             /* of the whole matrix */
    int64_t local_rows, local_cols; /* of this rank's part */
    int64_t ld;
    double *data; /* [local_rows, local_cols], columns one after the other, stride ld */
} ashi_part;

typedef struct ashi_matrices {
    ashi_case what;
    int rank;
    ashi_part a, b, c;
    ashlar_problem problem; /* with the layouts of the three parts */
} ashi_matrices;

/* A and B filled, C full of NaN: every element must be written. Ends the program where memory is short. */
void ashi_matrices_open(const ashi_case *what, int rank, ashi_matrices *out);

void ashi_matrices_close(ashi_matrices *x);

/* C full of NaN again. */
void ashi_matrices_forget(ashi_matrices *x);

/* An element of A or B. */
double ashi_matrices_element(const ashi_matrices *x, ashlar_operand which, int64_t row, int64_t col);

/* The error of a value of C's element (row, col), as below. */
double ashi_matrices_error_at(const ashi_matrices *x, int64_t row, int64_t col, double value);

/* The largest error of this rank's part of C, as a multiple of the bound of a dot product, over up to `samples` of its
 * elements, each compared with a sum in long double. At most 1 for a right product. */
double ashi_matrices_error(const ashi_matrices *x, int64_t samples);

/* The largest difference between C and another result of the same layout, as a multiple of what two right results may
 * differ by. */
double ashi_matrices_difference(const ashi_matrices *x, const double *other);

#endif
