/* One text of the innermost product, compiled for each type and each width of a processor's registers. */
#include "exec/micro.h"

#include <complex.h>

/* Loops of fixed length over registers: all of them are to be unrolled. */
#define OVER(i, count) _Pragma("GCC unroll 16") for (int i = 0; i < (count); i++)

#define ALWAYS_INLINE __attribute__((always_inline)) static inline

/* VECTORS of a column of A and COLS of a row of B fill the registers, with some left for A itself. Complex sums take
 * twice as many. */
#if defined(__x86_64__)
#define SIMD(f) f##_avx512
#define TARGET __attribute__((target("avx512f")))
#define BYTES 64
#define REAL_VECTORS 3
#define REAL_COLS 8
#define COMPLEX_VECTORS 1
#define COMPLEX_COLS 12
#include "exec/micro_types.inc"

#define SIMD(f) f##_avx2
#define TARGET __attribute__((target("avx2,fma")))
#define BYTES 32
#define REAL_VECTORS 2
#define REAL_COLS 6
#define COMPLEX_VECTORS 1
#define COMPLEX_COLS 6
#include "exec/micro_types.inc"
#endif

/* Processors with 32 registers of 16 bytes, and any others. */
#define SIMD(f) f##_any
#define TARGET
#define BYTES 16
#if defined(__aarch64__) || defined(__powerpc64__)
#define REAL_VECTORS 4
#define REAL_COLS 6
#define COMPLEX_VECTORS 2
#define COMPLEX_COLS 4
#else
#define REAL_VECTORS 2
#define REAL_COLS 4
#define COMPLEX_VECTORS 1
#define COMPLEX_COLS 4
#endif
#include "exec/micro_types.inc"

int ashi_micro_all(ashlar_type type, const ashi_micro *out[ASHI_MICRO_KINDS])
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

const ashi_micro *ashi_micro_of(ashlar_type type)
{
    const ashi_micro *all[ASHI_MICRO_KINDS];
    ashi_micro_all(type, all);
    return all[0];
}
