/* Every strategy in memory on random problems: its schedules pass the checker, and what it foresees is what is
 * counted. */
#include "choosing.h"
#include "random_layout.h"
#include "sound.h"

#include <math.h>
#include <string.h>

/* How many layouts are given is told by `seed`, so that none and all are met often. */
static bool random_layouts(uint64_t seed, uint64_t *state, ashi_problem *q, ashlar_layout *made[3], ashlar_error *err)
{
    for (int x = 0; x < 3; x++) {
        if (seed % 3 == 0 || (seed % 3 == 1 && ashi_random_in(state, 0, 1)))
            continue;
        q->layout[x] = made[x] = random_operand(state, x, q->size, q->op, q->ranks, err);
        if (!made[x])
            return false;
    }
    return true;
}

static bool random_problem(uint64_t seed, ashi_problem *q, ashlar_layout *made[3], ashlar_error *err)
{
    uint64_t state = seed;
    const int64_t ranks = seed % 2 ? ashi_random_in(&state, 1, RANDOM_RANKS_MAX) : 1 << ashi_random_in(&state, 0, 4);
    *q = problem_of(ashi_random_in(&state, 1, 60), ashi_random_in(&state, 1, 60), ashi_random_in(&state, 1, 200),
                    ashi_min(ranks, RANDOM_RANKS_MAX));
    for (int x = 0; x < 2; x++)
        q->op[x] = (ashlar_op)ashi_random_in(&state, 0, 2);
    q->least_words = ashi_random_in(&state, 0, 1);
    q->window_given = ashi_random_in(&state, 0, 1);
    q->window = q->window_given ? (int)ashi_random_in(&state, 1, 4) : ASHI_WINDOW_USUAL;
    q->idle = (double)ashi_random_in(&state, 0, 2) / 4;
    q->one_sided = ashi_random_in(&state, 0, 3) == 0;
    q->route = q->one_sided ? ASHI_DIRECT : (ashi_route)ashi_random_in(&state, ASHI_DIRECT, ASHI_EITHER);
    const int64_t m = q->size[0], n = q->size[1], k = q->size[2];
    if (ashi_random_in(&state, 0, 2) == 0)
        q->memory_words = (m * n + m * k + n * k) * ashi_random_in(&state, 1, 6) / q->ranks / 2 + 1;
    return random_layouts(seed, &state, q, made, err);
}

/* In its own layouts, sent directly, closed forms tell the words, and no less than the messages and the memory. */
static void check_foreseen(ashi_test *t, uint64_t seed, const ashi_problem *q, const ashi_choice *c)
{
    ashi_grid_choice f[1];
    int count = 0;
    const bool conjugates = q->op[0] == ASHLAR_OP_C || q->op[1] == ASHLAR_OP_C; /* which takes room to pack */
    const bool own = !q->layout[0] && !q->layout[1] && !q->layout[2];
    if (!c->strategy->foresee || !own || q->route != ASHI_DIRECT || q->one_sided || conjugates || q->memory_words > 0)
        return;
    const char *name = c->strategy->name;
    if (c->schedule.grid[0] == 0) { /* boxes that are no grid have no closed form */
        CHECK(t, c->strategy->foresee(q, 1, f, &count, NULL) == ASHLAR_ERR_UNSUPPORTED, "seed %" PRIu64 ": %s", seed,
              name);
        return;
    }
    CHECK(t, c->strategy->foresee(q, 1, f, &count, NULL) == ASHLAR_OK && count == 1, "seed %" PRIu64 ": %s", seed,
          name);
    const ashi_totals *w = &c->totals;
    CHECK(t, f->words_max == w->words_max && f->words_total == w->words_total, "seed %" PRIu64 ": %s foresees %" PRId64
          " words, %" PRId64 " are counted", seed, name, f->words_max, w->words_max);
    CHECK(t, f->ranks_used == c->schedule.ranks_used && f->rounds == c->schedule.rounds, "seed %" PRIu64 ": %s", seed,
          name);
    CHECK(t, f->messages_max >= w->messages_max, "seed %" PRIu64 ": %s: %" PRId64 " messages, %"
          PRId64 " counted", seed, name, f->messages_max, w->messages_max);
    CHECK(t, f->memory_words >= w->memory_max, "seed %" PRIu64 ": %s: memory for %" PRId64 ", %" PRId64 " held", seed,
          name, f->memory_words, w->memory_max);
}

