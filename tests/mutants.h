/* Schedules with one operation altered, dropped, doubled or moved, for tests that the checker finds it. */
#ifndef ASHI_MUTANTS_H
#define ASHI_MUTANTS_H

#include "random_layout.h"
#include "schedule/schedule.h"

/* The altered schedule comes first, so that a pointer to it is one to the mutant. */
typedef struct mutant {
    ashi_schedule altered;
    ashi_schedule *original;
    bool (*counts)(const struct mutant *m); /* whether one operation more or less as it is now matters; NULL: always */
    int64_t rank, step, index; /* of the operation */
    int64_t to_step;           /* it is emitted once more, at the beginning of this step; -1: not */
    int copies;                /* how often it is emitted in its place */
    ashi_op op;                /* what is emitted */
    int member[RANDOM_RANKS_MAX];
    int64_t at;
    ashi_visit visit;
    void *context;
} mutant;

static inline ashlar_status mutant_pass_on(void *context, const ashi_op *op, ashlar_error *err)
{
    mutant *m = context;
    if (m->at++ != m->index)
        return m->visit(m->context, op, err);
    ashlar_status status = ASHLAR_OK;
    for (int i = 0; i < m->copies && status == ASHLAR_OK; i++)
        status = m->visit(m->context, &m->op, err);
    return status;
}

static inline ashlar_status mutant_emit(ashi_schedule *schedule, int64_t rank, int64_t step, ashi_visit visit,
                                        void *context, ashlar_error *err)
{
    mutant *m = (mutant *)schedule;
    if (rank == m->rank && step == m->to_step) {
        const ashlar_status status = visit(context, &m->op, err);
        if (status != ASHLAR_OK)
            return status;
    }
    if (rank != m->rank || step != m->step)
        return m->original->emit(m->original, rank, step, visit, context, err);
    m->at = 0;
    m->visit = visit;
    m->context = context;
    return m->original->emit(m->original, rank, step, mutant_pass_on, m, err);
}

/* Find the operation: the wanted-th of all. */
typedef struct mutant_search {
    mutant *m;
    int64_t wanted, seen, index;
} mutant_search;

static inline ashlar_status mutant_seek(void *context, const ashi_op *op, ashlar_error *err)
{
    mutant_search *s = context;
    (void)err;
    if (s->seen++ == s->wanted) {
        s->m->index = s->index;
        s->m->op = *op;
        for (int64_t i = 0; i < op->members; i++)
            s->m->member[i] = op->member[i];
        s->m->op.member = s->m->member;
    }
    s->index++;
    return ASHLAR_OK;
}

/* Returns how many operations there are up to the end of the wanted one's step. */
static inline int64_t mutant_find(mutant *m, int64_t wanted)
{
    mutant_search s = {m, wanted, 0, 0};
    for (int64_t rank = 0; rank < m->original->ranks && s.seen <= wanted; rank++)
        for (int64_t step = 0; step < m->original->steps && s.seen <= wanted; step++) {
            s.index = 0;
            m->rank = rank;
            m->step = step;
            m->original->emit(m->original, rank, step, mutant_seek, &s, NULL);
        }
    return s.seen;
}

/* Begin a mutant of the wanted-th operation, as it is so far. */
static inline void mutant_begin(mutant *m, int64_t wanted)
{
    mutant_find(m, wanted);
    m->copies = 1;
    m->to_step = -1;
    m->altered = *m->original;
    m->altered.emit = mutant_emit;
}

#endif
