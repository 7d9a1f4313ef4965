/* A block is cut among the ranks that share it in parts of nearly equal words, and a grid of such blocks moves and
 * holds what closed forms tell. */
#include "search/parts.h"

#include "base/checked.h"
#include "choosing.h"
#include "sound.h"
#include "strategy/cosma_query.h"
#include "strategy/own_layout.h"

#include <inttypes.h>

static int64_t largest(const ashi_parts *p, int64_t rows, int64_t cols, int64_t parts)
{
    int64_t most = 0;
    for (int64_t i = 0; i < parts; i++)
        most = ashi_max(most, ashi_parts_words(p, rows, cols, i));
    return most;
}

/* The largest part if one band is cut, by rows and columns as divisors have it. */
static int64_t largest_even(int64_t rows, int64_t cols, int64_t parts)
{
    int64_t least = INT64_MAX;
    for (int64_t d = 1; d <= parts; d++)
        if (parts % d == 0)
            least = ashi_min(least, ashi_ceil_div(rows, d) * ashi_ceil_div(cols, parts / d));
    return least;
}

/* Blocks of one size, and those with a row or a column less, are cut whole; the first part of a band is its largest. */
static void a_block_is_cut(ashi_test *t, uint64_t seed, double *ratios)
{
    uint64_t state = seed;
    const int64_t longest = seed % 2 ? 60 : 3000;
    const int64_t rows = ashi_random_in(&state, 1, longest), cols = ashi_random_in(&state, 1, longest);
    const int64_t parts = ashi_random_in(&state, 1, seed % 3 ? 600 : 8);
    const ashi_parts p = ashi_parts_best(rows, cols, parts);
    const int64_t most = largest(&p, rows, cols, parts), mean = ashi_ceil_div(rows * cols, parts);
    CHECK(t, ashi_parts_count(&p) <= parts, "seed %" PRIu64 ": %" PRId64 " parts", seed, ashi_parts_count(&p));
    CHECK(t, p.rest >= 0 && p.rest < cols && (p.rest == 0) == (p.rows[1] == 0 || p.cols[1] == 0),
          "seed %" PRIu64 ": the second band has %" PRId64 " columns", seed, p.rest);
    CHECK(t, most <= largest_even(rows, cols, parts), "seed %" PRIu64 ": one band has a smaller largest part", seed);
    *ratios += (double)most / (double)mean;
    for (int less = 0; less < 4; less++) {
        const int64_t r = rows - less % 2, c = cols - less / 2, first = ashi_parts_first(&p);
        int64_t sum = 0;
        for (int64_t i = 0; i < parts; i++) {
            const int64_t words = ashi_parts_words(&p, r, c, i);
            CHECK(t, words <= ashi_parts_words(&p, r, c, i < first ? 0 : first), "seed %" PRIu64 ": part %" PRId64
                  " is larger than its band's first", seed, i);
            sum += words;
        }
        CHECK(t, sum == r * c, "seed %" PRIu64 ": parts have %" PRId64 " words of %" PRId64, seed, sum, r * c);
    }
}

/* What single bands lose: the figures are the mean, and the largest parts of one band. */
static void examples(ashi_test *t)
{
    static const struct {
        int64_t rows, cols, parts, most, even;
    } example[] = {
        {82, 86, 195, 37, 42},           /* 163 x 426 x 17726 on 1956 ranks: 36.2 */
        {5803, 5803, 455, 74050, 74202}, /* 17408 x 17408 x 3735552 on 4096 ranks: 74010.6 */
        {71, 82, 162, 36, 40},
        {264, 223, 230, 258, 264},
    };
    for (size_t i = 0; i < sizeof example / sizeof example[0]; i++) {
        const int64_t rows = example[i].rows, cols = example[i].cols, parts = example[i].parts;
        const ashi_parts p = ashi_parts_best(rows, cols, parts);
        CHECK(t, largest(&p, rows, cols, parts) <= example[i].most, "example %zu: %" PRId64, i,
              largest(&p, rows, cols, parts));
        CHECK(t, largest_even(rows, cols, parts) == example[i].even, "example %zu: %" PRId64, i,
              largest_even(rows, cols, parts));
    }
}

