/* Schedules of random problems pass the checker, and the checker finds what is altered in them. */
#include "mutants.h"
#include "random_boxes.h"
#include "random_torus.h"
#include "schedule/check.h"
#include "schedule/simulate.h"
#include "test.h"

#include <string.h>

typedef struct problem {
    ashlar_layout *layout[3];
    ashi_bricks bricks;
    ashi_grid_request request;
    ashi_torus torus; /* along whose links multicasts go, where it has dimensions */
} problem;

static void free_problem(problem *p)
{
    for (int x = 0; x < 3; x++)
        ashlar_layout_free(&p->layout[x]);
    ashi_bricks_free(&p->bricks);
}

/* At most `ranks` cells, in random proportions. */
static void random_grid(uint64_t *state, int64_t ranks, int64_t grid[3])
{
    const int first = (int)ashi_random_in(state, 0, 2);
    for (int i = 0; i < 3; i++) {
        grid[(first + i) % 3] = ashi_random_in(state, 1, ranks);
        ranks /= grid[(first + i) % 3];
    }
}

/* Cuts where the parts of layouts begin, as domains have them that are just what a rank owns. */
static void snap_cuts(uint64_t *state, const ashi_axis *axis, int64_t parts, int64_t *cut)
{
    int64_t run[RANDOM_RANKS_MAX + 1];
    random_cuts(state, parts, axis->runs, run);
    for (int64_t i = 0; i <= parts; i++)
        cut[i] = axis->at[run[i]];
}

/* A grid, cut in any places. */
static bool random_grid_bricks(uint64_t *state, const ashi_axis axis[3], problem *p, int64_t ranks, ashlar_error *err)
{
    int64_t grid[3];
    int rank_of[RANDOM_RANKS_MAX];
    random_grid(state, ranks, grid);
    if (ashi_bricks_even(grid, p->request.size, &p->bricks, err) != ASHLAR_OK)
        return false;
    for (int d = 0; d < 3; d++) {
        const int64_t how = ashi_random_in(state, 0, 2);
        if (how == 1)
            random_cuts(state, grid[d], p->request.size[d], p->bricks.cut[d]);
        else if (how == 2)
            snap_cuts(state, &axis[d], grid[d], p->bricks.cut[d]);
    }
    random_permutation(state, (int)ranks, rank_of);
    if (ashi_random_in(state, 0, 1))
        memcpy(p->bricks.rank_of, rank_of, (size_t)p->bricks.count * sizeof *rank_of);
    return true;
}

/* Boxes of any shape. */
static bool random_list(uint64_t *state, const ashi_axis axis[3], problem *p, int64_t ranks, ashlar_error *err)
{
    ashi_cuboid box[RANDOM_RANKS_MAX];
    int rank_of[RANDOM_RANKS_MAX];
    const int64_t count = ashi_random_in(state, 1, ranks);
    random_boxes(state, axis, count, box);
    random_permutation(state, (int)ranks, rank_of);
    return ashi_bricks_of(box, rank_of, count, &p->bricks, err) == ASHLAR_OK;
}

static bool random_bricks(uint64_t *state, problem *p, int64_t ranks, ashlar_error *err)
{
    ashi_axis axis[3];
    const ashi_lead lead = {(ashlar_operand)ashi_random_in(state, ASHLAR_A, ASHLAR_C), ashi_random_in(state, 0, 1)};
    if (ashi_grid_axes(p->request.layout, p->request.op, p->request.size, lead, axis, err) != ASHLAR_OK)
        return false;
    const bool listed = ashi_random_in(state, 0, 1);
    const bool made = listed ? random_list(state, axis, p, ranks, err) : random_grid_bricks(state, axis, p, ranks, err);
    p->bricks.lead = lead;
    for (int d = 0; d < 3; d++)
        ashi_axis_free(&axis[d]);
    return made;
}

