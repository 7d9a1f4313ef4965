/* What a rank contributes to others' C in a round of sums, counted together for all owners.
 *
 * The ranks that sum up one face of C contribute to the same owners, each to all but itself. If p ranks share the face,
 * that is p (p - 1) messages in each round, but ranks differ only in whose own piece is left out and in the leading
 * dimension of their sums. So a round is counted once for a face and a leading dimension, less a rank's own piece. */
#include "engine/grid_own.h"

#include "base/checked.h"
#include "base/error.h"

#include <stdlib.h>

/* Add what goes to one owner, or take it away. */
static void add(const ashi_grid_at *at, const ashi_summed_box *s, int64_t owner, int64_t sign, ashi_bundle *out)
{
    const ashi_view *view = &at->schedule->view[ASHLAR_C];
    const int64_t words = ashi_view_chunk_words(view, owner, &s->box, s->chunk);
    int64_t offset;
    if (words == 0)
        return;
    out->words += sign * words;
    out->messages += sign;
    if (!ashi_home_is_packed(&s->home, view, owner, &s->box, s->chunk, &offset))
        out->packed += sign * words;
}

/* Room for what is remembered. */
static ashlar_status reserve(const ashi_grid_at *at)
{
    ashi_grid_own *g = at->g;
    const int64_t rounds = ashi_max(at->schedule->rounds, at->schedule->reduce_rounds);
    if (g->bundle)
        return ASHLAR_OK;
    g->bundles = ashi_max(ASHI_BUNDLES_LEAST, ashi_min(ASHI_BUNDLES_MOST, ASHI_BUNDLES_OF_ALL / rounds));
    g->bundle = calloc((size_t)(rounds * g->bundles), sizeof *g->bundle);
    return g->bundle ? ASHLAR_OK
                     : ashi_fail_memory(at->err, "schedule", rounds * g->bundles * (int64_t)sizeof *g->bundle);
}

/* Whose words are in the box: fills g->summed. */
static ashlar_status find_owners(const ashi_grid_at *at, const ashi_summed_box *s)
{
    if (!s->slab)
        return ashi_grid_find_owners(at);
    at->g->summed_face = ASHI_NO_FACE;
    return ashi_view_pieces(&at->schedule->view[ASHLAR_C], &s->box, &at->g->summed, at->err);
}

static ashlar_status count_face(const ashi_grid_at *at, const ashi_summed_box *s, ashi_face_bundle *b)
{
    const ashi_pieces *pieces = &at->g->summed;
    const int64_t face = at->me->face[ASHLAR_C], ld = ashi_home_ld(&s->home, &s->box);
    if (b->counted && b->face == face && b->ld == ld)
        return ASHLAR_OK;
    const ashlar_status status = find_owners(at, s);
    *b = (ashi_face_bundle){.counted = status == ASHLAR_OK, .face = face, .ld = ld};
    for (int64_t i = 0; i < pieces->count && b->counted; i++)
        add(at, s, pieces->piece[i].owner, 1, &b->all);
    return status;
}

ashlar_status ashi_grid_bundle(const ashi_grid_at *at, const ashi_summed_box *s, ashi_bundle *out)
{
    *out = (ashi_bundle){0};
    ashlar_status status = at->me->idle ? ASHLAR_OK : reserve(at);
    if (status != ASHLAR_OK || at->me->idle)
        return status;
    /* Even parts have two sizes, one more than the other. */
    const int64_t place = (2 * at->me->face[ASHLAR_C] + ashi_home_ld(&s->home, &s->box)) % at->g->bundles;
    ashi_face_bundle *b = &at->g->bundle[s->round * at->g->bundles + place];
    status = count_face(at, s, b);
    *out = b->all;
    if (status == ASHLAR_OK)
        add(at, s, at->rank, -1, out);
    return status;
}
