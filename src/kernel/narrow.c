/* Operands whose elements have 16 bits, float16 and bfloat16: copied as they are, and turned into floats block by block
 * when they are multiplied.
 *
 * A block of B is turned once, one of A once for each ASHI_NARROW_COLS columns of C. The BLAS multiplies what a block
 * has become. */
#include "kernel/narrow.h"

#include "base/checked.h"
#include "base/half.h"

#include <string.h>

#if defined(__x86_64__)
#include <immintrin.h>
#endif

enum { TILE = 32 };

bool ashi_is_narrow(ashlar_type type)
{
    return type == ASHLAR_TYPE_H || type == ASHLAR_TYPE_B;
}

/* ---- numbers ---- */

static void h_widen_any(int64_t count, const uint16_t *from, float *to)
{
    ashi_half_to_floats(count, from, false, to);
}

/* The bits of a bfloat16 are the upper ones of a float. */
#define WIDEN_B(name, TARGET)                                        \
    TARGET static void name(int64_t count, const uint16_t *from, float *to) \
    {                                                                \
        for (int64_t i = 0; i < count; i++) {                        \
            const uint32_t bits = (uint32_t)from[i] << 16;           \
            memcpy(&to[i], &bits, sizeof bits);                      \
        }                                                            \
    }

WIDEN_B(b_widen_any, )

#if defined(__x86_64__)
WIDEN_B(b_widen_avx512, __attribute__((target("avx512f"))))
WIDEN_B(b_widen_avx2, __attribute__((target("avx2"))))

__attribute__((target("avx512f"))) static void h_widen_avx512(int64_t count, const uint16_t *from, float *to)
{
    int64_t i = 0;
    for (; i + 16 <= count; i += 16)
        _mm512_storeu_ps(to + i, _mm512_cvtph_ps(_mm256_loadu_si256((const __m256i *)(const void *)(from + i))));
    h_widen_any(count - i, from + i, to + i);
}

/* Processors with AVX2 have F16C. */
__attribute__((target("avx2,f16c"))) static void h_widen_avx2(int64_t count, const uint16_t *from, float *to)
{
    int64_t i = 0;
    for (; i + 8 <= count; i += 8)
        _mm256_storeu_ps(to + i, _mm256_cvtph_ps(_mm_loadu_si128((const __m128i *)(const void *)(from + i))));
    h_widen_any(count - i, from + i, to + i);
}

static const ashi_widen table[2][ASHI_SIMD_KINDS] = {{h_widen_avx512, h_widen_avx2, h_widen_any},
                                                     {b_widen_avx512, b_widen_avx2, b_widen_any}};
#else
static const ashi_widen table[2][ASHI_SIMD_KINDS] = {{NULL, NULL, h_widen_any}, {NULL, NULL, b_widen_any}};
#endif

int ashi_widen_all(ashlar_type type, ashi_widen out[ASHI_SIMD_KINDS])
{
    int count = 0;
    for (int kind = ashi_simd_widest(); kind < ASHI_SIMD_KINDS; kind++)
        out[count++] = table[type == ASHLAR_TYPE_B][kind];
    return count;
}

float ashi_narrow_value(ashlar_type type, uint16_t bits)
{
    return type == ASHLAR_TYPE_B ? ashi_brief_to_float(bits) : ashi_half_to_float(bits);
}

/* ---- copying ---- */

static void copy_tile(int64_t minor, int64_t major, const uint16_t *x, int64_t xs, int64_t xl, uint16_t *y, int64_t ys,
                      int64_t yl)
{
    for (int64_t j = 0; j < major; j++)
        for (int64_t i = 0; i < minor; i++)
            y[i * ys + j * yl] = x[i * xs + j * xl];
}

static void copy_runs(int64_t length, int64_t count, const uint16_t *x, int64_t xl, uint16_t *y, int64_t yl)
{
    if (xl == length && yl == length) {
        length *= count;
        count = 1;
    }
    for (int64_t j = 0; j < count; j++)
        memcpy(y + j * yl, x + j * xl, (size_t)length * sizeof *y);
}