/* The transport is told by `seed`, so that all are met. */
static bool random_problem(uint64_t seed, int64_t longest, problem *p, ashlar_error *err)
{
    uint64_t state = seed;
    const int ranks = (int)ashi_random_in(&state, 1, 14);
    *p = (problem){.request = {.strategy = "test", .ranks = ranks, .tree = seed & 1, .one_sided = seed & 2}};
    ashi_grid_request *q = &p->request;
    for (int d = 0; d < 3; d++)
        q->size[d] = ashi_random_in(&state, 0, 60) ? ashi_random_in(&state, 1, longest) : 0;
    for (int x = 0; x < 2; x++)
        q->op[x] = (ashlar_op)ashi_random_in(&state, 0, 2);
    const int64_t m = q->size[0], n = q->size[1], k = q->size[2];
    const int64_t shape[3][2] = {{m, k}, {k, n}, {m, n}};
    for (int x = 0; x < 3; x++) {
        const bool turned = x < 2 && q->op[x] != ASHLAR_OP_N;
        q->layout[x] = p->layout[x] = random_layout(&state, shape[x][turned], shape[x][!turned], ranks, err);
        if (!p->layout[x])
            return false;
    }
    q->rounds = ashi_random_in(&state, 1, 9);
    q->reduce_rounds = ashi_random_in(&state, 1, 5);
    q->window = (int)ashi_random_in(&state, 1, 4);
    q->bricks = &p->bricks;
    if (!random_bricks(&state, p, ranks, err))
        return false;
    if (q->tree && ashi_random_in(&state, 0, 1))
        p->torus = random_torus(&state, p->bricks.grid, ranks);
    return true;
}

static void counts_agree(ashi_test *t, uint64_t seed, ashi_schedule *s, const ashi_check_report *report)
{
    ashi_totals totals;
    ashlar_error err = {0};
    int64_t sent = 0, messages = 0;
    CHECK(t, ashi_simulate(s, NULL, NULL, &totals, &err) == ASHLAR_OK, "seed %" PRIu64 ": %s", seed, err.text);
    for (int64_t r = 0; r < s->ranks; r++) {
        ashi_need need;
        CHECK(t, ashi_schedule_need(s, r, &need, &err) == ASHLAR_OK, "seed %" PRIu64 ": %s", seed, err.text);
        sent += need.sent;
        messages += need.received_messages;
    }
    CHECK(t, report->products == s->m * s->n * s->k, "seed %" PRIu64, seed);
    CHECK(t, report->words == totals.words_total && report->words == sent, "seed %" PRIu64, seed);
    CHECK(t, report->messages == messages, "seed %" PRIu64, seed);
}

/* ---- mutations ---- */

/* Each of these alters one thing, or returns false where that would change nothing that matters. */
typedef bool (*alteration)(mutant *m, uint64_t *state);

static bool is_group(const mutant *m)
{
    return m->op.kind == ASHI_MULTICAST || m->op.kind == ASHI_REDUCE || m->op.kind == ASHI_ADD;
}

static bool matters(const mutant *m)
{
    return m->op.kind != ASHI_MULTIPLY || (ashi_box_words(&m->op.box) > 0 && m->op.k_lo < m->op.k_hi);
}

static bool drop(mutant *m, uint64_t *state)
{
    (void)state;
    m->copies = 0;
    return matters(m);
}

static bool repeat(mutant *m, uint64_t *state)
{
    (void)state;
    m->copies = 2;
    return matters(m);
}

static bool alter_box(mutant *m, uint64_t *state)
{
    int64_t *const side[] = {&m->op.box.minor_lo, &m->op.box.minor_hi, &m->op.box.major_lo, &m->op.box.major_hi};
    int64_t *const altered = side[ashi_random_in(state, 0, 3)];
    *altered += ashi_random_in(state, 0, 1) ? 1 : -1;
    return is_group(m) || (m->op.kind == ASHI_MULTIPLY && matters(m));
}

/* Of a buffer in a slot that an idle rank, or one with nothing to multiply, may not need: left alone. */
static bool alter_words(mutant *m, uint64_t *state)
{
    const ashi_box box = m->original->domain(m->original, m->rank, 0);
    if (is_group(m) || m->op.kind == ASHI_SCALE)
        m->op.words += ashi_random_in(state, 0, 1) ? 1 : -1;
    else if (m->op.kind != ASHI_ACQUIRE || m->op.words == 0 || ashi_box_words(&box) == 0)
        return false;
    else
        m->op.words = 0;
    return true;
}

