/* Proposals in the caller's layouts: estimates are what schedules move, bounds are below them, and what is left out
 * would not have been measured. */
#include "strategy/estimate.h"

#include "base/checked.h"
#include "choosing.h"
#include "random_layout.h"
#include "strategy/idle.h"
#include "strategy/sight.h"

#include <inttypes.h>
#include <math.h>
#include <string.h>

typedef struct problem {
    ashi_problem q;
    ashlar_layout *layout[3];
} problem;

/* The rows or columns of operand x as it is stored. */
static int64_t side_of(const ashi_problem *q, int x, int side)
{
    static const int stored[3][2] = {{0, 2}, {2, 1}, {0, 1}};
    const bool turned = x < 2 && q->op[x] != ASHLAR_OP_N;
    return q->size[stored[x][turned ? 1 - side : side]];
}

/* Block-cyclic over all ranks, so that grids can be aligned with it. */
static ashlar_layout *over_all_ranks(uint64_t *state, const ashi_problem *q, int x, int64_t rows, ashlar_error *err)
{
    static const int64_t blocks[] = {1, 7, 16, 16, 32};
    const int64_t block = blocks[ashi_random_in(state, 0, 4)];
    ashlar_layout *layout = NULL;
    ashlar_layout_block_cyclic(side_of(q, x, 0), side_of(q, x, 1), block, block, (int)rows, (int)(q->ranks / rows), 0,
                               0, NULL, ASHLAR_COL_MAJOR, 0, &layout, err);
    return layout;
}

static int64_t divisor(uint64_t *state, int64_t of)
{
    int64_t d = ashi_random_in(state, 1, of);
    while (of % d != 0)
        d--;
    return d;
}

static bool random_problem(uint64_t seed, problem *p, ashlar_error *err)
{
    uint64_t state = seed;
    *p = (problem){.q = problem_of(1, 1, 1, ashi_random_in(&state, 1, RANDOM_RANKS_MAX))};
    ashi_problem *q = &p->q;
    for (int d = 0; d < 3; d++)
        q->size[d] = ashi_random_in(&state, 1, seed % 4 ? 200 : 12);
    for (int x = 0; x < 2; x++)
        q->op[x] = (ashlar_op)ashi_random_in(&state, 0, 2);
    q->least_words = seed % 2;
    q->idle = (double)ashi_random_in(&state, 0, 30) / 100;
    q->ranks_per_core = (double)ashi_random_in(&state, 1, 3);
    const int64_t rows = divisor(&state, q->ranks);
    for (int x = 0; x < 3; x++) {
        const bool like_others = ashi_random_in(&state, 0, 1);
        p->layout[x] = seed % 5 == 0 ? random_operand(&state, x, q->size, q->op, q->ranks, err)
                                     : over_all_ranks(&state, q, x, like_others ? rows : divisor(&state, q->ranks),
                                                      err);
        q->layout[x] = p->layout[x];
        if (!p->layout[x])
            return false;
    }
    return true;
}

/* What is proposed with much memory, of which nothing is left out; less what another matrix than C stays in. */
static ashlar_status propose_all(ashi_problem q, ashi_proposals *out, ashlar_error *err)
{
    int64_t n = 0;
    q.memory_words = (int64_t)1 << 40;
    const ashlar_status status = ashi_strategy_cosma.propose(&q, out, err);
    while (n < out->count && out->at[n].stays == ASHI_STAYS_C)
        n++;
    ashi_proposals_shrink(out, n);
    return status;
}

/* The least estimate that is not looked at closely any more. */
static double enough(const ashi_problem *q, const ashi_proposals *all)
{
    double limit = INFINITY;
    for (int64_t i = 0; i < all->count; i++) {
        int better = 0;
        for (int64_t j = 0; j < all->count; j++)
            better += !all->at[j].at_home && all->at[j].estimate < all->at[i].estimate &&
                      ashi_proposal_ranks(&all->at[j]) >= q->ranks - ashi_idle_most(q->idle, q->ranks);
        if (better >= ASHI_LOOKED_AT)
            limit = fmin(limit, all->at[i].estimate);
    }
    return limit;
}

