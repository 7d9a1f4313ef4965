/* The rounds in which that machine's layers add up: groups of ranks with one box of C, in one order on all. */
#ifndef ASHI_HANDING_SUMS_H
#define ASHI_HANDING_SUMS_H

#include "mpi/handing.h"

/* Moving sums, one group after the other: what each rank has in its buffer so far. */
typedef struct moving {
    ashi_op op; /* of the group, as the owner has it */
    int64_t v;  /* the first of its virtual ranks */
    int64_t used[RANDOM_RANKS_MAX];
    ashi_op_kind kind; /* REDUCE, ADD; ACQUIRE: only used room is counted */
} moving;

/* The ranks that sum up the box of virtual rank v, in all layers. */
static inline int64_t members_of(cannon *c, int64_t v)
{
    int64_t members = 0;
    for (int64_t w = v; w < v + c->layers; w++)
        if (is_first(c, w))
            c->member[members++] = c->rank_of[w];
    return members;
}

static inline int64_t part_on(const cannon *c, int64_t v, int64_t rank)
{
    for (int64_t w = v; w < v + c->layers; w++)
        if (c->rank_of[w] == rank)
            return part_of_virtual(c, w);
    return -1;
}

/* A rank's operation of the group. */
static inline ashlar_status take_part(const emission *e, moving *m, int64_t rank, int64_t rank_at)
{
    ashi_op op = m->op;
    op.rank_at = rank_at;
    const int64_t arriving = ashi_lower_contributions(e->s, rank, &op) * op.words, at = m->used[rank];
    const bool owns = op.owner == rank;
    int64_t packed_at;
    m->used[rank] += arriving + (owns ? 0 : op.words);
    if (rank != e->rank || m->kind == ASHI_ACQUIRE || (m->kind == ASHI_ADD && !owns))
        return ASHLAR_OK;
    op.kind = m->kind;
    op.part = part_on(e->c, m->v, rank);
    if (owns || !e->s->one_sided)
        op.offset = at;
    if (!owns) {
        const ashi_home home = cannon_home(e->s, rank, op.part);
        op.pack_offset = at + arriving;
        if (!arriving && ashi_home_is_packed(&home, &e->s->view[ASHLAR_C], op.owner, &op.box, op.chunk, &packed_at))
            op.pack_offset = -1;
    }
    return emit(e, &op);
}

static inline ashlar_status move_group(const emission *e, moving *m)
{
    ashlar_status status = ASHLAR_OK;
    m->op.offset = m->used[m->op.owner];
    for (int64_t i = 0; i < m->op.members; i++)
        m->op.owner_at = m->op.member[i] == m->op.owner ? i : m->op.owner_at;
    if (m->op.owner_at < 0)
        status = take_part(e, m, m->op.owner, -1);
    for (int64_t i = 0; i < m->op.members && status == ASHLAR_OK; i++)
        status = take_part(e, m, m->op.member[i], i);
    return status;
}

static inline ashlar_status move_sums(const emission *e, moving *m, int64_t round)
{
    cannon *c = e->c;
    const int slot = (int)(round % e->s->window);
    int64_t group = 0;
    ashlar_status status = ASHLAR_OK;
    for (m->v = 0; m->v < c->virtuals && status == ASHLAR_OK; m->v += c->layers) {
        const ashi_box box = sum_box(c, m->v);
        const int64_t members = members_of(c, m->v);
        status = ashi_view_pieces(&e->s->view[ASHLAR_C], &box, &c->pieces, e->err);
        for (int64_t i = 0; i < c->pieces.count && status == ASHLAR_OK; i++) {
            m->op = (ashi_op){.kind = ASHI_REDUCE, .operand = ASHLAR_C, .slot = slot, .box = box, .member = c->member,
                              .members = members, .owner = c->pieces.piece[i].owner, .owner_at = -1,
                              .chunk = {round, e->s->reduce_rounds}, .number = group++, .pack_offset = -1,
                              .begins = true};
            m->op.words = ashi_view_chunk_words(&e->s->view[ASHLAR_C], m->op.owner, &box, m->op.chunk);
            status = m->op.words ? move_group(e, m) : ASHLAR_OK;
        }
    }
    return status;
}

static inline ashlar_status post_sums(const emission *e, int64_t round)
{
    moving room = {.kind = ASHI_ACQUIRE}, reduce = {.kind = ASHI_REDUCE};
    if (round >= e->s->reduce_rounds)
        return ASHLAR_OK;
    ashlar_status status = move_sums(e, &room, round);
    if (status == ASHLAR_OK)
        status = plain(e, ASHI_ACQUIRE, ASHLAR_C, (int)(round % e->s->window), room.used[e->rank]);
    return status == ASHLAR_OK ? move_sums(e, &reduce, round) : status;
}

static inline ashlar_status sum_step(const emission *e, int64_t round)
{
    const int window = e->s->window, slot = (int)(round % window);
    moving add = {.kind = ASHI_ADD};
    ashlar_status status = window == 1 ? post_sums(e, round) : ASHLAR_OK;
    if (status == ASHLAR_OK)
        status = plain(e, ASHI_ARRIVE, ASHLAR_C, slot, 0);
    if (status == ASHLAR_OK && window > 1)
        status = post_sums(e, round + window - 1);
    if (status == ASHLAR_OK)
        status = move_sums(e, &add, round);
    return status == ASHLAR_OK ? plain(e, ASHI_RELEASE, ASHLAR_C, slot, 0) : status;
}

#endif
