/* One text of sums, compiled for each type and each width of a processor's registers. */
#include "exec/contraction_sums.h"

#include "base/checked.h"

#include <string.h>

/* Sums of neighbouring rows are made in registers if there are up to RUN_SHORT of them, or BLOCK_SMALL elements of A.
 * LEAST_BYTES: of the shortest registers. */
enum { RUN_SHORT = 64, BLOCK_SMALL = 1 << 14, LEAST_BYTES = 16 };

/* TOGETHER: rows that share a vector. AHEAD: bytes from what is read to what the caches fetch. */
enum { SUMS = 8, RUN_SOME = 256, LINE = 64, TOGETHER = 4, AHEAD = 6144 };

/* Loops of fixed length over registers: all of them are to be unrolled. */
#define OVER(i, count) _Pragma("GCC unroll 16") for (int i = 0; i < (count); i++)
#define ALWAYS_INLINE __attribute__((always_inline)) static inline

#if defined(__x86_64__)
#define SIMD(f) f##_avx512
#define TARGET __attribute__((target("avx512f")))
#define BYTES 64
#include "exec/contraction_sums_types.inc"

#define SIMD(f) f##_avx2
#define TARGET __attribute__((target("avx2,fma")))
#define BYTES 32
#include "exec/contraction_sums_types.inc"
#endif

#define SIMD(f) f##_any
#define TARGET
#define BYTES 16
#include "exec/contraction_sums_types.inc"

int ashi_sums_all(ashlar_type type, const ashi_sums *out[ASHI_SUMS_KINDS])
{
    int count = 0;
#if defined(__x86_64__)
    if (__builtin_cpu_supports("avx512f"))
        out[count++] = &table_avx512[type];
    if (__builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma"))
        out[count++] = &table_avx2[type];
#endif
    out[count++] = &table_any[type];
    return count;
}

const ashi_sums *ashi_sums_of(ashlar_type type)
{
    const ashi_sums *all[ASHI_SUMS_KINDS];
    ashi_sums_all(type, all);
    return all[0];
}
