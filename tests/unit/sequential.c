/* The sequential schedule: its words against a walk and against the bound, its choice against all others, its proof. */
#include "model/bounds.h"
#include "schedule/check.h"
#include "schedule/simulate.h"
#include "strategy/choose.h"
#include "strategy/sequential.h"
#include "test.h"

#include <string.h>

static ashi_sequential_request random_request(uint64_t seed)
{
    uint64_t state = seed;
    ashi_sequential_request q = {.ranks = ashi_random_in(&state, 1, 9), .bytes = 4 << ashi_random_in(&state, 0, 2),
                                 .adds = seed & 1, .one_writer = seed % 7 == 0, .in_columns = seed % 5 == 0};
    for (int d = 0; d < 3; d++)
        q.size[d] = ashi_random_in(&state, 0, 25) ? ashi_random_in(&state, 1, 40) : 0;
    const int64_t most[] = {10, 60, 600, 6000};
    q.memory_words = ashi_random_in(&state, 3, most[ashi_random_in(&state, 0, 3)]);
    return q;
}

/* ---- the closed form ---- */

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

/* ---- the choice ---- */

/* The fewest words of the busiest rank over every grid and every pair of tile sides, with slabs as thin as can be. */
static int64_t fewest(const ashi_sequential_request *q)
{
    const int64_t m = q->size[0], n = q->size[1], k = q->size[2], h = k > 0, s = q->memory_words;
    const int64_t ranks = q->one_writer || q->in_columns ? 1 : q->ranks;
    int64_t best = INT64_MAX;
    for (int64_t pm = 1; pm <= ranks && pm <= m; pm++)
        for (int64_t pn = 1; pm * pn <= ranks && pn <= n; pn++) {
            const int64_t rows = (m + pm - 1) / pm, cols = (n + pn - 1) / pn;
            for (int64_t a = 1; a <= rows; a++)
                for (int64_t b = 1; b <= cols && a * b + h * (a + b) <= s; b++) {
                    const int64_t down = (rows + a - 1) / a, across = (cols + b - 1) / b;
                    const int64_t words = k * (across * rows + down * cols) + (1 + q->adds) * rows * cols;
                    if (!q->in_columns || down == 1 || b == 1)
                        best = words < best ? words : best;
                }
        }
    return best == INT64_MAX ? 0 : best;
}

/* While S < 32^2 the rule keeps slabs one word thick, so nothing may be better. */
static void choice_is_best(ashi_test *t, uint64_t seed, const ashi_sequential_request *q, const ashi_sequential *s)
{
    const int64_t words = ashi_sequential_busiest(s).all, least = fewest(q);
    CHECK(t, words >= least, "seed %" PRIu64 ": %" PRId64 ", all others %" PRId64, seed, words, least);
    if (q->memory_words < 1024)
        CHECK(t, words == least, "seed %" PRIu64 ": %" PRId64 ", wanted %" PRId64, seed, words, least);
}

static ashi_sequential chosen(ashi_test *t, int64_t m, int64_t n, int64_t k, int64_t ranks, int64_t memory)
{
    const ashi_sequential_request q = {.size = {m, n, k}, .ranks = ranks, .memory_words = memory, .bytes = 8};
    ashi_sequential s;
    ashlar_error err = {0};
    CHECK(t, ashi_sequential_choose(&q, &s, &err) == ASHLAR_OK, "%s", err.text);
    return s;
}

/* Theorem 1 is approached as S grows, and never passed. Sizes that tiles nearly divide, so that edges cost little. */
static void near_the_bound(ashi_test *t)
{
    static const struct {
        int64_t n, memory;
        double factor;
    } cases[] = {{2000, 100, 1.24}, {5000, 1000, 1.10}, {20000, 10000, 1.09}, {50000, 100000, 1.08},
                 {100000, 1000000, 1.03}, {200000, 10000000, 1.02}, {400000, 100000000, 1.02}};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        const int64_t n = cases[i].n;
        const ashi_sequential s = chosen(t, n, n, n, 1, cases[i].memory);
        const double ratio = (double)ashi_sequential_busiest(&s).all / ashi_bound_sequential(n, n, n, cases[i].memory);
        CHECK(t, ratio >= 1 && ratio <= cases[i].factor, "%" PRId64 "^3 in %" PRId64 " words: %.4f of the bound", n,
              cases[i].memory, ratio);
    }
}

