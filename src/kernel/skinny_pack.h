/* The small matrix of a product with few columns, packed as numbers that are real; and complex results from the real
 * ones. */
#ifndef ASHI_SKINNY_PACK_H
#define ASHI_SKINNY_PACK_H

#include "kernel/pack.h"

typedef struct ashi_skinny_pack {
    int parts; /* real numbers of an element */

    /* alpha B for `across` (kernel/skinny.h), alpha = NULL: B; at->minor are columns. A complex column becomes two:
     * real and imaginary parts. */
    void (*across)(const ashi_scattered *at, const void *from, const void *alpha, bool conjugate, int width, void *to);

    /* alpha B for `along`, its columns `ld` numbers apart. A complex column becomes two that give the real and the
     * imaginary part of the sum; of_a: A is to be conjugated. */
    void (*along)(const ashi_scattered *at, const void *from, const void *alpha, bool conjugate, bool of_a, int64_t ld,
                  void *to);

    /* What `across` has made of complex columns becomes `rows` complex elements of each of n columns: those of column j
     * begin 2 j * stride numbers after c. Real ones stay. */
    void (*join)(int64_t rows, int64_t n, bool of_a, void *c, int64_t stride);
} ashi_skinny_pack;

const ashi_skinny_pack *ashi_skinny_pack_of(ashlar_type type);

#endif
