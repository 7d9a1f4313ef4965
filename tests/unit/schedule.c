/* Schedules of random problems pass the checker, and the checker finds what is altered in them. */
#include "alterations.h"
#include "counted.h"
#include "program_mutants.h"
#include "random_request.h"
#include "same_operations.h"
#include "simulate/simulate.h"

static ashlar_status note_bundle(void *context, const ashi_op *op, ashlar_error *err)
{
    int64_t *bundles = context;
    (void)err;
    *bundles += op->kind == ASHI_BUNDLE && op->messages > 1;
    return ASHLAR_OK;
}

/* The brief stream counts what the full one does, in whatever order ranks are asked for: what it remembers of one rank
 * serves others. */
static void brief_counts_agree(ashi_test *t, uint64_t seed, ashi_schedule *s, int64_t *bundles)
{
    uint64_t state = seed + 1;
    ashlar_error err = {0};
    for (int64_t i = 0; i < 2 * s->ranks; i++) {
        const int64_t rank = i < s->ranks ? i : ashi_random_in(&state, 0, s->ranks - 1);
        ashi_need full, brief;
        CHECK(t, ashi_schedule_need_in_full(s, rank, &full, &err) == ASHLAR_OK, "seed %" PRIu64 ": %s", seed, err.text);
        CHECK(t, ashi_schedule_need(s, rank, &brief, &err) == ASHLAR_OK, "seed %" PRIu64 ": %s", seed, err.text);
        CHECK(t, memcmp(&full, &brief, sizeof full) == 0,
              "seed %" PRIu64 " rank %" PRId64 ": sends %" PRId64 " words of %" PRId64 ", messages %" PRId64
              " of %" PRId64 ", copies %" PRId64 " of %" PRId64 ", workspace %" PRId64 " of %" PRId64, seed, rank,
              brief.sent, full.sent, brief.sent_messages, full.sent_messages, brief.copied, full.copied,
              brief.workspace, full.workspace);
        s->brief = true;
        CHECK(t, ashi_schedule_walk(s, rank, note_bundle, bundles, &err) == ASHLAR_OK, "seed %" PRIu64, seed);
        s->brief = false;
    }
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

/* ---- what is altered ---- */

static bool counts(const mutant *m)
{
    return m->op.kind != ASHI_MULTIPLY || (ashi_box_words(&m->op.box) > 0 && m->op.k_lo < m->op.k_hi);
}

/* Of a buffer in a slot that an idle rank, or one with nothing to multiply, may not need: left alone. */
static bool alter_room(mutant *m, uint64_t *state)
{
    (void)state;
    const ashi_box box = m->original->domain(m->original, m->rank, 0);
    const bool needed = m->op.kind == ASHI_ACQUIRE && m->op.words > 0 && ashi_box_words(&box) > 0;
    m->op.words = 0;
    return needed;
}

static bool alter_owner(mutant *m, uint64_t *state)
{
    m->op.owner += one_off(state);
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

static bool alter_unpacked(mutant *m, uint64_t *state)
{
    const bool packs = alter_packing(m, state);
    m->op.pack_offset = -1;
    return packs;
}

static bool alter_chunk(mutant *m, uint64_t *state)
{
    m->op.chunk.number += one_off(state);
    return is_group(m);
}

static bool alter_number(mutant *m, uint64_t *state)
{
    m->op.number += ashi_random_in(state, 1, 3);
    const bool passes = m->op.kind == ASHI_MULTICAST || (m->op.kind == ASHI_REDUCE && m->op.owner != m->rank);
    return passes && (m->original->tree || m->original->one_sided);
}

/* What a rank sums up in place is begun there, whatever the ADD says. */
static bool alter_begin(mutant *m, uint64_t *state)
{
    (void)state;
    m->op.begins = !m->op.begins;
    const ashi_home home = m->original->home(m->original, m->rank, 0);
    return m->op.kind == ASHI_ADD && (m->op.part < 0 || home.kind == ASHI_HOME_BUFFER);
}

static const alteration table[] = {
    {"dropped", alter_by_dropping}, {"repeated", alter_by_repeating},     {"box", alter_box},
    {"words", alter_words},         {"room", alter_room},                 {"owner", alter_owner},
    {"member", alter_member},       {"offset", alter_offset},             {"packing", alter_packing},
    {"unpacked", alter_unpacked},   {"landing", alter_landing},          {"k", alter_k},
    {"chunk", alter_chunk},         {"number", alter_number},             {"slot", alter_slot},
    {"begin", alter_begin}};

/* Words of the pool of a translated program, one step after the other, and today's workspace, of all ranks; how many
 * ranks have fixed places that are of no use with a longer look-ahead. */
typedef struct pools {
    int64_t placed, today, refused;
} pools;

static void note_pools(ashi_test *t, uint64_t seed, ashi_schedule *s, pools *all)
{
    ashi_program program;
    ashlar_error err = {0};
    ashlar_status status = ashi_translate(s, &program, &err);
    for (int64_t rank = 0; rank < s->ranks && status == ASHLAR_OK; rank++) {
        const ashi_passes_request request = {&program, rank, 0, 32768};
        ashi_need need;
        int64_t words = 0;
        status = ashi_passes_peak_of(&request, &words, &err);
        if (status == ASHLAR_OK)
            status = ashi_schedule_need_in_full(s, rank, &need, &err);
        all->placed += words;
        all->today += status == ASHLAR_OK ? need.workspace : 0;
    }
    ashi_program_free(&program);
    if (status == ASHLAR_OK)
        status = s->program(s, &program, &err);
    for (int64_t rank = 0; rank < s->ranks && status == ASHLAR_OK; rank++)
        all->refused += longer_is_refused(&program, rank);
    CHECK(t, status == ASHLAR_OK, "seed %" PRIu64 ": %s", seed, err.text);
    ashi_program_free(&program);
}

static void one_problem(ashi_test *t, uint64_t seed, int64_t longest, int tries, alterations *a,
                        program_mutants *programs, int64_t *bundles, pools *all)
{
    grid_problem p;
    ashi_schedule s = {0};
    ashi_check_report report;
    ashlar_error err = {0};
    const bool made = random_grid_problem(seed, longest, &p, &err);
    CHECK(t, made, "seed %" PRIu64 ": %s", seed, err.text);
    ashlar_status status = made ? ashi_grid_schedule(&p.request, &s, &err) : ASHLAR_ERR_ARG;
    CHECK(t, status == ASHLAR_OK, "seed %" PRIu64 ": %s", seed, err.text);
    s.torus = p.torus;
    if (status == ASHLAR_OK) {
        status = ashi_check_schedule(&s, &report, &err);
        CHECK(t, status == ASHLAR_OK, "seed %" PRIu64 ": %s", seed, err.text);
        if (status == ASHLAR_OK) {
            counts_agree(t, seed, &s, &report);
            translation_agrees(t, seed, &s, &report);
            operations_are_the_same(t, seed, &s);
            program_counts_agree(t, seed, &s);
            steps_can_be_repeated(t, seed, &s);
            brief_counts_agree(t, seed, &s, bundles);
            if (seed % 8 == 0)
                note_pools(t, seed, &s, all);
            mutants_are_found(t, seed, &s, tries, a);
            program_mutants_are_found(t, seed, &s, seed % 3 ? 0 : tries, programs);
        }
        ashi_schedule_free(&s);
    }
    free_grid_problem(&p);
}

/* The proof goes by boxes, not by elements: a size that no array could have takes no longer. */
static void large_sizes(ashi_test *t, bool tree, bool one_sided)
{
    enum { SIZE = 100000 };
    const int64_t grid[3] = {4, 4, 4}, size[3] = {SIZE, SIZE, SIZE};
    grid_problem p = {.request = {.strategy = "test", .ranks = 65, .size = {SIZE, SIZE, SIZE}, .rounds = 7,
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
    free_grid_problem(&p);
}

int main(int argc, char **argv)
{
    ashi_test t = {0};
    int64_t bundles = 0;
    alterations a = {.at = table, .count = sizeof table / sizeof *table, .counts = counts};
    program_mutants programs = {0};
    pools all = {0};
    const ashi_seeds seeds = ashi_seeds_of(argc, argv, 3600);
    for (uint64_t seed = seeds.first; seed <= seeds.last; seed++)
        one_problem(&t, seed, 60, 3, &a, &programs, &bundles, &all);
    for (uint64_t seed = 1; !seeds.told && seed <= 20; seed++)
        one_problem(&t, seed, 3000, 2, &a, &programs, &bundles, &all);
    for (int i = 0; !seeds.told && i < 4; i++)
        large_sizes(&t, i & 1, i & 2);
    if (!seeds.told) {
        mutants_were_many(&t, &a, 50);
        program_mutants_were_many(&t, &programs, "peer, swap", 25);
    }
    /* Of a single rank's words best fit may take more: intervals of unequal sizes leave gaps. */
    CHECK(&t, all.placed <= all.today, "pools of %" PRId64 " words in all, %" PRId64 " in today's workspaces",
          all.placed, all.today);
    CHECK(&t, seeds.told || all.refused > 100, "a longer look-ahead was refused only %" PRId64 " times", all.refused);
    CHECK(&t, seeds.told || bundles > 1000, "only %" PRId64 " bundles of several messages", bundles);
    return ashi_test_end(&t, "schedule");
}
