/* What the events of a trace amount to. */
#include "draw/timeline.h"

#include "base/checked.h"
#include "base/error.h"

#include <math.h>
#include <stdlib.h>

void ashi_timeline_free(ashi_timeline *t)
{
    free(t->event);
    for (int i = 0; i < ASHI_NAMES_MOST; i++)
        free(t->name[i]);
    *t = (ashi_timeline){0};
}

/* The first event of a rank, or of one beyond it. */
static int64_t first_of(const ashi_timeline *t, int rank)
{
    int64_t lo = 0, hi = t->count;
    while (lo < hi) {
        const int64_t middle = lo + (hi - lo) / 2;
        if (t->event[middle].rank < rank)
            lo = middle + 1;
        else
            hi = middle;
    }
    return lo;
}

void ashi_timeline_of_rank(const ashi_timeline *t, int rank, int64_t *first, int64_t *end)
{
    *first = first_of(t, rank);
    *end = first_of(t, rank + 1);
}

const ashi_timed *ashi_timeline_longest_wait(const ashi_timeline *t)
{
    const ashi_timed *longest = NULL;
    for (const ashi_timed *e = t->event; e < t->event + t->count; e++)
        if (e->wait && (!longest || e->end - e->begin > longest->end - longest->begin))
            longest = e;
    return longest;
}

/* ---- time in which something was under way ---- */

/* An event begins (+1) or ends (-1): of what computes, the cores or a device, or of what moves words. */
typedef struct edge {
    double at;
    int cores, moves, wait, lane[ASHI_LANES];
} edge;

static int by_time(const void *a, const void *b)
{
    const edge *x = a, *y = b;
    return (x->at > y->at) - (x->at < y->at);
}

static edge edge_of(const ashi_timed *e, bool begins)
{
    const int by = begins ? 1 : -1;
    edge out = {.at = begins ? e->begin : e->end};
    if (e->wait) {
        out.wait = by;
        return out;
    }
    out.lane[e->lane] = by;
    if (e->lane == ASHI_LANE_CORES || e->lane == ASHI_LANE_DEVICE)
        out.cores = by;
    else
        out.moves = by;
    return out;
}

static void sweep(edge *edges, int64_t count, ashi_timeline_rank *out)
{
    edge now = {0};
    for (int64_t i = 0; i < count; i++) {
        const double passed = i > 0 ? edges[i].at - edges[i - 1].at : 0;
        for (int l = 0; l < ASHI_LANES; l++) {
            out->busy[l] += now.lane[l] > 0 ? passed : 0;
            now.lane[l] += edges[i].lane[l];
        }
        out->waiting += now.wait > 0 ? passed : 0;
        out->moving += now.moves > 0 ? passed : 0;
        out->hidden += now.moves > 0 && now.cores > 0 ? passed : 0;
        now.wait += edges[i].wait;
        now.moves += edges[i].moves;
        now.cores += edges[i].cores;
    }
}

ashlar_status ashi_timeline_measure(const ashi_timeline *t, int rank, ashi_timeline_rank *out, ashlar_error *err)
{
    int64_t first = 0, end = 0, count = 0;
    *out = (ashi_timeline_rank){0};
    ashi_timeline_of_rank(t, rank, &first, &end);
    edge *edges = malloc((size_t)ashi_max(1, 2 * (end - first)) * sizeof *edges);
    if (!edges)
        return ashi_fail_memory(err, "trace", 2 * (end - first) * (int64_t)sizeof *edges);
    for (int64_t i = first; i < end; i++) {
        edges[count++] = edge_of(&t->event[i], true);
        edges[count++] = edge_of(&t->event[i], false);
    }
    qsort(edges, (size_t)count, sizeof *edges, by_time);
    sweep(edges, count, out);
    free(edges);
    return ASHLAR_OK;
}