/* Slabs are thick enough to be read well: 64 KiB, or an eighth of what would be, or all of k. */
static void slabs_are_thick(ashi_test *t)
{
    for (int64_t memory = 100000; memory <= 100000000; memory *= 3) {
        const ashi_sequential s = chosen(t, 100000, 100000, 100000, 1, memory);
        int64_t a, b, h;
        ashi_sequential_shape(&s, &a, &b, &h);
        const bool thick = (a < b ? a : b) * h * 8 >= 60000 || h >= a / 16 - 1;
        CHECK(t, thick, "S %" PRId64 ": %" PRId64 " x %" PRId64 ", slabs %" PRId64, memory, a, b, h);
    }
}

static void limits(ashi_test *t)
{
    ashi_sequential_request q = {.size = {10, 10, 10}, .ranks = 1, .memory_words = 2, .bytes = 8};
    ashi_sequential s;
    ashlar_error err = {0};
    CHECK(t, ashi_sequential_choose(&q, &s, &err) == ASHLAR_ERR_LIMIT && strstr(err.text, "at least 3 "), "%s",
          err.text);
    q.memory_words = 3;
    CHECK(t, ashi_sequential_choose(&q, &s, &err) == ASHLAR_OK && ashi_sequential_busiest(&s).all == 2100, "%s",
          err.text);
    q = (ashi_sequential_request){.size = {INT64_MAX, 1, 1}, .ranks = 1, .memory_words = 9, .bytes = 8};
    CHECK(t, ashi_sequential_choose(&q, &s, &err) == ASHLAR_ERR_OVERFLOW, "%s", err.text);
    q.size[0] = q.size[1] = q.size[2] = 1 << 30;
    CHECK(t, ashi_sequential_choose(&q, &s, &err) == ASHLAR_ERR_OVERFLOW, "%s", err.text);
}

/* ---- the row of the table ---- */

static ashlar_status simulate(void *context, ashi_schedule *s, ashi_totals *out, ashlar_error *err)
{
    (void)context;
    return ashi_simulate(s, NULL, NULL, out, err);
}

static void only_for_files(ashi_test *t)
{
    ashi_problem p = {.size = {60, 50, 40}, .ranks = 3, .memory_words = 200, .idle = 0.03, .window = 2,
                      .type = ASHLAR_TYPE_D, .machine = ashlar_machine_default()};
    ashi_choice choice;
    ashlar_error err = {0};
    CHECK(t, ashi_choose(&p, "sequential", simulate, NULL, &choice, &err) == ASHLAR_ERR_UNSUPPORTED &&
          strstr(err.text, "in memory"), "%s", err.text);
    CHECK(t, ashi_choose(&p, NULL, simulate, NULL, &choice, &err) == ASHLAR_ERR_LIMIT, "%s", err.text);
    p.in_files = true;
    CHECK(t, ashi_choose(&p, "cosma", simulate, NULL, &choice, &err) == ASHLAR_ERR_UNSUPPORTED &&
          strstr(err.text, "in files"), "%s", err.text);
    CHECK(t, ashi_choose(&p, NULL, simulate, NULL, &choice, &err) == ASHLAR_OK, "%s", err.text);
    CHECK(t, choice.strategy == &ashi_strategy_sequential && choice.totals.memory_max <= 200, "%" PRId64,
          choice.totals.memory_max);
    CHECK(t, choice.seconds > (double)choice.totals.disk_max * 8 / p.machine.disk_bandwidth, "%g", choice.seconds);
    ashi_choice_free(&choice);
    p.memory_words = 2;
    CHECK(t, ashi_choose(&p, NULL, simulate, NULL, &choice, &err) == ASHLAR_ERR_LIMIT &&
          strstr(err.text, "at least 3 "), "%s", err.text);
}

