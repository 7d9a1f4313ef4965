/* How the k side of each box is cut into rounds. */
#include "strategy/slabs.h"

#include "base/checked.h"
#include "base/error.h"

#include <stdlib.h>

/* An owner's share of a round should be at least this long, or the messages are not worth their number. */
enum { THINNEST_SHARE = 8 };

int64_t ashi_slab(const ashi_slabs *slabs, int64_t part, int64_t round)
{
    if (slabs->cut)
        return slabs->cut[part * (slabs->rounds + 1) + round];
    return slabs->part[part] + ashi_cut(slabs->part[part + 1] - slabs->part[part], slabs->rounds, round);
}

/* Where the segment after `position` begins in either strip, at most `end`. */
static int64_t next_edge(const ashi_strip *a, const ashi_strip *b, int64_t position, int64_t end)
{
    const int64_t x = a->at[ashi_strip_find(a, position) + 1], y = b->at[ashi_strip_find(b, position) + 1];
    return ashi_min(end, ashi_min(x, y));
}

/* The most segments that any part has. */
static int64_t most_edges(const ashi_strip *a, const ashi_strip *b, int64_t parts, const int64_t *part)
{
    int64_t most = 1;
    for (int64_t l = 0; l < parts; l++) {
        int64_t n = 0;
        for (int64_t at = part[l]; at < part[l + 1]; at = next_edge(a, b, at, part[l + 1]))
            n++;
        most = ashi_max(most, n);
    }
    return most;
}

typedef struct pick {
    int64_t runs;
    int64_t *from, *count;
} pick;

/* Take share r of every segment of every part, round by round, and note where rounds begin. */
static void pick_shares(const ashi_strip *a, const ashi_strip *b, int64_t parts, ashi_slabs *slabs, pick *out)
{
    int64_t at = 0;
    for (int64_t l = 0; l < parts; l++)
        for (int64_t r = 0; r <= slabs->rounds; r++) {
            slabs->cut[l * (slabs->rounds + 1) + r] = at;
            for (int64_t lo = slabs->part[l], hi; r < slabs->rounds && lo < slabs->part[l + 1]; lo = hi) {
                hi = next_edge(a, b, lo, slabs->part[l + 1]);
                const int64_t size = ashi_cut_size(hi - lo, slabs->rounds, r);
                if (size == 0)
                    continue;
                out->from[out->runs] = lo + ashi_cut(hi - lo, slabs->rounds, r);
                out->count[out->runs++] = size;
                at += size;
            }
        }
}

ashlar_status ashi_slabs_build(ashi_axis *k_axis, const ashi_strip *a, const ashi_strip *b, int64_t parts,
                               const int64_t *part, int64_t rounds, ashi_slabs *out, ashlar_error *err)
{
    *out = (ashi_slabs){.rounds = rounds, .part = part};
    int64_t shortest = INT64_MAX;
    for (int64_t l = 0; l < parts; l++)
        shortest = ashi_min(shortest, part[l + 1] - part[l]);
    const int64_t edges = most_edges(a, b, parts, part);
    if (rounds == 1 || edges == 1 || shortest / rounds / THINNEST_SHARE < edges)
        return ASHLAR_OK;

    const size_t most = (size_t)(parts * rounds * edges);
    pick p = {0, malloc(most * sizeof *p.from), malloc(most * sizeof *p.count)};
    out->cut = malloc((size_t)(parts * (rounds + 1)) * sizeof *out->cut);
    ashlar_status status = ASHLAR_OK;
    if (!p.from || !p.count || !out->cut) {
        status = ashi_fail_memory(err, "rounds", (int64_t)most * 16);
    } else {
        pick_shares(a, b, parts, out, &p);
        status = ashi_axis_rearrange(k_axis, p.runs, p.from, p.count, err);
    }
    free(p.from);
    free(p.count);
    if (status != ASHLAR_OK)
        ashi_slabs_free(out);
    return status;
}

void ashi_slabs_free(ashi_slabs *slabs)
{
    free(slabs->cut);
    *slabs = (ashi_slabs){0};
}
