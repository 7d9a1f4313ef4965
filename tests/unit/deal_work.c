/* Dealing by work: better than random maps, never worse than cyclic ones, and the imbalance is what is said. */
#include "layout/cuts.h"
#include "layout/random_tiles.h"
#include "layout/symbolic.h"
#include "search/deal_work.h"
#include "test.h"

#include <math.h>
#include <string.h>

typedef struct weighed {
    ashi_pattern pattern;
    double *work;
    ashi_tile_work tiles;
} weighed;

static void weigh(ashi_test *t, weighed *w, int64_t rows, int64_t cols)
{
    w->work = calloc((size_t)w->pattern.tiles + 1, sizeof *w->work);
    CHECK(t, w->work, "memory");
    w->tiles = (ashi_tile_work){rows, cols, &w->pattern, w->work};
}

/* The multiply-adds of a product of random uneven tiles. */
static void make_product(ashi_test *t, weighed *w, int64_t tiles, double spread, double density, double decay,
                         uint64_t seed)
{
    ashi_cuts cuts[3];
    ashi_pattern pattern[2];
    ashi_factor factor[2];
    ashi_symbolic s;
    ashlar_error err = {0};
    for (uint64_t x = 0; x < 3; x++)
        CHECK(t, ashi_random_cuts(tiles * 50, 50, spread, seed + 10 * x, "cuts", &cuts[x], &err) == ASHLAR_OK, "%s",
              err.text);
    for (uint64_t x = 0; x < 2; x++) {
        const ashi_random_pattern random = {tiles, tiles, seed + 100 * x, density, decay};
        CHECK(t, ashi_random_pattern_make(&random, 0, tiles, &pattern[x], &err) == ASHLAR_OK &&
                 ashi_factor_make(&pattern[x], ASHLAR_GENERAL, ASHLAR_OP_N, &factor[x], &err) == ASHLAR_OK, "%s",
                 err.text);
    }
    const ashi_sparse_product product = {.a = &factor[0], .b = &factor[1], .rows = &cuts[0], .inner = &cuts[1],
                                         .cols = &cuts[2]};
    CHECK(t, ashi_symbolic_make(&product, &s, &err) == ASHLAR_OK, "%s", err.text);
    CHECK(t, ashi_pattern_copy(&s.c, &w->pattern, &err) == ASHLAR_OK, "%s", err.text);
    weigh(t, w, tiles, tiles);
    ashi_symbolic_work(&product, &s, w->work);
    double sum = 0;
    for (int64_t at = 0; at < s.c.tiles; at++)
        sum += w->work[at];
    CHECK(t, fabs(sum - (double)s.multiplies) <= 1e-9 * sum, "work %g of %" PRId64, sum, s.multiplies);
    ashi_symbolic_free(&s);
    for (int x = 0; x < 2; x++) {
        ashi_factor_free(&factor[x]);
        ashi_pattern_free(&pattern[x]);
    }
    for (int x = 0; x < 3; x++)
        ashi_cuts_free(&cuts[x]);
}

static void free_weighed(weighed *w)
{
    ashi_pattern_free(&w->pattern);
    free(w->work);
}

static double brute_imbalance(const ashi_tile_work *work, int64_t grid_rows, int64_t grid_cols, const int *row_part,
                              const int *col_part)
{
    double load[64][64] = {{0}}, most = 0, sum = 0;
    for (int64_t i = 0; i < work->rows; i++)
        for (int64_t j = 0; j < work->cols; j++) {
            const int64_t at = ashi_pattern_find(work->pattern, i, j);
            if (at < 0)
                continue;
            load[row_part[i]][col_part[j]] += work->work[at];
            sum += work->work[at];
        }
    for (int64_t r = 0; r < grid_rows; r++)
        for (int64_t c = 0; c < grid_cols; c++)
            most = fmax(most, load[r][c]);
    return sum > 0 ? most * (double)(grid_rows * grid_cols) / sum : 1;
}

static void shuffle(int *part, int64_t lines, int64_t parts, uint64_t *state)
{
    for (int64_t x = 0; x < lines; x++)
        part[x] = (int)(x % parts);
    for (int64_t x = lines - 1; x > 0; x--) {
        const int64_t y = ashi_random_in(state, 0, x);
        const int moved = part[x];
        part[x] = part[y];
        part[y] = moved;
    }
}

