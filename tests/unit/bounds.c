/* model: bounds against values derived by hand, tiles against brute force, counts against the executed loop nest. */
#include "base/checked.h"
#include "model/bounds.h"
#include "test.h"

#include <math.h>
#include <stdbool.h>
#include <string.h>

static bool near(double x, double y)
{
    return fabs(x - y) <= 1e-12 * fmax(fabs(x), fabs(y));
}

#define NEAR(t, x, y) CHECK(t, near(x, y), "%.17g is not %.17g", (double)(x), (double)(y))

static void memory_independent_cases(ashi_test *t)
{
    /* p = 4 <= 600/40: (1 - 1/4) * 40 * 30. */
    NEAR(t, ashi_bound_memory_independent(30, 600, 40, 4).words, 900);
    /* 200/100 < p = 8 <= 200*100/50^2: 2 sqrt(200*100*50^2/8) - (200*50 + 100*50)/8, and on both edges. */
    NEAR(t, ashi_bound_memory_independent(100, 50, 200, 8).words, 5000 - 1875);
    NEAR(t, ashi_bound_memory_independent(100, 50, 200, 2).words, 2500);
    NEAR(t, ashi_bound_memory_independent(100, 200, 400, 8).words, 3 * 1e4 - 14e4 / 8);
    /* 4096^3 on 64: cubes of side 1024, of whose three faces a quarter is owned. */
    NEAR(t, ashi_bound_memory_independent(4096, 4096, 4096, 64).words, 3 * 1048576 * 0.75);
    /* One product a rank. */
    NEAR(t, ashi_bound_memory_independent(2, 2, 2, 8).words, 3 - 12 / 8.0);
    const char *which = ashi_bound_memory_independent(30, 600, 40, 4).which;
    CHECK(t, strcmp(which, "memory-independent, p <= d1/d2") == 0, "%s", which);
}

static void nothing_to_receive(ashi_test *t)
{
    const int64_t empty[][3] = {{0, 5, 5}, {5, 0, 5}, {5, 5, 0}, {0, 0, 0}};
    for (int i = 0; i < 4; i++) {
        const int64_t *z = empty[i];
        CHECK(t, ashi_bound_words(z[0], z[1], z[2], 7, 3).words == 0, "case %d", i);
        CHECK(t, ashi_bound_parallel(z[0], z[1], z[2], 7, 3) == 0, "case %d", i);
        NEAR(t, ashi_bound_sequential(z[0], z[1], z[2], 4), (double)(z[0] * z[1]));
    }
    CHECK(t, ashi_bound_words(100, 100, 100, 1, 0).words == 0, "one rank");
    CHECK(t, ashi_bound_words(100, 100, 100, 1, 10).words == 0, "one rank, little memory");
    CHECK(t, ashi_bound_words(1, 1, 1, 1000000, 1).words >= 0, "more ranks than products");
}

static void memory_binds(ashi_test *t)
{
    double a, b;
    /* 16384^3 on 64 ranks: d = 2^36, its cube root is 4096; S = 2^20 binds: 2 * 2^36 / 2^10 + 2^20 - 3 * 2^22. */
    const ashi_bound bound = ashi_bound_words(16384, 16384, 16384, 64, 1 << 20);
    NEAR(t, bound.words, 134217728.0 + 1048576 - 12582912);
    CHECK(t, strstr(bound.source, "COSMA"), "%s", bound.source);
    ashi_parallel_domain(16384, 16384, 16384, 64, 1 << 20, &a, &b);
    NEAR(t, a, 1024);
    NEAR(t, b, 65536);
    /* They touch at S = d^(2/3) = 2^24, where memory stops to bind, and beyond it nothing changes. */
    NEAR(t, ashi_bound_words(16384, 16384, 16384, 64, 1 << 24).words, 3 * 16777216 - 12582912);
    CHECK(t, strstr(ashi_bound_words(16384, 16384, 16384, 64, 1 << 24).source, "Al Daas"), "source");
    NEAR(t, ashi_bound_words(16384, 16384, 16384, 64, 1 << 30).words, 37748736);
    /* One word of memory: every operand comes for every product. */
    NEAR(t, ashi_bound_parallel(10, 10, 10, 10, 1), 201);
}

