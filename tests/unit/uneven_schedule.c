/* strategy: the schedules of uneven boxes pass the checker, move the words that geometry and the grid search say, and
 * stay within memory. */
#include "choosing.h"
#include "random_layout.h"
#include "sound.h"
#include "strategy/cosma_query.h"
#include "strategy/shared_layout.h"

#include <stdlib.h>
#include <string.h>

static ashi_problem random_problem(uint64_t *state, int64_t longest, int64_t most_ranks)
{
    ashi_problem q = problem_of(ashi_random_in(state, 1, longest), ashi_random_in(state, 1, longest),
                                ashi_random_in(state, 1, longest), ashi_random_in(state, 1, most_ranks));
    for (int x = 0; x < 2; x++)
        q.op[x] = (ashlar_op)ashi_random_in(state, 0, 2);
    q.window = (int)ashi_random_in(state, 1, 3);
    q.one_sided = ashi_random_in(state, 0, 1);
    q.route = (ashi_route)ashi_random_in(state, 0, 2);
    q.least_words = ashi_random_in(state, 0, 1);
    return q;
}

static bool random_layouts(uint64_t *state, const ashi_problem *q, ashlar_layout *layout[3], ashlar_error *err)
{
    for (int x = 0; x < 3; x++) {
        if (ashi_random_in(state, 0, 2) == 0)
            continue;
        layout[x] = random_operand(state, x, q->size, q->op, q->ranks, err);
        if (!layout[x])
            return false;
    }
    return true;
}

/* Along trees, sums come from fewer ranks to the owner, and to others too: then only all words together are the
 * same. */
static void words_are(ashi_test *t, uint64_t seed, const ashi_choice *c, const ashi_problem *q)
{
    const ashlar_layout *const own[3] = {c->proposal.own[0], c->proposal.own[1], c->proposal.own[2]};
    ashi_flow flow[64];
    int64_t total = 0, most = 0;
    ashi_shared_words(&c->proposal.bricks, q->op, own, q->ranks, flow);
    for (int64_t r = 0; r < q->ranks; r++) {
        total += flow[r].received;
        most = ashi_max(most, flow[r].received);
    }
    CHECK(t, c->totals.words_total == total && (c->schedule.tree || c->totals.words_max == most),
          "seed %" PRIu64 ": %" PRId64 " of %" PRId64 " words, by geometry %" PRId64 " of %" PRId64, seed,
          c->totals.words_max, c->totals.words_total, most, total);
}

static void one_problem(ashi_test *t, uint64_t seed)
{
    uint64_t state = seed;
    ashi_problem q = random_problem(&state, 60, seed % 3 ? 16 : 60);
    ashlar_layout *given[3] = {NULL, NULL, NULL};
    ashi_choice c = {0};
    ashi_check_report report;
    ashlar_error err = {0};
    const bool some = q.ranks <= RANDOM_RANKS_MAX && ashi_random_in(&state, 0, 1);
    CHECK(t, !some || random_layouts(&state, &q, given, &err), "seed %" PRIu64 ": %s", seed, err.text);
    memcpy(q.layout, given, sizeof given);
    const ashlar_status status = ashi_choose(&q, "uneven", walk_all, NULL, &c, &err);
    CHECK(t, status == ASHLAR_OK, "seed %" PRIu64 ": %s", seed, err.text);
    if (status == ASHLAR_OK) {
        schedule_is_sound(t, seed, &c.schedule, &report);
        CHECK(t, report.words == c.totals.words_total, "seed %" PRIu64, seed);
        if (q.least_words && !c.schedule.tree)
            CHECK(t, c.proposal.estimate == (double)c.totals.words_max, "seed %" PRIu64 ": %.0f of %" PRId64
                  " words estimated", seed, c.proposal.estimate, c.totals.words_max);
        if (c.proposal.own[0] && c.proposal.own[1] && c.proposal.own[2])
            words_are(t, seed, &c, &q);
    }
    ashi_choice_free(&c);
    for (int x = 0; x < 3; x++)
        ashlar_layout_free(&given[x]);
}