/* ---- mutants ---- */

/* A schedule with one operation altered, dropped or doubled; it comes first, so that a pointer to it is one to all. */
typedef struct mutant {
    ashi_schedule altered;
    ashi_schedule *original;
    int64_t rank, wanted, seen; /* whose operations, and which of them */
    int copies;
    uint64_t state;
    bool (*alter)(uint64_t *state, ashi_op *op);
    bool altered_it;
    ashi_visit visit;
    void *context;
} mutant;

static ashlar_status pass_on(void *context, const ashi_op *op, ashlar_error *err)
{
    mutant *m = context;
    ashi_op other = *op;
    uint64_t state = m->state; /* the same alteration whenever the stream is walked */
    int copies = 1;
    if (m->seen++ == m->wanted) {
        m->altered_it = m->alter(&state, &other);
        copies = m->altered_it ? m->copies : 1;
    }
    ashlar_status status = ASHLAR_OK;
    for (int i = 0; i < copies && status == ASHLAR_OK; i++)
        status = m->visit(m->context, &other, err);
    return status;
}

static ashlar_status emit_altered(ashi_schedule *schedule, int64_t rank, int64_t step, ashi_visit visit, void *context,
                                  ashlar_error *err)
{
    mutant *m = (mutant *)schedule;
    if (rank != m->rank)
        return m->original->emit(m->original, rank, step, visit, context, err);
    if (step == 0)
        m->seen = 0;
    m->visit = visit;
    m->context = context;
    return m->original->emit(m->original, rank, step, pass_on, m, err);
}

static bool as_it_is(uint64_t *state, ashi_op *op)
{
    (void)state;
    (void)op;
    return true;
}

static bool alter_box(uint64_t *state, ashi_op *op)
{
    int64_t *const side[] = {&op->box.minor_lo, &op->box.minor_hi, &op->box.major_lo, &op->box.major_hi};
    *side[ashi_random_in(state, 0, 3)] += ashi_random_in(state, 0, 1) ? 1 : -1;
    return op->kind == ASHI_READ || op->kind == ASHI_MULTIPLY || op->kind == ASHI_WRITE;
}

/* A box of the same size elsewhere. */
static bool shift_box(uint64_t *state, ashi_op *op)
{
    const int64_t by = ashi_random_in(state, 0, 1) ? 1 : -1;
    op->box.minor_lo += by;
    op->box.minor_hi += by;
    return op->kind == ASHI_READ || op->kind == ASHI_MULTIPLY || op->kind == ASHI_WRITE;
}

static bool alter_words(uint64_t *state, ashi_op *op)
{
    op->words -= ashi_random_in(state, 1, 2);
    return op->kind == ASHI_READ || op->kind == ASHI_WRITE || op->kind == ASHI_ACQUIRE;
}

static bool alter_operand(uint64_t *state, ashi_op *op)
{
    op->operand = (ashlar_operand)(((int)op->operand + ashi_random_in(state, 1, 2)) % 3);
    return op->kind == ASHI_READ || op->kind == ASHI_WRITE || op->kind == ASHI_ACQUIRE;
}

static bool alter_slot(uint64_t *state, ashi_op *op)
{
    op->slot = op->slot == ASHI_NO_SLOT ? 0 : (int)ashi_random_in(state, 1, 2) * 2 - 3;
    return true;
}

static bool alter_k(uint64_t *state, ashi_op *op)
{
    int64_t *end = ashi_random_in(state, 0, 1) ? &op->k_lo : &op->k_hi;
    *end += ashi_random_in(state, 0, 1) ? 1 : -1;
    return op->kind == ASHI_MULTIPLY;
}

