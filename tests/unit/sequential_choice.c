/* The sequential schedule's tiles: against all others and against the bound, and when they are chosen. */
#include "choosing.h"
#include "model/bounds.h"
#include "random_sequential.h"

#include <string.h>

/* The fewest words of the busiest rank over every grid and every pair of tile sides, with slabs as thin as can be. */
static int64_t fewest(const ashi_sequential_request *q)
{
    const int64_t m = q->size[0], n = q->size[1], k = q->size[2], h = k > 0, s = q->memory_words;
    const int64_t ranks = q->one_writer || q->in_columns ? 1 : q->ranks;
    int64_t best = INT64_MAX;
    for (int64_t pm = 1; pm <= ranks && pm <= m; pm++)
        for (int64_t pn = 1; pm * pn <= ranks && pn <= n; pn++) {
            const int64_t rows = (m + pm - 1) / pm, cols = (n + pn - 1) / pn;
            for (int64_t a = 1; a <= rows; a++)
                for (int64_t b = 1; b <= cols && a * b + h * (a + b) <= s; b++) {
                    const int64_t down = (rows + a - 1) / a, across = (cols + b - 1) / b;
                    const int64_t words = k * (across * rows + down * cols) + (1 + q->adds) * rows * cols;
                    if (!q->in_columns || down == 1 || b == 1)
                        best = words < best ? words : best;
                }
        }
    return best == INT64_MAX ? 0 : best;
}

/* While S < 32^2 the rule keeps slabs one word thick, so nothing may be better. */
static void choice_is_best(ashi_test *t, uint64_t seed)
{
    const ashi_sequential_request q = random_request(seed);
    ashi_sequential s;
    ashlar_error err = {0};
    CHECK(t, ashi_sequential_choose(&q, &s, &err) == ASHLAR_OK, "seed %" PRIu64 ": %s", seed, err.text);
    const int64_t words = ashi_sequential_busiest(&s).all, least = fewest(&q);
    CHECK(t, words >= least, "seed %" PRIu64 ": %" PRId64 ", all others %" PRId64, seed, words, least);
    if (q.memory_words < 1024)
        CHECK(t, words == least, "seed %" PRIu64 ": %" PRId64 ", wanted %" PRId64, seed, words, least);
}

static ashi_sequential chosen(ashi_test *t, int64_t m, int64_t n, int64_t k, int64_t ranks, int64_t memory)
{
    const ashi_sequential_request q = {.size = {m, n, k}, .ranks = ranks, .memory_words = memory, .bytes = 8};
    ashi_sequential s;
    ashlar_error err = {0};
    CHECK(t, ashi_sequential_choose(&q, &s, &err) == ASHLAR_OK, "%s", err.text);
    return s;
}

/* Theorem 1 is approached as S grows, and never passed. Sizes that tiles nearly divide, so that edges cost little. */
static void near_the_bound(ashi_test *t)
{
    static const struct {
        int64_t n, memory;
        double factor;
    } cases[] = {{2000, 100, 1.24}, {5000, 1000, 1.10}, {20000, 10000, 1.09}, {50000, 100000, 1.08},
                 {100000, 1000000, 1.03}, {200000, 10000000, 1.02}, {400000, 100000000, 1.02}};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        const int64_t n = cases[i].n;
        const ashi_sequential s = chosen(t, n, n, n, 1, cases[i].memory);
        const double ratio = (double)ashi_sequential_busiest(&s).all / ashi_bound_sequential(n, n, n, cases[i].memory);
        CHECK(t, ratio >= 1 && ratio <= cases[i].factor, "%" PRId64 "^3 in %" PRId64 " words: %.4f of the bound", n,
              cases[i].memory, ratio);
    }
}

/* Slabs are thick enough to be read well: 64 KiB, or an eighth of what would be, or all of k. */
static void slabs_are_thick(ashi_test *t)
{
    for (int64_t memory = 100000; memory <= 100000000; memory *= 3) {
        const ashi_sequential s = chosen(t, 100000, 100000, 100000, 1, memory);
        int64_t a, b, h;
        ashi_sequential_shape(&s, &a, &b, &h);
        const bool thick = (a < b ? a : b) * h * 8 >= 60000 || h >= a / 16 - 1;
        CHECK(t, thick, "S %" PRId64 ": %" PRId64 " x %" PRId64 ", slabs %" PRId64, memory, a, b, h);
    }
}

static void limits(ashi_test *t)
{
    ashi_sequential_request q = {.size = {10, 10, 10}, .ranks = 1, .memory_words = 2, .bytes = 8};
    ashi_sequential s;
    ashlar_error err = {0};
    CHECK(t, ashi_sequential_choose(&q, &s, &err) == ASHLAR_ERR_LIMIT && strstr(err.text, ": 3 would do"), "%s",
          err.text);
    q.memory_words = 3;
    CHECK(t, ashi_sequential_choose(&q, &s, &err) == ASHLAR_OK && ashi_sequential_busiest(&s).all == 2100, "%s",
          err.text);
    q = (ashi_sequential_request){.size = {INT64_MAX, 1, 1}, .ranks = 1, .memory_words = 9, .bytes = 8};
    CHECK(t, ashi_sequential_choose(&q, &s, &err) == ASHLAR_ERR_OVERFLOW, "%s", err.text);
    q.size[0] = q.size[1] = q.size[2] = 1 << 30;
    CHECK(t, ashi_sequential_choose(&q, &s, &err) == ASHLAR_ERR_OVERFLOW, "%s", err.text);
}

static void only_for_files(ashi_test *t)
{
    ashi_problem p = problem_of(60, 50, 40, 3);
    p.memory_words = 200;
    p.least_words = false;
    ashi_choice choice;
    ashlar_error err = {0};
    CHECK(t, ashi_choose(&p, "sequential", walk_all, NULL, &choice, &err) == ASHLAR_ERR_UNSUPPORTED &&
          strstr(err.text, "in memory"), "%s", err.text);
    CHECK(t, ashi_choose(&p, NULL, walk_all, NULL, &choice, &err) == ASHLAR_ERR_LIMIT, "%s", err.text);
    p.in_files = true;
    CHECK(t, ashi_choose(&p, "cosma", walk_all, NULL, &choice, &err) == ASHLAR_ERR_UNSUPPORTED &&
          strstr(err.text, "in files"), "%s", err.text);
    CHECK(t, ashi_choose(&p, NULL, walk_all, NULL, &choice, &err) == ASHLAR_OK, "%s", err.text);
    CHECK(t, choice.strategy == &ashi_strategy_sequential && choice.totals.memory_max <= 200, "%" PRId64,
          choice.totals.memory_max);
    CHECK(t, choice.seconds > (double)choice.totals.disk_max * 8 / p.machine.disk_bandwidth, "%g", choice.seconds);
    ashi_choice_free(&choice);
    p.memory_words = 2;
    CHECK(t, ashi_choose(&p, NULL, walk_all, NULL, &choice, &err) == ASHLAR_ERR_LIMIT &&
          strstr(err.text, ": 3 would do"), "%s", err.text);
}

int main(int argc, char **argv)
{
    ashi_test t = {0};
    const ashi_seeds seeds = ashi_seeds_of(argc, argv, 600);
    for (uint64_t seed = seeds.first; seed <= seeds.last; seed++)
        choice_is_best(&t, seed);
    near_the_bound(&t);
    slabs_are_thick(&t);
    limits(&t);
    only_for_files(&t);
    return ashi_test_end(&t, "sequential_choice");
}