void ashi_narrow_copy(int64_t minor, int64_t major, const ashi_matrix *from, void *to, int64_t ys, int64_t yl)
{
    const int64_t xs = from->minor_stride, xl = from->major_stride;
    const uint16_t *const x = from->data;
    uint16_t *const y = to;
    if (minor <= 0 || major <= 0)
        return;
    if (xs == 1 && ys == 1)
        copy_runs(minor, major, x, xl, y, yl);
    else if (xl == 1 && yl == 1)
        copy_runs(major, minor, x, xs, y, ys);
    else
        for (int64_t j = 0; j < major; j += TILE) /* squares, so that both sides of a transposition stay in cache */
            for (int64_t i = 0; i < minor; i += TILE)
                copy_tile(ashi_min(TILE, minor - i), ashi_min(TILE, major - j), x + i * xs + j * xl, xs, xl,
                          y + i * ys + j * yl, ys, yl);
}

/* ---- multiplying ---- */

/* minor x depth elements from (i, l) on as floats, whose contiguous side is that of the elements. */
static ashi_matrix widened(ashi_widen widen, const ashi_matrix *x, int64_t i, int64_t minor, int64_t l, int64_t depth,
                           float *to)
{
    const uint16_t *const from = (const uint16_t *)x->data + i * x->minor_stride + l * x->major_stride;
    const bool by_minor = x->minor_stride == 1;
    const int64_t length = by_minor ? minor : depth, count = by_minor ? depth : minor;
    const int64_t apart = by_minor ? x->major_stride : x->minor_stride;
    if (apart == length)
        widen(length * count, from, to);
    else
        for (int64_t j = 0; j < count; j++)
            widen(length, from + j * apart, to + j * length);
    return by_minor ? (ashi_matrix){to, 1, length} : (ashi_matrix){to, length, 1};
}

/* Parts of equal size, none above `most`. */
static int64_t part_of(int64_t all, int64_t most)
{
    return ashi_max(1, ashi_ceil_div(all, ashi_max(1, ashi_ceil_div(all, most))));
}

void ashi_narrow_gemm(ashlar_type type, int64_t m, int64_t n, int64_t k, const void *alpha, const ashi_matrix *a,
                      const ashi_matrix *b, const void *beta, void *c, int64_t cs, int64_t cl, float *floats)
{
    const ashi_kernels *const kernels = ashi_kernels_of(ASHLAR_TYPE_S);
    const ashi_matrix none = {floats, 1, 1};
    ashi_widen widen[ASHI_SIMD_KINDS];
    if (cs != 1) { /* C by rows: its transpose, from B and A transposed */
        ashi_narrow_gemm(type, n, m, k, alpha, b, a, beta, c, cl, cs, floats);
        return;
    }
    if (k <= 0 || kernels->is_zero(alpha)) {
        kernels->gemm(m, n, 0, alpha, &none, false, &none, false, beta, c, cs, cl);
        return;
    }
    ashi_widen_all(type, widen);
    float *const of_b = floats + (int64_t)ASHI_NARROW_ROWS * ASHI_NARROW_DEPTH;
    const int64_t mc = part_of(m, ASHI_NARROW_ROWS), nc = part_of(n, ASHI_NARROW_COLS);
    const int64_t kc = part_of(k, ASHI_NARROW_DEPTH);
    for (int64_t j = 0; j < n; j += nc)
        for (int64_t l = 0; l < k; l += kc) {
            const int64_t cols = ashi_min(nc, n - j), depth = ashi_min(kc, k - l);
            const ashi_matrix right = widened(widen[0], b, j, cols, l, depth, of_b);
            for (int64_t i = 0; i < m; i += mc) {
                const int64_t rows = ashi_min(mc, m - i);
                const ashi_matrix left = widened(widen[0], a, i, rows, l, depth, floats);
                kernels->gemm(rows, cols, depth, alpha, &left, false, &right, false, l == 0 ? beta : kernels->one,
                              (float *)c + i + j * cl, 1, cl);
            }
        }
}
