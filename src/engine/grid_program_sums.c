/* The sums that move in the grid engine's program: whose sums of a box of C go together, and to whom. */
#include "engine/grid_program.h"
#include "schedule/lower.h"

/* A REDUCE among the ranks of a face, of what the round sums up. */
static void name_face(const ashi_grid_program *p, int64_t face, ashi_operation *group)
{
    const ashi_chunk chunk = group->chunk;
    *group = ashi_grid_group(&p->at, ASHI_DO_REDUCE, ASHLAR_C, face, group->owner, group->words);
    group->chunk = chunk;
    if (p->slab >= 0)
        group->box = ashi_grid_slab(p->at.g, ASHLAR_C, face, p->slab);
}

static bool next(void *own, int64_t *at, ashi_operation *group, int64_t *part)
{
    ashi_grid_program *p = own;
    if (*at == 0) {
        const ashi_box owned = ashi_grid_owned(&p->builder.program->view[ASHLAR_C], p->builder.rank);
        p->walk = ashi_faces_touching(&p->at.g->domains.of[ASHLAR_C], &owned);
    }
    *at = 1;
    if (!ashi_faces_next(&p->walk))
        return false;
    name_face(p, p->walk.face, group);
    *part = !p->at.me->idle && p->walk.face == p->at.me->face[ASHLAR_C] ? 0 : -1;
    return true;
}

static void name(void *own, int64_t part, int64_t owner, ashi_operation *group)
{
    const ashi_grid_program *p = own;
    (void)part;
    group->owner = owner;
    name_face(p, p->at.me->face[ASHLAR_C], group);
}

/* They are the same in all rounds and for all members of a face, so that they are found once. Those of a slab were
 * found when its sums were opened. */
static ashlar_status pieces(void *own, int64_t part, const ashi_pieces **out, ashlar_error *err)
{
    const ashi_grid_program *p = own;
    (void)part;
    (void)err;
    *out = &p->at.g->summed;
    return p->slab >= 0 ? ASHLAR_OK : ashi_grid_find_owners(&p->at);
}

static ashlar_status together(void *own, ashi_chunk chunk)
{
    ashi_grid_program *p = own;
    const bool slab = p->slab >= 0;
    const ashi_summed_box sums = {slab ? p->part.box : ashi_grid_domain(p->at.schedule, p->at.rank, 0),
                                  slab ? p->part.home : p->at.home, chunk, slab ? p->slab : chunk.number, slab};
    ashi_bundle all;
    const ashlar_status status = ashi_grid_bundle(&p->at, &sums, &all);
    if (slab) /* all are read in this one step: whether by what is sent or by what is added does not count */
        p->part.last_owner = p->builder.rank, p->part.last_round = chunk.number;
    ashi_operation group = ashi_operation_blank(ASHI_DO_REDUCE);
    if (status != ASHLAR_OK || all.messages == 0)
        return status;
    group.operand = ASHLAR_C;
    group.words = all.words;
    group.members = all.messages;
    ashi_build_contributions(&p->builder, &group, all.packed, &p->part.sums, slab);
    return ASHLAR_OK;
}

const ashi_moving_source ashi_grid_sums_source = {
    .next = next, .name = name, .pieces = pieces, .together = together};

ashlar_status ashi_grid_program_sums(ashi_grid_program *p, int64_t round)
{
    if (round == 0 && ashi_grid_scaled_words(&p->at) > 0)
        ashi_build_scale(&p->builder);
    p->moving.together = ashi_lower_together(p->builder.program, false);
    return ashi_moving_step(&p->moving, round);
}
