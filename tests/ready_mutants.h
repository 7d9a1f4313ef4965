/* Programs ready to run with one thing altered, for tests that the checker of ready programs finds it. */
#ifndef ASHI_READY_MUTANTS_H
#define ASHI_READY_MUTANTS_H

#include "random_layout.h"
#include "sound.h"

#include <string.h>

/* All that is visited of one rank. */
typedef struct ready_record {
    ashi_task *task;
    ashi_placed *panel;
    int64_t *before, *tasks_before_panel;
    int64_t *at, ids;            /* by id: where a panel is in `panel`; -1 if it was not visited */
    int64_t *maker, *last;       /* by place: the only task that makes a panel of its own in the pool, -1 none; the last
                                    that reads it, -1 none */
    int64_t tasks, panels, befores, task_room, panel_room, before_room, at_room;
    int64_t pool;
} ready_record;

typedef struct ready_records {
    ready_record *rank;
    int64_t ranks, look_ahead;
    bool serial; /* every task also waits for the one before it */
} ready_records;

static inline void *ready_room(void *data, int64_t *room, int64_t count, size_t size)
{
    if (count < *room)
        return data;
    *room = 2 * *room + 64;
    data = realloc(data, (size_t)*room * size);
    if (!data)
        abort();
    return data;
}

static inline ashlar_status ready_record_panel(void *context, const ashi_placed *panel, ashlar_error *err)
{
    ready_record *r = context;
    (void)err;
    r->panel = ready_room(r->panel, &r->panel_room, r->panels, sizeof *r->panel);
    r->tasks_before_panel = ready_room(r->tasks_before_panel, &r->at_room, r->panels, sizeof *r->tasks_before_panel);
    r->panel[r->panels] = *panel;
    r->tasks_before_panel[r->panels++] = r->tasks;
    return ASHLAR_OK;
}

/* `before` is an offset until all are there. */
static inline ashlar_status ready_record_task(void *context, const ashi_task *task, ashlar_error *err)
{
    ready_record *r = context;
    (void)err;
    r->task = ready_room(r->task, &r->task_room, r->tasks, sizeof *r->task);
    r->task[r->tasks++] = *task;
    for (int64_t i = 0; i < task->befores; i++) {
        r->before = ready_room(r->before, &r->before_room, r->befores, sizeof *r->before);
        r->before[r->befores++] = task->before[i];
    }
    return ASHLAR_OK;
}

static inline ashlar_status ready_replay(void *context, int64_t rank, const ashi_task_visitor *visitor, int64_t *pool,
                                         ashlar_error *err)
{
    const ready_records *all = context;
    const ready_record *r = &all->rank[rank];
    ashlar_status status = ASHLAR_OK;
    int64_t panel = 0;
    *pool = r->pool;
    for (int64_t i = 0; i <= r->tasks && status == ASHLAR_OK; i++) {
        for (; panel < r->panels && r->tasks_before_panel[panel] <= i && status == ASHLAR_OK; panel++)
            status = visitor->panel(visitor->context, &r->panel[panel], err);
        if (i == r->tasks || status != ASHLAR_OK)
            break;
        ashi_task t = r->task[i];
        const int64_t one = i - 1;
        if (all->serial && i > 0 && r->task[one].step >= t.step - all->look_ahead) {
            t.before = &one; /* the one before waits for those before it */
            t.befores = 1;
        }
        status = visitor->task(visitor->context, &t, err);
    }
    return status;
}

