/* Schedules whose panels stay pass the checker, and the checker finds what is altered in them. */
#include "mutants.h"
#include "random_cannon.h"
#include "schedule/check.h"
#include "test.h"

#include <string.h>

typedef struct problem {
    ashlar_layout *layout[3];
    ashi_schedule schedule;
    cannon *cannon;
} problem;

static void free_problem(problem *p)
{
    if (p->cannon)
        ashi_pieces_free(&p->cannon->pieces);
    free(p->cannon);
    ashi_schedule_free(&p->schedule);
    for (int x = 0; x < 3; x++)
        ashlar_layout_free(&p->layout[x]);
}

/* The layout in which every block is where it is multiplied first. */
static ashlar_layout *own_layout(const cannon *c, int x, ashlar_error *err)
{
    static int owner[CANNON_PARTS_MAX];
    ashlar_layout *out = NULL;
    for (int64_t i = 0; i < c->q; i++)
        for (int64_t j = 0; j < c->q; j++) {
            const int64_t at[3] = {i * c->q + (j - i + c->q) % c->q, (i - j + c->q) % c->q * c->q + j, i * c->q + j};
            owner[i * c->q + j] = c->rank_of[at[x]];
        }
    const int64_t *rows = c->cut[x == ASHLAR_B ? 2 : 0], *cols = c->cut[x == ASHLAR_A ? 2 : 1];
    ashlar_layout_tiles(c->q, c->q, rows, cols, owner, x == ASHLAR_B ? ASHLAR_ROW_MAJOR : ASHLAR_COL_MAJOR, &out, err);
    return out;
}

/* Views, cells and the rest, once parts have ranks and dimensions are cut. */
static bool complete(uint64_t *state, problem *p, bool own, ashlar_error *err)
{
    ashi_schedule *s = &p->schedule;
    const int64_t size[3] = {s->m, s->n, s->k}, shape[3][2] = {{s->m, s->k}, {s->k, s->n}, {s->m, s->n}};
    const ashlar_layout *layout[3];
    ashlar_op op[2] = {ASHLAR_OP_N, ASHLAR_OP_N};
    ashi_axis axis[3];
    for (int x = 0; x < 3; x++) {
        if (!own && x < 2)
            op[x] = (ashlar_op)ashi_random_in(state, 0, 2);
        const bool turned = x < 2 && op[x] != ASHLAR_OP_N;
        p->layout[x] = own ? own_layout(p->cannon, x, err)
                           : random_layout(state, shape[x][turned], shape[x][!turned], (int)s->ranks, err);
        layout[x] = p->layout[x];
        if (!layout[x])
            return false;
    }
    if (ashi_grid_axes(layout, op, size, (ashi_lead){ASHLAR_C, false}, axis, err) != ASHLAR_OK)
        return false;
    const ashlar_status status = ashi_grid_views(layout, op, axis, s->ranks, s->view, err);
    for (int d = 0; d < 3; d++)
        ashi_axis_free(&axis[d]);
    return status == ASHLAR_OK && cannon_schedule(state, s);
}

/* `filled`: no block is empty. */
static bool random_problem(uint64_t seed, bool filled, problem *p, ashlar_error *err)
{
    uint64_t state = seed;
    cannon *c = calloc(1, sizeof *c);
    ashi_schedule *s = &p->schedule;
    *p = (problem){.cannon = c};
    if (!c)
        return false;
    c->q = ashi_random_in(&state, 1, 5);
    c->slabs = ashi_random_in(&state, 1, CANNON_SLABS_MAX);
    c->overlap = ashi_random_in(&state, 0, 1);
    s->own = c;
    s->one_sided = seed & 1;
    s->ranks = ashi_random_in(&state, 1, 14);
    s->reduce_rounds = ashi_random_in(&state, 1, 2);
    int64_t *const size[3] = {&s->m, &s->n, &s->k};
    for (int d = 0; d < 3; d++) {
        *size[d] = ashi_random_in(&state, filled ? c->q * (d == 2 ? c->slabs : 1) : 0, 50);
        for (int64_t i = 0; i <= c->q; i++)
            c->cut[d][i] = ashi_cut(*size[d], c->q, i);
        if (!filled && ashi_random_in(&state, 0, 1))
            random_cuts(&state, c->q, *size[d], c->cut[d]);
    }
    for (int64_t v = 0; v < c->q * c->q; v++)
        c->rank_of[v] = (int)ashi_random_in(&state, 0, s->ranks - 1);
    return complete(&state, p, seed & 4, err);
}