static bool alter_owner(mutant *m, uint64_t *state)
{
    m->op.owner += ashi_random_in(state, 0, 1) ? 1 : -1;
    return is_group(m);
}

static bool alter_member(mutant *m, uint64_t *state)
{
    if (!is_group(m))
        return false;
    int *member = &m->member[ashi_random_in(state, 0, m->op.members - 1)];
    const int before = *member;
    *member = (int)ashi_random_in(state, 0, m->original->ranks);
    return *member != before;
}

/* A sender's idea of the receiver's place is used where it writes there. */
static bool alter_offset(mutant *m, uint64_t *state)
{
    const bool own = m->op.kind == ASHI_MULTICAST ? m->op.owner != m->rank : m->op.owner == m->rank;
    const bool exact = m->original->one_sided || (own && m->op.lands) || m->op.kind == ASHI_ADD;
    m->op.offset = exact ? m->op.offset + ashi_random_in(state, 1, 9) : -1;
    return is_group(m) && (own || m->original->one_sided);
}

static bool alter_packing(mutant *m, uint64_t *state)
{
    (void)state;
    const bool packs = m->op.kind != ASHI_ADD && is_group(m) && m->op.pack_offset >= 0;
    m->op.pack_offset = -1;
    return packs;
}

static bool alter_landing(mutant *m, uint64_t *state)
{
    (void)state;
    m->op.lands = !m->op.lands;
    return m->op.kind == ASHI_MULTICAST && m->op.owner != m->rank;
}

static bool alter_k(mutant *m, uint64_t *state)
{
    int64_t *end = ashi_random_in(state, 0, 1) ? &m->op.k_lo : &m->op.k_hi;
    *end += ashi_random_in(state, 0, 1) ? 1 : -1;
    return m->op.kind == ASHI_MULTIPLY && ashi_box_words(&m->op.box) > 0;
}

static bool alter_chunk(mutant *m, uint64_t *state)
{
    m->op.chunk.number += ashi_random_in(state, 0, 1) ? 1 : -1;
    return is_group(m);
}

static bool alter_number(mutant *m, uint64_t *state)
{
    m->op.number += ashi_random_in(state, 1, 3);
    const bool passes = m->op.kind == ASHI_MULTICAST || (m->op.kind == ASHI_REDUCE && m->op.owner != m->rank);
    return passes && (m->original->tree || m->original->one_sided);
}

static bool alter_slot(mutant *m, uint64_t *state)
{
    m->op.slot += ashi_random_in(state, 0, 1) ? 1 : -1;
    return m->op.kind != ASHI_PHASE && m->op.kind != ASHI_SCALE && matters(m);
}

/* What a rank sums up in place is begun there, whatever the ADD says. */
static bool alter_begin(mutant *m, uint64_t *state)
{
    (void)state;
    m->op.begins = !m->op.begins;
    const ashi_home home = m->original->home(m->original, m->rank, 0);
    return m->op.kind == ASHI_ADD && (m->op.part < 0 || home.kind == ASHI_HOME_BUFFER);
}

static const struct {
    const char *name;
    alteration alter;
} alterations[] = {{"dropped", drop},
                   {"repeated", repeat},
                   {"box", alter_box},
                   {"words", alter_words},
                   {"owner", alter_owner},
                   {"member", alter_member},
                   {"offset", alter_offset},
                   {"packing", alter_packing},
                   {"landing", alter_landing},
                   {"k", alter_k},
                   {"chunk", alter_chunk},
                   {"number", alter_number},
                   {"slot", alter_slot},
                   {"begin", alter_begin}};

enum { ALTERATIONS = sizeof alterations / sizeof *alterations };

static void mutants_are_found(ashi_test *t, uint64_t seed, ashi_schedule *s, int tries, int64_t found[ALTERATIONS])
{
    uint64_t state = ~seed;
    mutant m = {.original = s};
    const int64_t ops = mutant_find(&m, INT64_MAX);
    for (int i = 0; i < tries; i++) {
        const int64_t which = ashi_random_in(&state, 0, ALTERATIONS - 1);
        mutant_begin(&m, ashi_random_in(&state, 0, ops - 1));
        const ashi_op before = m.op;
        if (!alterations[which].alter(&m, &state))
            continue;
        ashi_check_report report;
        const ashlar_status status = ashi_check_schedule(&m.altered, &report, NULL);
        CHECK(t, status == ASHLAR_ERR_INTERNAL && report.text[0],
              "seed %" PRIu64 ": operation %d of rank %" PRId64 " in step %" PRId64 ", %s, goes unnoticed", seed,
              (int)before.kind, m.rank, m.step, alterations[which].name);
        found[which]++;
    }
}

