/* The elements of generated matrices: each depends on the seed, its row and its column, and on nothing else. */
#ifndef ASHI_VALUES_H
#define ASHI_VALUES_H

#include <ashlar/base.h>

typedef enum ashi_values_kind {
    ASHI_VALUES_UNIFORM,  /* in [-1, 1), every multiple of 2^-10 (h), 2^-23 (s, c) or 2^-52 (d, z) alike */
    ASHI_VALUES_INTEGERS  /* -4 to 4: real products with k up to 2^20 are exact in every type, complex ones to 2^19 */
} ashi_values_kind;

typedef struct ashi_values {
    ashlar_type type;
    ashi_values_kind kind;
    uint64_t seed;
} ashi_values;

/* Element (i, j) of the box that begins at (row, col) goes to data + (i * row_stride + j * col_stride) elements. The
 * imaginary part of a complex element is drawn like its real part. */
void ashi_values_fill(const ashi_values *values, int64_t row, int64_t rows, int64_t col, int64_t cols, void *data,
                      int64_t row_stride, int64_t col_stride);

#endif
