/* strategy: if C stays the ranks that share a block of A or B cut it along k alone. What an even cut by words would
 * save the busiest rank is printed, and is less than a hundredth of its words unless sides are short. */
#include "base/checked.h"
#include "choosing.h"
#include "test.h"

#include <inttypes.h>

/* Random problems with sides and ranks in these ranges. */
typedef struct range {
    int64_t shortest, longest, ranks;
    double most; /* what may be saved, as a part of the words */
} range;

/* At most so much: the largest box, with the smallest of its parts as they are, and with even ones. */
static double saved(const ashi_problem *q, const ashi_grid_choice *c)
{
    int64_t side[3];
    for (int d = 0; d < 3; d++)
        side[d] = ashi_ceil_div(q->size[d], c->grid[d]);
    const int64_t now = side[0] * (side[2] / c->grid[1]) + side[1] * (side[2] / c->grid[0]);
    const int64_t even = side[0] * side[2] / c->grid[1] + side[1] * side[2] / c->grid[0];
    return c->words_max > 0 ? (double)(even - now) / (double)c->words_max : 0;
}

static void try_range(ashi_test *t, const range *r)
{
    enum { PROBLEMS = 1000 };
    double sum = 0, most = 0;
    int above = 0;
    for (uint64_t seed = 1; seed <= PROBLEMS; seed++) {
        uint64_t state = seed * 91;
        ashi_grid_choice c;
        int count = 0;
        const int64_t ranks = ashi_random_in(&state, 2, r->ranks);
        const int64_t k = ashi_random_in(&state, r->shortest, r->longest);
        const int64_t n = ashi_random_in(&state, r->shortest, r->longest);
        const int64_t m = ashi_random_in(&state, r->shortest, r->longest);
        const ashi_problem q = problem_of(m, n, k, ranks);
        const ashlar_status status = ashi_strategy_cosma.foresee(&q, 1, &c, &count, NULL);
        CHECK(t, status == ASHLAR_OK && count == 1, "seed %" PRIu64, seed);
        if (status != ASHLAR_OK || count < 1)
            continue;
        const double part = saved(&q, &c);
        CHECK(t, part <= r->most, "seed %" PRIu64 ": %.4f of %" PRId64 " words would be saved", seed, part,
              c.words_max);
        sum += part;
        most = part > most ? part : most;
        above += part > 0.01;
    }
    printf("sides %" PRId64 " to %" PRId64 ", up to %" PRId64 " ranks: %.4f in the mean, %.4f at most, above 0.01 in "
           "%d of %d problems\n", r->shortest, r->longest, r->ranks, sum / PROBLEMS, most, above, PROBLEMS);
}

int main(void)
{
    static const range all[] = {{20, 1024, 300, 0.04}, {200, 1024, 300, 0.02}, {1000, 20000, 4096, 0.01}};
    ashi_test t = {0};
    for (size_t i = 0; i < sizeof all / sizeof *all; i++)
        try_range(&t, &all[i]);
    return ashi_test_end(&t, "k_shares");
}