static void bounds_behave(ashi_test *t, uint64_t seed)
{
    uint64_t state = seed;
    int64_t z[3];
    for (int i = 0; i < 3; i++)
        z[i] = ashi_random_in(&state, 0, INT64_C(1) << ashi_random_in(&state, 1, 30));
    const int64_t p = ashi_random_in(&state, 1, 1 << ashi_random_in(&state, 1, 20));
    const int64_t s = ashi_random_in(&state, 1, INT64_C(1) << ashi_random_in(&state, 1, 40));
    const double free_words = ashi_bound_words(z[0], z[1], z[2], p, 0).words;
    const double words = ashi_bound_words(z[0], z[1], z[2], p, s).words;
    CHECK(t, free_words >= 0 && isfinite(free_words), "seed %" PRIu64 ": %g", seed, free_words);
    CHECK(t, words >= free_words && isfinite(words), "seed %" PRIu64 ": %g below %g", seed, words, free_words);
    CHECK(t, ashi_bound_words(z[0], z[1], z[2], p, 2 * s).words <= words * (1 + 1e-12), "seed %" PRIu64, seed);
    NEAR(t, ashi_bound_words(z[2], z[0], z[1], p, s).words, words);
    NEAR(t, ashi_bound_batch(1, z[0], z[1], z[2], p, s).words, words);
    const int64_t batch = ashi_random_in(&state, 1, p);
    NEAR(t, ashi_bound_batch(batch, z[0], z[1], z[2], batch * p, s).words, words); /* a team of p ranks for each */
    NEAR(t, ashi_bound_batch(p, z[0], z[1], z[2], batch, s).words, 0);
    const double all = ashi_bound_batch(batch, z[0], z[1], z[2], p, 0).words; /* no more than one after the other */
    CHECK(t, all >= 0 && all <= (double)batch * free_words * (1 + 1e-12), "seed %" PRIu64 ": %g", seed, all);
}

/* The best integers under ab + a + 1 <= S, by trying every a with the largest b. */
static void tile_is_optimal(ashi_test *t, int64_t s)
{
    int64_t a, b, best_a = 1, best_b = s - 2;
    for (int64_t w = 2; 2 * w + 1 <= s; w++) {
        const int64_t h = (s - 1 - w) / w;
        if (w * h * (best_a + best_b) > best_a * best_b * (w + h)) {
            best_a = w;
            best_b = h;
        }
    }
    ashi_sequential_tile(s, &a, &b);
    CHECK(t, a == best_a && b == best_b, "S %" PRId64 ": %" PRId64 " x %" PRId64 ", wanted %" PRId64 " x %" PRId64, s,
          a, b, best_a, best_b);
    CHECK(t, a * b + a + 1 <= s, "S %" PRId64, s);
}

static void tiles(ashi_test *t)
{
    double x, y;
    int64_t a, b;
    for (int64_t s = 3; s <= 5000; s++)
        tile_is_optimal(t, s);
    /* Eqs. 27 and 28 as they are printed. */
    for (int64_t s = 4; s <= 100000; s = s * 3 / 2) {
        const double r = (double)s - 1, root = sqrt(r * r * r);
        ashi_sequential_tile_real(s, &x, &y);
        CHECK(t, fabs(x - (root - r) / ((double)s - 2)) < 1e-6, "S %" PRId64 ": %g", s, x);
        CHECK(t, fabs(y + (2 * (double)s + root - (double)s * (double)s - 1) / (root - r)) < 1e-6, "S %" PRId64, s);
    }
    ashi_sequential_tile_real(100, &x, &y);
    CHECK(t, fabs(x - 9.04) < 0.01 && fabs(y - 9.95) < 0.01, "%g %g", x, y);
    ashi_sequential_tile(100, &a, &b);
    CHECK(t, a == 9 && b == 10, "%" PRId64 " %" PRId64, a, b);
    ashi_sequential_tile(0, &a, &b);
    CHECK(t, a == 1 && b == 1, "no memory");
    ashi_sequential_tile(INT64_MAX, &a, &b);
    CHECK(t, a > 1000000000 && b >= a, "all memory: %" PRId64 " x %" PRId64, a, b);
}

/* Listing 1, executed: what is loaded and stored when a tile of C stays and one column of A and row of B pass. */
static int64_t executed(int64_t m, int64_t n, int64_t k, int64_t a, int64_t b)
{
    int64_t words = 0;
    for (int64_t i1 = 0; i1 < m; i1 += a)
        for (int64_t j1 = 0; j1 < n; j1 += b) {
            const int64_t rows = ashi_min(a, m - i1), cols = ashi_min(b, n - j1);
            for (int64_t r = 0; r < k; r++)
                words += rows + cols;
            words += rows * cols;
        }
    return words;
}

static void sequential_counts(ashi_test *t, uint64_t seed)
{
    uint64_t state = seed;
    const int64_t m = ashi_random_in(&state, 0, 40), n = ashi_random_in(&state, 0, 40);
    const int64_t k = ashi_random_in(&state, 0, 40), s = ashi_random_in(&state, 3, 300);
    int64_t a, b;
    ashi_sequential_tile(s, &a, &b);
    const double words = ashi_sequential_words(m, n, k, a, b);
    CHECK(t, words == (double)executed(m, n, k, a, b), "seed %" PRIu64, seed);
    CHECK(t, words >= ashi_bound_sequential(m, n, k, s), "seed %" PRIu64 ": %g below Theorem 1", seed, words);
}

