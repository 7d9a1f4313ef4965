/* What one rank of a program does, as digests of its operations, in no order. */
#ifndef ASHI_OPERATION_DIGESTS_H
#define ASHI_OPERATION_DIGESTS_H

#include "schedule/program.h"
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

#endif
