/* One text of the loops, compiled for each width of a processor's registers. */
#include "layout/plain_loops.h"

#include <string.h>

#if defined(__x86_64__)
#define SIMD(f) f##_avx512
#define TARGET __attribute__((target("avx512f")))
#include "layout/plain_loops.inc"

#define SIMD(f) f##_avx2
#define TARGET __attribute__((target("avx2")))
#include "layout/plain_loops.inc"
#endif

#define SIMD(f) f##_any
#define TARGET
#include "layout/plain_loops.inc"

const ashi_plain_loops *ashi_plain_loops_of(int kind)
{
    static const ashi_plain_loops *const table[ASHI_SIMD_KINDS] = ASHI_SIMD_TABLES;
    return table[kind];
}