static void one_problem(ashi_test *t, uint64_t seed, int64_t longest, int tries, int64_t found[ALTERATIONS])
{
    problem p;
    ashi_schedule s = {0};
    ashi_check_report report;
    ashlar_error err = {0};
    const bool made = random_problem(seed, longest, &p, &err);
    CHECK(t, made, "seed %" PRIu64 ": %s", seed, err.text);
    ashlar_status status = made ? ashi_grid_schedule(&p.request, &s, &err) : ASHLAR_ERR_ARG;
    CHECK(t, status == ASHLAR_OK, "seed %" PRIu64 ": %s", seed, err.text);
    s.torus = p.torus;
    if (status == ASHLAR_OK) {
        status = ashi_check_schedule(&s, &report, &err);
        CHECK(t, status == ASHLAR_OK, "seed %" PRIu64 ": %s", seed, err.text);
        if (status == ASHLAR_OK) {
            counts_agree(t, seed, &s, &report);
            mutants_are_found(t, seed, &s, tries, found);
        }
        ashi_schedule_free(&s);
    }
    free_problem(&p);
}

/* The proof goes by boxes, not by elements: a size that no array could have takes no longer. */
static void large_sizes(ashi_test *t, bool tree, bool one_sided)
{
    enum { SIZE = 100000 };
    const int64_t grid[3] = {4, 4, 4}, size[3] = {SIZE, SIZE, SIZE};
    problem p = {.request = {.strategy = "test", .ranks = 65, .size = {SIZE, SIZE, SIZE}, .rounds = 7,
                             .reduce_rounds = 3, .window = 2, .tree = tree, .one_sided = one_sided}};
    ashi_schedule s = {0};
    ashi_check_report report = {0};
    ashlar_error err = {0};
    p.request.bricks = &p.bricks;
    ashlar_status status = ashi_bricks_even(grid, size, &p.bricks, &err);
    for (int x = 0; x < 3 && status == ASHLAR_OK; x++) {
        status = ashlar_layout_block_cyclic(SIZE, SIZE, 1000, 1500, 8, 8, x, 7 - x, NULL, ASHLAR_COL_MAJOR, 0,
                                            &p.layout[x], &err);
        p.request.layout[x] = p.layout[x];
    }
    if (status == ASHLAR_OK)
        status = ashi_grid_schedule(&p.request, &s, &err);
    CHECK(t, status == ASHLAR_OK, "%s", err.text);
    if (status == ASHLAR_OK)
        CHECK(t, ashi_check_schedule(&s, &report, &err) == ASHLAR_OK, "%s", err.text);
    CHECK(t, report.products == (int64_t)SIZE * SIZE * SIZE, "%" PRId64, report.products);
    ashi_schedule_free(&s);
    free_problem(&p);
}

int main(int argc, char **argv)
{
    ashi_test t = {0};
    int64_t found[ALTERATIONS] = {0};
    if (argc > 1) { /* other seeds, or one of them again: FIRST [LAST] */
        const uint64_t first = strtoull(argv[1], NULL, 10), last = argc > 2 ? strtoull(argv[2], NULL, 10) : first;
        for (uint64_t seed = first; seed <= last; seed++)
            one_problem(&t, seed, 60, 6, found);
        return ashi_test_end(&t, "schedule");
    }
    for (uint64_t seed = 1; seed <= 3600; seed++)
        one_problem(&t, seed, 60, 5, found);
    for (uint64_t seed = 1; seed <= 20; seed++)
        one_problem(&t, seed, 3000, 2, found);
    for (int i = 0; i < 4; i++)
        large_sizes(&t, i & 1, i & 2);
    for (int i = 0; i < ALTERATIONS; i++)
        CHECK(&t, found[i] > 50, "too few mutants: %s %" PRId64, alterations[i].name, found[i]);
    return ashi_test_end(&t, "schedule");
}
