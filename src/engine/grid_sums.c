/* Rounds of moving sums: what each rank contributes to others' C, and what arrives for its own. */
#include "base/checked.h"
#include "base/error.h"
#include "schedule/lower.h"
#include "engine/grid_emission.h"

#include <string.h>

static ashi_op reduce_op(const ashi_emission *e, int64_t face, int64_t owner, int64_t words, int slot,
                         ashi_chunk chunk)
{
    const ashi_domains *d = &e->g->domains;
    ashi_op op = {.kind = ASHI_REDUCE, .operand = ASHLAR_C, .slot = slot, .words = words,
                  .box = d->of[ASHLAR_C].face[face].box, .part = e->me->face[ASHLAR_C] == face ? 0 : -1,
                  .owner = owner, .chunk = chunk, .pack_offset = -1, .number = owner, .begins = !d->c_overlaps};
    ashi_grid_name_members(e, face, &op);
    return op;
}

/* Visit, in order, the faces on C in which a rank owns words of a chunk. */
typedef ashlar_status (*owned_visit)(const ashi_emission *e, ashi_op *op, void *context);

static ashlar_status each_owned(const ashi_emission *e, int64_t owner, int slot, ashi_chunk chunk, owned_visit visit,
                                void *context)
{
    const ashi_box owned = ashi_grid_owned(&e->schedule->view[ASHLAR_C], owner);
    ashi_touching walk = ashi_faces_touching(&e->g->domains.of[ASHLAR_C], &owned);
    ashlar_status status = ASHLAR_OK;
    while (status == ASHLAR_OK && ashi_faces_next(&walk)) {
        const ashi_box *face = &walk.faces->face[walk.face].box;
        const int64_t words = ashi_view_chunk_words(&e->schedule->view[ASHLAR_C], owner, face, chunk);
        ashi_op op = reduce_op(e, walk.face, owner, words, slot, chunk);
        if (words > 0)
            status = visit(e, &op, context);
    }
    return status;
}

/* Sums arriving for this rank's own C lie one after the other. */
typedef struct arrivals {
    int64_t rank, offset;
    const ashi_box *until; /* stop at this box */
    bool found, speak;
    ashi_op_kind kind;
} arrivals;

static ashlar_status place_arrival(const ashi_emission *e, ashi_op *op, void *context)
{
    arrivals *a = context;
    if (a->found || (a->until && memcmp(a->until, &op->box, sizeof op->box) == 0)) {
        a->found = true;
        return ASHLAR_OK;
    }
    op->offset = a->offset;
    a->offset += ashi_lower_contributions(e->schedule, a->rank, op) * op->words;
    if (!a->speak)
        return ASHLAR_OK;
    op->kind = a->kind;
    return ashi_grid_emit(e, op);
}

/* What a rank that contributes to another's C packs and passes on. */
static ashlar_status contribute(const ashi_emission *e, const ashi_piece *piece, int slot, ashi_chunk chunk, bool speak,
                                int64_t *pack)
{
    if (piece->owner == e->rank)
        return ASHLAR_OK;
    const ashi_contribution c = ashi_grid_contribution(e, piece->owner, chunk);
    if (c.words == 0)
        return ASHLAR_OK;
    ashi_op op = reduce_op(e, e->me->face[ASHLAR_C], piece->owner, c.words, slot, chunk);
    const int64_t passed_on = ashi_lower_contributions(e->schedule, e->rank, &op);
    if (passed_on || c.packed) {
        op.pack_offset = *pack;
        *pack += op.words;
    }
    op.offset = *pack;
    *pack += passed_on * op.words;
    if (!speak)
        return ASHLAR_OK;
    if (e->schedule->one_sided) {
        arrivals a = {.rank = piece->owner, .until = &op.box};
        const ashlar_status status = each_owned(e, piece->owner, slot, chunk, place_arrival, &a);
        if (status != ASHLAR_OK)
            return status;
        op.offset = a.offset;
    }
    return ashi_grid_emit(e, &op);
}

/* To owners lo .. hi-1 among those of this rank's box. */
static ashlar_status contribute_to(const ashi_emission *e, int64_t lo, int64_t hi, int slot, ashi_chunk chunk,
                                   bool speak, int64_t *pack)
{
    const ashi_pieces *pieces = &e->g->summed;
    ashlar_status status = ASHLAR_OK;
    for (int64_t i = 0; i < pieces->count && status == ASHLAR_OK; i++)
        if (pieces->piece[i].owner >= lo && pieces->piece[i].owner < hi)
            status = contribute(e, &pieces->piece[i], slot, chunk, speak, pack);
    return status;
}

/* Ranks begin with the owners after themselves, so that not all send to the same rank at once; but along trees, where
 * two ranks may pass on several sums to each other, all must name them in one order. */
