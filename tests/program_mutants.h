/* Programs with one operation altered, dropped, doubled or moved, for tests that the checker of programs finds it. */
#ifndef ASHI_PROGRAM_MUTANTS_H
#define ASHI_PROGRAM_MUTANTS_H

#include "random_layout.h"
#include "ready_mutants.h"
#include "sound.h"

#include <string.h>

/* The altered program comes first, so that a pointer to it is one to the mutant. */
typedef struct program_mutant {
    ashi_program altered;
    ashi_program *original;
    int64_t rank, step, index; /* of the operation: in its step */
    int copies;                /* how often it is emitted */
    bool swaps;                /* it is emitted after the next of its step */
    ashi_operation op;         /* what is emitted in its place */
    ashi_operation next;       /* the next of its step, if there is one */
    bool has_next;
    int member[RANDOM_RANKS_MAX], next_member[RANDOM_RANKS_MAX];
    ashi_panel made;           /* what it makes, as it is altered; id -1 for none */
    int64_t at, wanted, seen;
    const ashi_program_visitor *visitor;
} program_mutant;

static inline ashlar_status program_mutant_panel(void *context, const ashi_panel *panel, ashlar_error *err)
{
    program_mutant *m = context;
    return m->visitor->panel(m->visitor->context, panel->id == m->made.id ? &m->made : panel, err);
}

static inline ashlar_status program_mutant_operation(void *context, const ashi_operation *op, ashlar_error *err)
{
    program_mutant *m = context;
    const int64_t at = m->at++;
    ashlar_status status = ASHLAR_OK;
    if (at != m->index && !(m->swaps && at == m->index + 1))
        return m->visitor->operation(m->visitor->context, op, err);
    if (m->swaps && at == m->index)
        return ASHLAR_OK;
    if (m->swaps)
        status = m->visitor->operation(m->visitor->context, op, err);
    for (int i = 0; i < m->copies && status == ASHLAR_OK; i++)
        status = m->visitor->operation(m->visitor->context, &m->op, err);
    return status;
}

static inline ashlar_status program_mutant_emit(ashi_program *program, int64_t rank, int64_t step,
                                                const ashi_program_visitor *visitor, ashlar_error *err)
{
    program_mutant *m = (program_mutant *)program;
    const ashi_program_visitor altering = {program_mutant_panel, program_mutant_operation, m};
    m->at = step == m->step ? 0 : INT64_MIN / 2;
    m->visitor = visitor;
    return m->original->emit(m->original, rank, step, rank == m->rank ? &altering : visitor, err);
}

/* ---- finding an operation ---- */

static inline ashlar_status program_seek_panel(void *context, const ashi_panel *panel, ashlar_error *err)
{
    program_mutant *m = context;
    (void)err;
    if (m->seen <= m->wanted) /* panels are visited before what makes them: mostly the last one */
        m->made = *panel;
    return ASHLAR_OK;
}

static inline void program_copy(ashi_operation *to, const ashi_operation *from, int *member)
{
    *to = *from;
    for (int64_t i = 0; i < from->members; i++)
        member[i] = from->member[i];
    to->member = member;
}

static inline ashlar_status program_seek(void *context, const ashi_operation *op, ashlar_error *err)
{
    program_mutant *m = context;
    (void)err;
    if (m->seen == m->wanted) {
        program_copy(&m->op, op, m->member);
        m->index = m->at;
        if (m->made.id != op->makes)
            m->made.id = -1;
    } else if (m->seen == m->wanted + 1 && m->at == m->index + 1) {
        program_copy(&m->next, op, m->next_member);
        m->has_next = true;
    }
    m->seen++;
    m->at++;
    return ASHLAR_OK;
}

/* Returns how many operations there are up to the end of the wanted one's step. */
static inline int64_t program_mutant_find(program_mutant *m, int64_t wanted)
{
    const ashi_program_visitor seeking = {program_seek_panel, program_seek, m};
    m->wanted = wanted;
    m->seen = 0;
    m->has_next = false;
    m->made.id = -1;
    for (int64_t rank = 0; rank < m->original->ranks && m->seen <= wanted; rank++)
        for (int64_t step = 0; step < m->original->steps && m->seen <= wanted; step++) {
            m->at = 0;
            m->rank = rank;
            m->step = step;
            m->original->emit(m->original, rank, step, &seeking, NULL);
        }
    return m->seen;
}

/* ---- alterations: each changes one thing, or returns false if that would change nothing that matters ---- */

typedef struct program_alteration {
    const char *name;
    bool (*alter)(program_mutant *m, uint64_t *state);
} program_alteration;

