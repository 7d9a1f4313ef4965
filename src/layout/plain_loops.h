/* ashi_up's arithmetic on doubles of usual sizes, many numbers at a time: with the same bits at every width of a
 * processor's registers. */
#ifndef ASHI_PLAIN_LOOPS_H
#define ASHI_PLAIN_LOOPS_H

#include "base/simd.h"

#include <stdint.h>

typedef struct ashi_plain_loops {
    /* size[t] <- ashi_up_mul of a and norm[t]; below[t] <- 1 if that is below the limit, else 0. Arrays do not overlap,
     * here and below. */
    void (*find_sizes)(const double *norm, int64_t count, double a, double limit, double *size, unsigned char *below);

    /* sum[t] <- ashi_up_add of sum[t] and size[t]. */
    void (*add_sizes)(double *sum, const double *size, int64_t count);

    /* The same of sum[col[t] - first]. */
    void (*add_sizes_at)(double *sum, const int64_t *col, int64_t first, const double *size, int64_t count);

    /* Add 1 to each number of products, and `inner` to each number of terms. */
    void (*add_products)(int64_t *products, int64_t *terms, int64_t inner, int64_t count);
} ashi_plain_loops;

/* Those for a kind of registers that this processor has: ashi_simd_widest() or above. */
const ashi_plain_loops *ashi_plain_loops_of(int kind);

#endif
