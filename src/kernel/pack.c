/* One text of packing, compiled for each type and each width of a processor's registers. */
#include "kernel/pack.h"

#include "base/checked.h"
#include "base/simd.h"

#include <complex.h>

/* Major positions that are read together where they, and not the minor ones, are neighbours in memory; panels that are
 * packed together where the minor ones are. RUN_SHORT: neighbours of a run, on the average, below which elements are
 * taken one by one. PIECE_AHEAD: major positions of a piece from what is read to what the caches fetch. */
enum { TOGETHER = 8, PANELS = 32, LINE_MOST = 1536, AHEAD = 2, LINE = 64, WIDTH_MOST = 48,
       RUN_SHORT = 4, PIECE_AHEAD = 16 };

/* A row of the squares that are transposed in registers, and the numbers that the largest ones have in a row.
 * AHEAD_SEVERAL: positions from what is read of several matrices to what the caches fetch. */
enum { SQUARE_BYTES = 16, SQUARE_MOST = 4, AHEAD_SEVERAL = 4 };

typedef float four_floats __attribute__((vector_size(SQUARE_BYTES), aligned(sizeof(float))));
typedef double two_doubles __attribute__((vector_size(SQUARE_BYTES), aligned(sizeof(double))));

int64_t ashi_neighbours(const int64_t *at, int64_t most)
{
    int64_t count = 1;
    while (count < most && at[count] == at[0] + count)
        count++;
    return count;
}

#if defined(__x86_64__)
#include <immintrin.h>

#define HAS_FOUR
#define SIMD(f) f##_avx512
#define TARGET __attribute__((target("avx512f")))
#include "kernel/pack_types.inc"

#define SIMD(f) f##_avx2
#define TARGET __attribute__((target("avx2")))
#include "kernel/pack_types.inc"
#undef HAS_FOUR
#endif

#define SIMD(f) f##_any
#define TARGET
#include "kernel/pack_types.inc"

ASHI_SIMD_ALL(ashi_pack_all, ashi_pack)

const ashi_pack *ashi_pack_of(ashlar_type type)
{
    const ashi_pack *all[ASHI_SIMD_KINDS];
    ashi_pack_all(type, all);
    return all[0];
}
