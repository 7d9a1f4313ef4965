/* The programs of strategies that hand blocks on pass the checkers, and the checkers find what is altered in them. */
#include "base/checked.h"
#include "program_mutants.h"
#include "random_problem.h"
#include "same_steps.h"

#include <string.h>

static const char *const names[] = {"cannon", "sd_cannon", "tpmm", "cosma_tpmm", "summa_tpmm"};

enum { STRATEGIES = sizeof names / sizeof *names };

/* What was tried. */
typedef struct seen {
    int64_t programs[STRATEGIES];
    int64_t folded, slabs, moving, one_sided; /* more parts than ranks, rounds of sums, and so on */
    int64_t refused;                          /* ranks whose places are of no use with a longer look-ahead */
    program_mutants mutants;
} seen;

static void note(seen *n, const ashi_schedule *s)
{
    int64_t parts = 0;
    for (int64_t r = 0; r < s->ranks; r++)
        parts += s->parts(s, r);
    n->folded += parts > s->ranks;
    n->moving += s->reduce_rounds > 0;
    n->one_sided += s->one_sided;
}

/* Ranks whose places are of no use with a longer look-ahead. */
static int64_t refusals(ashi_schedule *s)
{
    ashi_program program = {0};
    int64_t refused = 0;
    if (ashi_program_of(s, &program, NULL) == ASHLAR_OK)
        for (int64_t rank = 0; rank < s->ranks; rank++)
            refused += longer_is_refused(&program, rank);
    ashi_program_free(&program);
    return refused;
}

static void one_schedule(ashi_test *t, uint64_t seed, ashi_schedule *s, int tries, seen *n)
{
    ashi_check_report report;
    if (!schedule_is_sound(t, seed, s, &report))
        return;
    note(n, s);
    n->refused += seed % 8 == 0 ? refusals(s) : 0;
    steps_can_be_repeated(t, seed, s);
    if (s->ranks <= RANDOM_RANKS_MAX)
        program_mutants_are_found(t, seed, s, tries, &n->mutants);
}

static void one_strategy(ashi_test *t, uint64_t seed, const ashi_problem *q, int which, int tries, seen *n)
{
    uint64_t state = seed * 5 + (uint64_t)which;
    const ashi_strategy *s = ashi_strategy_named(names[which]);
    ashi_proposals list = {0};
    ashi_schedule schedule = {0};
    ashlar_error err = {0};
    if (!s || s->propose(q, &list, &err) != ASHLAR_OK || list.count == 0) {
        CHECK(t, s && err.text[0], "%s, seed %" PRIu64 ": no reason", names[which], seed);
        ashi_proposals_free(&list);
        return;
    }
    ashi_proposal *p = &list.at[ashi_random_in(&state, 0, list.count - 1)];
    p->strategy = s;
    p->rounds = ashi_random_in(&state, 1, 3);
    p->reduce_rounds = ashi_random_in(&state, 1, 3);
    n->slabs += p->rounds > 1;
    ashlar_status status = ashi_proposal_furnish(q, p, &err);
    if (status == ASHLAR_OK)
        status = s->schedule(q, p, &schedule, &err);
    CHECK(t, status == ASHLAR_OK, "%s, seed %" PRIu64 ": %s", names[which], seed, err.text);
    if (status == ASHLAR_OK)
        one_schedule(t, seed, &schedule, tries, n);
    n->programs[which]++;
    ashi_schedule_free(&schedule);
    ashi_proposals_free(&list);
}

int main(int argc, char **argv)
{
    ashi_test t = {0};
    seen n = {0};
    const ashi_seeds seeds = ashi_seeds_of(argc, argv, 70);
    for (uint64_t seed = seeds.first; seed <= seeds.last; seed++) {
        problem p;
        ashlar_error err = {0};
        const bool made = random_problem(seed + 70000, &p, &err);
        CHECK(&t, made, "seed %" PRIu64 ": %s", seed, err.text);
        for (int i = 0; made && i < STRATEGIES; i++)
            one_strategy(&t, seed, &p.q, i, 3, &n);
        free_random_problem(&p);
    }
    for (int i = 0; !seeds.told && i < STRATEGIES; i++)
        CHECK(&t, n.programs[i] > 10, "%s served %" PRId64 " problems only", names[i], n.programs[i]);
    if (!seeds.told) {
        CHECK(&t, n.refused > 30, "a longer look-ahead was refused only %" PRId64 " times", n.refused);
        CHECK(&t, n.folded > 30 && n.slabs > 30 && n.moving > 30 && n.one_sided > 30,
              "only %" PRId64 " folds, %" PRId64 " in slabs, %" PRId64 " with moving sums, %" PRId64 " one-sided",
              n.folded, n.slabs, n.moving, n.one_sided);
        program_mutants_were_many(&t, &n.mutants, "peer, swap", 10);
    }
    return ashi_test_end(&t, "shift_program");
}
