/* Products of small tiles whose rows do not fill the registers of AVX2: the last register of a column begins so early
 * that it ends with the column, and has some rows of the one before once more. AVX2 is slow to store a register in
 * part, and to go through what is left row by row takes longer than the rest. */
#include "kernel/overlap.h"

#include "base/simd.h"

#if defined(__x86_64__)

/* Sums of VECTORS_MOST registers in COLS_MOST columns fill the registers, with some left for A and B. */
enum { BYTES = 32, VECTORS_MOST = 3, COLS_MOST = 4 };
#define TARGET __attribute__((target("avx2,fma")))

/* Elements from one k of B to the next, and from one column to the next. */
typedef struct shape {
    int m, k, down, across;
} shape;

#define R float
#define NAME(f) s_##f
#include "kernel/overlap.inc"

#define R double
#define NAME(f) d_##f
#include "kernel/overlap.inc"

ashi_overlap *ashi_overlap_of(ashlar_type type, int64_t m)
{
    const bool real = type == ASHLAR_TYPE_S || type == ASHLAR_TYPE_D;
    const int64_t lanes = BYTES / (int64_t)(type == ASHLAR_TYPE_S ? sizeof(float) : sizeof(double));
    if (!real || ashi_simd_widest() > 1 || m < lanes || m % lanes == 0)
        return NULL;
    return type == ASHLAR_TYPE_S ? s_form : d_form;
}

/* As measured beside libxsmm 1.17: that takes what is left of a column by fours, twos and ones. */
bool ashi_overlap_is_faster(ashlar_type type, int64_t m)
{
    const bool single = type == ASHLAR_TYPE_S;
    return ashi_simd_widest() == 1 && (m % (single ? 8 : 4) >= 3 || m > (single ? 16 : 20));
}

#else

ashi_overlap *ashi_overlap_of(ashlar_type type, int64_t m)
{
    (void)type, (void)m;
    return NULL;
}

bool ashi_overlap_is_faster(ashlar_type type, int64_t m)
{
    (void)type, (void)m;
    return false;
}

#endif