static ashlar_status emit_sums(const ashi_emission *e, int slot, ashi_chunk chunk, int64_t pack)
{
    const int64_t me = e->rank, ranks = e->schedule->ranks;
    const bool tree = e->schedule->tree;
    arrivals speak = {.rank = me, .speak = true, .kind = ASHI_REDUCE};
    ashlar_status status = tree ? contribute_to(e, 0, me, slot, chunk, true, &pack) : ASHLAR_OK;
    if (status == ASHLAR_OK)
        status = each_owned(e, me, slot, chunk, place_arrival, &speak);
    if (status == ASHLAR_OK)
        status = contribute_to(e, me + 1, ranks, slot, chunk, true, &pack);
    return status == ASHLAR_OK && !tree ? contribute_to(e, 0, me, slot, chunk, true, &pack) : status;
}

/* The same in all rounds and for all members of a face, so that they are found once. */
ashlar_status ashi_grid_find_owners(const ashi_emission *e)
{
    ashi_grid_own *g = e->g;
    if (g->summed_face == e->me->face[ASHLAR_C])
        return ASHLAR_OK;
    const ashi_box box = ashi_grid_domain(e->schedule, e->rank, 0);
    const ashlar_status status = ashi_view_pieces(&e->schedule->view[ASHLAR_C], &box, &g->summed, e->err);
    g->summed_face = status == ASHLAR_OK ? e->me->face[ASHLAR_C] : ASHI_NO_FACE;
    return status;
}

/* One round for a walk that only counts: what arrives lies in the buffer before what is packed. */
static ashlar_status post_bundle(const ashi_emission *e, int slot, ashi_chunk chunk, int64_t arriving)
{
    ashi_bundle all;
    arrivals speak = {.rank = e->rank, .speak = true, .kind = ASHI_REDUCE};
    ashlar_status status = ashi_grid_bundle(e, chunk, &all);
    if (status == ASHLAR_OK)
        status = ashi_grid_emit_plain(e, ASHI_ACQUIRE, ASHLAR_C, slot, arriving + all.packed);
    if (status == ASHLAR_OK)
        status = each_owned(e, e->rank, slot, chunk, place_arrival, &speak);
    const ashi_op op = {.kind = ASHI_BUNDLE, .operand = ASHLAR_C, .slot = slot, .words = all.words,
                        .messages = all.messages, .packed = all.packed};
    return status == ASHLAR_OK && all.messages > 0 ? ashi_grid_emit(e, &op) : status;
}

/* Begin one round of moving sums. */
ashlar_status ashi_grid_post_sums(const ashi_emission *e, int64_t round)
{
    const int64_t rounds = e->schedule->reduce_rounds;
    if (round >= rounds)
        return ASHLAR_OK;
    const int slot = (int)(round % e->schedule->window);
    const ashi_chunk chunk = {round, rounds};
    arrivals a = {.rank = e->rank};
    ashlar_status status = ashi_grid_find_owners(e);
    if (status == ASHLAR_OK)
        status = each_owned(e, e->rank, slot, chunk, place_arrival, &a);
    if (status == ASHLAR_OK && e->schedule->brief && !ashi_lower_along_tree(e->schedule, ASHI_REDUCE))
        return post_bundle(e, slot, chunk, a.offset);
    int64_t words = a.offset;
    if (status == ASHLAR_OK)
        status = contribute_to(e, 0, e->schedule->ranks, slot, chunk, false, &words);
    if (status == ASHLAR_OK)
        status = ashi_grid_emit_plain(e, ASHI_ACQUIRE, ASHLAR_C, slot, words);
    return status == ASHLAR_OK ? emit_sums(e, slot, chunk, a.offset) : status;
}

ashlar_status ashi_grid_sum_step(const ashi_emission *e, int64_t round)
{
    const int window = e->schedule->window, slot = (int)(round % window);
    const ashi_chunk chunk = {round, e->schedule->reduce_rounds};
    ashlar_status status = window == 1 ? ashi_grid_post_sums(e, round) : ASHLAR_OK;
    if (status == ASHLAR_OK)
        status = ashi_grid_emit_plain(e, ASHI_ARRIVE, ASHLAR_C, slot, 0);
    if (status == ASHLAR_OK && window > 1)
        status = ashi_grid_post_sums(e, round + window - 1);
    arrivals add = {.rank = e->rank, .speak = true, .kind = ASHI_ADD};
    if (status == ASHLAR_OK)
        status = each_owned(e, e->rank, slot, chunk, place_arrival, &add);
    return status == ASHLAR_OK ? ashi_grid_emit_plain(e, ASHI_RELEASE, ASHLAR_C, slot, 0) : status;
}

int64_t ashi_grid_scaled_words(const ashi_emission *e)
{
    const ashi_box all = {0, e->schedule->m, 0, e->schedule->n};
    return e->g->domains.c_overlaps && e->home.kind == ASHI_HOME_BUFFER
               ? ashi_view_words(&e->schedule->view[ASHLAR_C], e->rank, &all) : 0;
}

ashlar_status ashi_grid_scale(const ashi_emission *e)
{
    const int64_t words = ashi_grid_scaled_words(e);
    return words > 0 ? ashi_grid_emit_plain(e, ASHI_SCALE, ASHLAR_C, ASHI_NO_SLOT, words) : ASHLAR_OK;
}
