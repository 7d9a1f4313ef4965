/* Random cuts and random patterns: what they promise of sizes, densities and decay, and that a seed repeats them. */
#include "base/checked.h"
#include "layout/random_tiles.h"
#include "test.h"

#include <math.h>
#include <string.h>

static void check_cuts(ashi_test *t, int64_t n, int64_t mean, double spread, uint64_t seed)
{
    ashi_cuts cuts, again;
    ashlar_error err = {0};
    CHECK(t, ashi_random_cuts(n, mean, spread, seed, "rows", &cuts, &err) == ASHLAR_OK, "%s", err.text);
    CHECK(t, cuts.tiles == ashi_ceil_div(n, mean) && ashi_cuts_all(&cuts) == n, "n %" PRId64 " mean %" PRId64, n, mean);
    /* A tile's index is drawn in n - tiles trials: its size is binomial. */
    const double widest = 1 + 2 * spread / (1 + spread) * (double)(n - cuts.tiles) / (double)ashi_max(cuts.tiles, 1);
    for (int64_t tile = 0; tile < cuts.tiles; tile++) {
        const double size = (double)ashi_cuts_size(&cuts, tile);
        CHECK(t, size >= 1 && (cuts.tiles < 64 || size <= 1.3 * widest + 8 * sqrt(widest)), "seed %" PRIu64
              " tile %" PRId64 " has %g, likeliest %g", seed, tile, size, widest);
    }
    CHECK(t, ashi_random_cuts(n, mean, spread, seed, "rows", &again, &err) == ASHLAR_OK, "%s", err.text);
    CHECK(t, ashi_cuts_differ(&cuts, &again) == -1, "seed %" PRIu64 " does not repeat", seed);
    ashi_cuts_free(&again);
    CHECK(t, ashi_random_cuts(n, mean, spread, seed + 1, "rows", &again, &err) == ASHLAR_OK, "%s", err.text);
    CHECK(t, cuts.tiles < 20 || mean < 10 || ashi_cuts_differ(&cuts, &again) >= 0, "seed %" PRIu64 " changes nothing",
          seed);
    ashi_cuts_free(&cuts);
    ashi_cuts_free(&again);
}

/* How many of 1024 tiles of mean 256 are smaller than a size. */
static int64_t smaller(ashi_test *t, double spread, int64_t size)
{
    ashi_cuts cuts;
    ashlar_error err = {0};
    CHECK(t, ashi_random_cuts(1024 * 256, 256, spread, 5, "rows", &cuts, &err) == ASHLAR_OK, "%s", err.text);
    int64_t count = 0;
    for (int64_t tile = 0; tile < cuts.tiles; tile++)
        count += ashi_cuts_size(&cuts, tile) < size;
    ashi_cuts_free(&cuts);
    return count;
}

/* Tiles of the paper's procedure are binomial, of standard deviation 16; those of the spread 511 are even between 1 and
 * 511, so that quarters have 256 tiles, of standard deviation 14. */
static void check_spread(ashi_test *t)
{
    CHECK(t, smaller(t, 1, 256 - 6 * 16) == 0 && smaller(t, 1, 256 + 6 * 16) == 1024, "spread 1 is too uneven");
    CHECK(t, smaller(t, 1, 256 - 16) > 0 && smaller(t, 1, 256 + 16) < 1024, "spread 1 is too even");
    for (int64_t quarter = 1; quarter < 4; quarter++)
        CHECK(t, llabs(smaller(t, 511, quarter * 128) - quarter * 256) < 6 * 14,
              "spread 511: %" PRId64 " below %" PRId64, smaller(t, 511, quarter * 128), quarter * 128);
}

