/* One planner: what closed forms tell is what schedules have, so that it chooses alike whether it measures or not, in
 * whatever order strategies are asked. */
#include "choosing.h"
#include "random_layout.h"
#include "strategy/cosma.h"

#include <string.h>

enum { STRATEGIES_MOST = 32 };

/* A problem, in layouts of its own more often than not. */
typedef struct problem {
    ashi_problem q;
    ashlar_layout *layout[3];
} problem;

static bool random_problem(uint64_t seed, problem *p, ashlar_error *err)
{
    static const ashi_route routes[] = {ASHI_DIRECT, ASHI_EITHER, ASHI_EITHER, ASHI_TREE};
    uint64_t state = seed;
    const int64_t longest = ashi_random_in(&state, 0, 2) ? 60 : 400;
    *p = (problem){.q = problem_of(1, 1, 1, ashi_random_in(&state, 1, RANDOM_RANKS_MAX))};
    ashi_problem *q = &p->q;
    for (int d = 0; d < 3; d++)
        q->size[d] = ashi_random_in(&state, 1, longest);
    for (int x = 0; x < 2; x++)
        q->op[x] = (ashlar_op)ashi_random_in(&state, 0, 2);
    q->route = routes[ashi_random_in(&state, 0, 3)];
    q->window = (int)ashi_random_in(&state, 1, 3);
    q->idle = (double)ashi_random_in(&state, 0, 30) / 100;
    q->least_words = ashi_random_in(&state, 0, 1);
    q->ranks_per_core = (double)ashi_random_in(&state, 1, 3);
    q->machine.latency = ashi_random_in(&state, 0, 1) ? 1e-6 : 1e-8;
    if (ashi_random_in(&state, 0, 2) == 0)
        q->memory_words = (int64_t)(ashi_problem_share(q) * (double)ashi_random_in(&state, 9, 60) / 10) + 100;
    for (int x = 0; x < 3 && seed % 3 == 0; x++) {
        q->layout[x] = p->layout[x] = random_operand(&state, x, q->size, q->op, q->ranks, err);
        if (!p->layout[x])
            return false;
    }
    return true;
}

static void free_problem(problem *p)
{
    for (int x = 0; x < 3; x++)
        ashlar_layout_free(&p->layout[x]);
}

/* Words, sent and received, and products are exact; messages and memory at most what is said. */
static void same_figures(ashi_test *t, const char *what, uint64_t seed, const ashi_totals *told, int64_t memory,
                         const ashi_totals *found)
{
    CHECK(t, told->words_max == found->words_max && told->words_total == found->words_total,
          "%s, seed %" PRIu64 ": %" PRId64 " of %" PRId64 " words told, %" PRId64 " of %" PRId64 " found", what, seed,
          told->words_max, told->words_total, found->words_max, found->words_total);
    CHECK(t, told->sent_max == found->sent_max, "%s, seed %" PRIu64 ": %" PRId64 " words sent, %" PRId64 " found", what,
          seed, told->sent_max, found->sent_max);
    CHECK(t, told->products_max == found->products_max && told->products_total == found->products_total,
          "%s, seed %" PRIu64 ": %" PRId64 " products told, %" PRId64 " found", what, seed, told->products_max,
          found->products_max);
    CHECK(t, told->messages_max >= found->messages_max, "%s, seed %" PRIu64 ": %" PRId64 " messages told, %" PRId64
          " found", what, seed, told->messages_max, found->messages_max);
    CHECK(t, memory >= found->memory_max, "%s, seed %" PRIu64 ": memory of %" PRId64 " told, %" PRId64
          " found", what, seed, memory, found->memory_max);
}

/* The memory that certainly does for what is foreseen. */
static int64_t memory_most(const ashi_problem *q, const ashi_proposal *p)
{
    const ashi_cosma_query query = ashi_cosma_query_of(q);
    const int64_t *grid = p->bricks.grid;
    if (grid[0] == 0)
        return p->totals.memory_max;
    const ashi_grid_choice choice = {.grid = {grid[0], grid[1], grid[2]}, .c_cut = {p->shape[0], p->shape[1]},
                                      .rounds = p->rounds, .reduce_rounds = p->reduce_rounds, .window = p->window,
                                      .memory_words = p->totals.memory_max};
    return ashi_cosma_memory_most(&query, &choice);
}

/* What strategy s foresees of its proposals is what their schedules have. Returns how many there were. */
static int foresees(ashi_test *t, uint64_t seed, const ashi_strategy *s, const ashi_problem *q)
{
    ashi_proposals list = {0};
    ashlar_error err = {0};
    int checked = 0;
    if (s->propose(q, &list, &err) != ASHLAR_OK)
        ashi_proposals_shrink(&list, 0);
    for (int64_t i = 0; i < list.count; i++) {
        ashi_proposal *p = &list.at[i];
        ashi_schedule schedule = {0};
        ashi_totals found;
        p->strategy = s;
        if (!p->foreseen)
            continue;
        ashlar_status status = ashi_proposal_furnish(q, p, &err);
        if (status == ASHLAR_OK)
            status = s->schedule(q, p, &schedule, &err);
        if (status == ASHLAR_OK)
            status = ashi_simulate(&schedule, NULL, NULL, &found, &err);
        CHECK(t, status == ASHLAR_OK, "%s, seed %" PRIu64 ": %s", s->name, seed, err.text);
        if (status == ASHLAR_OK)
            same_figures(t, s->name, seed, &p->totals, memory_most(q, p), &found);
        ashi_schedule_free(&schedule);
        checked++;
    }
    ashi_proposals_free(&list);
    return checked;
}

