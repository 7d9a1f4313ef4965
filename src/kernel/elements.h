/* Products of elements: a line of C at a time. */
#ifndef ASHI_ELEMENTS_H
#define ASHI_ELEMENTS_H

#include "base/simd.h"

#include <ashlar/base.h>

/* Elements of one line that lie at even distances, 0 included. */
typedef struct ashi_line {
    const void *data;
    int64_t stride;
    bool conjugate;
} ashi_line;

/* z[i] <- alpha x[i] y[i] + beta z[i] for `count` neighbours z[i]. alpha = NULL: 1; beta = NULL: z is not read. */
typedef void (*ashi_elements)(int64_t count, const void *alpha, const ashi_line *x, const ashi_line *y,
                              const void *beta, void *z);

/* Those that this processor can run, the fastest first; returns how many. */
int ashi_elements_all(ashlar_type type, ashi_elements out[ASHI_SIMD_KINDS]);

/* The fastest one for the type that this processor can run. */
ashi_elements ashi_elements_of(ashlar_type type);

#endif
