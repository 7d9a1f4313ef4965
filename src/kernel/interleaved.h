/* Many products of small matrices whose elements interleave: the same element of one product after the other. Each
 * product has a lane of a register (as in Dongarra et al., "Optimized Batched Linear Algebra for Modern Architectures",
 * Euro-Par 2017). */
#ifndef ASHI_INTERLEAVED_H
#define ASHI_INTERLEAVED_H

#include "base/simd.h"
#include "kernel/pack.h"

typedef struct ashi_interleaved {
    int lanes; /* products of a register */
    int parts; /* real numbers of an element */

    /* Element (x, y) of `count` products, from + minor[x] + major[y] on, becomes a register of each `lanes` of them:
     * real and imaginary parts have one each. The register is number x * by_minor + y * by_major of its group of
     * products; groups are `step` numbers apart. Lanes without a product are zero. */
    void (*pack)(const ashi_scattered *at, const void *from, int64_t count, bool conjugate, int64_t by_minor,
                 int64_t by_major, int64_t step, void *to);

    /* C <- alpha A B + beta C for the first `count` products of a register: element (i, p) of A is its register number
     * i * k + p, element (j, p) of B number j * k + p. C's are where `at` says, minor[i] + major[j]; beta = 0: C is not
     * read. past: whole lines of C go past the caches where they can; what follows waits for them with `wait`. */
    void (*form)(const ashi_scattered *at, int64_t k, const void *a, const void *b, int64_t count, const void *alpha,
                 const void *beta, bool past, void *c);
    void (*wait)(void);
} ashi_interleaved;

/* Those that this processor can run, the widest first; returns how many. */
int ashi_interleaved_all(ashlar_type type, const ashi_interleaved *out[ASHI_SIMD_KINDS]);

#endif