/* Find makers and last readers. */
static inline void ready_index(ready_record *r)
{
    for (int64_t i = 0; i < r->panels; i++)
        r->ids = r->panel[i].panel.id >= r->ids ? r->panel[i].panel.id + 1 : r->ids;
    r->at = malloc((size_t)(r->ids + 1) * sizeof *r->at);
    r->maker = malloc((size_t)(r->panels + 1) * sizeof *r->maker);
    r->last = malloc((size_t)(r->panels + 1) * sizeof *r->last);
    if (!r->at || !r->maker || !r->last)
        abort();
    memset(r->at, -1, (size_t)(r->ids + 1) * sizeof *r->at);
    memset(r->maker, -1, (size_t)(r->panels + 1) * sizeof *r->maker);
    memset(r->last, -1, (size_t)(r->panels + 1) * sizeof *r->last);
    for (int64_t i = 0; i < r->panels; i++)
        r->at[r->panel[i].panel.id] = i;
    for (int64_t i = 0; i < r->tasks; i++) {
        const ashi_task *t = &r->task[i];
        const int64_t made = t->makes >= 0 ? r->at[t->makes] : -1;
        if (made >= 0 && t->completes && r->panel[made].panel.memory == ASHI_MEMORY_POOL &&
            r->panel[made].panel.within < 0)
            r->maker[made] = i;
        for (int n = 0; n < ASHI_READS_MAX; n++)
            if (t->read[n] >= 0 && r->at[t->read[n]] >= 0)
                r->last[r->at[t->read[n]]] = i;
    }
    for (int64_t i = 0; i < r->tasks; i++) /* one of several makers is none, and so is who updates it */
        if (r->task[i].makes >= 0 && r->at[r->task[i].makes] >= 0 && r->maker[r->at[r->task[i].makes]] != i)
            r->maker[r->at[r->task[i].makes]] = -1;
    for (int64_t i = 0; i < r->panels; i++)
        if (r->panel[i].panel.within >= 0 && r->at[r->panel[i].panel.within] >= 0)
            r->maker[r->at[r->panel[i].panel.within]] = -1;
}

static inline void ready_record_all(ashi_program *program, int64_t look_ahead, ready_records *out)
{
    ashi_ready_request request = {.program = program, .look_ahead = look_ahead, .tags = 32768};
    *out = (ready_records){.ranks = program->ranks, .look_ahead = look_ahead};
    out->rank = calloc((size_t)program->ranks, sizeof *out->rank);
    for (int64_t rank = 0; out->rank && rank < program->ranks; rank++) {
        ready_record *r = &out->rank[rank];
        const ashi_task_visitor visitor = {ready_record_panel, ready_record_task, r};
        if (ashi_ready_walk(&request, rank, &visitor, &r->pool, NULL) != ASHLAR_OK)
            abort();
        for (int64_t i = 0, at = 0; i < r->tasks; i++) {
            r->task[i].before = r->before + at;
            at += r->task[i].befores;
        }
        ready_index(r);
    }
}

static inline void ready_records_free(ready_records *all)
{
    for (int64_t i = 0; i < all->ranks; i++) {
        free(all->rank[i].task);
        free(all->rank[i].panel);
        free(all->rank[i].before);
        free(all->rank[i].tasks_before_panel);
        free(all->rank[i].at);
        free(all->rank[i].maker);
        free(all->rank[i].last);
    }
    free(all->rank);
}

/* ---- alterations: each changes one thing, or returns false if that would change nothing that matters ---- */

typedef struct ready_change {
    ready_record *r;
    ashi_task *t;   /* which is restored afterwards, */
    ashi_placed *p; /* as this is; NULL if no panel is moved */
    ashi_placed was;
    const ready_records *all;
    int64_t kept[64];
} ready_change;

static inline bool ready_is_message(const ashi_task *t)
{
    return t->kind == ASHI_DO_SEND || t->kind == ASHI_DO_RECEIVE;
}

/* The panel that a task makes, if it alone does and nothing else is in its place; NULL if not. */
static inline ashi_placed *ready_own_panel(const ready_record *r, const ashi_task *t)
{
    const int64_t at = t->makes >= 0 && t->makes < r->ids ? r->at[t->makes] : -1;
    return at >= 0 && r->maker[at] == t->number ? &r->panel[at] : NULL;
}

/* What a task makes is laid where another panel is. */
static inline void ready_lay(ready_change *c, ashi_placed *p, int64_t at)
{
    c->p = p;
    c->was = *p;
    p->at = at;
}

/* What a task makes lies where a panel lies that is read later. */
static inline bool ready_place(ready_change *c, uint64_t *state)
{
    const ready_record *r = c->r;
    ashi_placed *p = ready_own_panel(r, c->t);
    (void)state;
    for (int64_t i = 0; i < r->panels && p; i++)
        if (r->maker[i] >= 0 && r->maker[i] < c->t->number && r->last[i] > c->t->number) {
            ready_lay(c, p, r->panel[i].at);
            return true;
        }
    return false;
}