static void counts_agree(ashi_test *t, uint64_t seed, ashi_schedule *s, const ashi_check_report *report)
{
    ashlar_error err = {0};
    int64_t sent = 0, messages = 0;
    for (int64_t r = 0; r < s->ranks; r++) {
        ashi_need need;
        CHECK(t, ashi_schedule_need(s, r, &need, &err) == ASHLAR_OK, "seed %" PRIu64 ": %s", seed, err.text);
        sent += need.sent;
        messages += need.received_messages;
    }
    CHECK(t, report->products == s->m * s->n * s->k && report->words == sent && report->messages == messages,
          "seed %" PRIu64, seed);
}

/* ---- mutations: each alters one thing, or returns false where that would change nothing that matters ---- */

typedef bool (*alteration)(mutant *m, uint64_t *state);

static int64_t one_off(uint64_t *state)
{
    return ashi_random_in(state, 0, 1) ? 1 : -1;
}

static bool is_sum(const mutant *m)
{
    return m->op.kind == ASHI_REDUCE || m->op.kind == ASHI_ADD;
}

static bool is_handing(const mutant *m)
{
    return m->op.kind == ASHI_SEND || m->op.kind == ASHI_RECEIVE;
}

static bool moves_words(const mutant *m)
{
    return is_sum(m) || is_handing(m) || m->op.kind == ASHI_MULTICAST || m->op.kind == ASHI_COPY;
}

/* A wait too many or too few is found where all ranks wait together. */
static bool counts(const mutant *m)
{
    switch (m->op.kind) {
    case ASHI_ACQUIRE:
        return m->op.slot != ASHI_NO_SLOT || m->op.words > 0;
    case ASHI_ARRIVE:
        return m->original->one_sided && m->original->ranks > 1;
    case ASHI_SENT:
        return false;
    default:
        return true;
    }
}

static bool drop(mutant *m, uint64_t *state)
{
    (void)state;
    m->copies = 0;
    return counts(m);
}

static bool repeat(mutant *m, uint64_t *state)
{
    (void)state;
    m->copies = 2;
    return counts(m);
}

/* To the beginning of another step; products to where there are no panels any more. */
static bool move(mutant *m, uint64_t *state)
{
    const int64_t last = m->original->steps - 1;
    m->copies = 0;
    m->to_step = m->op.kind == ASHI_MULTIPLY ? last : ashi_random_in(state, 0, last);
    const bool same = (m->op.kind == ASHI_RELEASE || (m->op.kind == ASHI_ACQUIRE && m->op.slot != ASHI_NO_SLOT)) &&
                      m->to_step == m->step + 1; /* nothing may be between the two places */
    return counts(m) && m->op.kind != ASHI_COPY && m->to_step != m->step && !same;
}

static bool alter_box(mutant *m, uint64_t *state)
{
    int64_t *const side[] = {&m->op.box.minor_lo, &m->op.box.minor_hi, &m->op.box.major_lo, &m->op.box.major_hi};
    *side[ashi_random_in(state, 0, 3)] += one_off(state);
    return moves_words(m) || m->op.kind == ASHI_MULTIPLY;
}

static bool alter_words(mutant *m, uint64_t *state)
{
    const bool sums = m->op.kind == ASHI_ACQUIRE && m->op.slot == ASHI_NO_SLOT && m->op.words > 0;
    m->op.words += sums ? -1 : one_off(state);
    return moves_words(m) || sums;
}