/* DBCSR's way: the least and the mean imbalance of 20 random permutations of rows and columns. */
static void random_ways(const ashi_tile_work *work, int64_t grid_rows, int64_t grid_cols, double *least, double *mean)
{
    int row_part[600], col_part[600];
    uint64_t state = 9;
    *least = INFINITY;
    *mean = 0;
    for (int trial = 0; trial < 20; trial++) {
        shuffle(row_part, work->rows, grid_rows, &state);
        shuffle(col_part, work->cols, grid_cols, &state);
        const double now = ashi_work_imbalance(work, grid_rows, grid_cols, row_part, col_part);
        *least = fmin(*least, now);
        *mean += now / 20;
    }
}

static double deal(ashi_test *t, const ashi_tile_work *work, int64_t grid_rows, int64_t grid_cols)
{
    int row_part[600], col_part[600], again_row[600], again_col[600];
    double imbalance = 0, again = 0;
    ashlar_error err = {0};
    CHECK(t, ashi_deal_by_work(work, grid_rows, grid_cols, row_part, col_part, &imbalance, &err) == ASHLAR_OK, "%s",
          err.text);
    for (int64_t i = 0; i < work->rows; i++)
        CHECK(t, row_part[i] >= 0 && row_part[i] < grid_rows, "row %" PRId64, i);
    for (int64_t j = 0; j < work->cols; j++)
        CHECK(t, col_part[j] >= 0 && col_part[j] < grid_cols, "column %" PRId64, j);
    const double truly = brute_imbalance(work, grid_rows, grid_cols, row_part, col_part);
    CHECK(t, fabs(imbalance - truly) <= 1e-9 * truly, "imbalance %g, truly %g", imbalance, truly);
    CHECK(t, imbalance <= ashi_work_imbalance(work, grid_rows, grid_cols, NULL, NULL) * (1 + 1e-12),
          "imbalance %g, cyclic %g", imbalance, ashi_work_imbalance(work, grid_rows, grid_cols, NULL, NULL));
    CHECK(t, ashi_deal_by_work(work, grid_rows, grid_cols, again_row, again_col, &again, &err) == ASHLAR_OK &&
             memcmp(row_part, again_row, (size_t)work->rows * sizeof *row_part) == 0 &&
             memcmp(col_part, again_col, (size_t)work->cols * sizeof *col_part) == 0, "not the same a second time");
    return imbalance;
}

static void check_products(ashi_test *t)
{
    const struct {
        const char *name;
        int64_t tiles;
        double spread, density, decay;
        int64_t grid_rows, grid_cols;
    } cases[] = {
        {"dense, spread 511", 32, 511, 1, 0, 2, 2},  {"dense, spread 511", 64, 511, 1, 0, 4, 4},
        {"dense, spread 1", 64, 1, 1, 0, 4, 4},      {"0.2 full, spread 50", 256, 50, 0.2, 0, 8, 8},
        {"0.05 full, spread 1", 256, 1, 0.05, 0, 4, 4}, {"decay 0.1, spread 14", 500, 14, 1, 0.1, 4, 4},
        {"decay 0.02, spread 14", 300, 14, 1, 0.02, 3, 7}, {"0.3 full, few tiles", 24, 50, 0.3, 0, 4, 4},
    };
    for (size_t c = 0; c < sizeof cases / sizeof *cases; c++) {
        weighed w;
        double least, mean;
        make_product(t, &w, cases[c].tiles, cases[c].spread, cases[c].density, cases[c].decay, c + 1);
        const double ours = deal(t, &w.tiles, cases[c].grid_rows, cases[c].grid_cols);
        random_ways(&w.tiles, cases[c].grid_rows, cases[c].grid_cols, &least, &mean);
        printf("| %s | %" PRId64 " | %" PRId64 " x %" PRId64 " | %.3f | %.3f | %.3f |\n", cases[c].name, cases[c].tiles,
               cases[c].grid_rows, cases[c].grid_cols,
               ashi_work_imbalance(&w.tiles, cases[c].grid_rows, cases[c].grid_cols, NULL, NULL), mean, ours);
        CHECK(t, ours < least, "%s: %g, the best random way %g", cases[c].name, ours, least);
        free_weighed(&w);
    }
}

