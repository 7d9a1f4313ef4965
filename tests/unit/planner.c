/* One planner: what closed forms tell is what schedules have, so that it chooses alike whether it measures or not, in
 * whatever order strategies are asked. */
#include "choosing.h"
#include "random_layout.h"
#include "operation_digests.h"
#include "strategy/buffers.h"
#include "strategy/cosma_query.h"
#include "strategy/cosma_stays.h"

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
    if (seed % 5 < 2)
        q->machine.bandwidth = q->machine.copy_bandwidth / 2; /* shared memory: seconds decide more */
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
    const ashi_grid_choice choice = {.grid = {grid[0], grid[1], grid[2]},
                                     .rounds = p->rounds, .reduce_rounds = p->reduce_rounds, .window = p->window,
                                     .stays = p->stays, .memory_words = p->totals.memory_max};
    return ashi_cosma_stays_memory_most(&query, &choice);
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

/* ---- no schedule is measured twice ---- */

enum { DIGESTS_MOST = 64 };

typedef struct seen {
    uint64_t digest[DIGESTS_MOST];
    int count, repeated;
} seen;

static uint64_t digest_of_strip(uint64_t h, const ashi_strip *s)
{
    const size_t n = (size_t)s->count;
    return mixed(mixed(mixed(h, s->at, n + 1), s->part, n), s->local, n);
}

/* What all ranks do, and with which words. */
static ashlar_status digest_of(ashi_schedule *s, uint64_t *out, ashlar_error *err)
{
    ashi_program program = {0};
    operation_list l = {0};
    uint64_t h = 3;
    ashlar_status status = ashi_program_of(s, &program, err);
    for (int x = 0; x < 3; x++)
        h = digest_of_strip(digest_of_strip(h, &s->view[x].minor), &s->view[x].major);
    for (int64_t rank = 0; rank < s->ranks && status == ASHLAR_OK; rank++) {
        status = list_operations(&program, rank, &l, err);
        for (int64_t i = 0; i < l.count; i++)
            h = mixed(h, &(int64_t){(int64_t)l.digest[i]}, 1);
    }
    free_operations(&l);
    ashi_program_free(&program);
    *out = h;
    return status;
}

static ashlar_status look_for_repetitions(void *context, ashi_schedule *s, ashi_totals *out, ashlar_error *err)
{
    seen *before = context;
    uint64_t digest = 0;
    const ashlar_status status = digest_of(s, &digest, err);
    for (int i = 0; i < before->count; i++)
        before->repeated += before->digest[i] == digest;
    if (before->count < DIGESTS_MOST)
        before->digest[before->count++] = digest;
    return status == ASHLAR_OK ? ashi_simulate(s, NULL, NULL, out, err) : status;
}

/* Boxes that follow A, B and C, or are computed where these lie, are often the same if the layouts are. */
static void measures_once(ashi_test *t, int64_t n, int64_t block, int rows, int cols, bool least_words)
{
    ashi_problem q = problem_of(n, n, n, (int64_t)rows * cols);
    ashlar_layout *layout = NULL;
    ashi_choice choice = {0};
    ashlar_error err = {0};
    seen before = {.count = 0};
    q.least_words = least_words;
    ashlar_status status = ashlar_layout_block_cyclic(n, n, block, block, rows, cols, 0, 0, NULL, ASHLAR_COL_MAJOR, 0,
                                                      &layout, &err);
    for (int x = 0; x < 3; x++)
        q.layout[x] = layout;
    if (status == ASHLAR_OK)
        status = ashi_choose(&q, "cosma", look_for_repetitions, &before, &choice, &err);
    CHECK(t, status == ASHLAR_OK, "%d x %d: %s", rows, cols, err.text);
    CHECK(t, before.count > 1 && before.repeated == 0, "%d x %d: %d of %d schedules repeated", rows, cols,
          before.repeated, before.count);
    ashi_choice_free(&choice);
    ashlar_layout_free(&layout);
}

static void test_repetitions(ashi_test *t)
{
    for (int least_words = 0; least_words < 2; least_words++) {
        measures_once(t, 50, 8, 1, 2, least_words);
        measures_once(t, 50, 8, 2, 1, least_words);
        measures_once(t, 50, 8, 2, 2, least_words);
        measures_once(t, 96, 8, 2, 3, least_words);
        measures_once(t, 96, 16, 3, 3, least_words);
    }
}

/* What is for files says so, and is not taken if there is too little memory for anything else. */
static void only_for_files(ashi_test *t)
{
    ashi_problem p = problem_of(60, 50, 40, 3);
    ashi_choice choice;
    ashlar_error err = {0};
    p.memory_words = 200;
    CHECK(t, ashi_choose(&p, "sequential", walk_all, NULL, &choice, &err) == ASHLAR_ERR_UNSUPPORTED &&
          strcmp(err.text, "only matrices in files are streamed; these are in memory") == 0, "%s", err.text);
    CHECK(t, ashi_choose(&p, NULL, walk_all, NULL, &choice, &err) == ASHLAR_ERR_LIMIT, "%s", err.text);
}

/* ---- workspace that no limit of memory restricts ---- */

/* Words received and workspace of n x n x n in blocks of 64 on a process grid of ranks that share memory or not. */
static void totals_of_cube(ashi_test *t, int64_t n, int rows, int cols, bool shared, ashi_totals *out)
{
    ashi_problem q = problem_of(n, n, n, rows * cols);
    q.least_words = false;
    if (shared)
        q.machine.bandwidth = q.machine.copy_bandwidth / 2;
    ashlar_layout *layout = NULL;
    ashi_choice choice = {0};
    ashlar_error err = {0};
    ashlar_status status =
        ashlar_layout_block_cyclic(n, n, 64, 64, rows, cols, 0, 0, NULL, ASHLAR_COL_MAJOR, 0, &layout, &err);
    for (int x = 0; x < 3; x++)
        q.layout[x] = layout;
    if (status == ASHLAR_OK)
        status = ashi_choose(&q, NULL, walk_all, NULL, &choice, &err);
    CHECK(t, status == ASHLAR_OK, "%s", err.text);
    *out = choice.totals;
    ashi_choice_free(&choice);
    ashlar_layout_free(&layout);
}

