/* One text of products with few columns, compiled for the real types and each width of a processor's registers. */
#include "kernel/skinny.h"

#include "base/checked.h"

#include <string.h>

/* VECTORS of neighbouring rows and WIDTH columns fill the registers, or MANY and two columns, or TOGETHER rows of which
 * the sum goes along the registers and BESIDE columns. */
enum { TOGETHER = ASHI_SKINNY_TOGETHER };

#if defined(__x86_64__)
#define SIMD(f) f##_avx512
#define TARGET __attribute__((target("avx512f")))
#define BYTES 64
#define VECTORS 3
#define MANY 8
#define WIDTH 8
#define BESIDE 6
#include "kernel/skinny_types.inc"

#define SIMD(f) f##_avx2
#define TARGET __attribute__((target("avx2,fma")))
#define BYTES 32
#define VECTORS 3
#define MANY 6
#define WIDTH 4
#define BESIDE 3
#include "kernel/skinny_types.inc"
#endif

#define SIMD(f) f##_any
#define TARGET
#define BYTES 16
#define VECTORS 3
#define MANY 6
#define WIDTH 4
#define BESIDE 3
#include "kernel/skinny_types.inc"

ASHI_SIMD_ALL(ashi_skinny_all, ashi_skinny)
