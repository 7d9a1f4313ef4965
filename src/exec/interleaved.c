/* One text of interleaved products, compiled for each type and each width of a processor's registers. */
#include "exec/interleaved.h"

#include "base/checked.h"

/* A tile of C that stays in registers has ROWS rows at most. */
enum { ROWS = 4 };

#if defined(__x86_64__)
#define SIMD(f) f##_avx512
#define TARGET __attribute__((target("avx512f")))
#define BYTES 64
#define REAL_COLS 6
#define COMPLEX_COLS 3
#include "exec/interleaved_types.inc"

#define SIMD(f) f##_avx2
#define TARGET __attribute__((target("avx2,fma")))
#define BYTES 32
#define REAL_COLS 3
#define COMPLEX_COLS 2
#include "exec/interleaved_types.inc"
#endif

#define SIMD(f) f##_any
#define TARGET
#define BYTES 16
#define REAL_COLS 3
#define COMPLEX_COLS 2
#include "exec/interleaved_types.inc"

ASHI_SIMD_ALL(ashi_interleaved_all, ashi_interleaved)
