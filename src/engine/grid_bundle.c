/* What a rank contributes to others' C in a round of sums, counted together for all owners.
 *
 * The ranks that sum up one face of C contribute to the same owners, each to all but itself. If p ranks share the face,
 * that is p (p - 1) messages in each round, but ranks differ only in whose own piece is left out and in the leading
 * dimension of their sums. So a round is counted once for a face and a leading dimension, less a rank's own piece. */
#include "engine/grid_own.h"

#include "base/error.h"

#include <stdlib.h>

ashi_contribution ashi_grid_contribution(const ashi_grid_at *at, int64_t owner, ashi_chunk chunk)
{
    const ashi_view *view = &at->schedule->view[ASHLAR_C];
    const ashi_box box = ashi_grid_domain(at->schedule, at->rank, 0);
    const int64_t words = ashi_view_chunk_words(view, owner, &box, chunk);
    int64_t offset;
    return (ashi_contribution){words, words > 0 && !ashi_home_is_packed(&at->home, view, owner, &box, chunk, &offset)};
}

static void add(ashi_bundle *b, ashi_contribution c, int64_t sign)
{
    b->words += sign * c.words;
    b->messages += sign * (c.words > 0);
    b->packed += sign * (c.packed ? c.words : 0);
}

/* Those of this rank's face and leading dimension; if there are none, in the place of the oldest. */
static ashlar_status find(const ashi_grid_at *at, ashi_bundles **out)
{
    ashi_grid_own *g = at->g;
    const ashi_box box = ashi_grid_domain(at->schedule, at->rank, 0);
    const int64_t face = at->me->face[ASHLAR_C], ld = ashi_home_ld(&at->home, &box);
    const int64_t rounds = at->schedule->reduce_rounds;
    for (int i = 0; i < ASHI_BUNDLES; i++) {
        *out = &g->bundles[i];
        if ((*out)->round && (*out)->face == face && (*out)->ld == ld)
            return ASHLAR_OK;
    }
    *out = &g->bundles[g->next_bundles];
    g->next_bundles = (g->next_bundles + 1) % ASHI_BUNDLES;
    if (!(*out)->round)
        (*out)->round = malloc((size_t)rounds * sizeof *(*out)->round);
    if (!(*out)->round)
        return ashi_fail_memory(at->err, "schedule", rounds * (int64_t)sizeof *(*out)->round);
    (*out)->face = face;
    (*out)->ld = ld;
    for (int64_t r = 0; r < rounds; r++)
        (*out)->round[r].messages = -1;
    return ASHLAR_OK;
}

ashlar_status ashi_grid_bundle(const ashi_grid_at *at, ashi_chunk chunk, ashi_bundle *out)
{
    const ashi_pieces *pieces = &at->g->summed;
    ashi_bundles *b;
    *out = (ashi_bundle){0};
    if (at->me->idle)
        return ASHLAR_OK;
    const ashlar_status status = find(at, &b);
    if (status != ASHLAR_OK)
        return status;
    ashi_bundle *all = &b->round[chunk.number];
    if (all->messages < 0) {
        *all = (ashi_bundle){0};
        for (int64_t i = 0; i < pieces->count; i++)
            add(all, ashi_grid_contribution(at, pieces->piece[i].owner, chunk), 1);
    }
    *out = *all;
    add(out, ashi_grid_contribution(at, at->rank, chunk), -1);
    return ASHLAR_OK;
}