/* Returns whether the strategy served. */
static bool one_strategy(ashi_test *t, uint64_t seed, const ashi_problem *q, const char *name)
{
    ashi_choice c;
    ashi_check_report report;
    ashlar_error err = {0};
    int measured = 0;
    const ashlar_status status = ashi_choose(q, name, walk_all, &measured, &c, &err);
    if (status != ASHLAR_OK) {
        const bool reason = (status == ASHLAR_ERR_UNSUPPORTED || status == ASHLAR_ERR_LIMIT) && strlen(err.text) > 20;
        CHECK(t, reason, "seed %" PRIu64 ": %s: %s", seed, name, err.text);
        return false;
    }
    schedule_is_sound(t, seed, &c.schedule, &report);
    CHECK(t, strcmp(c.schedule.strategy, name) == 0, "seed %" PRIu64 ": %s: %s", seed, name, c.schedule.strategy);
    CHECK(t, report.words == c.totals.words_total, "seed %" PRIu64 ": %s: words", seed, name);
    CHECK(t, q->memory_words == 0 || c.totals.memory_max <= q->memory_words, "seed %" PRIu64 ": %s: memory", seed,
          name);
    check_foreseen(t, seed, q, &c);
    ashi_choice_free(&c);
    return true;
}

static void random_problems(ashi_test *t, uint64_t first, uint64_t last)
{
    enum { MOST = 32 };
    int64_t served[MOST] = {0};
    const ashi_strategy *s = NULL;
    for (uint64_t seed = first; seed <= last; seed++) {
        ashi_problem q;
        ashlar_layout *made[3] = {NULL, NULL, NULL};
        ashlar_error err = {0};
        const bool ok = random_problem(seed, &q, made, &err);
        CHECK(t, ok, "seed %" PRIu64 ": %s", seed, err.text);
        for (int i = 0; ok && i < MOST && (s = ashi_strategy_at(i)) != NULL; i++)
            served[i] += one_strategy(t, seed, &q, s->name);
        for (int x = 0; x < 3; x++)
            ashlar_layout_free(&made[x]);
    }
    for (int i = 0; last > first && i < MOST && (s = ashi_strategy_at(i)) != NULL; i++)
        CHECK(t, served[i] > (int64_t)(last - first) / 5 || s == &ashi_strategy_sequential ||
                     s == &ashi_strategy_cosma_tpmm || s == &ashi_strategy_summa_tpmm, "%s served %" PRId64,
              s->name, served[i]);
}

