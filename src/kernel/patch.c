/* Patches moved between two memories: copies by the size of an element, arithmetic by its type. */
#include "kernel/patch.h"

#include "base/checked.h"
#include "base/ordering.h"
#include "kernel/kernels.h"

#include <complex.h>
#include <string.h>

enum { TILE = 32 };

/* The run that has a position. */
static int64_t run_of(const ashi_match *match, int64_t position)
{
    return ashi_interval_of(match->at, match->runs, position);
}

/* The places of up to TILE positions of a match on both sides, in elements. */
typedef struct places {
    int64_t run, position; /* where to go on */
    int64_t count, from[TILE], to[TILE];
} places;

static bool next_places(places *p, const ashi_match *match, int64_t end, const int64_t *from, int64_t from_stride,
                        const int64_t *to, int64_t to_stride)
{
    p->count = 0;
    while (p->count < TILE && p->position < end) {
        const int64_t skip = p->position - match->at[p->run];
        const int64_t n = ashi_min(ashi_min(match->at[p->run + 1], end) - p->position, TILE - p->count);
        for (int64_t i = 0; i < n; i++) {
            p->from[p->count + i] = (from[p->run] + skip + i) * from_stride;
            p->to[p->count + i] = (to[p->run] + skip + i) * to_stride;
        }
        p->count += n;
        p->position += n;
        p->run += p->position == match->at[p->run + 1];
    }
    return p->count > 0;
}

typedef struct word16 {
    uint64_t half[2];
} word16;

#define T uint32_t
#define NAME(f) word4_##f
#include "kernel/patch.inc"

#define T uint64_t
#define NAME(f) word8_##f
#include "kernel/patch.inc"

#define T word16
#define NAME(f) word16_##f
#include "kernel/patch.inc"

#define T float
#define NAME(f) s_##f
#define CONJUGATE(x) (x)
#include "kernel/patch.inc"

#define T double
#define NAME(f) d_##f
#define CONJUGATE(x) (x)
#include "kernel/patch.inc"

#define T float _Complex
#define NAME(f) c_##f
#define CONJUGATE(x) conjf(x)
#include "kernel/patch.inc"

#define T double _Complex
#define NAME(f) z_##f
#define CONJUGATE(x) conj(x)
#include "kernel/patch.inc"

static bool is_copy(ashlar_type type, const ashi_patch_factors *factors)
{
    const ashi_kernels *k = ashi_kernels_of(type);
    return !factors || (memcmp(factors->alpha, k->one, ashlar_type_bytes(type)) == 0 && k->is_zero(factors->beta) &&
                        !factors->conjugate);
}

ashi_patch_kernel ashi_patch_kernel_of(ashlar_type type, const ashi_patch_factors *factors)
{
    const bool copy = is_copy(type, factors);
    switch (type) {
    case ASHLAR_TYPE_S:
        return copy ? word4_move : s_move;
    case ASHLAR_TYPE_D:
        return copy ? word8_move : d_move;
    case ASHLAR_TYPE_C:
        return copy ? word8_move : c_move;
    default:
        return copy ? word16_move : z_move;
    }
}
