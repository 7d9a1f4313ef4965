/* The program of blocks that are handed on: whose sums of a box of C go together, and to whom. */
#include "base/checked.h"
#include "engine/shift_program.h"

static int64_t name_fellows(const ashi_shift_program *p, ashi_fellows f, ashi_operation *group)
{
    const ashi_op op = ashi_shift_reduce(&p->at, f, group->owner);
    group->box = op.box;
    group->member = op.member;
    group->members = op.members;
    group->owner_at = op.owner_at;
    group->rank_at = op.rank_at;
    return op.part >= 0 ? p->moving_at[op.part] : -1;
}

static bool next(void *own, int64_t *at, ashi_operation *group, int64_t *part)
{
    const ashi_shift_program *p = own;
    const ashi_places *sum = &p->at.g->sum;
    const ashi_box owned = ashi_grid_owned(&p->builder.program->view[ASHLAR_C], p->builder.rank);
    const int64_t place = ashi_places_next(sum, &owned, *at);
    if (place >= sum->count)
        return false;
    const ashi_fellows f = ashi_shift_fellows(sum, place);
    *at = f.first + f.count;
    *part = name_fellows(p, f, group);
    return true;
}

static void name(void *own, int64_t part, int64_t owner, ashi_operation *group)
{
    const ashi_shift_program *p = own;
    const ashi_places *sum = &p->at.g->sum;
    group->owner = owner;
    name_fellows(p, ashi_shift_fellows(sum, sum->of_rank[sum->start[p->builder.rank] + part]), group);
}

static ashlar_status pieces(void *own, int64_t part, const ashi_pieces **out, ashlar_error *err)
{
    const ashi_shift_program *p = own;
    *out = &p->at.g->pieces;
    return ashi_view_pieces(&p->builder.program->view[ASHLAR_C], &p->moving.part[part].box, &p->at.g->pieces, err);
}

const ashi_moving_source ashi_shift_sums_source = {.next = next, .name = name, .pieces = pieces};
