/* Operands whose elements have 16 bits, float16 and bfloat16: copied as they are, and turned into floats block by block
 * when they are multiplied. */
#ifndef ASHI_NARROW_H
#define ASHI_NARROW_H

#include "base/simd.h"
#include "kernel/kernels.h"

/* Floats that a product needs for blocks of A and of B. */
enum { ASHI_NARROW_ROWS = 512, ASHI_NARROW_COLS = 1024, ASHI_NARROW_DEPTH = 512,
       ASHI_NARROW_FLOATS = (ASHI_NARROW_ROWS + ASHI_NARROW_COLS) * ASHI_NARROW_DEPTH };

/* Turn `count` numbers into floats, which have their values exactly. A NaN stays one, with its sign and payload; a
 * signalling one may become quiet. */
typedef void (*ashi_widen)(int64_t count, const uint16_t *from, float *to);

/* Those that this processor can run for ASHLAR_TYPE_H or ASHLAR_TYPE_B, the fastest first; returns how many. */
int ashi_widen_all(ashlar_type type, ashi_widen out[ASHI_SIMD_KINDS]);

/* The value of one number. */
float ashi_narrow_value(ashlar_type type, uint16_t bits);

/* Whether elements of A and B have 16 bits. */
bool ashi_is_narrow(ashlar_type type);

/* Y <- X over minor x major elements of 16 bits. */
void ashi_narrow_copy(int64_t minor, int64_t major, const ashi_matrix *x, void *y, int64_t minor_stride,
                      int64_t major_stride);

/* C <- alpha A B + beta C as in ashi_kernels, for A and B of a narrow type, and C, alpha and beta of floats. `floats`
 * has room for ASHI_NARROW_FLOATS; nothing is kept there. */
void ashi_narrow_gemm(ashlar_type type, int64_t m, int64_t n, int64_t k, const void *alpha, const ashi_matrix *a,
                      const ashi_matrix *b, const void *beta, void *c, int64_t minor_stride, int64_t major_stride,
                      float *floats);

#endif
