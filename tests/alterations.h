/* Alterations of one operation that suit several kinds of schedules, and the search for those that the checker
 * misses. */
#ifndef ASHI_ALTERATIONS_H
#define ASHI_ALTERATIONS_H

#include "mutants.h"
#include "schedule/check.h"

/* Alters one thing, or returns false where that would change nothing that matters. */
typedef struct alteration {
    const char *name;
    bool (*alter)(mutant *m, uint64_t *state);
} alteration;

static inline int64_t one_off(uint64_t *state)
{
    return ashi_random_in(state, 0, 1) ? 1 : -1;
}

static inline bool mutant_counts(const mutant *m)
{
    return !m->counts || m->counts(m);
}

static inline bool is_sum(const mutant *m)
{
    return m->op.kind == ASHI_REDUCE || m->op.kind == ASHI_ADD;
}

static inline bool is_group(const mutant *m)
{
    return m->op.kind == ASHI_MULTICAST || is_sum(m);
}

static inline bool is_handing(const mutant *m)
{
    return m->op.kind == ASHI_SEND || m->op.kind == ASHI_RECEIVE;
}

static inline bool moves_words(const mutant *m)
{
    return is_group(m) || is_handing(m) || m->op.kind == ASHI_COPY;
}

static inline bool alter_by_dropping(mutant *m, uint64_t *state)
{
    (void)state;
    m->copies = 0;
    return mutant_counts(m);
}

static inline bool alter_by_repeating(mutant *m, uint64_t *state)
{
    (void)state;
    m->copies = 2;
    return mutant_counts(m);
}

static inline bool alter_box(mutant *m, uint64_t *state)
{
    int64_t *const side[] = {&m->op.box.minor_lo, &m->op.box.minor_hi, &m->op.box.major_lo, &m->op.box.major_hi};
    *side[ashi_random_in(state, 0, 3)] += one_off(state);
    return moves_words(m) || (m->op.kind == ASHI_MULTIPLY && mutant_counts(m));
}

static inline bool alter_words(mutant *m, uint64_t *state)
{
    m->op.words += one_off(state);
    return moves_words(m) || m->op.kind == ASHI_SCALE;
}

static inline bool alter_packing(mutant *m, uint64_t *state)
{
    (void)state;
    const bool packs = (m->op.kind == ASHI_MULTICAST || m->op.kind == ASHI_REDUCE) && m->op.pack_offset >= 0;
    m->op.pack_offset = INT64_MAX / 2;
    return packs;
}

static inline bool alter_landing(mutant *m, uint64_t *state)
{
    (void)state;
    m->op.lands = !m->op.lands;
    return m->op.kind == ASHI_MULTICAST && m->op.owner != m->rank;
}

static inline bool alter_k(mutant *m, uint64_t *state)
{
    *(ashi_random_in(state, 0, 1) ? &m->op.k_lo : &m->op.k_hi) += one_off(state);
    return m->op.kind == ASHI_MULTIPLY && ashi_box_words(&m->op.box) > 0;
}

static inline bool alter_slot(mutant *m, uint64_t *state)
{
    const bool may_be_idle = m->op.kind == ASHI_ACQUIRE || m->op.kind == ASHI_MULTIPLY;
    m->op.slot += (int)one_off(state);
    return m->op.kind != ASHI_PHASE && m->op.kind != ASHI_SCALE && (!may_be_idle || mutant_counts(m));
}

/* Those that a test makes of a schedule, and how many of each it has made. */
typedef struct alterations {
    const alteration *at;
    int count;
    bool (*counts)(const mutant *m);
    int64_t made[32];
} alterations;

/* Begin one of any operation that it suits, or of any operation at all where few are suited. */
static inline bool any_mutant(mutant *m, const alteration *a, int64_t ops, uint64_t *state)
{
    bool matters = false;
    for (int attempt = 0; attempt < 12 && !matters; attempt++) {
        mutant_begin(m, ashi_random_in(state, 0, ops - 1));
        matters = a->alter(m, state);
    }
    return matters;
}

static inline void mutants_are_found(ashi_test *t, uint64_t seed, ashi_schedule *s, int tries, alterations *a)
{
    uint64_t state = ~seed;
    mutant m = {.original = s, .counts = a->counts, .to_step = -1};
    const int64_t ops = mutant_find(&m, INT64_MAX);
    for (int i = 0; i < tries && ops > 0; i++) {
        const int64_t which = ashi_random_in(&state, 0, a->count - 1);
        if (!any_mutant(&m, &a->at[which], ops, &state))
            continue;
        ashi_check_report report;
        const ashlar_status status = ashi_check_schedule(&m.altered, &report, NULL);
        CHECK(t, status == ASHLAR_ERR_INTERNAL && report.text[0],
              "seed %" PRIu64 ": an operation of rank %" PRId64 " in step %" PRId64
              ", %d as altered, %s, goes unnoticed",
              seed, m.rank, m.step, (int)m.op.kind, a->at[which].name);
        a->made[which]++;
    }
}

/* Each must have been tried often, or the test would not tell much. */
static inline void mutants_were_many(ashi_test *t, const alterations *a, int64_t least)
{
    for (int i = 0; i < a->count; i++)
        CHECK(t, a->made[i] > least, "too few mutants: %s %" PRId64, a->at[i].name, a->made[i]);
}

#endif