/* A grid in which a fibre along k shares blocks in two bands: sound, and its figures are those told. */
static bool a_grid_is_told(ashi_test *t, uint64_t seed)
{
    uint64_t state = seed * 3;
    ashi_grid_choice choice;
    ashi_choice c = {0};
    ashlar_error err = {0};
    ashi_problem q = problem_of(ashi_random_in(&state, 5, 60), ashi_random_in(&state, 5, 60),
                                ashi_random_in(&state, 100, 300), 1);
    q.grid[0] = ashi_random_in(&state, 1, 2);
    q.grid[1] = ashi_random_in(&state, 1, 3);
    q.grid[2] = ashi_random_in(&state, 3, 20);
    q.ranks = q.grid[0] * q.grid[1] * q.grid[2] + ashi_random_in(&state, 0, 1);
    q.route = ASHI_DIRECT;
    q.window = (int)ashi_random_in(&state, 1, 3);
    q.one_sided = ashi_random_in(&state, 0, 1);
    for (int x = 0; x < 2; x++)
        q.op[x] = (ashlar_op)ashi_random_in(&state, 0, 2);
    if (seed % 2)
        q.memory_words = (int64_t)(ashi_problem_share(&q) * (double)ashi_random_in(&state, 15, 60) / 10);
    const ashi_cosma_query query = ashi_cosma_query_of(&q);
    int count = 0;
    ashi_check_report report;
    const ashi_parts parts = ashi_own_parts(q.size, q.grid, ASHLAR_C, false);
    if (parts.rest == 0 || ashi_cosma_search_many(&query, 1, &choice, &count, NULL) != ASHLAR_OK)
        return false;
    const ashi_totals told = ashi_cosma_totals(&query, &choice);
    const ashlar_status status = ashi_choose(&q, "cosma", walk_all, NULL, &c, &err);
    CHECK(t, status == ASHLAR_OK || status == ASHLAR_ERR_LIMIT, "seed %" PRIu64 ": %s", seed, err.text);
    const bool same = status == ASHLAR_OK && c.proposal.stays == ASHI_STAYS_C && c.proposal.rounds == choice.rounds;
    if (same) {
        const ashi_totals *found = &c.totals;
        schedule_is_sound(t, seed, &c.schedule, &report);
        CHECK(t, told.words_max == found->words_max && told.words_total == found->words_total &&
                     told.sent_max == found->sent_max && told.messages_max >= found->messages_max,
              "seed %" PRIu64 ": %" PRId64 " words and %" PRId64 " messages told, %" PRId64 " and %" PRId64 " found",
              seed, told.words_max, told.messages_max, found->words_max, found->messages_max);
        CHECK(t, ashi_cosma_memory_most(&query, &choice) >= found->memory_max, "seed %" PRIu64 ": memory of %" PRId64
              " told, %" PRId64 " found", seed, ashi_cosma_memory_most(&query, &choice), found->memory_max);
    }
    ashi_choice_free(&c);
    return same;
}

int main(int argc, char **argv)
{
    ashi_test t = {0};
    const ashi_seeds seeds = ashi_seeds_of(argc, argv, 600);
    double ratios = 0;
    int64_t grids = 0;
    for (uint64_t seed = seeds.first; seed <= seeds.last; seed++) {
        a_block_is_cut(&t, seed, &ratios);
        grids += a_grid_is_told(&t, seed);
    }
    CHECK(&t, seeds.told || ratios < 1.01 * 600, "largest parts are %.4f times the mean", ratios / 600);
    CHECK(&t, seeds.told || grids > 100, "only %" PRId64 " grids with blocks in two bands", grids);
    examples(&t);
    return ashi_test_end(&t, "parts");
}
