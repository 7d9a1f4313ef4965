/* Numbers of 16 bits: each is turned into the float that it is, floats into the nearest, and products of matrices of
 * them are those of the floats, whatever their sizes and strides. */
#include "kernel/narrow.h"

#include "base/checked.h"
#include "base/half.h"
#include "base/type.h"
#include "test.h"

#include <math.h>

enum { ALL = 1 << 16, ROOM = 1 << 21 };

/* The value by arithmetic: `fraction` bits of the fraction, `bias` of the exponent. */
static double value_of(int bits, int fraction, int bias)
{
    const int low = bits & ((1 << fraction) - 1), exponents = 1 << (15 - fraction);
    const int exponent = bits >> fraction & (exponents - 1);
    const double sign = bits & 0x8000 ? -1 : 1;
    if (exponent == exponents - 1)
        return low ? NAN : sign * INFINITY;
    return sign * (exponent == 0 ? ldexp(low, 1 - bias - fraction)
                                 : ldexp((1 << fraction) + low, exponent - bias - fraction));
}

static double wanted_of(ashlar_type type, int bits)
{
    return type == ASHLAR_TYPE_H ? value_of(bits, 10, 15) : value_of(bits, 7, 127);
}

/* The same float; a NaN may be quiet instead of signalling. */
static bool same_bits(float x, float y)
{
    uint32_t a, b;
    memcpy(&a, &x, sizeof a);
    memcpy(&b, &y, sizeof b);
    return isnan(y) ? (a | 0x400000u) == (b | 0x400000u) : a == b;
}

static void every_number(ashi_test *t, ashlar_type type)
{
    static uint16_t from[ALL + 1];
    static float to[ALL + 1];
    ashi_widen widen[ASHI_SIMD_KINDS];
    const int kinds = ashi_widen_all(type, widen);
    for (int i = 0; i <= ALL; i++)
        from[i] = (uint16_t)i;
    for (int bits = 0; bits < ALL; bits++) {
        const float value = ashi_narrow_value(type, (uint16_t)bits);
        const double wanted = wanted_of(type, bits);
        CHECK(t, (isnan(wanted) ? isnan(value) : (double)value == wanted) && !!signbit(value) == (bits >> 15),
              "type %d: %#x is %a", (int)type, (unsigned)bits, (double)value);
    }
    for (int kind = 0; kind < kinds; kind++)
        for (int first = 0; first < 17; first++) { /* any beginning and any length */
            const int count = ALL - first - (first * 7) % 17;
            to[count] = 7;
            widen[kind](count, from + first, to);
            int wrong = to[count] != 7;
            for (int i = 0; i < count; i++)
                wrong += !same_bits(to[i], ashi_narrow_value(type, from[first + i]));
            CHECK(t, wrong == 0, "type %d, kind %d: %d numbers are wrong", (int)type, kind, wrong);
        }
}

static uint16_t narrow_of(ashlar_type type, float value)
{
    return type == ASHLAR_TYPE_H ? ashi_half_of_float(value) : ashi_brief_of_float(value);
}

/* Each number is its own nearest; between two neighbours the nearer one is taken, in the middle the even one. */
static void nearest(ashi_test *t, ashlar_type type)
{
    for (int bits = 0; bits < ALL; bits++) {
        const float value = ashi_narrow_value(type, (uint16_t)bits);
        const uint16_t found = narrow_of(type, value);
        CHECK(t, isnan(value) ? isnan(ashi_narrow_value(type, found)) && found >> 15 == bits >> 15 : found == bits,
              "type %d: %#x becomes %#x", (int)type, (unsigned)bits, (unsigned)found);
        const float next = ashi_narrow_value(type, (uint16_t)(bits + 1));
        if (isnan(value) || (bits & 0x7FFF) == 0x7FFF || !isfinite(next) || !isfinite(value))
            continue;
        const float middle = value / 2 + next / 2; /* exact, if it is no subnormal float */
        const uint16_t of_middle = narrow_of(type, middle), even = (uint16_t)(bits & 1 ? bits + 1 : bits);
        if (fabsf(middle) >= 0x1p-125f) {
            CHECK(t, of_middle == even, "type %d: the middle after %#x", (int)type, (unsigned)bits);
            CHECK(t, narrow_of(type, nextafterf(middle, value)) == bits &&
                         narrow_of(type, nextafterf(middle, next)) == bits + 1,
                  "type %d: beside the middle after %#x", (int)type, (unsigned)bits);
        }
    }
    CHECK(t, ashi_half_of_float(65519.99f) == 0x7BFF && ashi_half_of_float(65520) == 0x7C00 &&
                 ashi_half_of_float(-1e30f) == 0xFC00 && ashi_half_of_float(0x1p-25f) == 0 &&
                 ashi_half_of_float(0x1.8p-25f) == 1 && ashi_half_of_float(-0x1p-40f) == 0x8000,
          "the ends of float16");
}

/* ---- products ---- */

/* A matrix in a line of numbers: minor x major, either side contiguous, with some distance. */
typedef struct lying {
    int64_t minor, major, minor_stride, major_stride;
} lying;

static lying random_lying(uint64_t *state, int64_t minor, int64_t major)
{
    const int64_t apart = ashi_random_in(state, 0, 3);
    return ashi_random_in(state, 0, 1) ? (lying){minor, major, 1, minor + apart}
                                       : (lying){minor, major, major + apart, 1};
}

static int64_t at(const lying *x, int64_t i, int64_t j)
{
    return i * x->minor_stride + j * x->major_stride;
}

