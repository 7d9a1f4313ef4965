/* One text of interleaved products, compiled for each type and each width of a processor's registers. */
#include "kernel/interleaved.h"

#include "base/checked.h"

#include <stdalign.h>
#include <stdint.h>
#include <string.h>

/* A tile of C that stays in registers has ROWS rows at most. */
enum { ROWS = 4 };

#if defined(__x86_64__)
#include <immintrin.h>

/* A register to an aligned place, past the caches. */
__attribute__((target("avx512f"))) ALWAYS_INLINE void put_past_avx512(const void *from, void *to)
{
    _mm512_stream_si512(to, _mm512_loadu_si512(from));
}

__attribute__((target("avx2,fma"))) ALWAYS_INLINE void put_past_avx2(const void *from, void *to)
{
    _mm256_stream_si256(to, _mm256_loadu_si256(from));
}

static void wait_avx512(void)
{
    _mm_sfence();
}

static void wait_avx2(void)
{
    _mm_sfence();
}

#define SIMD(f) f##_avx512
#define TARGET __attribute__((target("avx512f")))
#define BYTES 64
#define REAL_COLS 6
#define COMPLEX_COLS 3
#include "kernel/interleaved_types.inc"

#define SIMD(f) f##_avx2
#define TARGET __attribute__((target("avx2,fma")))
#define BYTES 32
#define REAL_COLS 3
#define COMPLEX_COLS 2
#include "kernel/interleaved_types.inc"
#endif

ALWAYS_INLINE void put_past_any(const void *from, void *to)
{
    memcpy(to, from, LEAST_BYTES);
}

static void wait_any(void)
{
}

#define SIMD(f) f##_any
#define TARGET
#define BYTES 16
#define REAL_COLS 3
#define COMPLEX_COLS 2
#include "kernel/interleaved_types.inc"

ASHI_SIMD_ALL(ashi_interleaved_all, ashi_interleaved)