/* If all tiles are alike and fill the grid, the cyclic maps are perfect and kept. */
static void check_even(ashi_test *t)
{
    const ashi_random_pattern full = {24, 36, 1, 1, 0};
    weighed w;
    ashlar_error err = {0};
    double imbalance;
    int row_part[24], col_part[36];
    CHECK(t, ashi_random_pattern_make(&full, 0, 24, &w.pattern, &err) == ASHLAR_OK, "%s", err.text);
    weigh(t, &w, 24, 36);
    for (int64_t at = 0; at < w.pattern.tiles; at++)
        w.work[at] = 1000;
    CHECK(t, ashi_deal_by_work(&w.tiles, 4, 3, row_part, col_part, &imbalance, &err) == ASHLAR_OK && imbalance == 1,
          "%g", imbalance);
    for (int i = 0; i < 24; i++)
        CHECK(t, row_part[i] == i % 4, "row %d", i);
    for (int j = 0; j < 36; j++)
        CHECK(t, col_part[j] == j % 3, "column %d", j);
    free_weighed(&w);
}

/* Patterns of any density and works of any size, also none, on any grid. */
static void check_random(ashi_test *t, uint64_t seed)
{
    uint64_t state = seed;
    const ashi_random_pattern random = {ashi_random_in(&state, 1, 40), ashi_random_in(&state, 1, 40), seed,
                                        (double)ashi_random_in(&state, 0, 10) / 10, 0};
    weighed w;
    ashlar_error err = {0};
    CHECK(t, ashi_random_pattern_make(&random, 0, random.rows, &w.pattern, &err) == ASHLAR_OK, "%s", err.text);
    weigh(t, &w, random.rows, random.cols);
    for (int64_t at = 0; at < w.pattern.tiles; at++)
        w.work[at] = ashi_random_in(&state, 0, 3) == 0 ? 0 : (double)ashi_random_in(&state, 1, 1000);
    const int64_t grid_rows = ashi_random_in(&state, 1, 6), grid_cols = ashi_random_in(&state, 1, 6);
    deal(t, &w.tiles, grid_rows, grid_cols);
    free_weighed(&w);
}

/* A matrix of one column: what is known are sums of rows. The greatest first, each to the part with the least, is at
 * most 4 / 3 - 1 / (3 parts) times the best way (Graham, SIAM J. Appl. Math. 17, 1969), which all 3^8 ways are tried
 * for. */
static void check_sums_alone(ashi_test *t, uint64_t seed)
{
    enum { LINES = 8, PARTS = 3, WAYS = 6561 };
    uint64_t state = seed;
    ashi_tile_at list[LINES];
    weighed w;
    ashlar_error err = {0};
    for (int i = 0; i < LINES; i++)
        list[i] = (ashi_tile_at){i, 0};
    CHECK(t, ashi_pattern_make(list, LINES, &w.pattern, &err) == ASHLAR_OK, "%s", err.text);
    weigh(t, &w, LINES, 1);
    for (int i = 0; i < LINES; i++)
        w.work[i] = (double)ashi_random_in(&state, 1, 60);
    double best = INFINITY;
    for (int way = 0; way < WAYS; way++) {
        int part[LINES], zero[1] = {0};
        for (int i = 0, rest = way; i < LINES; i++, rest /= PARTS)
            part[i] = rest % PARTS;
        best = fmin(best, brute_imbalance(&w.tiles, PARTS, 1, part, zero));
    }
    const double ours = deal(t, &w.tiles, PARTS, 1);
    CHECK(t, ours <= best * (4.0 / 3 - 1.0 / (3 * PARTS)) * (1 + 1e-12), "seed %" PRIu64 ": %g, the best %g", seed,
          ours, best);
    free_weighed(&w);
}

int main(int argc, char **argv)
{
    ashi_test t = {0};
    const ashi_seeds seeds = ashi_seeds_of(argc, argv, 200);
    for (uint64_t seed = seeds.first; seed <= seeds.last; seed++)
        check_random(&t, seed);
    for (uint64_t seed = 1; seed <= 5; seed++)
        check_sums_alone(&t, seed);
    check_products(&t);
    check_even(&t);
    return ashi_test_end(&t, "deal_work");
}
