/* Who computes what: the assignment is the best there is for few ranks, and never worse than the one that it began with
 * or than greedy choice, and the words that it goes by are those that schedules move. */
#include "choosing.h"
#include "random_bricks.h"
#include "random_layout.h"
#include "check/program.h"
#include "search/holdings.h"
#include "search/skew.h"
#include "strategy/settle.h"
#include "strategy/sight.h"
#include "test.h"

#include <string.h>

enum { MOST = 100, BRUTE_MOST = 5 };

/* ---- numbers without a meaning ---- */

typedef struct numbers {
    int64_t ranks, domains, words[MOST][MOST + 1]; /* the last of a rank: if it computes nothing */
} numbers;

static int64_t number(const void *context, int64_t rank, int64_t domain)
{
    const numbers *n = context;
    return n->words[rank][domain < 0 ? n->domains : domain];
}

static ashi_arrivals random_numbers(uint64_t *state, int64_t most, numbers *n)
{
    const int64_t range = ashi_random_in(state, 0, 2) ? 9 : INT64_MAX / 200;
    n->ranks = ashi_random_in(state, 1, most);
    n->domains = ashi_random_in(state, ashi_random_in(state, 0, 1) ? n->ranks : 1, n->ranks);
    for (int64_t r = 0; r < n->ranks; r++)
        for (int64_t d = 0; d <= n->domains; d++)
            n->words[r][d] = ashi_random_in(state, 0, range);
    return (ashi_arrivals){n->ranks, n->domains, number, n};
}

/* The best over all ways to give domains d, d + 1, ... the ranks that are free. */
static void try_all(const ashi_arrivals *a, int64_t d, int *rank_of, unsigned taken, ashi_burden *best)
{
    ashi_burden burden;
    ashlar_error err = {0};
    if (d == a->domains) {
        if (ashi_assign_burden(a, rank_of, &burden, &err) == ASHLAR_OK && ashi_burden_less(&burden, best))
            *best = burden;
        return;
    }
    for (int r = 0; r < a->ranks; r++)
        if (!(taken >> r & 1u)) {
            rank_of[d] = r;
            try_all(a, d + 1, rank_of, taken | 1u << r, best);
        }
}

static bool is_assignment(const ashi_arrivals *a, const int *rank_of)
{
    bool taken[MOST] = {false};
    for (int64_t d = 0; d < a->domains; d++) {
        if (rank_of[d] < 0 || rank_of[d] >= a->ranks || taken[rank_of[d]])
            return false;
        taken[rank_of[d]] = true;
    }
    return true;
}

/* It is an assignment, costs what is said and no more than before, and for few ranks nothing costs less. */
static void check_assignment(ashi_test *t, uint64_t seed, const ashi_arrivals *a, const int *given)
{
    ashi_burden before, said, after, best = {INT64_MAX, INT64_MAX};
    int rank_of[MOST], other[MOST];
    ashlar_error err = {0};
    memcpy(rank_of, given, (size_t)a->domains * sizeof *given);
    ashlar_status status = ashi_assign_burden(a, given, &before, &err);
    if (status == ASHLAR_OK)
        status = ashi_assign(a, rank_of, &said, &err);
    CHECK(t, status == ASHLAR_OK && is_assignment(a, rank_of), "seed %" PRIu64 ": %s", seed, err.text);
    if (status != ASHLAR_OK || !is_assignment(a, rank_of) ||
        ashi_assign_burden(a, rank_of, &after, &err) != ASHLAR_OK)
        return;
    CHECK(t, after.most == said.most && after.total == said.total && !ashi_burden_less(&before, &after),
          "seed %" PRIu64 ": %" PRId64 " of %" PRId64 " words, said %" PRId64 " of %" PRId64 ", before %" PRId64
          " of %" PRId64, seed, after.most, after.total, said.most, said.total, before.most, before.total);
    CHECK(t, ashi_burden_less(&after, &before) || memcmp(rank_of, given, (size_t)a->domains * sizeof *given) == 0,
          "seed %" PRIu64 ": ranks change places for nothing", seed);
    if (a->ranks > BRUTE_MOST)
        return;
    try_all(a, 0, other, 0, &best);
    CHECK(t, after.most == best.most && after.total == best.total, "seed %" PRIu64 ": %" PRId64 " of %" PRId64
          " words, %" PRId64 " of %" PRId64 " is possible", seed, after.most, after.total, best.most, best.total);
}

static void assigns_numbers(ashi_test *t, uint64_t seed)
{
    uint64_t state = seed;
    static numbers n;
    int given[MOST];
    const ashi_arrivals a = random_numbers(&state, seed % 4 == 0 ? MOST : seed % 4 == 1 ? 24 : BRUTE_MOST, &n);
    random_permutation(&state, (int)a.ranks, given);
    check_assignment(t, seed, &a, given);
}

