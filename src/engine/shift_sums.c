/* Rounds of moving the sums of parts' boxes: parts with the same box add up theirs where the box belongs. */
#include "base/checked.h"
#include "base/error.h"
#include "schedule/lower.h"
#include "engine/shift_cells.h"

ashi_fellows ashi_shift_fellows(const ashi_places *sum, int64_t place)
{
    ashi_fellows f = {place, 1};
    while (f.first > 0 && ashi_box_same(&sum->at[f.first - 1].box, &sum->at[place].box))
        f.first--;
    while (f.first + f.count < sum->count && ashi_box_same(&sum->at[f.first + f.count].box, &sum->at[place].box))
        f.count++;
    return f;
}

ashi_op ashi_shift_reduce(const ashi_shift_emission *e, ashi_fellows f, int64_t owner)
{
    ashi_shift_own *g = e->g;
    ashi_op op = {.kind = ASHI_REDUCE, .operand = ASHLAR_C, .box = g->sum.at[f.first].box, .owner = owner,
                  .member = g->member, .members = f.count, .owner_at = -1, .rank_at = -1, .number = f.first,
                  .chunk = ashi_whole, .part = -1, .pack_offset = -1, .begins = true};
    for (int64_t i = 0; i < f.count; i++) {
        const ashi_place *p = &g->sum.at[f.first + i];
        g->member[i] = p->rank;
        if (p->rank == owner)
            op.owner_at = i;
        if (p->rank == e->rank) {
            op.rank_at = i;
            op.part = g->number[p->part];
        }
    }
    return op;
}

static ashi_op reduce_op(const ashi_shift_emission *e, ashi_fellows f, int64_t owner, int slot, ashi_chunk chunk)
{
    ashi_op op = ashi_shift_reduce(e, f, owner);
    op.slot = slot;
    op.chunk = chunk;
    op.words = ashi_view_chunk_words(&e->schedule->view[ASHLAR_C], owner, &op.box, chunk);
    return op;
}

/* Sums arriving for an owner's C lie one after the other: visits those of its groups in order. */
typedef struct arrivals {
    int64_t owner, offset;
    int64_t until; /* the first place of the group to stop at; -1: none */
    bool speak;
    ashi_op_kind kind;
} arrivals;

static ashlar_status each_owned(const ashi_shift_emission *e, arrivals *a, int slot, ashi_chunk chunk)
{
    const ashi_places *sum = &e->g->sum;
    const ashi_view *view = &e->schedule->view[ASHLAR_C];
    const ashi_box owned = ashi_grid_owned(view, a->owner);
    ashlar_status status = ASHLAR_OK;
    for (int64_t i = ashi_places_next(sum, &owned, 0); i < sum->count && i != a->until && status == ASHLAR_OK;) {
        const ashi_fellows f = ashi_shift_fellows(sum, i);
        ashi_op op = reduce_op(e, f, a->owner, slot, chunk);
        op.offset = a->offset;
        op.kind = a->kind;
        a->offset += op.words ? ashi_lower_contributions(e->schedule, a->owner, &op) * op.words : 0;
        if (a->speak && op.words > 0)
            status = ashi_shift_emit(e, &op);
        i = ashi_places_next(sum, &owned, f.first + f.count);
    }
    return status;
}

/* One part's sums to one owner. */
static ashlar_status contribute(const ashi_shift_emission *e, ashi_fellows f, const ashi_home *home, int64_t owner,
                                int slot, ashi_chunk chunk, bool speak, int64_t *pack)
{
    ashi_op op = reduce_op(e, f, owner, slot, chunk);
    int64_t offset;
    if (op.words == 0 || owner == e->rank)
        return ASHLAR_OK;
    if (!ashi_home_is_packed(home, &e->schedule->view[ASHLAR_C], owner, &op.box, chunk, &offset)) {
        op.pack_offset = *pack;
        *pack += op.words;
    }
    if (!speak)
        return ASHLAR_OK;
    if (e->schedule->one_sided) {
        arrivals a = {.owner = owner, .until = f.first, .kind = ASHI_REDUCE};
        const ashlar_status status = each_owned(e, &a, slot, chunk);
        if (status != ASHLAR_OK)
            return status;
        op = reduce_op(e, f, owner, slot, chunk);
        op.pack_offset = ashi_home_is_packed(home, &e->schedule->view[ASHLAR_C], owner, &op.box, chunk, &offset)
                             ? -1
                             : *pack - op.words;
        op.offset = a.offset;
    }
    return ashi_shift_emit(e, &op);
}