/* What is received lies where a panel lies that was read last in the same step. */
static inline bool ready_landing(ready_change *c, uint64_t *state)
{
    const ready_record *r = c->r;
    ashi_placed *p = c->t->kind == ASHI_DO_RECEIVE ? ready_own_panel(r, c->t) : NULL;
    (void)state;
    for (int64_t i = 0; i < r->panels && p; i++)
        if (r->maker[i] >= 0 && r->last[i] >= 0 && r->last[i] < c->t->number &&
            r->task[r->last[i]].step == c->t->step) {
            ready_lay(c, p, r->panel[i].at);
            return true;
        }
    return false;
}

static inline bool ready_reaches(const ready_record *r, const ready_records *all, int64_t from, int64_t to)
{
    const ashi_task *t = &r->task[from];
    if (from == to || r->task[to].step < t->step - all->look_ahead)
        return true;
    for (int64_t i = 0; i < t->befores; i++)
        if (t->before[i] >= to && ready_reaches(r, all, t->before[i], to))
            return true;
    return false;
}

/* Updates of two boxes of one sum that do not meet are in order without need. So is a SEND of some words of a sum after
 * an update of others. */
static inline bool ready_is_spare(const ready_record *r, const ashi_task *a, const ashi_task *b)
{
    const int64_t at = b->makes >= 0 ? r->at[b->makes] : -1;
    if (a->kind == ASHI_DO_SEND && b->kind == ASHI_DO_MULTIPLY && at >= 0)
        return (b->hi[0] - b->lo[0]) * (b->hi[1] - b->lo[1]) < r->panel[at].panel.words;
    if (a->kind != ASHI_DO_MULTIPLY || b->kind != ASHI_DO_MULTIPLY)
        return false;
    for (int d = 0; d < 2; d++)
        if (a->lo[d] >= b->hi[d] || b->lo[d] >= a->hi[d])
            return true;
    return false;
}

/* A predecessor that no other stands for. */
static inline bool ready_before(ready_change *c, uint64_t *state)
{
    ashi_task *t = c->t;
    if (t->befores == 0 || t->befores > 64)
        return false;
    const int64_t drop = ashi_random_in(state, 0, t->befores - 1), gone = t->before[drop];
    int64_t kept = 0;
    for (int64_t i = 0; i < t->befores; i++)
        if (i != drop)
            c->kept[kept++] = t->before[i];
    t->before = c->kept;
    t->befores = kept;
    return !ready_is_spare(c->r, t, &c->r->task[gone]) && !ready_reaches(c->r, c->all, t->number, gone);
}

static inline bool ready_tag(ready_change *c, uint64_t *state)
{
    c->t->tag += ashi_random_in(state, 0, 1) ? 1 : -1;
    return ready_is_message(c->t);
}

static inline bool ready_last(ready_change *c, uint64_t *state)
{
    const int64_t i = ashi_random_in(state, 0, ASHI_READS_MAX - 1);
    c->t->last[i] = !c->t->last[i];
    return c->t->read[i] >= 0;
}

static inline bool ready_last_to_peer(ready_change *c, uint64_t *state)
{
    (void)state;
    c->t->last_to_peer = !c->t->last_to_peer;
    return c->t->kind == ASHI_DO_SEND;
}

static inline bool ready_completes(ready_change *c, uint64_t *state)
{
    (void)state;
    c->t->completes = !c->t->completes;
    return true;
}

static inline bool ready_words(ready_change *c, uint64_t *state)
{
    *(ashi_random_in(state, 0, 1) ? &c->t->words : &c->t->offset) += ashi_random_in(state, 0, 1) ? 1 : -1;
    return ready_is_message(c->t);
}

static inline bool ready_other(ready_change *c, uint64_t *state)
{
    const int64_t i = ashi_random_in(state, 0, ASHI_READS_MAX);
    int64_t *id = i < ASHI_READS_MAX ? &c->t->read[i] : &c->t->makes;
    const bool named = *id >= 0;
    *id += ashi_random_in(state, 0, 1) ? 1 : -1;
    return named;
}

