/* What texts that are compiled for several widths of registers have in common. They define table_avx512 and table_avx2
 * on x86-64, and table_any. */
#ifndef ASHI_SIMD_H
#define ASHI_SIMD_H

#include <ashlar/base.h>

#include <stddef.h>

/* Loops of fixed length over registers: all of them are to be unrolled. */
#define OVER(i, count) _Pragma("GCC unroll 16") for (int i = 0; i < (count); i++)
#define ALWAYS_INLINE __attribute__((always_inline)) static inline

/* Bytes of the shortest registers. */
enum { LEAST_BYTES = 16 };

/* The tables, the widest registers first. */
enum { ASHI_SIMD_KINDS = 3 };
#if defined(__x86_64__)
#define ASHI_SIMD_TABLES {table_avx512, table_avx2, table_any}
#else
#define ASHI_SIMD_TABLES {NULL, NULL, table_any}
#endif

/* The first table that this processor can run; it can run those after it, too. */
static inline int ashi_simd_widest(void)
{
#if defined(__x86_64__)
    if (__builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma"))
        return __builtin_cpu_supports("avx512f") ? 0 : 1;
#endif
    return ASHI_SIMD_KINDS - 1;
}

/* Defines the function `name`. It gives what the tables that this processor can run have for a type, structures `of`,
 * the widest registers first, and returns how many. */
#define ASHI_SIMD_ALL(name, of)                                             \
    int name(ashlar_type type, const of *out[ASHI_SIMD_KINDS])              \
    {                                                                       \
        static const of *const table[] = ASHI_SIMD_TABLES;                  \
        int count = 0;                                                      \
        for (int kind = ashi_simd_widest(); kind < ASHI_SIMD_KINDS; kind++) \
            out[count++] = &table[kind][type];                              \
        return count;                                                       \
    }

#endif