/* Where all divides, the paper's closed form is the exact count. */
static void formulas(ashi_test *t)
{
    static const struct {
        const char *name;
        int64_t size[3], ranks, grid[3];
    } at[] = {{"cosma", {4096, 4096, 4096}, 64, {4, 4, 4}}, {"2.5d", {4096, 4096, 4096}, 64, {4, 4, 4}},
              {"2.5d", {4096, 2048, 4096}, 32, {4, 4, 2}}, {"carma", {4096, 4096, 4096}, 512, {8, 8, 8}},
              {"summa", {4096, 2048, 512}, 16, {4, 4, 1}}, {"summa", {4096, 512, 2048}, 16, {4, 1, 4}},
              {"summa", {512, 2048, 4096}, 16, {1, 4, 4}}};
    for (size_t i = 0; i < sizeof at / sizeof *at; i++) {
        ashi_problem q = problem_of(at[i].size[0], at[i].size[1], at[i].size[2], at[i].ranks);
        const ashi_strategy *s = ashi_strategy_named(at[i].name);
        ashi_grid_choice c = {0};
        int count;
        memcpy(q.grid, at[i].grid, sizeof q.grid);
        CHECK(t, s->foresee(&q, 1, &c, &count, NULL) == ASHLAR_OK, "%s", s->name);
        const ashi_proposal p = {.bricks = {.grid = {c.grid[0], c.grid[1], c.grid[2]}}};
        const ashi_formula f = s->formula(&q, &p);
        CHECK(t, f.text && f.source && fabs(f.words - (double)c.words_max) <= 1e-9 * f.words,
              "%s: %g, counted %" PRId64, s->name, f.words, c.words_max);
    }
    const ashi_problem flat = problem_of(131072, 131072, 512, 2048);
    const ashi_proposal p = {.bricks = {.grid = {64, 32, 1}}};
    CHECK(t, isnan(ashi_strategy_cosma.formula(&flat, &p).words), "a domain longer than the matrix");
}

/* Rounds in flight of SUMMA: Calvin, Lewis and Valeev, eq. 1, clamped to the rounds. */
static void pipelines(ashi_test *t)
{
    static const struct {
        int64_t grid[3], k;
        int window;
    } at[] = {{{8, 16, 1}, 1 << 20, 8}, {{3, 5, 1}, 1 << 20, 3}, {{1, 8, 1}, 1 << 20, 2}, {{4, 4, 1}, 1, 1},
              {{3, 1, 7}, 1 << 20, 3}, {{40, 30, 1}, 1 << 22, ASHI_WINDOW_MAX}};
    for (size_t i = 0; i < sizeof at / sizeof *at; i++) {
        ashi_problem q = problem_of(20000, 20000, at[i].k, 2000);
        ashi_grid_choice c = {0};
        int count;
        memcpy(q.grid, at[i].grid, sizeof q.grid);
        CHECK(t, ashi_strategy_summa.foresee(&q, 1, &c, &count, NULL) == ASHLAR_OK, "%zu", i);
        CHECK(t, c.window == at[i].window, "grid %" PRId64 " x %" PRId64 " x %" PRId64 ": %d in flight of %" PRId64
              " rounds", c.grid[0], c.grid[1], c.grid[2], c.window, c.rounds);
        q.window_given = true;
        q.window = 1;
        CHECK(t, ashi_strategy_summa.foresee(&q, 1, &c, &count, NULL) == ASHLAR_OK && c.window == 1, "as told");
    }
}

/* Whatever strategies there are, what is chosen is measured and hardly anything else, and idle ranks do not make words
 * seem few. */
static void planner(ashi_test *t)
{
    for (int64_t ranks = 1; ranks <= 24; ranks++) {
        const ashi_problem q = problem_of(100, 90, 80, ranks);
        ashi_choice c;
        int measured = 0;
        CHECK(t, ashi_choose(&q, NULL, walk_all, &measured, &c, NULL) == ASHLAR_OK, "%" PRId64, ranks);
        const bool carma = (ranks & (ranks - 1)) != 0; /* its boxes are no grid then: others are foreseen */
        CHECK(t, measured == 1 || (carma && measured == 2), "%d measured on %" PRId64 " ranks", measured, ranks);
        CHECK(t, c.schedule.ranks_used == ranks, "%" PRId64 " of %" PRId64 " used", c.schedule.ranks_used, ranks);
        ashi_choice_free(&c);
    }
}

int main(int argc, char **argv)
{
    ashi_test t = {0};
    const ashi_seeds seeds = ashi_seeds_of(argc, argv, 500);
    random_problems(&t, seeds.first, seeds.last);
    if (!seeds.told) {
        formulas(&t);
        pipelines(&t);
        planner(&t);
    }
    return ashi_test_end(&t, "family");
}