/* Never more words than the best grid of all ranks, and compared with the others never more than any grid. */
static void no_worse_than_a_grid(ashi_test *t, int64_t m, int64_t n, int64_t k, int64_t ranks)
{
    const ashi_problem q = problem_of(m, n, k, ranks);
    ashi_cosma_query query = ashi_cosma_query_of(&q);
    ashi_grid_choice any, all;
    ashi_choice alone = {0}, compared = {0};
    ashlar_error err = {0};
    ashlar_status status = ashi_cosma_search(&query, &any, &err);
    query.idle = 0;
    if (status == ASHLAR_OK)
        status = ashi_cosma_search(&query, &all, &err);
    if (status == ASHLAR_OK)
        status = ashi_choose(&q, "uneven", walk_all, NULL, &alone, &err);
    if (status == ASHLAR_OK)
        status = ashi_choose(&q, NULL, walk_all, NULL, &compared, &err);
    CHECK(t, status == ASHLAR_OK, "%" PRId64 " ranks: %s", ranks, err.text);
    CHECK(t, all.ranks_used < ranks || alone.totals.words_max <= all.words_max,
          "%" PRId64 "x%" PRId64 "x%" PRId64 " on %" PRId64 ": %" PRId64 " words, a grid %" PRId64, m, n, k, ranks,
          alone.totals.words_max, all.words_max);
    CHECK(t, compared.totals.words_max <= ashi_min(any.words_max, alone.totals.words_max),
          "%" PRId64 "x%" PRId64 "x%" PRId64 " on %" PRId64 ": %" PRId64 " words, a grid %" PRId64, m, n, k, ranks,
          compared.totals.words_max, any.words_max);
    ashi_choice_free(&alone);
    ashi_choice_free(&compared);
}

/* The least memory that does is what the error about one word says, less does not, and no limit from there on is
 * exceeded. */
static void within_memory(ashi_test *t, uint64_t seed)
{
    uint64_t state = seed;
    ashi_problem q = random_problem(&state, seed % 3 ? 60 : 300, seed % 3 ? 60 : 16);
    ashi_choice c = {0};
    ashi_check_report report;
    ashlar_error err = {0};
    q.memory_words = 1;
    ashlar_status status = ashi_choose(&q, "uneven", walk_all, NULL, &c, &err);
    CHECK(t, status == ASHLAR_ERR_LIMIT && ashi_says_least(err.text, c.memory_least),
          "seed %" PRIu64 ": one word does: %s", seed, err.text);
    const int64_t least = ashi_max(c.memory_least, 2);
    ashi_choice_free(&c);
    q.memory_words = least - 1;
    CHECK(t, ashi_choose(&q, "uneven", walk_all, NULL, &c, &err) == ASHLAR_ERR_LIMIT,
          "seed %" PRIu64 ": less than %" PRId64 " words do", seed, least);
    ashi_choice_free(&c);
    q.memory_words = seed % 4 ? ashi_random_in(&state, least, 4 * least) : least;
    status = ashi_choose(&q, "uneven", walk_all, NULL, &c, &err);
    CHECK(t, status == ASHLAR_OK, "seed %" PRIu64 ": %s", seed, err.text);
    if (status == ASHLAR_OK) {
        CHECK(t, c.totals.memory_max <= q.memory_words, "seed %" PRIu64 ": %" PRId64 " of %" PRId64 " words", seed,
              c.totals.memory_max, q.memory_words);
        schedule_is_sound(t, seed, &c.schedule, &report);
    }
    ashi_choice_free(&c);
}

/* In twice the memory of the matrices there is a cut whose slabs are not too thin to multiply with. It is taken if time
 * counts; the fewest words are moved with thinner ones. */
static void thick_slabs(ashi_test *t, int64_t n, int64_t ranks)
{
    ashi_problem q = problem_of(n, n, n, ranks);
    ashi_choice c;
    ashlar_error err = {0};
    q.memory_words = 2 * 3 * n * n / ranks;
    q.least_words = false;
    const ashlar_status status = ashi_choose(&q, "uneven", walk_all, NULL, &c, &err);
    CHECK(t, status == ASHLAR_OK, "%" PRId64 " ranks: %s", ranks, err.text);
    if (status != ASHLAR_OK)
        return;
    const ashi_cuboid box = ashi_bricks_box(&c.proposal.bricks, 0);
    const int64_t side = box.hi[2] - box.lo[2];
    CHECK(t, side >= 8 * c.schedule.rounds, "%" PRId64 "^3 on %" PRId64 " ranks: %" PRId64 " of k in %" PRId64
          " rounds", n, ranks, side, c.schedule.rounds);
    ashi_choice_free(&c);
}

int main(void)
{
    ashi_test t = {0};
    for (uint64_t seed = 1; seed <= 3000; seed++)
        one_problem(&t, seed);
    for (uint64_t seed = 1; seed <= 400; seed++)
        within_memory(&t, seed);
    for (int64_t ranks = 13; ranks <= 109; ranks += 12)
        thick_slabs(&t, 6007, ranks);
    for (int64_t ranks = 1; ranks <= 100; ranks++)
        no_worse_than_a_grid(&t, 2000, 2000, 2000, ranks);
    for (int64_t ranks = 2; ranks <= 1000; ranks += 83) {
        no_worse_than_a_grid(&t, 8000, 2000, 2000, ranks);
        no_worse_than_a_grid(&t, 2003, 7000, 8000, ranks);
    }
    return ashi_test_end(&t, "uneven_schedule");
}