static inline bool ready_step(ready_change *c, uint64_t *state)
{
    c->t->step += ashi_random_in(state, 0, 1) ? 1 : -1;
    return true;
}

static inline bool ready_peer(ready_change *c, uint64_t *state)
{
    c->t->peer += ashi_random_in(state, 0, 1) ? 1 : -1;
    return ready_is_message(c->t);
}

typedef struct ready_alteration {
    const char *name;
    bool (*alter)(ready_change *c, uint64_t *state);
} ready_alteration;

static const ready_alteration ready_table[] = {
    {"place", ready_place}, {"landing", ready_landing}, {"before", ready_before}, {"tag", ready_tag},
    {"last", ready_last},   {"peer", ready_peer},       {"words", ready_words},   {"other", ready_other},
    {"step", ready_step},   {"completes", ready_completes}, {"last to peer", ready_last_to_peer}};

enum { READY_ALTERATIONS = sizeof ready_table / sizeof *ready_table };

/* How many of each a test has made, and how often a look-ahead too large, or tasks one after the other, were wrong. */
typedef struct ready_mutants {
    int64_t made[READY_ALTERATIONS], too_far, serial;
} ready_mutants;

static inline bool ready_passes(ashi_program *program, ready_records *all, int64_t look_ahead)
{
    const ashi_ready_request request = {.program = program, .look_ahead = look_ahead, .tags = 32768,
                                        .walk = ready_replay, .context = all};
    ashi_check_report report;
    return ashi_check_ready(&request, &report, NULL) == ASHLAR_OK;
}

static inline void one_ready_mutant(ashi_test *t, uint64_t seed, ashi_program *program, ready_records *all,
                                    uint64_t *state, ready_mutants *made)
{
    const int which = (int)ashi_random_in(state, 0, READY_ALTERATIONS - 1);
    for (int attempt = 0; attempt < 24; attempt++) {
        ready_change c = {.r = &all->rank[ashi_random_in(state, 0, all->ranks - 1)], .all = all};
        if (c.r->tasks == 0)
            continue;
        c.t = &c.r->task[ashi_random_in(state, 0, c.r->tasks - 1)];
        const ashi_task was = *c.t;
        const bool matters = ready_table[which].alter(&c, state);
        if (matters) {
            CHECK(t, !ready_passes(program, all, all->look_ahead), "seed %" PRIu64 ": task %" PRId64 " of rank %td, a "
                  "%s, %s, goes unnoticed", seed, was.number, c.r - all->rank, ashi_operation_name(was.kind),
                  ready_table[which].name);
            made->made[which]++;
        }
        *c.t = was;
        if (c.p)
            *c.p = c.was;
        if (matters)
            return;
    }
}

static inline void ready_mutants_are_found(ashi_test *t, uint64_t seed, ashi_program *program, int tries,
                                           ready_mutants *made)
{
    uint64_t state = ~seed * 5;
    ready_records all;
    if (tries == 0)
        return;
    ready_record_all(program, (int64_t)(seed / 3 % 3), &all);
    CHECK(t, ready_passes(program, &all, all.look_ahead), "seed %" PRIu64, seed);
    for (int i = 0; i < tries; i++)
        one_ready_mutant(t, seed, program, &all, &state, made);
    made->too_far += !ready_passes(program, &all, all.look_ahead + 1);
    all.serial = true;
    made->serial += !ready_passes(program, &all, all.look_ahead);
    ready_records_free(&all);
}

/* Each of those whose names are not given must have been tried often, or the test would not tell much. */
static inline void ready_mutants_were_many(ashi_test *t, const ready_mutants *made, const char *but, int64_t least)
{
    for (int i = 0; i < READY_ALTERATIONS; i++)
        CHECK(t, strstr(but, ready_table[i].name) || made->made[i] > least, "too few mutants: %s %" PRId64,
              ready_table[i].name, made->made[i]);
    CHECK(t, made->too_far > least, "a look-ahead too large was found only %" PRId64 " times", made->too_far);
    CHECK(t, strstr(but, "serial") || made->serial > least, "one after the other was found wrong only %" PRId64
          " times", made->serial);
}

#endif
