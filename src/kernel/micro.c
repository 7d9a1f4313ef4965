/* One text of the innermost product, compiled for each type and each width of a processor's registers. */
#include "kernel/micro.h"

#include <complex.h>

/* VECTORS of a column of A and COLS of a row of B fill the registers, with some left for A itself. Complex sums take
 * twice as many. */
#if defined(__x86_64__)
#include <immintrin.h>

#define SIMD(f) f##_avx512
#define TARGET __attribute__((target("avx512f")))
#define HAS_LANES
#define HAS_SPLIT

/* Add x to those numbers from c on whose bits are set. The others are neither read nor written. */
TARGET ALWAYS_INLINE void s_add_lanes_avx512(unsigned bits, float *c, __m512 x)
{
    const __mmask16 some = (__mmask16)bits;
    _mm512_mask_storeu_ps(c, some, _mm512_add_ps(_mm512_maskz_loadu_ps(some, c), x));
}

TARGET ALWAYS_INLINE void d_add_lanes_avx512(unsigned bits, double *c, __m512d x)
{
    const __mmask8 some = (__mmask8)bits;
    _mm512_mask_storeu_pd(c, some, _mm512_add_pd(_mm512_maskz_loadu_pd(some, c), x));
}

/* Store them. */
TARGET ALWAYS_INLINE void s_put_lanes_avx512(unsigned bits, float *c, __m512 x)
{
    _mm512_mask_storeu_ps(c, (__mmask16)bits, x);
}

TARGET ALWAYS_INLINE void d_put_lanes_avx512(unsigned bits, double *c, __m512d x)
{
    _mm512_mask_storeu_pd(c, (__mmask8)bits, x);
}

#define BYTES 64
#define REAL_VECTORS 3
#define REAL_COLS 8
#define COMPLEX_VECTORS 1
#define COMPLEX_COLS 12
#include "kernel/micro_types.inc"

#define SIMD(f) f##_avx2
#define TARGET __attribute__((target("avx2,fma")))
#define HAS_SPLIT

/* The same, which is slow for whole registers. */
TARGET ALWAYS_INLINE void s_add_lanes_avx2(unsigned bits, float *c, __m256 x)
{
    const __m256i bit = _mm256_set_epi32(128, 64, 32, 16, 8, 4, 2, 1);
    const __m256i some = _mm256_cmpeq_epi32(_mm256_and_si256(_mm256_set1_epi32((int)bits), bit), bit);
    _mm256_maskstore_ps(c, some, _mm256_add_ps(_mm256_maskload_ps(c, some), x));
}

TARGET ALWAYS_INLINE void d_add_lanes_avx2(unsigned bits, double *c, __m256d x)
{
    const __m256i bit = _mm256_set_epi64x(8, 4, 2, 1);
    const __m256i some = _mm256_cmpeq_epi64(_mm256_and_si256(_mm256_set1_epi64x((int)bits), bit), bit);
    _mm256_maskstore_pd(c, some, _mm256_add_pd(_mm256_maskload_pd(c, some), x));
}

#define BYTES 32
#define REAL_VECTORS 2
#define REAL_COLS 6
#define COMPLEX_VECTORS 1
#define COMPLEX_COLS 6
#include "kernel/micro_types.inc"
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
#include "kernel/micro_types.inc"

ASHI_SIMD_ALL(ashi_micro_all, ashi_micro)

const ashi_micro *ashi_micro_of(ashlar_type type)
{
    const ashi_micro *all[ASHI_SIMD_KINDS];
    ashi_micro_all(type, all);
    return all[0];
}