static inline bool program_sends(const ashi_operation *o)
{
    return o->kind >= ASHI_DO_SEND && o->kind <= ASHI_DO_REDUCE;
}

/* What only fills a panel that nothing reads may be left out. */
static inline bool program_drop(program_mutant *m, uint64_t *state)
{
    (void)state;
    m->copies = 0;
    return m->op.kind != ASHI_DO_MOVE;
}

static inline bool program_repeat(program_mutant *m, uint64_t *state)
{
    (void)state;
    m->copies = 2;
    return true;
}

/* A partial sum is lost: an ADD, or what packs sums, reads one panel less. */
static inline bool program_lose_sum(program_mutant *m, uint64_t *state)
{
    (void)state;
    const int i = m->op.kind == ASHI_DO_ADD && m->op.read[1] >= 0 ? 1 : 0;
    const bool sums = m->op.kind == ASHI_DO_ADD || m->op.kind == ASHI_DO_REDUCE;
    const bool reads = sums && m->op.read[i] >= 0;
    m->op.read[i] = -1;
    m->op.last[i] = false;
    return reads;
}

static inline bool program_last(program_mutant *m, uint64_t *state)
{
    const int64_t i = ashi_random_in(state, 0, ASHI_READS_MAX - 1);
    m->op.last[i] = !m->op.last[i];
    return m->op.read[i] >= 0;
}

/* Another panel than the one that it should read. The next may have the same words, which a MOVE can as well read: it
 * reads what it makes. */
static inline bool program_other(program_mutant *m, uint64_t *state)
{
    const int64_t i = ashi_random_in(state, 0, ASHI_READS_MAX - 1);
    const bool reads = m->op.read[i] >= 0;
    m->op.read[i] = m->op.kind == ASHI_DO_MOVE ? m->op.makes : m->op.read[i] + (ashi_random_in(state, 0, 1) ? 1 : -1);
    return reads;
}

static inline bool program_begins(program_mutant *m, uint64_t *state)
{
    (void)state;
    m->op.begins = !m->op.begins;
    return m->op.kind >= ASHI_DO_MULTIPLY;
}

static inline bool program_product(program_mutant *m, uint64_t *state)
{
    const int64_t d = ashi_random_in(state, 0, ASHI_PRODUCT_INDICES - 1);
    *(ashi_random_in(state, 0, 1) ? &m->op.lo[d] : &m->op.hi[d]) += ashi_random_in(state, 0, 1) ? 1 : -1;
    return m->op.kind == ASHI_DO_MULTIPLY;
}

static inline bool program_box(program_mutant *m, uint64_t *state)
{
    int64_t *const side[] = {&m->op.box.minor_lo, &m->op.box.minor_hi, &m->op.box.major_lo, &m->op.box.major_hi};
    *side[ashi_random_in(state, 0, 3)] += ashi_random_in(state, 0, 1) ? 1 : -1;
    return program_sends(&m->op);
}

static inline bool program_words(program_mutant *m, uint64_t *state)
{
    m->op.words += ashi_random_in(state, 0, 1) ? 1 : -1;
    return program_sends(&m->op);
}

static inline bool program_peer(program_mutant *m, uint64_t *state)
{
    m->op.peer += ashi_random_in(state, 0, 1) ? 1 : -1;
    return m->op.kind == ASHI_DO_SEND || m->op.kind == ASHI_DO_RECEIVE;
}

static inline bool program_owner(program_mutant *m, uint64_t *state)
{
    m->op.owner += ashi_random_in(state, 0, 1) ? 1 : -1;
    return m->op.kind == ASHI_DO_MULTICAST || m->op.kind == ASHI_DO_REDUCE;
}

static inline bool program_member(program_mutant *m, uint64_t *state)
{
    if (m->op.members == 0)
        return false;
    int *member = &m->member[ashi_random_in(state, 0, m->op.members - 1)];
    const int before = *member;
    *member = (int)ashi_random_in(state, 0, m->original->ranks);
    return *member != before;
}

static inline bool program_chunk(program_mutant *m, uint64_t *state)
{
    m->op.chunk.number += ashi_random_in(state, 0, 1) ? 1 : -1;
    return m->op.kind == ASHI_DO_MULTICAST || m->op.kind == ASHI_DO_REDUCE;
}

static inline bool program_step(program_mutant *m, uint64_t *state)
{
    m->op.step += ashi_random_in(state, 0, 1) ? 1 : -1;
    return true;
}