/* With more than the exact algorithm takes: a rank that would receive everything but in one place finds it. */
static void relieves_the_busiest(ashi_test *t)
{
    static numbers n = {.ranks = MOST, .domains = MOST};
    int rank_of[MOST];
    ashi_burden burden;
    ashlar_error err = {0};
    for (int r = 0; r < MOST; r++) {
        rank_of[(r + 1) % MOST] = r;
        for (int d = 0; d < MOST; d++)
            n.words[r][d] = r == d ? 0 : 100 + r + d;
    }
    const ashi_arrivals a = {MOST, MOST, number, &n};
    CHECK(t, ashi_assign(&a, rank_of, &burden, &err) == ASHLAR_OK && burden.most == 0 && burden.total == 0,
          "%" PRId64 " of %" PRId64 " words %s", burden.most, burden.total, err.text);
}

/* ---- layouts ---- */

typedef struct problem {
    ashi_problem q;
    ashlar_layout *layout[3];
    ashi_bricks bricks;
} problem;

static ashlar_status random_problem(uint64_t seed, problem *p, ashlar_error *err)
{
    uint64_t state = seed;
    const int64_t ranks = ashi_random_in(&state, 1, seed % 2 ? BRUTE_MOST : RANDOM_RANKS_MAX);
    *p = (problem){.q = problem_of(1, 1, 1, ranks)};
    for (int d = 0; d < 3; d++)
        p->q.size[d] = ashi_random_in(&state, 1, 70);
    for (int x = 0; x < 2; x++)
        p->q.op[x] = (ashlar_op)ashi_random_in(&state, 0, 2);
    for (int x = 0; x < 3; x++) {
        p->q.layout[x] = p->layout[x] = random_operand(&state, x, p->q.size, p->q.op, ranks, err);
        if (!p->layout[x])
            return err->status;
    }
    const ashi_grid_request g = {.size = {p->q.size[0], p->q.size[1], p->q.size[2]}, .ranks = ranks,
                                 .op = {p->q.op[0], p->q.op[1]},
                                 .layout = {p->layout[0], p->layout[1], p->layout[2]}};
    return random_bricks(&state, &g, &p->bricks, err);
}

static void free_problem(problem *p)
{
    ashi_bricks_free(&p->bricks);
    for (int x = 0; x < 3; x++)
        ashlar_layout_free(&p->layout[x]);
}

/* What the busiest rank receives by the schedule of some bricks. */
static ashlar_status simulated(const problem *p, const ashi_bricks *b, ashi_totals *out, ashlar_error *err)
{
    const ashi_grid_request g = {.strategy = "test", .size = {p->q.size[0], p->q.size[1], p->q.size[2]},
                                 .ranks = p->q.ranks, .op = {p->q.op[0], p->q.op[1]},
                                 .layout = {p->layout[0], p->layout[1], p->layout[2]}, .bricks = b, .rounds = 1,
                                 .reduce_rounds = 1, .window = 1};
    ashi_schedule schedule;
    ashi_program program = {0};
    ashi_check_report report;
    ashlar_status status = ashi_grid_schedule(&g, &schedule, err);
    if (status == ASHLAR_OK)
        status = ashi_program_of(&schedule, &program, err);
    if (status == ASHLAR_OK)
        status = ashi_check_program(&program, &report, err);
    ashi_program_free(&program);
    if (status == ASHLAR_OK)
        status = ashi_simulate(&schedule, NULL, NULL, out, err);
    ashi_schedule_free(&schedule);
    return status;
}

/* Each box, in turn, for the free rank that owns most of what it needs: how ranks were found before. */
static ashlar_status greedily(const problem *p, ashi_bricks *b, ashlar_error *err)
{
    bool taken[RANDOM_RANKS_MAX] = {false};
    ashi_sight s;
    const ashlar_status status = ashi_sight_open(&p->q, p->q.layout, b->lead, &s, err);
    for (int64_t n = 0; n < b->count && status == ASHLAR_OK; n++) {
        const ashi_cuboid box = ashi_bricks_box(b, n);
        int64_t most = -1;
        int best = 0;
        for (int r = 0; r < p->q.ranks; r++) {
            int64_t words = taken[r] ? -1 : 0;
            for (int x = 0; x < 3 && !taken[r]; x++) {
                const ashi_box face = ashi_cuboid_face(&box, (ashlar_operand)x);
                words += ashi_view_words(&s.view[x], r, &face);
            }
            best = words > most ? r : best;
            most = ashi_max(most, words);
        }
        taken[best] = true;
        b->rank_of[n] = best;
    }
    if (status == ASHLAR_OK)
        ashi_sight_close(&s);
    return status;
}

