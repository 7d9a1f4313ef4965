/* The program of boxes, one a rank: rounds in which partial sums go to the owners of C. */
#include "base/checked.h"
#include "engine/grid_program.h"

/* Ranks begin with the owners after themselves, so that not all send to the same rank at once; but along trees, where
 * two ranks may pass on several sums to each other, all must name them in one order. A rank's own sums are added to its
 * C after the others have left. */
static int64_t turn_of(const ashi_grid_program *p, int64_t owner)
{
    const int64_t ranks = p->builder.program->ranks, me = p->builder.rank;
    if (owner == me)
        return ranks;
    return p->builder.program->tree ? owner : (owner - me + ranks) % ranks;
}

/* In the last round that has words, the last of those that read this rank's sums in a round. */
static void find_last_reader(ashi_grid_program *p)
{
    const ashi_pieces *pieces = &p->at.g->summed;
    const ashi_view *view = &p->builder.program->view[ASHLAR_C];
    const ashi_box box = ashi_grid_domain(p->at.schedule, p->builder.rank, 0);
    p->last_round = p->last_owner = -1;
    for (int64_t i = 0; i < pieces->count; i++) {
        const int64_t owner = pieces->piece[i].owner;
        const int64_t round = ashi_view_chunks(view, owner, &box, p->at.schedule->reduce_rounds) - 1;
        if (owner == p->builder.rank && p->sums.kept)
            continue;
        if (round > p->last_round || (round == p->last_round && turn_of(p, owner) > turn_of(p, p->last_owner))) {
            p->last_round = round;
            p->last_owner = owner;
        }
    }
}

static bool is_last(const ashi_grid_program *p, int64_t owner, ashi_chunk chunk)
{
    return owner == p->last_owner && chunk.number == p->last_round;
}

/* To owners lo .. hi-1 among those of this rank's box. */
static void contribute_to(ashi_grid_program *p, int64_t lo, int64_t hi, ashi_chunk chunk)
{
    const ashi_pieces *pieces = &p->at.g->summed;
    for (int64_t i = 0; i < pieces->count; i++) {
        const int64_t owner = pieces->piece[i].owner;
        if (owner < lo || owner >= hi || owner == p->builder.rank)
            continue;
        const ashi_contribution c = ashi_grid_contribution(&p->at, owner, chunk);
        if (c.words == 0)
            continue;
        ashi_operation group = ashi_grid_group(p, ASHI_DO_REDUCE, ASHLAR_C, p->at.me->face[ASHLAR_C], owner, c.words);
        group.chunk = chunk;
        ashi_build_contribution(&p->builder, &group, &p->sums, c.packed, is_last(p, owner, chunk));
    }
}

/* All contributions told as one, for a visitor that only counts. */
static ashlar_status contribute_together(ashi_grid_program *p, ashi_chunk chunk)
{
    ashi_bundle all;
    const ashlar_status status = ashi_grid_bundle(&p->at, chunk, &all);
    ashi_operation group = ashi_operation_blank(ASHI_DO_REDUCE);
    if (status != ASHLAR_OK || all.messages == 0)
        return status;
    group.operand = ASHLAR_C;
    group.words = all.words;
    group.members = all.messages;
    if (all.packed > 0) {
        ashi_panel packed = ashi_group_piece(&group);
        packed.words = all.packed;
        ashi_operation_reads(&group, 0, ashi_build_move(&p->builder, ASHI_NO_PANEL, false, &packed), true);
    }
    ashi_build_operation(&p->builder, &group);
    return ASHLAR_OK;
}

/* The faces on C of which this rank owns words of a chunk, in order. */
typedef struct owned {
    ashi_touching walk;
    ashi_chunk chunk;
    ashi_operation group;
} owned;

static owned owned_of(const ashi_grid_program *p, ashi_chunk chunk)
{
    const ashi_box all = ashi_grid_owned(&p->builder.program->view[ASHLAR_C], p->builder.rank);
    return (owned){.walk = ashi_faces_touching(&p->at.g->domains.of[ASHLAR_C], &all), .chunk = chunk};
}

static bool next_owned(const ashi_grid_program *p, owned *o)
{
    while (ashi_faces_next(&o->walk)) {
        const ashi_box *box = &o->walk.faces->face[o->walk.face].box;
        const int64_t words = ashi_view_chunk_words(&p->builder.program->view[ASHLAR_C], p->builder.rank, box,
                                                    o->chunk);
        if (words == 0)
            continue;
        o->group = ashi_grid_group(p, ASHI_DO_REDUCE, ASHLAR_C, o->walk.face, p->builder.rank, words);
        o->group.chunk = o->chunk;
        return true;
    }
    return false;
}

static void receive_sums(ashi_grid_program *p, ashi_chunk chunk)
{
    for (owned o = owned_of(p, chunk); next_owned(p, &o);)
        ashi_build_arrivals(&p->builder, &o.group);
}

/* What arrived is in panels that were numbered one after the other, from `arrived` on. */
static void add_sums(ashi_grid_program *p, ashi_chunk chunk, int64_t arrived)
{
    for (owned o = owned_of(p, chunk); next_owned(p, &o);) {
        const bool mine = o.walk.face == p->at.me->face[ASHLAR_C];
        const bool others = ashi_program_contributions(p->builder.program, p->builder.rank, &o.group) > 0;
        ashi_build_add(&p->builder, &o.group, others ? arrived++ : ASHI_NO_PANEL, mine ? &p->sums : NULL,
                       !p->at.g->domains.c_overlaps, mine && is_last(p, p->builder.rank, chunk));
    }
}

static ashlar_status send_and_receive(ashi_grid_program *p, ashi_chunk chunk, int64_t *arrived)
{
    const ashi_program *q = p->builder.program;
    const int64_t me = p->builder.rank;
    const bool together = q->brief && !ashi_lower_along_tree(p->at.schedule, ASHI_REDUCE);
    if (q->tree && !together)
        contribute_to(p, 0, me, chunk);
    *arrived = p->builder.panels;
    receive_sums(p, chunk);
    if (together)
        return contribute_together(p, chunk);
    contribute_to(p, me + 1, q->ranks, chunk);
    if (!q->tree)
        contribute_to(p, 0, me, chunk);
    return ASHLAR_OK;
}

ashlar_status ashi_grid_program_sums(ashi_grid_program *p, int64_t round)
{
    const ashi_chunk chunk = {round, p->at.schedule->reduce_rounds};
    int64_t arrived = 0;
    ashlar_status status = ashi_grid_find_owners(&p->at);
    if (round == 0 && status == ASHLAR_OK) {
        p->last_owner = -1;
        if (!p->builder.program->brief) /* who counts needs no last reader of what is there to the end */
            find_last_reader(p);
        if (ashi_grid_scaled_words(&p->at) > 0)
            ashi_build_scale(&p->builder);
    }
    if (status == ASHLAR_OK)
        status = send_and_receive(p, chunk, &arrived);
    if (status == ASHLAR_OK)
        add_sums(p, chunk, arrived);
    return status;
}
