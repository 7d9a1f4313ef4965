/* The program of blocks that are handed on: whose sums of a box of C go together, and to whom. */
#include "base/checked.h"
#include "engine/shift_program.h"

/* Parts with one box of C: numbers first .. first + count - 1 of the places of sums. */
typedef struct fellows {
    int64_t first, count;
} fellows;

static fellows fellows_of(const ashi_places *sum, int64_t place)
{
    fellows f = {place, 1};
    while (f.first > 0 && ashi_box_same(&sum->at[f.first - 1].box, &sum->at[place].box))
        f.first--;
    while (f.first + f.count < sum->count && ashi_box_same(&sum->at[f.first + f.count].box, &sum->at[place].box))
        f.count++;
    return f;
}

/* A REDUCE of their sums to the group's owner. Returns which of the rank's moving parts is among them, -1 none. */
static int64_t name_fellows(const ashi_shift_program *p, fellows f, ashi_operation *group)
{
    ashi_shift_own *g = p->at.g;
    int64_t part = -1;
    group->box = g->sum.at[f.first].box;
    group->member = g->member;
    group->members = f.count;
    group->owner_at = group->rank_at = -1;
    for (int64_t i = 0; i < f.count; i++) {
        const ashi_place *place = &g->sum.at[f.first + i];
        g->member[i] = place->rank;
        if (place->rank == group->owner)
            group->owner_at = i;
        if (place->rank == p->at.rank) {
            group->rank_at = i;
            part = p->moving_at[g->number[place->part]];
        }
    }
    return part;
}

static bool next(void *own, int64_t *at, ashi_operation *group, int64_t *part)
{
    const ashi_shift_program *p = own;
    const ashi_places *sum = &p->at.g->sum;
    const ashi_box owned = ashi_grid_owned(&p->builder.program->view[ASHLAR_C], p->builder.rank);
    const int64_t place = ashi_places_next(sum, &owned, *at);
    if (place >= sum->count)
        return false;
    const fellows f = fellows_of(sum, place);
    *at = f.first + f.count;
    *part = name_fellows(p, f, group);
    return true;
}

static void name(void *own, int64_t part, int64_t owner, ashi_operation *group)
{
    const ashi_shift_program *p = own;
    const ashi_places *sum = &p->at.g->sum;
    group->owner = owner;
    name_fellows(p, fellows_of(sum, sum->of_rank[sum->start[p->builder.rank] + part]), group);
}

static ashlar_status pieces(void *own, int64_t part, const ashi_pieces **out, ashlar_error *err)
{
    const ashi_shift_program *p = own;
    *out = &p->at.g->pieces;
    return ashi_view_pieces(&p->builder.program->view[ASHLAR_C], &p->moving.part[part].box, &p->at.g->pieces, err);
}

const ashi_moving_source ashi_shift_sums_source = {.next = next, .name = name, .pieces = pieces};