/* Ranks that were settled receive no more than those found greedily or those given; by brute force, of few ranks none
 * receive less. The busiest rank's words are counted by simulation of schedules that pass the checker. */
static void settles(ashi_test *t, uint64_t seed, int64_t *better)
{
    problem p;
    ashlar_error err = {0};
    ashi_totals given = {0}, greedy = {0}, settled = {0};
    ashi_burden burden = {0, 0};
    ashlar_status status = random_problem(seed, &p, &err);
    const bool orders = seed % 3 > 0;
    int *const kept = calloc((size_t)p.bricks.count + 1, sizeof *kept);
    if (status == ASHLAR_OK && kept) {
        memcpy(kept, p.bricks.rank_of, (size_t)p.bricks.count * sizeof *kept);
        status = simulated(&p, &p.bricks, &given, &err);
        if (status == ASHLAR_OK)
            status = greedily(&p, &p.bricks, &err);
        if (status == ASHLAR_OK)
            status = simulated(&p, &p.bricks, &greedy, &err);
        memcpy(p.bricks.rank_of, kept, (size_t)p.bricks.count * sizeof *kept);
    }
    if (status == ASHLAR_OK)
        status = ashi_settle(&p.q, &p.bricks, orders, &burden, &err);
    if (status == ASHLAR_OK)
        status = simulated(&p, &p.bricks, &settled, &err);
    CHECK(t, kept && status == ASHLAR_OK, "seed %" PRIu64 ": %s", seed, err.text);
    CHECK(t, settled.words_max <= ashi_min(given.words_max, greedy.words_max),
          "seed %" PRIu64 ": %" PRId64 " words, %" PRId64 " given, %" PRId64 " greedily", seed, settled.words_max,
          given.words_max, greedy.words_max);
    CHECK(t, burden.most == settled.words_max && burden.total == settled.words_total,
          "seed %" PRIu64 ": %" PRId64 " of %" PRId64 " words said, %" PRId64 " of %" PRId64 " simulated", seed,
          burden.most, burden.total, settled.words_max, settled.words_total);
    *better += settled.words_max < ashi_min(given.words_max, greedy.words_max);
    free(kept);
    free_problem(&p);
}

/* What is said to arrive is what arrives, rank by rank, and what is settled on is the best of all. */
static void counts_as_schedules_do(ashi_test *t, uint64_t seed)
{
    problem p;
    ashi_sight s;
    ashi_totals totals;
    ashlar_error err = {0};
    ashi_holdings h = {0};
    ashi_burden burden = {-1, -1};
    int64_t *of = NULL;
    ashlar_status status = random_problem(seed, &p, &err);
    if (status == ASHLAR_OK)
        status = ashi_sight_open(&p.q, p.q.layout, p.bricks.lead, &s, &err);
    CHECK(t, status == ASHLAR_OK, "seed %" PRIu64 ": %s", seed, err.text);
    if (status != ASHLAR_OK)
        return;
    const int64_t n = p.bricks.count;
    ashi_sides sides = {.domains = n, .listed = true, .count = {n, n, n}};
    of = calloc((size_t)(6 * n + 1), sizeof *of);
    for (int64_t i = 0; i < 3 * n && of; i++) {
        const ashi_cuboid box = ashi_bricks_box(&p.bricks, i % n);
        of[i] = box.lo[i / n];
        of[3 * n + i] = box.hi[i / n];
        sides.lo[i / n] = &of[i / n * n];
        sides.hi[i / n] = &of[3 * n + i / n * n];
    }
    status = ashi_holdings_build(s.view, &sides, &h, &err);
    const ashi_arrivals a = ashi_holdings_arrivals(&h);
    if (status == ASHLAR_OK)
        status = ashi_assign_burden(&a, p.bricks.rank_of, &burden, &err);
    if (status == ASHLAR_OK)
        status = simulated(&p, &p.bricks, &totals, &err);
    CHECK(t, status == ASHLAR_OK && burden.most == totals.words_max && burden.total == totals.words_total,
          "seed %" PRIu64 ": %" PRId64 " of %" PRId64 " words said, %" PRId64 " of %" PRId64 " simulated %s", seed,
          burden.most, burden.total, totals.words_max, totals.words_total, err.text);
    check_assignment(t, seed, &a, p.bricks.rank_of);
    ashi_holdings_free(&h);
    ashi_sight_close(&s);
    free(of);
    free_problem(&p);
}

/* ---- whole plans ---- */