static void check_cut_errors(ashi_test *t)
{
    ashi_cuts cuts;
    ashlar_error err = {0};
    CHECK(t, ashi_random_cuts(-1, 5, 1, 1, "the rows of A", &cuts, &err) == ASHLAR_ERR_ARG, "n");
    CHECK(t, strstr(err.text, "the rows of A: n = -1") != NULL, "%s", err.text);
    CHECK(t, ashi_random_cuts(10, 0, 1, 1, "rows", &cuts, &err) == ASHLAR_ERR_ARG, "mean");
    CHECK(t, ashi_random_cuts(10, 5, 0.5, 1, "rows", &cuts, &err) == ASHLAR_ERR_ARG, "spread");
    CHECK(t, ashi_random_cuts(10, 5, (double)NAN, 1, "rows", &cuts, &err) == ASHLAR_ERR_ARG, "spread");
    CHECK(t, ashi_random_cuts(10, 5, 1e9, 1, "rows", &cuts, &err) == ASHLAR_ERR_ARG, "spread");
}

/* Each tile's chance in turn, over many seeds: a sum of independent draws. */
static void check_chances(ashi_test *t, ashi_random_pattern pattern, int64_t seeds)
{
    double *seen = calloc((size_t)(pattern.rows * pattern.cols), sizeof *seen);
    ashlar_error err = {0};
    CHECK(t, seen, "memory");
    for (int64_t s = 0; s < seeds && seen; s++) {
        ashi_pattern made;
        pattern.seed = (uint64_t)(1000 + s);
        CHECK(t, ashi_random_pattern_make(&pattern, 0, pattern.rows, &made, &err) == ASHLAR_OK, "%s", err.text);
        for (int64_t x = 0; x < made.rows; x++)
            for (int64_t y = made.start[x]; y < made.start[x + 1]; y++)
                seen[made.row[x] * pattern.cols + made.col[y]]++;
        ashi_pattern_free(&made);
    }
    for (int64_t i = 0; i < pattern.rows && seen; i++)
        for (int64_t j = 0; j < pattern.cols; j++) {
            const int64_t distance = llabs(j - i * pattern.cols / pattern.rows);
            const double chance = pattern.density * exp(-pattern.decay * (double)distance);
            const double expected = (double)seeds * chance, deviation = sqrt(expected * (1 - chance)) + 0.2;
            CHECK(t, fabs(seen[i * pattern.cols + j] - expected) <= 6 * deviation,
                  "density %g decay %g tile %" PRId64 ", %" PRId64 ": %g of %g", pattern.density, pattern.decay, i, j,
                  seen[i * pattern.cols + j], expected);
            CHECK(t, fabs(ashi_random_factor(&pattern, i, j) - exp(-pattern.decay * (double)distance)) <=
                     1e-13 * exp(-pattern.decay * (double)distance), "factor of %" PRId64 ", %" PRId64, i, j);
        }
    free(seen);
}

/* A row of many tiles: the number present, and that a part of the rows is what the whole has there. */
static void check_long(ashi_test *t, double density, double decay, double expected)
{
    const ashi_random_pattern pattern = {1000000, 1000000, 3, density, decay};
    ashi_pattern made;
    ashlar_error err = {0};
    const int64_t first = 499900, end = 500100;
    CHECK(t, ashi_random_pattern_make(&pattern, first, end, &made, &err) == ASHLAR_OK, "%s", err.text);
    CHECK(t, fabs((double)made.tiles - expected) <= 6 * sqrt(expected), "%" PRId64 " of %g", made.tiles, expected);
    for (int64_t row = first; row < end; row++) {
        const int64_t x = ashi_pattern_row(&made, row);
        int64_t at = x < 0 ? 0 : made.start[x], last = -1;
        ashi_random_row tiles = ashi_random_row_begin(&pattern, row);
        for (int64_t col; (col = ashi_random_row_next(&tiles)) >= 0; at++) {
            CHECK(t, col > last && x >= 0 && at < made.start[x + 1] && made.col[at] == col, "row %" PRId64, row);
            last = col;
        }
        CHECK(t, x < 0 || at == made.start[x + 1], "row %" PRId64, row);
    }
    ashi_pattern_free(&made);
}