/* NaN everywhere else. */
static void fill(uint64_t *state, ashlar_type type, const lying *x, bool poisoned, uint16_t *to)
{
    memset(to, 0xFF, ROOM * sizeof *to);
    for (int64_t i = 0; i < x->minor && !poisoned; i++)
        for (int64_t j = 0; j < x->major; j++)
            to[at(x, i, j)] = narrow_of(type, (float)ashi_random_in(state, -1000, 1000) / 1000);
}

static float factor(uint64_t *state)
{
    const int64_t how = ashi_random_in(state, 0, 3);
    return how < 2 ? (float)how : (float)ashi_random_in(state, -30, 30) / 7;
}

static void product(ashi_test *t, uint64_t seed)
{
    static uint16_t a[ROOM], b[ROOM];
    static float c[ROOM], before[ROOM], floats[ASHI_NARROW_FLOATS];
    uint64_t state = seed * 0x9E3779B97F4A7C15u;
    const ashlar_type type = seed % 2 ? ASHLAR_TYPE_H : ASHLAR_TYPE_B;
    int64_t size[3];
    for (int d = 0; d < 3; d++)
        size[d] = ashi_random_in(&state, 0, 1) ? ashi_random_in(&state, 1, 40) : ashi_random_in(&state, 0, 12);
    size[seed % 3] = seed % 5 == 0 ? ashi_random_in(&state, 500, 1100) : size[seed % 3];
    const lying of[3] = {random_lying(&state, size[0], size[2]), random_lying(&state, size[1], size[2]),
                         random_lying(&state, size[0], size[1])};
    const float alpha = factor(&state), beta = factor(&state);
    fill(&state, type, &of[0], alpha == 0, a);
    fill(&state, type, &of[1], alpha == 0, b);
    memset(c, 0xFF, sizeof c);
    for (int64_t i = 0; i < size[0] && beta != 0; i++)
        for (int64_t j = 0; j < size[1]; j++)
            c[at(&of[2], i, j)] = (float)ashi_random_in(&state, -100, 100) / 9;
    memcpy(before, c, sizeof c);
    const ashi_matrix x = {a, of[0].minor_stride, of[0].major_stride}, y = {b, of[1].minor_stride, of[1].major_stride};
    ashi_narrow_gemm(type, size[0], size[1], size[2], &alpha, &x, &y, &beta, c, of[2].minor_stride, of[2].major_stride,
                     floats);
    const double u = ashi_type_of(type)->roundoff * (double)(size[2] + 8);
    for (int64_t i = 0; i < size[0]; i++)
        for (int64_t j = 0; j < size[1]; j++) {
            float *const found = &c[at(&of[2], i, j)], *const old = &before[at(&of[2], i, j)];
            double sum = 0, most = 0;
            for (int64_t l = 0; l < size[2] && alpha != 0; l++) {
                const double p = (double)ashi_narrow_value(type, a[at(&of[0], i, l)]) *
                                 (double)ashi_narrow_value(type, b[at(&of[1], j, l)]);
                sum += p;
                most += fabs(p);
            }
            const double wanted = (double)alpha * sum + (beta != 0 ? (double)beta * (double)*old : 0);
            const double may = u * (fabs((double)alpha) * most + (beta != 0 ? fabs((double)beta * (double)*old) : 0));
            CHECK(t, fabs((double)*found - wanted) <= may, "seed %" PRIu64 ": (%d, %d) is %g, wanted %g", seed, (int)i,
                  (int)j, (double)*found, wanted);
            *found = *old;
        }
    CHECK(t, memcmp(c, before, sizeof c) == 0, "seed %" PRIu64 ": memory around C was written to", seed);
}

static void copy(ashi_test *t, uint64_t seed)
{
    static uint16_t a[ROOM], b[ROOM];
    uint64_t state = seed * 0xC2B2AE3D27D4EB4Fu;
    const int64_t minor = ashi_random_in(&state, 0, 80), major = ashi_random_in(&state, 0, 80);
    const lying from = random_lying(&state, minor, major), to = random_lying(&state, minor, major);
    const ashi_matrix x = {a, from.minor_stride, from.major_stride};
    for (int i = 0; i < ROOM; i++)
        a[i] = (uint16_t)ashi_random(&state);
    memset(b, 0xFF, sizeof b);
    ashi_narrow_copy(minor, major, &x, b, to.minor_stride, to.major_stride);
    int64_t wrong = 0;
    for (int64_t i = 0; i < minor; i++)
        for (int64_t j = 0; j < major; j++) {
            wrong += b[at(&to, i, j)] != a[at(&from, i, j)];
            b[at(&to, i, j)] = 0xFFFF;
        }
    for (int i = 0; i < ROOM; i++)
        wrong += b[i] != 0xFFFF;
    CHECK(t, wrong == 0, "seed %" PRIu64 ": %" PRId64 " numbers are wrong after a copy", seed, wrong);
}

int main(int argc, char **argv)
{
    ashi_test t = {0};
    const ashi_seeds seeds = ashi_seeds_of(argc, argv, 60);
    for (int i = 0; i < 2; i++) {
        every_number(&t, i ? ASHLAR_TYPE_B : ASHLAR_TYPE_H);
        nearest(&t, i ? ASHLAR_TYPE_B : ASHLAR_TYPE_H);
    }
    for (uint64_t seed = seeds.first; seed <= seeds.last; seed++) {
        product(&t, seed);
        copy(&t, seed);
    }
    return ashi_test_end(&t, "narrow");
}