static bool alter_offset(mutant *m, uint64_t *state)
{
    m->op.offset += ashi_random_in(state, 1, 9);
    switch (m->op.kind) {
    case ASHI_MULTICAST:
        return m->original->one_sided || (m->op.owner != m->rank && m->op.lands);
    case ASHI_REDUCE:
        return m->op.owner == m->rank || m->original->one_sided;
    case ASHI_SEND:
        return !m->op.own;
    default:
        return m->op.kind == ASHI_COPY || m->op.kind == ASHI_RECEIVE || m->op.kind == ASHI_ADD;
    }
}

static bool alter_panel(mutant *m, uint64_t *state)
{
    m->op.panel += ashi_random_in(state, 1, 9);
    return m->op.kind == ASHI_MULTICAST && m->op.owner != m->rank;
}

static bool alter_landing(mutant *m, uint64_t *state)
{
    (void)state;
    m->op.lands = !m->op.lands;
    return m->op.kind == ASHI_MULTICAST && m->op.owner != m->rank;
}

static bool alter_packing(mutant *m, uint64_t *state)
{
    (void)state;
    const bool packs = (m->op.kind == ASHI_MULTICAST || m->op.kind == ASHI_REDUCE) && m->op.pack_offset >= 0;
    m->op.pack_offset = INT64_MAX / 2;
    return packs;
}

static bool alter_peer(mutant *m, uint64_t *state)
{
    m->op.peer += one_off(state);
    return is_handing(m);
}

static bool alter_place(mutant *m, uint64_t *state)
{
    m->op.peer_offset += ashi_random_in(state, 1, 9);
    return m->op.kind == ASHI_SEND && m->original->one_sided;
}

static bool alter_source(mutant *m, uint64_t *state)
{
    (void)state;
    const int64_t own = m->op.kind == ASHI_SEND
                            ? ashi_view_words(&m->original->view[m->op.operand], m->rank, &m->op.box) : 0;
    m->op.own = !m->op.own;
    return m->op.kind == ASHI_SEND && (!m->op.own || own < m->op.words);
}

static bool alter_part(mutant *m, uint64_t *state)
{
    m->op.part += one_off(state);
    return is_sum(m) || m->op.kind == ASHI_MULTIPLY;
}

static bool alter_at(mutant *m, uint64_t *state)
{
    const int x = (int)ashi_random_in(state, 0, 1);
    m->op.at[x] += ashi_random_in(state, 1, 9);
    return m->op.kind == ASHI_MULTIPLY && m->op.whole[x];
}

/* What is read in place is in no panel. */
static bool alter_whole(mutant *m, uint64_t *state)
{
    const int x = (int)ashi_random_in(state, 0, 1);
    const bool in_place = m->op.kind == ASHI_MULTIPLY && !m->op.whole[x];
    m->op.whole[x] = true;
    return in_place;
}

static bool alter_k(mutant *m, uint64_t *state)
{
    *(ashi_random_in(state, 0, 1) ? &m->op.k_lo : &m->op.k_hi) += one_off(state);
    return m->op.kind == ASHI_MULTIPLY;
}

static bool alter_slot(mutant *m, uint64_t *state)
{
    m->op.slot += (int)one_off(state);
    return m->op.kind != ASHI_PHASE && (m->op.kind != ASHI_ACQUIRE || counts(m));
}

static const struct {
    const char *name;
    alteration alter;
} alterations[] = {{"dropped", drop},          {"repeated", repeat},      {"moved", move},
                   {"box", alter_box},         {"words", alter_words},    {"offset", alter_offset},
                   {"panel", alter_panel},     {"landing", alter_landing}, {"packing", alter_packing},
                   {"peer", alter_peer},       {"place", alter_place},    {"source", alter_source},
                   {"part", alter_part},       {"at", alter_at},          {"whole", alter_whole},
                   {"k", alter_k},             {"slot", alter_slot}};

enum { ALTERATIONS = sizeof alterations / sizeof *alterations };

