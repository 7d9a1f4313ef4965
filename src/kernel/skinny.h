/* Products with few columns: the matrix of many rows is read where it lies, and only the other one is packed. They are
 * of real numbers; complex ones are made of them (contraction_skinny.c). */
#ifndef ASHI_SKINNY_H
#define ASHI_SKINNY_H

#include "base/simd.h"

#include <ashlar/base.h>

typedef struct ashi_skinny {
    int lanes; /* numbers that a register holds */
    int width; /* columns of a group of B; the last group has a power of two of them, see ashi_skinny_width */

    /* C += A B for `rows` rows that are neighbours in A; position p of the sum begins at[p] numbers after a. B has n
     * columns, in groups; of each group one position of the sum after the other. Column j of C begins j * stride
     * numbers after c. */
    void (*across)(int64_t rows, int n, int64_t depth, const void *a, const int64_t *at, const void *b, void *c,
                   int64_t stride);

    /* C += A B for `rows` rows whose positions of the sum are neighbours; row i begins at[i] numbers after a. Column j
     * of B begins j * ld numbers after b. Element (i, j) of C is i * step + place[j] numbers after c. */
    void (*along)(int rows, int n, int64_t depth, const void *a, const int64_t *at, const void *b, int64_t ld, void *c,
                  int64_t step, const int64_t *place);
} ashi_skinny;

/* Rows of a call of `along` at most. */
enum { ASHI_SKINNY_TOGETHER = 4 };

/* Those that this processor can run, the widest first; returns how many. */
int ashi_skinny_all(ashlar_type real, const ashi_skinny *out[ASHI_SIMD_KINDS]);

/* How wide a group of n columns is, 1 <= n <= width. */
static inline int ashi_skinny_width(int n)
{
    return n > 4 ? 8 : n > 2 ? 4 : n;
}

#endif
