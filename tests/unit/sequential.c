/* The sequential schedule passes the checker, which finds what is altered in it, and its words are those of a walk. */
#include "alterations.h"
#include "base/checked.h"
#include "program_mutants.h"
#include "random_sequential.h"
#include "simulate/simulate.h"

static void counts_are_exact(ashi_test *t, uint64_t seed, const ashi_sequential_request *q, const ashi_sequential *s,
                             ashi_schedule *schedule)
{
    const ashi_disk_words busiest = ashi_sequential_busiest(s), all = ashi_sequential_total(s);
    ashi_totals totals;
    ashlar_error err = {0};
    int64_t read = 0, written = 0;
    CHECK(t, ashi_simulate(schedule, NULL, NULL, &totals, &err) == ASHLAR_OK, "seed %" PRIu64 ": %s", seed, err.text);
    for (int64_t r = 0; r < schedule->ranks; r++) {
        ashi_need need;
        CHECK(t, ashi_schedule_need(schedule, r, &need, &err) == ASHLAR_OK, "seed %" PRIu64 ": %s", seed, err.text);
        read += need.read;
        written += need.written;
        CHECK(t, need.read + need.written <= busiest.all, "seed %" PRIu64 ": rank %" PRId64, seed, r);
        CHECK(t, r > 0 || need.read == busiest.a + busiest.b + busiest.c0, "seed %" PRIu64, seed);
    }
    CHECK(t, totals.disk_max == busiest.all && totals.disk_total == all.all, "seed %" PRIu64 ": %" PRId64 " %" PRId64,
          seed, totals.disk_max, busiest.all);
    CHECK(t, read == all.a + all.b + all.c0 && written == all.c, "seed %" PRIu64, seed);
    CHECK(t, totals.memory_max == ashi_sequential_memory(s), "seed %" PRIu64 ": %" PRId64 " and %" PRId64, seed,
          totals.memory_max, ashi_sequential_memory(s));
    CHECK(t, totals.memory_max <= q->memory_words, "seed %" PRIu64 ": holds %" PRId64, seed, totals.memory_max);
    CHECK(t, totals.words_max == 0 && totals.messages_max == 0, "seed %" PRIu64, seed);
}

/* ---- what is altered ---- */

/* A box of the same size elsewhere. */
static bool shift_box(mutant *m, uint64_t *state)
{
    const int64_t by = one_off(state);
    m->op.box.minor_lo += by;
    m->op.box.minor_hi += by;
    return is_streaming(m) || m->op.kind == ASHI_MULTIPLY;
}

static bool alter_room(mutant *m, uint64_t *state)
{
    m->op.words -= ashi_random_in(state, 1, 2);
    return m->op.kind == ASHI_ACQUIRE;
}

static bool alter_operand(mutant *m, uint64_t *state)
{
    m->op.operand = (ashlar_operand)(((int)m->op.operand + ashi_random_in(state, 1, 2)) % 3);
    return is_streaming(m) || m->op.kind == ASHI_ACQUIRE;
}

static bool alter_any_slot(mutant *m, uint64_t *state)
{
    m->op.slot = m->op.slot == ASHI_NO_SLOT ? 0 : (int)ashi_random_in(state, 1, 2) * 2 - 3;
    return true;
}

static bool alter_kind(mutant *m, uint64_t *state)
{
    const ashi_op_kind before = m->op.kind;
    m->op.kind = (ashi_op_kind)ashi_random_in(state, ASHI_ACQUIRE, ASHI_WRITE + 1);
    return m->op.kind != before;
}

static const alteration table[] = {{"dropped", alter_by_dropping}, {"repeated", alter_by_repeating},
                                   {"box", alter_box},             {"shifted", shift_box},
                                   {"words", alter_words},         {"room", alter_room},
                                   {"operand", alter_operand},     {"slot", alter_any_slot},
                                   {"k", alter_k},                 {"kind", alter_kind}};

