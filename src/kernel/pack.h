/* Bringing elements that lie anywhere into the order of the innermost product, and its sums to where C's elements lie.
 * Element (i, p) of a matrix is minor[i] + major[p] elements after the first. */
#ifndef ASHI_PACK_H
#define ASHI_PACK_H

#include "base/simd.h"

#include <ashlar/base.h>

typedef struct ashi_scattered {
    const int64_t *minor, *major;
    int64_t minors, majors;
} ashi_scattered;

/* minors x majors elements, which become those from (minor_at, major_at) on in panels of all_majors positions. */
typedef struct ashi_pack_piece {
    int64_t minors, majors, minor_stride, major_stride;
    int64_t minor_at, major_at, all_majors;
} ashi_pack_piece;

typedef struct ashi_pack {
    /* Panels of `width` minor positions, one after the other; of each all major positions, one after the other. What a
     * last panel lacks is zero. Complex: the real parts of a position's `width` elements, then the imaginary parts. */
    void (*pack)(const ashi_scattered *at, const void *from, bool conjugate, int width, void *to);

    /* The same of `count` matrices whose elements interleave: those of one place are neighbours. The panels of the next
     * one are `apart` elements further on. */
    void (*several)(const ashi_scattered *at, const void *from, int64_t count, bool conjugate, int width, int64_t apart,
                    void *to);

    /* The same as `pack` for a part of a matrix whose elements have fixed distances. Other positions of the panels stay
     * as they are. */
    void (*piece)(const ashi_pack_piece *piece, const void *from, bool conjugate, int width, void *to);

    /* Packed elements, `count` times `width` of them, times alpha. */
    void (*times)(const void *alpha, int width, int64_t count, void *packed);

    /* C <- X, or C + X if `add`: X is minors x majors, its columns `width` apart. */
    void (*put)(const ashi_scattered *at, const void *x, int width, bool add, void *c);

    /* The same for `count` matrices C whose elements interleave. The next X is `apart` elements further on. */
    void (*put_several)(const ashi_scattered *at, const void *x, int64_t count, int64_t apart, int width, bool add,
                        void *c);

    /* C <- beta C; beta = 0: C is not read. */
    void (*scale)(const ashi_scattered *at, const void *beta, void *c);
} ashi_pack;

/* How many of the first positions, `most` at most, are neighbours in memory. */
int64_t ashi_neighbours(const int64_t *at, int64_t most);

/* Those that this processor can run, the fastest first; returns how many. */
int ashi_pack_all(ashlar_type type, const ashi_pack *out[ASHI_SIMD_KINDS]);

/* The fastest one for the type that this processor can run. */
const ashi_pack *ashi_pack_of(ashlar_type type);

#endif
