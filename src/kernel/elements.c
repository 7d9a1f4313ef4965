/* One text of products of elements, compiled for each type and each width of a processor's registers. */
#include "kernel/elements.h"

#if defined(__x86_64__)
#define SIMD(f) f##_avx512
#define TARGET __attribute__((target("avx512f")))
#include "kernel/elements_types.inc"

#define SIMD(f) f##_avx2
#define TARGET __attribute__((target("avx2,fma")))
#include "kernel/elements_types.inc"
#endif

#define SIMD(f) f##_any
#define TARGET
#include "kernel/elements_types.inc"

int ashi_elements_all(ashlar_type type, ashi_elements out[ASHI_SIMD_KINDS])
{
    static const ashi_elements *const table[] = ASHI_SIMD_TABLES;
    int count = 0;
    for (int kind = ashi_simd_widest(); kind < ASHI_SIMD_KINDS; kind++)
        out[count++] = table[kind][type];
    return count;
}

ashi_elements ashi_elements_of(ashlar_type type)
{
    ashi_elements all[ASHI_SIMD_KINDS];
    ashi_elements_all(type, all);
    return all[0];
}