/* Two messages to, or from, the same rank change places; not two with the same words, which layers may have. */
static inline bool program_swap(program_mutant *m, uint64_t *state)
{
    (void)state;
    const ashi_operation *a = &m->op, *b = &m->next;
    m->swaps = true;
    if (!m->has_next || a->kind != b->kind || (a->operand == b->operand && ashi_box_same(&a->box, &b->box)))
        return false;
    return (a->kind == ASHI_DO_SEND || a->kind == ASHI_DO_RECEIVE) && a->peer == b->peer;
}

static inline bool program_makes(program_mutant *m, uint64_t *state)
{
    const bool makes = m->op.makes >= 0;
    m->op.makes += ashi_random_in(state, 0, 1) ? 1 : -1;
    return makes;
}

/* What is made says another box, or other words, of itself. */
static inline bool program_panel(program_mutant *m, uint64_t *state)
{
    const int64_t d = ashi_random_in(state, 0, 2);
    int64_t *const value = d == 2 ? &m->made.words : ashi_random_in(state, 0, 1) ? &m->made.lo[d] : &m->made.hi[d];
    *value += ashi_random_in(state, 0, 1) ? 1 : -1;
    return m->made.id >= 0 && (d == 2 || m->op.kind != ASHI_DO_SCALE); /* a row of others more or less is no change */
}

static const program_alteration program_table[] = {
    {"dropped", program_drop}, {"repeated", program_repeat}, {"lost sum", program_lose_sum}, {"last", program_last},
    {"other", program_other},  {"begins", program_begins},   {"product", program_product},   {"box", program_box},
    {"words", program_words},  {"peer", program_peer},       {"owner", program_owner},       {"member", program_member},
    {"chunk", program_chunk},  {"step", program_step},       {"swap", program_swap},         {"makes", program_makes},
    {"panel", program_panel}};

enum { PROGRAM_ALTERATIONS = sizeof program_table / sizeof *program_table };

/* How many of each a test has made. */
typedef struct program_mutants {
    int64_t made[PROGRAM_ALTERATIONS];
    ready_mutants ready; /* of what the passes make of the same programs */
} program_mutants;

static inline void one_program_mutant(ashi_test *t, uint64_t seed, program_mutant *m, int which, program_mutants *made)
{
    ashi_check_report report;
    const ashlar_status status = ashi_check_program(&m->altered, &report, NULL);
    CHECK(t, status == ASHLAR_ERR_INTERNAL && report.text[0], "seed %" PRIu64 ": operation %" PRId64 " of rank %"
          PRId64 " in step %" PRId64 ", a %s, %s, goes unnoticed", seed, m->index, m->rank, m->step,
          ashi_operation_name(m->op.kind), program_table[which].name);
    made->made[which]++;
}

static inline void mutants_of_program_are_found(ashi_test *t, uint64_t seed, ashi_program *program, int tries,
                                                program_mutants *made)
{
    uint64_t state = ~seed * 3;
    program_mutant m = {.original = program};
    const int64_t ops = program_mutant_find(&m, INT64_MAX - 1);
    for (int i = 0; i < tries && ops > 0; i++) {
        const int which = (int)ashi_random_in(&state, 0, PROGRAM_ALTERATIONS - 1);
        bool matters = false;
        for (int attempt = 0; attempt < 12 && !matters; attempt++) {
            program_mutant_find(&m, ashi_random_in(&state, 0, ops - 1));
            m.copies = 1;
            m.swaps = false;
            m.altered = *program;
            m.altered.emit = program_mutant_emit;
            matters = program_table[which].alter(&m, &state);
        }
        if (matters)
            one_program_mutant(t, seed, &m, which, made);
    }
    ready_mutants_are_found(t, seed, program, tries, &made->ready);
}

static inline void program_mutants_are_found(ashi_test *t, uint64_t seed, ashi_schedule *s, int tries,
                                             program_mutants *made)
{
    ashi_program program;
    if (ashi_program_of(s, &program, NULL) != ASHLAR_OK)
        return;
    mutants_of_program_are_found(t, seed, &program, tries, made);
    ashi_program_free(&program);
}

/* Each of those whose names are given must have been tried often, or the test would not tell much. */
static inline void program_mutants_were_many(ashi_test *t, const program_mutants *made, const char *but, int64_t least)
{
    for (int i = 0; i < PROGRAM_ALTERATIONS; i++)
        CHECK(t, strstr(but, program_table[i].name) || made->made[i] > least, "too few mutants: %s %" PRId64,
              program_table[i].name, made->made[i]);
    ready_mutants_were_many(t, &made->ready, but, least);
}

#endif