static bool alter_kind(uint64_t *state, ashi_op *op)
{
    const ashi_op_kind before = op->kind;
    op->kind = (ashi_op_kind)ashi_random_in(state, ASHI_ACQUIRE, ASHI_WRITE + 1);
    return op->kind != before;
}

static const struct {
    const char *name;
    bool (*alter)(uint64_t *state, ashi_op *op);
    int copies;
} alterations[] = {{"dropped", as_it_is, 0},      {"repeated", as_it_is, 2}, {"box", alter_box, 1},
                   {"shifted", shift_box, 1},     {"words", alter_words, 1}, {"operand", alter_operand, 1},
                   {"slot", alter_slot, 1},       {"k", alter_k, 1},         {"kind", alter_kind, 1}};

enum { ALTERATIONS = sizeof alterations / sizeof *alterations };

static ashlar_status count_op(void *context, const ashi_op *op, ashlar_error *err)
{
    (void)op;
    (void)err;
    ++*(int64_t *)context;
    return ASHLAR_OK;
}

static int64_t count_ops(ashi_schedule *s, int64_t rank)
{
    int64_t ops = 0;
    ashi_schedule_walk(s, rank, count_op, &ops, NULL);
    return ops;
}

static void mutants_are_found(ashi_test *t, uint64_t seed, ashi_schedule *s, int64_t found[ALTERATIONS])
{
    mutant m = {.original = s, .state = ~seed, .alter = as_it_is, .copies = 1, .wanted = -1};
    ashi_check_report report;
    m.altered = *s;
    m.altered.emit = emit_altered;
    for (int i = 0; i < 6; i++) {
        const int64_t which = ashi_random_in(&m.state, 0, ALTERATIONS - 1);
        m.rank = ashi_random_in(&m.state, 0, s->ranks - 1);
        const int64_t ops = count_ops(s, m.rank);
        if (ops == 0)
            continue;
        m.wanted = ashi_random_in(&m.state, 0, ops - 1);
        m.alter = alterations[which].alter;
        m.copies = alterations[which].copies;
        m.altered_it = false;
        const ashlar_status status = ashi_check_schedule(&m.altered, &report, NULL);
        if (!m.altered_it)
            continue;
        CHECK(t, status == ASHLAR_ERR_INTERNAL && report.text[0],
              "seed %" PRIu64 ": operation %" PRId64 " of rank %" PRId64 "'s %" PRId64 ", %s, goes unnoticed", seed,
              m.wanted, m.rank, ops, alterations[which].name);
        found[which]++;
    }
}

static void one_problem(ashi_test *t, uint64_t seed, int64_t found[ALTERATIONS])
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
    choice_is_best(t, seed, &q, &s);
    status = ashi_check_schedule(&schedule, &report, &err);
    CHECK(t, status == ASHLAR_OK, "seed %" PRIu64 ": %s", seed, err.text);
    const ashi_disk_words all = ashi_sequential_total(&s);
    CHECK(t, report.products == q.size[0] * q.size[1] * q.size[2], "seed %" PRIu64, seed);
    CHECK(t, report.read == all.a + all.b + all.c0 && report.written == all.c, "seed %" PRIu64, seed);
    mutants_are_found(t, seed, &schedule, found);
    ashi_schedule_free(&schedule);
}

int main(void)
{
    ashi_test t = {0};
    int64_t found[ALTERATIONS] = {0};
    for (uint64_t seed = 1; seed <= 600; seed++)
        one_problem(&t, seed, found);
    for (int i = 0; i < ALTERATIONS; i++)
        CHECK(&t, found[i] > 20, "too few mutants: %s %" PRId64, alterations[i].name, found[i]);
    near_the_bound(&t);
    slabs_are_thick(&t);
    limits(&t);
    only_for_files(&t);
    return ashi_test_end(&t, "sequential");
}