static void check_pattern_errors(ashi_test *t)
{
    const ashi_random_pattern wrong[] = {{-1, 5, 1, 0.5, 0}, {5, 5, 1, 1.5, 0}, {5, 5, 1, -0.1, 0}, {5, 5, 1, 0.5, -1},
                                         {5, 5, 1, (double)NAN, 0}, {5, 5, 1, 0.5, (double)NAN}};
    ashi_pattern made;
    ashlar_error err = {0};
    for (size_t w = 0; w < sizeof wrong / sizeof *wrong; w++)
        CHECK(t, ashi_random_pattern_make(&wrong[w], 0, 0, &made, &err) == ASHLAR_ERR_ARG && !made.col, "case %zu", w);
    CHECK(t, strstr(err.text, "decay = nan") != NULL, "%s", err.text);
    const ashi_random_pattern good = {5, 5, 1, 0.5, 0};
    CHECK(t, ashi_random_pattern_make(&good, 0, 6, &made, &err) == ASHLAR_ERR_ARG, "rows");
}

/* Files that were generated on one machine are compared with those of another: these tiles may never change. */
static void check_everywhere(ashi_test *t)
{
    const ashi_random_pattern pattern = {40, 60, 42, 0.7, 0.15};
    const int64_t cuts_then[] = {17, 12, 18, 20, 13, 11, 10, 6, 11, 10},
                  cols_then[] = {23, 25, 27, 29, 30, 35, 40, 41, 52};
    ashi_cuts cuts;
    ashlar_error err = {0};
    CHECK(t, ashi_random_cuts(128, 13, 7.5, 42, "rows", &cuts, &err) == ASHLAR_OK && cuts.tiles == 10, "%s", err.text);
    for (int64_t tile = 0; tile < cuts.tiles; tile++)
        CHECK(t, ashi_cuts_size(&cuts, tile) == cuts_then[tile], "tile %" PRId64 ": %" PRId64, tile,
              ashi_cuts_size(&cuts, tile));
    ashi_cuts_free(&cuts);
    ashi_random_row tiles = ashi_random_row_begin(&pattern, 20);
    size_t n = 0;
    for (int64_t col; (col = ashi_random_row_next(&tiles)) >= 0; n++)
        CHECK(t, n < sizeof cols_then / sizeof *cols_then && cols_then[n] == col, "tile %zu: %" PRId64, n, col);
    CHECK(t, n == sizeof cols_then / sizeof *cols_then, "%zu tiles", n);
}

int main(int argc, char **argv)
{
    ashi_test t = {0};
    const ashi_seeds seeds = ashi_seeds_of(argc, argv, 60);
    for (uint64_t seed = seeds.first; seed <= seeds.last; seed++) {
        uint64_t state = seed;
        const int64_t n = ashi_random_in(&state, 0, 20000), mean = ashi_random_in(&state, 1, 300);
        check_cuts(&t, n, mean, seed % 3 == 0 ? 1 : (double)ashi_random_in(&state, 1, 1000), seed);
    }
    check_spread(&t);
    check_cut_errors(&t);
    const double density[] = {0, 0.001, 0.2, 0.97, 1}, decay[] = {0, 0.01, 0.3, 2};
    for (int d = 0; d < 5; d++)
        for (int e = 0; e < 4; e++) {
            check_chances(&t, (ashi_random_pattern){9, 23, 0, density[d], decay[e]}, 400);
            check_chances(&t, (ashi_random_pattern){23, 9, 0, density[d], decay[e]}, 400);
        }
    check_long(&t, 1e-4, 0, 200 * 100);
    check_long(&t, 0.5, 0.01, 200 * 0.5 * (2 / (1 - exp(-0.01)) - 1));
    check_long(&t, 1e-3, 1e-4, 200 * 1e-3 * (2 / (1 - exp(-1e-4)) - 1));
    check_pattern_errors(&t);
    check_everywhere(&t);
    return ashi_test_end(&t, "random_tiles");
}