/* Table 3's two special cases, with what docs/THEORY.md finds in place of the misprints. */
static void table3_cases(ashi_test *t)
{
    ashi_table3_row rows[4];
    for (double e = 6; e <= 18; e += 6) {
        /* Square, little memory: m = n = k, S = 2n^2/p; n a multiple of the root of p. */
        const double p = exp2(e), n = 16 * p;
        ashi_table3((int64_t)n, (int64_t)n, (int64_t)n, (int64_t)p, (int64_t)(2 * n * n / p), rows);
        NEAR(t, rows[0].words, n * n * (2 * sqrt(p) + 1) / p);
        NEAR(t, rows[1].words, n * n * (2 * sqrt(p) + 1) / p);
        NEAR(t, rows[2].words, 2 * n * n * (sqrt(1.5 / p) + 1 / (2 * cbrt(p) * cbrt(p))));
        NEAR(t, rows[3].words, sqrt(2) * n * n / sqrt(p) + 2 * n * n / p);
        NEAR(t, rows[0].latency, n * log2(p));
        NEAR(t, rows[1].latency, 2 * sqrt(p));
        NEAR(t, rows[2].latency, pow(1.5, 1.5) * sqrt(p) + 3 * log2(p));
    }
    for (double e = 6; e <= 18; e += 6) {
        /* Tall, memory to spare: m = n = sqrt(p), k = p^(3/2)/4, S = 2nk/p^(2/3). */
        const double p = exp2(e), n = sqrt(p), k = p * n / 4, side = cbrt(p * n / 4);
        ashi_table3((int64_t)n, (int64_t)n, (int64_t)k, (int64_t)p, (int64_t)(2 * n * k / (cbrt(p) * cbrt(p))), rows);
        NEAR(t, rows[0].words, p * n / 2 + 1);
        NEAR(t, rows[1].words, p * cbrt(p) / 2 + cbrt(p));
        NEAR(t, rows[2].words, 3 * side * side);
        NEAR(t, rows[3].words, 3 * side * side);
        /* What arrives, without the share of the inputs, p/2 words, is the paper's p (3 - 2^(1/3)) / 2^(4/3). */
        NEAR(t, rows[3].words - p / 2, p * (3 - cbrt(2)) / exp2(4.0 / 3));
    }
    CHECK(t, strcmp(rows[2].name, "recursive") == 0 && strcmp(rows[3].name, "COSMA") == 0, "names");
    ashi_table3(0, 10, 10, 4, 0, rows);
    for (int i = 0; i < 4; i++)
        CHECK(t, isfinite(rows[i].words) && isfinite(rows[i].latency), "empty product: row %d", i);
    ashi_table3(100, 100, 1, 4, 0, rows);
    CHECK(t, isinf(rows[1].latency), "C leaves no memory for panels");
}

/* What section 6 of docs/THEORY.md says of the two special cases. */
static void table3_special(ashi_test *t)
{
    ashi_table3_case rows[4];
    const double n = 4096, p = 64, share = 3 * n * n / p;
    ashi_table3_square(4096, 64, rows);
    NEAR(t, rows[0].printed, 2 * n * n * 9 / p);
    NEAR(t, rows[0].arriving, 2 * n * n * 7 / p);
    NEAR(t, rows[2].printed, rows[2].touched);
    for (int i = 0; i < 4; i++)
        NEAR(t, rows[i].touched, rows[i].arriving + share);
    ashi_table3_tall(64, rows); /* 2^12 ranks */
    NEAR(t, rows[0].printed, rows[0].touched - 1);
    NEAR(t, rows[1].printed, rows[1].touched);
    NEAR(t, rows[2].printed, 3072);
    NEAR(t, rows[3].printed, rows[3].arriving + 1); /* it leaves out the share of C, a word */
    CHECK(t, strcmp(rows[1].name, "2.5D") == 0, "names");
}

int main(void)
{
    ashi_test t = {0};
    memory_independent_cases(&t);
    nothing_to_receive(&t);
    memory_binds(&t);
    for (uint64_t seed = 1; seed <= 2000; seed++)
        bounds_behave(&t, seed);
    tiles(&t);
    for (uint64_t seed = 1; seed <= 500; seed++)
        sequential_counts(&t, seed);
    table3_cases(&t);
    table3_special(&t);
    return ashi_test_end(&t, "bounds");
}