static ashlar_status contribute_all(const ashi_shift_emission *e, int slot, ashi_chunk chunk, bool speak, int64_t *pack)
{
    const ashi_schedule *s = e->schedule;
    ashi_shift_own *g = e->g;
    ashlar_status status = ASHLAR_OK;
    for (int64_t i = g->sum.start[e->rank]; i < g->sum.start[e->rank + 1] && status == ASHLAR_OK; i++) {
        const ashi_fellows f = ashi_shift_fellows(&g->sum, g->sum.of_rank[i]);
        const ashi_place *p = &g->sum.at[g->sum.of_rank[i]];
        const ashi_home home = s->home(s, e->rank, g->number[p->part]);
        status = ashi_view_pieces(&s->view[ASHLAR_C], &p->box, &g->pieces, e->err);
        for (int64_t o = 0; o < g->pieces.count && status == ASHLAR_OK; o++)
            status = contribute(e, f, &home, g->pieces.piece[o].owner, slot, chunk, speak, pack);
    }
    return status;
}

ashlar_status ashi_shift_post_sums(const ashi_shift_emission *e, int64_t round)
{
    const int64_t rounds = e->schedule->reduce_rounds;
    if (round >= rounds)
        return ASHLAR_OK;
    const int slot = (int)(round % e->schedule->window);
    const ashi_chunk chunk = {round, rounds};
    arrivals count = {.owner = e->rank, .until = -1, .kind = ASHI_REDUCE};
    ashlar_status status = each_owned(e, &count, slot, chunk);
    int64_t words = count.offset, pack = count.offset;
    if (status == ASHLAR_OK)
        status = contribute_all(e, slot, chunk, false, &words);
    const ashi_op acquire = {.kind = ASHI_ACQUIRE, .operand = ASHLAR_C, .slot = slot, .words = words};
    if (status == ASHLAR_OK)
        status = ashi_shift_emit(e, &acquire);
    arrivals speak = {.owner = e->rank, .until = -1, .speak = true, .kind = ASHI_REDUCE};
    if (status == ASHLAR_OK)
        status = each_owned(e, &speak, slot, chunk);
    return status == ASHLAR_OK ? contribute_all(e, slot, chunk, true, &pack) : status;
}

ashlar_status ashi_shift_sum_step(const ashi_shift_emission *e, int64_t round)
{
    const int window = e->schedule->window, slot = (int)(round % window);
    const ashi_chunk chunk = {round, e->schedule->reduce_rounds};
    const ashi_op arrive = {.kind = ASHI_ARRIVE, .operand = ASHLAR_C, .slot = slot};
    const ashi_op release = {.kind = ASHI_RELEASE, .operand = ASHLAR_C, .slot = slot};
    ashlar_status status = window == 1 ? ashi_shift_post_sums(e, round) : ASHLAR_OK;
    if (status == ASHLAR_OK)
        status = ashi_shift_emit(e, &arrive);
    if (status == ASHLAR_OK && window > 1)
        status = ashi_shift_post_sums(e, round + window - 1);
    arrivals add = {.owner = e->rank, .until = -1, .speak = true, .kind = ASHI_ADD};
    if (status == ASHLAR_OK)
        status = each_owned(e, &add, slot, chunk);
    return status == ASHLAR_OK ? ashi_shift_emit(e, &release) : status;
}