static bool is_equal(const ashi_proposal *x, const ashi_proposal *y)
{
    return x->estimate == y->estimate && x->at_home == y->at_home && x->bricks.lead.operand == y->bricks.lead.operand &&
           strcmp(x->origin, y->origin) == 0 && ashi_bricks_same_cuts(&x->bricks, &y->bricks) &&
           memcmp(x->bricks.rank_of, y->bricks.rank_of, (size_t)x->bricks.count * sizeof *x->bricks.rank_of) == 0;
}

/* Both are in one order. Returns how many were left out. */
static int64_t are_left_out(ashi_test *t, uint64_t seed, const ashi_problem *q, const ashi_proposals *all,
                            const ashi_proposals *few)
{
    const double limit = enough(q, all);
    int64_t n = 0;
    for (int64_t i = 0; i < all->count; i++) {
        const ashi_proposal *p = &all->at[i];
        const bool kept = n < few->count && is_equal(p, &few->at[n]);
        CHECK(t, kept || (p->estimate >= limit && !p->at_home), "seed %" PRIu64 ": %s, estimated as %g, is left out",
              seed, p->origin, p->estimate);
        CHECK(t, ashi_estimate_least(q, p) <= p->estimate, "seed %" PRIu64 ": %s: bound %g, estimate %g", seed,
              p->origin, ashi_estimate_least(q, p), p->estimate);
        n += kept;
    }
    CHECK(t, n == few->count, "seed %" PRIu64 ": %" PRId64 " of %" PRId64 " are among all", seed, n, few->count);
    return all->count - n;
}

static bool has_empty_cells(const ashi_bricks *b)
{
    bool has = false;
    for (int d = 0; d < 3; d++)
        for (int64_t i = 0; i < b->grid[d]; i++)
            has = has || b->cut[d][i] == b->cut[d][i + 1];
    return has;
}

/* If words decide, estimates are those of the busiest rank; more if cells are empty, which then move nothing. */
static void schedules_move_that(ashi_test *t, uint64_t seed, const ashi_problem *q, const ashi_proposals *list)
{
    for (int64_t i = 0; i < list->count && q->least_words; i++) {
        const bool exact = !has_empty_cells(&list->at[i].bricks);
        ashi_schedule schedule;
        ashi_totals totals = {0};
        ashlar_error err = {0};
        list->at[i].strategy = &ashi_strategy_cosma;
        ashlar_status status = ashi_strategy_cosma.schedule(q, &list->at[i], &schedule, &err);
        if (status == ASHLAR_OK)
            status = ashi_simulate(&schedule, NULL, NULL, &totals, &err);
        CHECK(t, status == ASHLAR_OK && (exact ? list->at[i].estimate == (double)totals.words_max
                                               : list->at[i].estimate >= (double)totals.words_max),
              "seed %" PRIu64 ", %s: %g words estimated, %" PRId64 " simulated %s", seed, list->at[i].origin,
              list->at[i].estimate, totals.words_max, err.text);
        ashi_schedule_free(&schedule);
    }
}

static int64_t estimates(ashi_test *t, uint64_t seed)
{
    problem p;
    ashi_sights sights = {0};
    ashi_proposals all = {0}, few = {0};
    ashlar_error err = {0};
    int64_t out = 0;
    bool ok = random_problem(seed, &p, &err) && propose_all(p.q, &all, &err) == ASHLAR_OK;
    p.q.sights = &sights;
    ok = ok && ashi_strategy_cosma.propose(&p.q, &few, &err) == ASHLAR_OK;
    CHECK(t, ok, "seed %" PRIu64 ": %s", seed, err.text);
    if (ok) {
        out = are_left_out(t, seed, &p.q, &all, &few);
        schedules_move_that(t, seed, &p.q, &few);
    }
    ashi_proposals_free(&all);
    ashi_proposals_free(&few);
    ashi_sights_close(&sights);
    for (int x = 0; x < 3; x++)
        ashlar_layout_free(&p.layout[x]);
    return out;
}

int main(int argc, char **argv)
{
    ashi_test t = {0};
    const ashi_seeds seeds = ashi_seeds_of(argc, argv, 400);
    int64_t out = 0;
    for (uint64_t seed = seeds.first; seed <= seeds.last; seed++)
        out += estimates(&t, seed);
    CHECK(&t, seeds.told || out > 1000, "%" PRId64 " proposals left out only", out);
    return ashi_test_end(&t, "estimate");
}
