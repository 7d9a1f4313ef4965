/* An engine's own program has the operations of the translated one, step numbers and order apart. */
#ifndef ASHI_SAME_OPERATIONS_H
#define ASHI_SAME_OPERATIONS_H

#include "schedule/translate.h"
#include "test.h"

#include <stdlib.h>

/* What one rank does: a digest of each operation, with what the panels say that it names. */
typedef struct operation_list {
    uint64_t *digest, *panel;
    int64_t count, room, panels, panel_room;
} operation_list;

static inline uint64_t mixed(uint64_t h, const int64_t *value, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        h = (h ^ (uint64_t)value[i]) * 0x9e3779b97f4a7c15u;
        h ^= h >> 29;
    }
    return h;
}

/* Append a value; without memory the test ends. */
static inline void keep_digest(uint64_t **list, int64_t *count, int64_t *room, uint64_t value)
{
    if (*count == *room) {
        *room = *room ? 2 * *room : 64;
        *list = realloc(*list, (size_t)*room * sizeof **list);
        if (!*list)
            abort();
    }
    (*list)[(*count)++] = value;
}

static inline ashlar_status list_panel(void *context, const ashi_panel *p, ashlar_error *err)
{
    operation_list *l = context;
    (void)err;
    const uint64_t outer = p->within >= 0 ? l->panel[p->within] : 0;
    const int64_t value[] = {p->operand, p->memory, p->content, p->owner, p->chunk.number, p->chunk.chunks, p->lo[0],
                             p->lo[1], p->hi[0], p->hi[1], p->order[0], p->order[1], p->words, p->copies, p->part,
                             (int64_t)outer};
    keep_digest(&l->panel, &l->panels, &l->panel_room, mixed(1, value, sizeof value / sizeof *value));
    return ASHLAR_OK;
}

static inline ashlar_status list_operation(void *context, const ashi_operation *o, ashlar_error *err)
{
    operation_list *l = context;
    (void)err;
    const int64_t value[] = {o->kind, o->begins, o->peer, o->operand, o->box.minor_lo, o->box.minor_hi,
                             o->box.major_lo, o->box.major_hi, o->chunk.number, o->chunk.chunks, o->words, o->owner,
                             o->owner_at, o->rank_at, o->lo[0], o->hi[0], o->lo[1], o->hi[1], o->lo[2], o->hi[2],
                             o->makes >= 0 ? (int64_t)l->panel[o->makes] : -1};
    uint64_t h = mixed(2, value, sizeof value / sizeof *value);
    for (int i = 0; i < ASHI_READS_MAX; i++)
        h = mixed(h, &(int64_t){o->read[i] >= 0 ? (int64_t)l->panel[o->read[i]] : -1}, 1);
    for (int64_t i = 0; i < o->members; i++)
        h = mixed(h, &(int64_t){o->member[i]}, 1);
    keep_digest(&l->digest, &l->count, &l->room, h);
    return ASHLAR_OK;
}

static inline int by_digest(const void *a, const void *b)
{
    const uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;
    return (x > y) - (x < y);
}

static inline ashlar_status list_operations(ashi_program *program, int64_t rank, operation_list *l, ashlar_error *err)
{
    const ashi_program_visitor visitor = {list_panel, list_operation, l};
    l->count = l->panels = 0;
    const ashlar_status status = ashi_program_walk(program, rank, &visitor, err);
    if (l->count > 1)
        qsort(l->digest, (size_t)l->count, sizeof *l->digest, by_digest);
    return status;
}

static inline void free_operations(operation_list *l)
{
    free(l->digest);
    free(l->panel);
}

/* The schedule has a program of its engine's own. */
static inline void operations_are_the_same(ashi_test *t, uint64_t seed, ashi_schedule *s)
{
    ashi_program own = {0}, translated = {0};
    operation_list a = {0}, b = {0};
    ashlar_error err = {0};
    ashlar_status status = s->program(s, &own, &err);
    if (status == ASHLAR_OK)
        status = ashi_translate(s, &translated, &err);
    for (int64_t rank = 0; rank < s->ranks && status == ASHLAR_OK; rank++) {
        status = list_operations(&own, rank, &a, &err);
        if (status == ASHLAR_OK)
            status = list_operations(&translated, rank, &b, &err);
        int64_t same = 0;
        while (same < a.count && same < b.count && a.digest[same] == b.digest[same])
            same++;
        CHECK(t, same == a.count && same == b.count && a.panels == b.panels,
              "seed %" PRIu64 ", rank %" PRId64 ": %" PRId64 " operations and %" PRId64 " panels, translated %" PRId64
              " and %" PRId64, seed, rank, a.count, a.panels, b.count, b.panels);
    }
    CHECK(t, status == ASHLAR_OK, "seed %" PRIu64 ": %s", seed, err.text);
    ashi_program_free(&own);
    ashi_program_free(&translated);
    free_operations(&a);
    free_operations(&b);
}

static inline ashlar_status pass_panel(void *context, const ashi_panel *p, ashlar_error *err)
{
    (void)err;
    *(uint64_t *)context = mixed(*(uint64_t *)context, &p->id, 1);
    return ASHLAR_OK;
}

static inline ashlar_status pass_operation(void *context, const ashi_operation *o, ashlar_error *err)
{
    const int64_t value[] = {o->kind, o->step, o->begins, o->makes, o->read[0], o->read[1], o->read[2], o->read[3],
                             o->last[0], o->last[1], o->last[2], o->last[3]};
    (void)err;
    *(uint64_t *)context = mixed(*(uint64_t *)context, value, sizeof value / sizeof *value);
    return ASHLAR_OK;
}

/* A step that is asked for at once is that which comes after those before it. */
static inline void steps_can_be_repeated(ashi_test *t, uint64_t seed, ashi_schedule *s)
{
    uint64_t state = seed + 2, in_order = 0, at_once = 0;
    ashi_program program = {0};
    ashlar_error err = {0};
    const int64_t rank = ashi_random_in(&state, 0, s->ranks - 1);
    ashlar_status status = s->program(s, &program, &err);
    const int64_t step = status == ASHLAR_OK ? ashi_random_in(&state, 0, program.steps - 1) : -1;
    const ashi_program_visitor first = {pass_panel, pass_operation, &in_order};
    const ashi_program_visitor second = {pass_panel, pass_operation, &at_once};
    for (int64_t at = 0; at <= step && status == ASHLAR_OK; at++) {
        in_order = 0;
        status = program.emit(&program, rank, at, &first, &err);
    }
    for (int i = 0; i < 2 && status == ASHLAR_OK; i++) { /* the same step once more, and after another rank */
        at_once = 0;
        status = program.emit(&program, rank, step, &second, &err);
        CHECK(t, at_once == in_order, "seed %" PRIu64 ", rank %" PRId64 ": step %" PRId64 " is another one now", seed,
              rank, step);
        if (status == ASHLAR_OK)
            status = program.emit(&program, ashi_random_in(&state, 0, s->ranks - 1), 0, &second, &err);
    }
    CHECK(t, status == ASHLAR_OK, "seed %" PRIu64 ": %s", seed, err.text);
    ashi_program_free(&program);
}

#endif
