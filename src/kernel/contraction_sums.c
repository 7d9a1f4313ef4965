/* One text of sums, compiled for each type and each width of a processor's registers. */
#include "kernel/contraction_sums.h"

#include "base/checked.h"

#include <string.h>

/* Sums of neighbouring rows are made in registers if there are up to RUN_SHORT of them, or BLOCK_SMALL elements of
 * A. */
enum { RUN_SHORT = 64, BLOCK_SMALL = 1 << 14 };

/* TOGETHER: rows that share a vector. AHEAD: bytes from what is read to what the caches fetch. */
enum { SUMS = 8, RUN_SOME = 256, LINE = 64, TOGETHER = 4, AHEAD = 6144 };

#if defined(__x86_64__)
#define SIMD(f) f##_avx512
#define TARGET __attribute__((target("avx512f")))
#define BYTES 64
#include "kernel/contraction_sums_types.inc"

#define SIMD(f) f##_avx2
#define TARGET __attribute__((target("avx2,fma")))
#define BYTES 32
#include "kernel/contraction_sums_types.inc"
#endif

#define SIMD(f) f##_any
#define TARGET
#define BYTES 16
#include "kernel/contraction_sums_types.inc"

ASHI_SIMD_ALL(ashi_sums_all, ashi_sums)

const ashi_sums *ashi_sums_of(ashlar_type type)
{
    const ashi_sums *all[ASHI_SIMD_KINDS];
    ashi_sums_all(type, all);
    return all[0];
}