static void one_problem(ashi_test *t, uint64_t seed, alterations *a, program_mutants *programs)
{
    const ashi_sequential_request q = random_request(seed);
    ashi_sequential s;
    ashi_schedule schedule = {0};
    ashi_check_report report;
    ashlar_error err = {0};
    ashlar_status status = ashi_sequential_choose(&q, &s, &err);
    CHECK(t, status == ASHLAR_OK, "seed %" PRIu64 ": %s", seed, err.text);
    if (status == ASHLAR_OK)
        status = ashi_sequential_schedule(&s, &schedule, &err);
    CHECK(t, status == ASHLAR_OK, "seed %" PRIu64 ": %s", seed, err.text);
    if (status != ASHLAR_OK)
        return;
    counts_are_exact(t, seed, &q, &s, &schedule);
    status = ashi_check_schedule(&schedule, &report, &err);
    CHECK(t, status == ASHLAR_OK, "seed %" PRIu64 ": %s", seed, err.text);
    const ashi_disk_words all = ashi_sequential_total(&s);
    CHECK(t, report.products == q.size[0] * q.size[1] * q.size[2], "seed %" PRIu64, seed);
    CHECK(t, report.read == all.a + all.b + all.c0 && report.written == all.c, "seed %" PRIu64, seed);
    translation_agrees(t, seed, &schedule, &report);
    mutants_are_found(t, seed, &schedule, 6, a);
    program_mutants_are_found(t, seed, &schedule, seed % 3 ? 0 : 6, programs);
    ashi_schedule_free(&schedule);
}

/* Where nothing is multiplied each rank writes whole lines of the file, or parts of one that does not fit; the format's
 * order of columns is kept. */
static void lines(ashi_test *t, uint64_t seed)
{
    ashi_sequential_request q = random_request(seed);
    const bool by_rows = !q.in_columns && seed % 3 > 0;
    ashi_schedule schedule = {0};
    ashi_check_report report;
    ashlar_error err = {0};
    int64_t a, b, h;
    q.size[2] = 0;
    q.memory_words = q.memory_words % 61 + 1;
    const ashi_sequential s = ashi_sequential_lines(&q, by_rows);
    ashi_sequential_shape(&s, &a, &b, &h);
    const int64_t line = by_rows ? b : a, count = by_rows ? a : b, parts = s.grid[by_rows ? 1 : 0];
    const int64_t whole = parts > 0 ? ashi_ceil_div(q.size[by_rows ? 1 : 0], parts) : 0;
    CHECK(t, line == whole || count == 1, "seed %" PRIu64 ": %" PRId64 " x %" PRId64, seed, a, b);
    const int64_t used = s.grid[0] * s.grid[1], ranks = q.one_writer || q.in_columns ? 1 : q.ranks;
    CHECK(t, used <= ranks && used >= ashi_min(ranks, q.size[by_rows ? 0 : 1]) * (q.size[by_rows ? 1 : 0] > 0),
          "seed %" PRIu64 ": %" PRId64 " ranks", seed, used);
    CHECK(t, ashi_sequential_schedule(&s, &schedule, &err) == ASHLAR_OK, "seed %" PRIu64 ": %s", seed, err.text);
    counts_are_exact(t, seed, &q, &s, &schedule);
    CHECK(t, ashi_check_schedule(&schedule, &report, &err) == ASHLAR_OK, "seed %" PRIu64 ": %s", seed, err.text);
    CHECK(t, report.written == q.size[0] * q.size[1] && report.read == report.written * q.adds, "seed %" PRIu64, seed);
    translation_agrees(t, seed, &schedule, &report);
    ashi_schedule_free(&schedule);
}

int main(int argc, char **argv)
{
    ashi_test t = {0};
    alterations a = {.at = table, .count = sizeof table / sizeof *table};
    program_mutants programs = {0};
    const ashi_seeds seeds = ashi_seeds_of(argc, argv, 600);
    for (uint64_t seed = seeds.first; seed <= seeds.last; seed++) {
        one_problem(&t, seed, &a, &programs);
        lines(&t, seed);
    }
    if (!seeds.told)
        mutants_were_many(&t, &a, 20);
    if (!seeds.told)
        program_mutants_were_many(&t, &programs, "lost sum, box, words, peer, owner, member, chunk, swap, landing, tag, "
                                  "last to peer, serial", 20);
    return ashi_test_end(&t, "sequential");
}