/* All strategies in an order of their own. */
static int shuffled(uint64_t *state, const ashi_strategy *all[STRATEGIES_MOST])
{
    int count = 0;
    for (; ashi_strategy_at(count); count++)
        all[count] = ashi_strategy_at(count);
    for (int i = count - 1; i > 0; i--) {
        const int64_t j = ashi_random_in(state, 0, i);
        const ashi_strategy *s = all[i];
        all[i] = all[j];
        all[j] = s;
    }
    return count;
}

static void same_choice(ashi_test *t, const char *what, uint64_t seed, const ashi_choice *x, const ashi_choice *y)
{
    const ashi_compared *a = &x->compared[x->taken], *b = &y->compared[y->taken];
    CHECK(t, a->strategy == b->strategy && memcmp(a->grid, b->grid, sizeof a->grid) == 0 && a->rounds == b->rounds &&
                 a->ranks_used == b->ranks_used && x->totals.words_max == y->totals.words_max &&
                 x->totals.words_total == y->totals.words_total,
          "%s, seed %" PRIu64 ": %s %" PRId64 "x%" PRId64 "x%" PRId64 " in %" PRId64 " rounds, %" PRId64 " words; %s %"
          PRId64 "x%" PRId64 "x%" PRId64 " in %" PRId64 " rounds, %" PRId64 " words", what, seed, a->strategy->name,
          a->grid[0], a->grid[1], a->grid[2], a->rounds, x->totals.words_max, b->strategy->name, b->grid[0],
          b->grid[1], b->grid[2], b->rounds, y->totals.words_max);
}

/* Strategies asked in another order, and unmeasured where closed forms tell: the same choice, or refusal. Returns
 * whether it was made without measuring. */
static bool chooses_alike(ashi_test *t, uint64_t seed, const ashi_problem *q)
{
    const ashi_strategy *all[STRATEGIES_MOST];
    uint64_t state = seed + 77;
    ashi_choice plain, other;
    ashlar_error err = {0}, err_other = {0};
    bool unmeasured = false;
    const ashlar_status status = ashi_choose(q, NULL, walk_all, NULL, &plain, &err);
    for (int foreseen_does = 0; foreseen_does < 2; foreseen_does++) {
        const int count = shuffled(&state, all);
        const ashi_competition asked = {.strategy = all, .strategies = count, .measure = walk_all,
                                        .foreseen_does = foreseen_does};
        const ashlar_status found = ashi_choose_among(q, &asked, &other, &err_other);
        CHECK(t, found == status && strcmp(err.text, err_other.text) == 0, "seed %" PRIu64 ": %s; %s", seed, err.text,
              err_other.text);
        if (found == ASHLAR_OK && status == ASHLAR_OK)
            same_choice(t, foreseen_does ? "unmeasured" : "shuffled", seed, &plain, &other);
        unmeasured = found == ASHLAR_OK && !other.compared[other.taken].counted;
        ashi_choice_free(&other);
    }
    ashi_choice_free(&plain);
    return unmeasured;
}

int main(int argc, char **argv)
{
    ashi_test t = {0};
    const ashi_seeds seeds = ashi_seeds_of(argc, argv, 300);
    int64_t foreseen[STRATEGIES_MOST] = {0}, unmeasured = 0;
    for (uint64_t seed = seeds.first; seed <= seeds.last; seed++) {
        problem p;
        ashlar_error err = {0};
        const bool made = random_problem(seed, &p, &err);
        CHECK(&t, made, "seed %" PRIu64 ": %s", seed, err.text);
        for (int i = 0; made && ashi_strategy_at(i); i++)
            foreseen[i] += foresees(&t, seed, ashi_strategy_at(i), &p.q);
        unmeasured += made && chooses_alike(&t, seed, &p.q);
        free_problem(&p);
    }
    CHECK(&t, seeds.told || unmeasured > 100, "%" PRId64 " unmeasured only", unmeasured);
    for (int i = 0; !seeds.told && ashi_strategy_at(i); i++)
        CHECK(&t, foreseen[i] > 20 || (!ashi_strategy_at(i)->foresee &&
              strcmp(ashi_strategy_at(i)->name, "uneven") != 0), "%s foresaw %" PRId64 " times only",
              ashi_strategy_at(i)->name, foreseen[i]);
    return ashi_test_end(&t, "planner");
}