static void mutants_are_found(ashi_test *t, uint64_t seed, ashi_schedule *s, int tries, int64_t found[ALTERATIONS])
{
    uint64_t state = ~seed;
    mutant m = {.original = s, .to_step = -1};
    const int64_t ops = mutant_find(&m, INT64_MAX);
    for (int i = 0; i < tries; i++) {
        const int64_t which = ashi_random_in(&state, 0, ALTERATIONS - 1);
        ashi_op before;
        bool matters = false;
        for (int attempt = 0; attempt < 12 && !matters; attempt++) { /* some suit few operations */
            mutant_begin(&m, ashi_random_in(&state, 0, ops - 1));
            before = m.op;
            matters = alterations[which].alter(&m, &state);
        }
        if (!matters)
            continue;
        ashi_check_report report;
        const ashlar_status status = ashi_check_schedule(&m.altered, &report, NULL);
        CHECK(t, status == ASHLAR_ERR_INTERNAL && report.text[0],
              "seed %" PRIu64 ": operation %d of rank %" PRId64 " in step %" PRId64 ", %s, goes unnoticed", seed,
              (int)before.kind, m.rank, m.step, alterations[which].name);
        found[which]++;
    }
}

static void one_problem(ashi_test *t, uint64_t seed, bool filled, int tries, int64_t found[ALTERATIONS])
{
    problem p;
    ashi_check_report report;
    ashlar_error err = {0};
    const bool made = random_problem(seed, filled, &p, &err);
    CHECK(t, made, "seed %" PRIu64 ": %s", seed, err.text);
    if (made) {
        const ashlar_status status = ashi_check_schedule(&p.schedule, &report, &err);
        CHECK(t, status == ASHLAR_OK, "seed %" PRIu64 ": %s", seed, err.text);
        if (status == ASHLAR_OK)
            counts_agree(t, seed, &p.schedule, &report);
        if (status == ASHLAR_OK && filled)
            mutants_are_found(t, seed, &p.schedule, tries, found);
    }
    free_problem(&p);
}

/* 32 x 32 parts, on as many ranks or fewer, each block where it begins. */
static void large(ashi_test *t, int64_t ranks, bool one_sided)
{
    enum { SIDE = 32, SIZE = 100 * SIDE };
    problem p = {.cannon = calloc(1, sizeof *p.cannon)};
    ashi_check_report report = {0};
    ashlar_error err = {0};
    uint64_t state = 1;
    CHECK(t, p.cannon, "no memory");
    if (!p.cannon)
        return;
    cannon *c = p.cannon;
    c->q = SIDE;
    c->slabs = 1;
    c->overlap = true;
    for (int d = 0; d < 3; d++)
        for (int64_t i = 0; i <= SIDE; i++)
            c->cut[d][i] = ashi_cut(SIZE, SIDE, i);
    for (int64_t v = 0; v < CANNON_PARTS_MAX; v++)
        c->rank_of[v] = (int)(v * ranks / CANNON_PARTS_MAX);
    p.schedule = (ashi_schedule){.m = SIZE, .n = SIZE, .k = SIZE, .ranks = ranks, .one_sided = one_sided, .own = c};
    const bool made = complete(&state, &p, true, &err);
    CHECK(t, made && ashi_check_schedule(&p.schedule, &report, &err) == ASHLAR_OK, "%s", err.text);
    CHECK(t, report.products == (int64_t)SIZE * SIZE * SIZE, "%" PRId64, report.products);
    free_problem(&p);
}

int main(int argc, char **argv)
{
    ashi_test t = {0};
    int64_t found[ALTERATIONS] = {0};
    if (argc > 1) { /* other seeds, or one of them again: FIRST [LAST] */
        const uint64_t first = strtoull(argv[1], NULL, 10), last = argc > 2 ? strtoull(argv[2], NULL, 10) : first;
        for (uint64_t seed = first; seed <= last; seed++)
            one_problem(&t, seed, seed & 2, 10, found);
        return ashi_test_end(&t, "pooled");
    }
    for (uint64_t seed = 1; seed <= 1000; seed++)
        one_problem(&t, seed, seed & 2, 8, found);
    large(&t, CANNON_PARTS_MAX, false);
    large(&t, CANNON_PARTS_MAX, true);
    large(&t, 8, true);
    for (int i = 0; i < ALTERATIONS; i++)
        CHECK(&t, found[i] > 20, "too few mutants: %s %" PRId64, alterations[i].name, found[i]);
    return ashi_test_end(&t, "pooled");
}
