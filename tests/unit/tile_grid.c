/* The grid over which tiles are dealt out: none whose work is about as even is predicted to take less time, and the one
 * with the evenest work does not need fewer words. And how much memory partial sums may take. */
#include "choose/tile_grid.h"
#include "choose/tile_ways.h"
#include "test.h"

#include <math.h>

enum { CASES = 3000, TILES_MOST = 4000, RANKS_MOST = 4000 };

/* On one grid, of the busiest process and for each index of k. */
typedef struct taken {
    double work, words, seconds;
} taken;

static taken on_grid(const ashi_cuts *rows, const ashi_cuts *cols, int64_t grid_rows, int64_t grid_cols)
{
    const double tall = ceil((double)rows->tiles / (double)grid_rows);
    const double wide = ceil((double)cols->tiles / (double)grid_cols);
    const double height = tall * (double)ashi_cuts_all(rows) / fmax(1, (double)rows->tiles);
    const double width = wide * (double)ashi_cuts_all(cols) / fmax(1, (double)cols->tiles);
    const double words = height * (double)(grid_cols - 1) / (double)grid_cols +
                         width * (double)(grid_rows - 1) / (double)grid_rows;
    return (taken){height * width, words, height * width * 2 / 40e9 + words * 8 / 1e9};
}

static bool at_most(double x, double y)
{
    return x <= y * (1 + 1e-8);
}

static void compare(ashi_test *t, uint64_t seed, const ashi_cuts *rows, const ashi_cuts *cols, int64_t ranks)
{
    int64_t grid[2] = {0, 0};
    ashi_tile_grid(rows, cols, ranks, grid);
    CHECK(t, grid[0] >= 1 && grid[0] * grid[1] == ranks, "seed %" PRIu64 ": %" PRId64 "x%" PRId64 " of %" PRId64, seed,
          grid[0], grid[1], ranks);
    const taken chosen = on_grid(rows, cols, grid[0], grid[1]);
    taken evenest = {INFINITY, INFINITY, INFINITY};
    for (int64_t r = 1; r <= ranks; r++) {
        const taken other = on_grid(rows, cols, r, ranks / r);
        if (ranks % r == 0 &&
            (other.work < evenest.work || (other.work == evenest.work && other.words < evenest.words)))
            evenest = other;
    }
    CHECK(t, at_most(chosen.words, evenest.words) && at_most(chosen.work, 1.1 * evenest.work), "seed %" PRIu64
          ": %g words and %g products, with the evenest work %g and %g", seed, chosen.words, chosen.work,
          evenest.words, evenest.work);
    for (int64_t r = 1; r <= ranks; r++) {
        const taken other = on_grid(rows, cols, r, ranks / r);
        CHECK(t, ranks % r != 0 || at_most(1.1 * evenest.work, other.work) || at_most(chosen.seconds, other.seconds),
              "seed %" PRIu64 ": %" PRId64 "x%" PRId64 " takes %g s, %" PRId64 " rows %g s", seed, grid[0], grid[1],
              chosen.seconds, r, other.seconds);
    }
}

static void make_cuts(ashi_test *t, int64_t all, int64_t mean, ashi_cuts *out)
{
    ashlar_error err = {0};
    CHECK(t, ashi_cuts_even(all, mean, out, &err) == ASHLAR_OK, "%s", err.text);
}

static void any_tiles(ashi_test *t, uint64_t seed)
{
    uint64_t state = seed;
    ashi_cuts cuts[2];
    for (int side = 0; side < 2; side++) {
        const int64_t mean = ashi_random_in(&state, 1, 300), few = ashi_random_in(&state, 0, 1);
        make_cuts(t, ashi_random_in(&state, 1, few ? 20 : TILES_MOST) * mean, mean, &cuts[side]);
    }
    compare(t, seed, &cuts[0], &cuts[1], ashi_random_in(&state, 1, ashi_random_in(&state, 0, 1) ? 64 : RANKS_MOST));
    for (int side = 0; side < 2; side++)
        ashi_cuts_free(&cuts[side]);
}

static void gives(ashi_test *t, int64_t all, int64_t mean, int64_t ranks, int64_t rows)
{
    int64_t grid[2];
    ashi_cuts cuts;
    make_cuts(t, all, mean, &cuts);
    ashi_tile_grid(&cuts, &cuts, ranks, grid);
    CHECK(t, grid[0] == rows && grid[1] == ranks / rows, "%" PRId64 " in tiles of %" PRId64 " on %" PRId64 " ranks: %"
          PRId64 "x%" PRId64 ", wanted %" PRId64 " rows", all, mean, ranks, grid[0], grid[1], rows);
    ashi_cuts_free(&cuts);
}

/* Whether a way with these sums is taken, which has half of the words, beside matrices of 1000 words. */
static bool taken_with(int64_t sums, int64_t sums_most, bool limited)
{
    const ashi_way_figures at_c = {.words = 200000, .imbalance = 1};
    const ashi_way_figures other = {.words = 100000, .sums = sums, .sums_most = sums_most, .imbalance = 1.05};
    return ashi_way_is_better(&other, &at_c, limited, 1000);
}

static void sums_have_room(ashi_test *t)
{
    const int64_t most = ASHI_SUMS_WORDS;
    CHECK(t, taken_with(1000, 1000, false) && taken_with(8 * most, most, false), "%s",
          "sums that have room are refused");
    CHECK(t, !taken_with(8 * most, most + 1, false), "%s", "sums above the usual limit are taken");
    CHECK(t, taken_with(8 * most, most + 1, true), "%s", "sums that fit into a limit are refused");
}

int main(int argc, char **argv)
{
    ashi_test t = {0};
    const ashi_seeds seeds = ashi_seeds_of(argc, argv, CASES);
    for (uint64_t seed = seeds.first; seed <= seeds.last; seed++)
        any_tiles(&t, seed);
    gives(&t, 72749, 23, 10000, 100); /* 25 x 400 has 0.8 % less work and 2.1 times the words */
    gives(&t, 4416, 23, 4, 2);
    gives(&t, 900, 10, 6, 2);         /* and not 3 x 2: of grids that are equal the one with fewer rows */
    gives(&t, 17 * 1000, 1000, 6, 1); /* tiles so large that the evenest work counts for more than words */
    sums_have_room(&t);
    return ashi_test_end(&t, "tile_grid");
}
