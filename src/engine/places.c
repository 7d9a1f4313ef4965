/* Boxes of a matrix, one or several a rank, found by where they are. */
#include "engine/places.h"

#include "base/checked.h"
#include "base/error.h"

#include <stdlib.h>

ashlar_status ashi_places_add(ashi_places *p, const ashi_place *place, ashlar_error *err)
{
    if (p->count == p->capacity) {
        const int64_t capacity = ashi_max(16, 2 * p->capacity);
        ashi_place *at = realloc(p->at, (size_t)capacity * sizeof *at);
        if (!at)
            return ashi_fail_memory(err, "schedule", capacity * (int64_t)sizeof *at);
        p->at = at;
        p->capacity = capacity;
    }
    p->at[p->count++] = *place;
    return ASHLAR_OK;
}

static int by_place(const void *a, const void *b)
{
    const ashi_place *x = a, *y = b;
    const int64_t xs[] = {x->box.minor_lo, x->box.major_lo, x->part, x->piece};
    const int64_t ys[] = {y->box.minor_lo, y->box.major_lo, y->part, y->piece};
    for (size_t i = 0; i < sizeof xs / sizeof xs[0]; i++)
        if (xs[i] != ys[i])
            return xs[i] < ys[i] ? -1 : 1;
    return 0;
}

ashlar_status ashi_places_sort(ashi_places *p, int64_t ranks, ashlar_error *err)
{
    p->start = calloc((size_t)ranks + 1, sizeof *p->start);
    p->of_rank = malloc((size_t)(p->count + 1) * sizeof *p->of_rank);
    if (!p->start || !p->of_rank)
        return ashi_fail_memory(err, "schedule", (ranks + p->count) * (int64_t)sizeof *p->start);
    if (p->count > 1)
        qsort(p->at, (size_t)p->count, sizeof *p->at, by_place);
    for (int64_t i = 0; i < p->count; i++)
        p->start[p->at[i].rank + 1]++;
    for (int64_t r = 0; r < ranks; r++)
        p->start[r + 1] += p->start[r];
    for (int64_t i = 0; i < p->count; i++)
        p->of_rank[p->start[p->at[i].rank]++] = i;
    for (int64_t r = ranks; r > 0; r--)
        p->start[r] = p->start[r - 1];
    p->start[0] = 0;
    return ASHLAR_OK;
}

void ashi_places_free(ashi_places *p)
{
    free(p->at);
    free(p->start);
    free(p->of_rank);
    *p = (ashi_places){0};
}

/* The first place from `lo` on whose minor side ends after `minor`, and if that begins at `band`, whose major side ends
 * after `major`. */
static int64_t first_after(const ashi_places *p, int64_t lo, int64_t minor, int64_t band, int64_t major)
{
    int64_t hi = p->count;
    while (lo < hi) {
        const int64_t mid = lo + (hi - lo) / 2;
        const ashi_box *b = &p->at[mid].box;
        const bool before = b->minor_lo != band ? b->minor_hi <= minor || b->minor_lo < band : b->major_hi <= major;
        if (before)
            lo = mid + 1;
        else
            hi = mid;
    }
    return lo;
}

int64_t ashi_places_next(const ashi_places *p, const ashi_box *box, int64_t from)
{
    int64_t i = from;
    if (ashi_box_words(box) == 0)
        return p->count;
    if (i >= p->count || p->at[i].box.minor_hi <= box->minor_lo)
        i = first_after(p, i, box->minor_lo, -1, 0);
    while (i < p->count && p->at[i].box.minor_lo < box->minor_hi) {
        const ashi_box *b = &p->at[i].box;
        if (b->major_hi > box->major_lo && b->major_lo < box->major_hi)
            return i;
        if (b->major_hi <= box->major_lo)
            i = first_after(p, i, box->minor_lo, b->minor_lo, box->major_lo); /* within this band, or the next */
        else
            i = first_after(p, i, box->minor_lo, b->minor_lo, INT64_MAX); /* the next band */
    }
    return p->count;
}