/* A 2 x 2 x 2 grid moves the fewest words, but sums up a buffer of a third of the matrices: that is taken if the buffer
 * is small, and else left for a grid that moves an eighth more words at most. */
static void test_frugal(ashi_test *t)
{
    ashi_totals small, large;
    totals_of_cube(t, 1536, 2, 4, false, &small);
    CHECK(t, small.words_max == 1032192, "%" PRId64 " words", small.words_max);
    totals_of_cube(t, 4000, 2, 4, false, &large);
    CHECK(t, large.workspace_max <= ashi_workspace_words(large.share_max), "%" PRId64 " words of workspace beside %"
          PRId64, large.workspace_max, large.share_max);
    CHECK(t, large.words_max == 8033280, "%" PRId64 " words", large.words_max);
}

/* Of 1000 columns in blocks of 64 two ranks have 512 and 488. To multiply 500 each would move 12 columns more, and is
 * predicted to save 1.4 % of the time, less than predictions are certain of in shared memory. */
static void test_uneven_shares(ashi_test *t)
{
    ashi_totals totals;
    totals_of_cube(t, 1000, 1, 2, true, &totals);
    CHECK(t, totals.words_max == 512000, "%" PRId64 " words", totals.words_max);
}

/* Grids come in the order of an estimate that leaves out what a rank copies: here the first of them would take 1.6 times
 * the seconds of the one that is chosen. */
static void test_least_seconds(ashi_test *t)
{
    const ashi_strategy *const cosma = ashi_strategy_named("cosma");
    const ashi_competition asked = {.strategy = &cosma, .strategies = 1, .measure = walk_all, .foreseen_does = true};
    ashi_problem q = problem_of(1888, 8669, 35, 12280);
    ashi_choice c;
    ashlar_error err = {0};
    q.least_words = false;
    const ashlar_status status = ashi_choose_among(&q, &asked, &c, &err);
    CHECK(t, status == ASHLAR_OK && c.comparisons > 4, "%s", err.text);
    if (status != ASHLAR_OK)
        return;
    for (int i = 0; i < c.comparisons; i++)
        CHECK(t, c.compared[i].seconds >= c.seconds, "row %d: %g s, chosen %g s", i, c.compared[i].seconds, c.seconds);
    ashi_choice_free(&c);
}

/* A limit makes boxes go in rounds, whose number is found by measuring schedules: the last column says how many. They
 * are 34, 13 and 21 if those that cannot be chosen are measured until they fit; 19, 6 and 2 if a few ranks do not first
 * show which are out. Of the third problem the grid that is foreseen to be fastest is measured alone. */
static void test_beaten(ashi_test *t)
{
    static const int64_t problems[][6] = {
        {118, 695, 692, 80, 12745, 15}, {71, 74, 251, 18, 3480, 4}, {160, 480, 155, 108, 2754, 1}};
    for (size_t i = 0; i < sizeof problems / sizeof problems[0]; i++) {
        const int64_t *p = problems[i];
        ashi_problem q = problem_of(p[0], p[1], p[2], p[3]);
        ashi_choice c;
        ashlar_error err = {0};
        int measured = 0;
        q.memory_words = p[4];
        q.least_words = false;
        q.route = ASHI_EITHER;
        const ashlar_status status = ashi_choose(&q, NULL, walk_all, &measured, &c, &err);
        CHECK(t, status == ASHLAR_OK && measured == p[5], "problem %d: %d schedules are measured; %s", (int)i, measured,
              err.text);
        if (status == ASHLAR_OK)
            ashi_choice_free(&c);
    }
}

/* On more than a thousand ranks uneven boxes are foreseen, not measured: with ample memory those of the fewest words
 * are taken, not those that need the least memory. */
static void test_ample(ashi_test *t)
{
    ashi_problem q = problem_of(16384, 16384, 16384, 1117);
    ashi_choice c;
    ashlar_error err = {0};
    q.memory_words = 100000000;
    q.route = ASHI_EITHER;
    const ashlar_status status = ashi_choose(&q, "uneven", walk_all, NULL, &c, &err);
    const double bound = ashi_bound_words(16384, 16384, 16384, 1117, 0).words;
    CHECK(t, status == ASHLAR_OK, "%s", err.text);
    if (status != ASHLAR_OK)
        return;
    CHECK(t, (double)c.totals.words_max < 1.01 * bound, "%" PRId64 " words, the bound is %.0f", c.totals.words_max,
          bound);
    ashi_choice_free(&c);
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
    test_repetitions(&t);
    only_for_files(&t);
    test_frugal(&t);
    test_uneven_shares(&t);
    test_least_seconds(&t);
    test_beaten(&t);
    test_ample(&t);
    CHECK(&t, seeds.told || unmeasured > 100, "%" PRId64 " unmeasured only", unmeasured);
    for (int i = 0; !seeds.told && ashi_strategy_at(i); i++)
        CHECK(&t, foreseen[i] > 20 || (!ashi_strategy_at(i)->foresee &&
              strcmp(ashi_strategy_at(i)->name, "uneven") != 0), "%s foresaw %" PRId64 " times only",
              ashi_strategy_at(i)->name, foreseen[i]);
    return ashi_test_end(&t, "planner");
}
