/* How the sides of boxes along one dimension are cut into rounds. */
#include "engine/slabs.h"

#include "base/checked.h"
#include "base/error.h"

#include <stdlib.h>

/* An owner's share of a round should be at least this long, or the messages are not worth their number. */
enum { THINNEST_SHARE = 8 };

int64_t ashi_slab(const ashi_slabs *slabs, int64_t part, int64_t round)
{
    if (slabs->cut)
        return slabs->cut[part * (slabs->rounds + 1) + round];
    const ashi_reach *p = &slabs->part[part];
    return p->lo + ashi_cut(p->hi - p->lo, slabs->rounds, round);
}

int64_t ashi_owner_edge(const ashi_strip *strip, int64_t position)
{
    int64_t s = ashi_strip_find(strip, position);
    while (s + 1 < strip->count && strip->part[s + 1] == strip->part[s])
        s++;
    return strip->at[s + 1];
}

/* Where the owner changes after `position` in either strip, at most `end`. */
static int64_t next_edge(const ashi_strip *a, const ashi_strip *b, int64_t position, int64_t end)
{
    return ashi_min(end, ashi_min(ashi_owner_edge(a, position), ashi_owner_edge(b, position)));
}

/* The most stretches of one owner of each that any part has. */
static int64_t most_edges(const ashi_strip *a, const ashi_strip *b, int64_t parts, const ashi_reach *part)
{
    int64_t most = 1;
    for (int64_t l = 0; l < parts; l++) {
        int64_t n = 0;
        for (int64_t at = part[l].lo; at < part[l].hi; at = next_edge(a, b, at, part[l].hi))
            n++;
        most = ashi_max(most, n);
    }
    return most;
}

typedef struct pick {
    int64_t runs;
    int64_t *from, *count;
} pick;

/* How many of the rounds below r get one of the `extra` longer shares, which go to rounds `phase` and following, round
 * the circle. Segments pass the phase on, so that rounds differ by one at most. */
static int64_t longer_below(int64_t r, int64_t rounds, int64_t phase, int64_t extra)
{
    const int64_t end = phase + extra, wrapped = ashi_max(0, end - rounds);
    return ashi_min(r, wrapped) + ashi_max(0, ashi_min(r, ashi_min(end, rounds)) - phase);
}

/* Take share r of every segment of every part, round by round, and note where rounds begin. */
static void pick_shares(const ashi_strip *a, const ashi_strip *b, int64_t parts, ashi_slabs *slabs, pick *out)
{
    const int64_t rounds = slabs->rounds;
    int64_t at = 0;
    for (int64_t l = 0; l < parts; l++)
        for (int64_t r = 0; r <= rounds; r++) {
            const int64_t end = slabs->part[l].hi;
            int64_t phase = 0;
            slabs->cut[l * (rounds + 1) + r] = at;
            for (int64_t lo = slabs->part[l].lo, hi; r < rounds && lo < end; lo = hi) {
                hi = next_edge(a, b, lo, end);
                const int64_t share = (hi - lo) / rounds, extra = (hi - lo) % rounds;
                const int64_t before = longer_below(r, rounds, phase, extra);
                const int64_t size = share + longer_below(r + 1, rounds, phase, extra) - before;
                phase = (phase + extra) % rounds;
                if (size == 0)
                    continue;
                out->from[out->runs] = lo + share * r + before;
                out->count[out->runs++] = size;
                at += size;
            }
        }
}

static int64_t shortest_part(int64_t parts, const ashi_reach *part)
{
    int64_t shortest = INT64_MAX;
    for (int64_t l = 0; l < parts; l++)
        shortest = ashi_min(shortest, part[l].hi - part[l].lo);
    return shortest;
}

static bool overlap(int64_t parts, const ashi_reach *part)
{
    for (int64_t l = 1; l < parts; l++)
        if (part[l].lo < part[l - 1].hi)
            return true;
    return false;
}

ashlar_status ashi_slabs_build(ashi_axis *axis, const ashi_strip *a, const ashi_strip *b, int64_t parts,
                               const ashi_reach *part, int64_t rounds, ashi_slabs *out, ashlar_error *err)
{
    *out = (ashi_slabs){.rounds = rounds, .part = part};
    if (rounds == 1 || overlap(parts, part))
        return ASHLAR_OK;
    const int64_t shortest = shortest_part(parts, part);
    const int64_t edges = most_edges(a, b, parts, part);
    if (edges == 1 || shortest / rounds / THINNEST_SHARE < edges)
        return ASHLAR_OK;

    const size_t most = (size_t)(parts * rounds * edges);
    pick p = {0, malloc(most * sizeof *p.from), malloc(most * sizeof *p.count)};
    out->cut = malloc((size_t)(parts * (rounds + 1)) * sizeof *out->cut);
    ashlar_status status = ASHLAR_OK;
    if (!p.from || !p.count || !out->cut) {
        status = ashi_fail_memory(err, "rounds", (int64_t)most * 16);
    } else {
        pick_shares(a, b, parts, out, &p);
        status = ashi_axis_rearrange(axis, p.runs, p.from, p.count, err);
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
