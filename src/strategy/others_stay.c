/* Proposals of grids in the caller's layouts in which A or B stays instead of C. */
#include "strategy/others_stay.h"

#include "base/checked.h"
#include "strategy/sight.h"

/* Words of all matrices. */
static int64_t owned_words(const ashi_problem *q, const ashi_sight *s, int64_t rank)
{
    int64_t words = 0;
    for (int x = 0; x < 3; x++) {
        const ashi_box all = {0, q->size[ashi_dims_of[x][0]], 0, q->size[ashi_dims_of[x][1]]};
        words += ashi_view_words(&s->view[x], rank, &all);
    }
    return words;
}

/* No rank needs less than what it owns and, of the face that stays, what others own of it. */
static void least_memory(const ashi_problem *q, const ashi_sight *s, const ashi_bricks *b, int64_t least[3])
{
    least[ASHLAR_A] = least[ASHLAR_B] = least[ASHLAR_C] = 0;
    for (int64_t n = 0; n < b->count; n++) {
        const ashi_cuboid box = ashi_bricks_box(b, n);
        const int64_t rank = b->rank_of[n], owned = owned_words(q, s, rank);
        for (int x = 0; x < 3; x++) {
            const ashi_box face = ashi_cuboid_face(&box, (ashlar_operand)x);
            const int64_t lacks = ashi_box_words(&face) - ashi_view_words(&s->view[x], rank, &face);
            least[x] = ashi_max(least[x], owned + lacks);
        }
    }
}

static ashlar_status append(int64_t at, ashi_stays stays, const int64_t least[3],
                            ashi_proposals *list, ashlar_error *err)
{
    const ashi_proposal *like = &list->at[at];
    ashi_proposal p = {.origin = like->origin, .estimate = like->estimate, .exact = like->exact, .rounds = 1,
                       .reduce_rounds = 1, .window = like->window, .stays = stays, .tree = like->tree,
                       .ranks = like->ranks, .at_home = like->at_home, .memory_least = least[ashi_stationary(stays)]};
    const ashlar_status status = ashi_bricks_copy(&like->bricks, &p.bricks, err);
    if (status == ASHLAR_OK)
        return ashi_proposals_add(list, &p, err);
    ashi_proposal_free(&p);
    return status;
}

static ashlar_status others_of(const ashi_problem *q, int64_t at, ashi_proposals *list, ashlar_error *err)
{
    int64_t least[3];
    ashi_sight own;
    const ashi_sight *s;
    ashlar_status status = ashi_sight_find(q, list->at[at].bricks.lead, &own, &s, err);
    if (status == ASHLAR_OK)
        least_memory(q, s, &list->at[at].bricks, least);
    ashi_sight_close(&own);
    if (status != ASHLAR_OK)
        return status;
    list->at[at].memory_least = least[ASHLAR_C];
    for (ashi_stays stays = ASHI_STAYS_A; stays <= ASHI_STAYS_B && status == ASHLAR_OK; stays++)
        status = append(at, stays, least, list, err);
    return status;
}

ashlar_status ashi_others_stay(const ashi_problem *q, int64_t first, ashi_proposals *list, ashlar_error *err)
{
    const int64_t count = list->count;
    ashlar_status status = ASHLAR_OK;
    if (q->memory_words == 0 || !q->layout[0] || !q->layout[1] || !q->layout[2])
        return ASHLAR_OK;
    for (int64_t i = first; i < count && status == ASHLAR_OK; i++)
        status = others_of(q, i, list, err);
    return status;
}
