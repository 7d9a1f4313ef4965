/* Schedules whose panels stay pass the checker, and the checker finds what is altered in them. */
#include "alterations.h"
#include "cannon_stream.h"
#include "program_mutants.h"

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
    const int64_t size[3] = {s->m, s->n, s->k};
    const ashlar_layout *layout[3];
    ashlar_op op[2] = {ASHLAR_OP_N, ASHLAR_OP_N};
    ashi_axis axis[3];
    for (int x = 0; x < 3; x++) {
        if (!own && x < 2)
            op[x] = (ashlar_op)ashi_random_in(state, 0, 2);
        p->layout[x] = own ? own_layout(p->cannon, x, err) : random_operand(state, x, size, op, s->ranks, err);
        layout[x] = p->layout[x];
        if (!layout[x])
            return false;
    }
    if (ashi_grid_axes(layout, op, size, (ashi_lead){.operand = ASHLAR_C}, axis, err) != ASHLAR_OK)
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

/* ---- what is altered ---- */

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

/* Also of the buffer that sums are made in. */
static bool alter_words_and_room(mutant *m, uint64_t *state)
{
    const bool sums = m->op.kind == ASHI_ACQUIRE && m->op.slot == ASHI_NO_SLOT && m->op.words > 0;
    m->op.words -= sums;
    return sums || alter_words(m, state);
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

static const alteration table[] = {
    {"dropped", alter_by_dropping}, {"repeated", alter_by_repeating}, {"moved", move},
    {"box", alter_box},             {"words", alter_words_and_room},  {"offset", alter_offset},
    {"panel", alter_panel},         {"landing", alter_landing},       {"packing", alter_packing},
    {"peer", alter_peer},           {"place", alter_place},           {"source", alter_source},
    {"part", alter_part},           {"at", alter_at},                 {"whole", alter_whole},
    {"k", alter_k},                 {"slot", alter_slot}};

static void one_problem(ashi_test *t, uint64_t seed, bool filled, int tries, alterations *a,
                        program_mutants *programs)
{
    problem p;
    ashi_check_report report;
    ashlar_error err = {0};
    const bool made = random_problem(seed, filled, &p, &err);
    CHECK(t, made, "seed %" PRIu64 ": %s", seed, err.text);
    if (made) {
        const ashlar_status status = ashi_check_schedule(&p.schedule, &report, &err);
        CHECK(t, status == ASHLAR_OK, "seed %" PRIu64 ": %s", seed, err.text);
        if (status == ASHLAR_OK) {
            counts_agree(t, seed, &p.schedule, &report);
            translation_agrees(t, seed, &p.schedule, &report);
        }
        if (status == ASHLAR_OK && filled)
            mutants_are_found(t, seed, &p.schedule, tries, a);
        if (status == ASHLAR_OK && filled)
            program_mutants_are_found(t, seed, &p.schedule, tries, programs);
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
    alterations a = {.at = table, .count = sizeof table / sizeof *table, .counts = counts};
    program_mutants programs = {0};
    const ashi_seeds seeds = ashi_seeds_of(argc, argv, 1000);
    for (uint64_t seed = seeds.first; seed <= seeds.last; seed++)
        one_problem(&t, seed, seed & 2, 8, &a, &programs);
    if (!seeds.told) {
        large(&t, CANNON_PARTS_MAX, false);
        large(&t, CANNON_PARTS_MAX, true);
        large(&t, 8, true);
        mutants_were_many(&t, &a, 20);
        program_mutants_were_many(&t, &programs, "lost sum", 20);
    }
    return ashi_test_end(&t, "pooled");
}