/* Square matrices of n, block-cyclic: the words of the busiest rank by the plan of fewest words. */
static int64_t planned(ashi_test *t, int64_t n, int64_t block, int rows, int cols, int64_t grid[3])
{
    ashi_problem q = problem_of(n, n, n, (int64_t)rows * cols);
    ashlar_layout *layout = NULL;
    ashlar_error err = {0};
    ashi_choice choice = {0};
    ashlar_status status = ashlar_layout_block_cyclic(n, n, block, block, rows, cols, 0, 0, NULL, ASHLAR_COL_MAJOR, 0,
                                                      &layout, &err);
    for (int x = 0; x < 3; x++)
        q.layout[x] = layout;
    if (status == ASHLAR_OK)
        status = ashi_choose(&q, NULL, walk_all, NULL, &choice, &err);
    CHECK(t, status == ASHLAR_OK, "%s", err.text);
    const int64_t words = choice.totals.words_max;
    memcpy(grid, choice.schedule.grid, sizeof choice.schedule.grid);
    ashi_choice_free(&choice);
    ashlar_layout_free(&layout);
    return words;
}

/* 3/4 n^2/p words arrive by 2x2x2 if nothing has to be moved first. On 2 x 4 processes A's parts are columns 0 to 3 and
 * B's rows 0 and 1: halves {0, 3} and {1, 2} of k leave half of B's share where it is not needed, and nothing else. */
static void plans_exactly(ashi_test *t)
{
    int64_t grid[3];
    const int64_t share = 1536 * 1536 / 8, words = planned(t, 1536, 128, 2, 4, grid);
    CHECK(t, words == 3 * share + share / 2, "%" PRId64 " words, wanted %" PRId64, words, 3 * share + share / 2);
    CHECK(t, grid[0] == 2 && grid[1] == 2 && grid[2] == 2, "%" PRId64 "x%" PRId64 "x%" PRId64, grid[0], grid[1],
          grid[2]);
    const int64_t turned = planned(t, 1536, 128, 4, 2, grid);
    CHECK(t, turned == words, "%" PRId64 " words on 4 x 2 processes, %" PRId64 " on 2 x 4", turned, words);
}

/* ---- orders ---- */

/* Block-cyclic parts of 8 columns: 4 of the one matrix, 2 of the other. */
static void skews(ashi_test *t)
{
    static const int64_t wanted[2][8] = {{0, 4, 1, 5, 2, 6, 3, 7}, {0, 4, 3, 7, 2, 6, 1, 5}};
    const ashi_dim four = {.size = 8, .parts = 4, .block = 1, .first = 1, .whole = 8};
    const ashi_dim two = {.size = 8, .parts = 2, .block = 1, .first = 1, .whole = 8};
    ashlar_error err = {0};
    for (int64_t skew = 0; skew < 2; skew++) {
        ashi_axis axis = {0};
        ashi_strip first = {0}, second = {0};
        ashi_arrangement k = {0};
        ashlar_status status = ashi_axis_build(8, &two, &four, &axis, &err);
        if (status == ASHLAR_OK)
            status = ashi_strip_build(&axis, &two, &first, &err);
        if (status == ASHLAR_OK)
            status = ashi_strip_build(&axis, &four, &second, &err);
        if (status == ASHLAR_OK)
            status = ashi_skew_axis(&first, &second, skew, &k, &err);
        CHECK(t, status == ASHLAR_OK && ashi_skew_classes(&first, &second) == 2, "%s", err.text);
        if (status == ASHLAR_OK)
            status = ashi_axis_rearrange(&axis, k.runs, k.from, k.count, &err);
        for (int64_t r = 0, at = 0; r < axis.runs && status == ASHLAR_OK; r++)
            for (int64_t i = axis.at[r]; i < axis.at[r + 1]; i++, at++)
                CHECK(t, axis.index[r] + i - axis.at[r] == wanted[skew][at], "skew %" PRId64 ", position %" PRId64
                      ": %" PRId64, skew, at, axis.index[r] + i - axis.at[r]);
        CHECK(t, axis.size == 8, "%" PRId64, axis.size);
        ashi_arrangement_free(&k);
        ashi_strip_free(&first);
        ashi_strip_free(&second);
        ashi_axis_free(&axis);
    }
}

int main(int argc, char **argv)
{
    ashi_test t = {0};
    int64_t better = 0;
    const ashi_seeds seeds = ashi_seeds_of(argc, argv, 400);
    for (uint64_t seed = seeds.first; seed <= seeds.last; seed++) {
        assigns_numbers(&t, seed);
        counts_as_schedules_do(&t, seed);
        settles(&t, seed, &better);
    }
    CHECK(&t, seeds.told || better > 10, "settling was better than greed %" PRId64 " times", better);
    relieves_the_busiest(&t);
    skews(&t);
    plans_exactly(&t);
    return ashi_test_end(&t, "assign");
}
