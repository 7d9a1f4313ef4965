/* Other orders of an axis along which two matrices are dealt out differently. */
#include "search/skew.h"

#include "base/checked.h"
#include "base/error.h"

#include <stdlib.h>

/* What one part of each matrix has. */
typedef struct class {
    int64_t turn; /* when it comes */
    int64_t from, count;
} class;

/* A class after the other, in the order of positions. */
typedef struct walk {
    const ashi_strip *first, *second;
    int64_t at, x, y; /* the next position, and the segments that have it */
    int64_t part, in_part; /* parts of `first` met before the present one; classes met in that */
} walk;

/* Take the next class; false behind the last. Segments of one part that meet count as one. */
static bool next_class(walk *w, int64_t *from, int64_t *count)
{
    const ashi_strip *x = w->first, *y = w->second;
    if (w->at >= x->size)
        return false;
    const int64_t x_part = x->part[w->x], y_part = y->part[w->y];
    *from = w->at;
    while (w->at < x->size && x->part[w->x] == x_part && y->part[w->y] == y_part) {
        w->at = ashi_min(x->at[w->x + 1], y->at[w->y + 1]);
        w->x += w->at == x->at[w->x + 1];
        w->y += w->at == y->at[w->y + 1];
    }
    *count = w->at - *from;
    w->in_part++;
    return true;
}

/* Whether the next class is of another part of `first` than the last one. */
static bool part_ends(const walk *w, int64_t part)
{
    return w->at >= w->first->size || w->first->part[w->x] != part;
}

int64_t ashi_skew_classes(const ashi_strip *first, const ashi_strip *second)
{
    walk w = {.first = first, .second = second};
    int64_t most = 0, from, count;
    while (w.at < first->size) {
        const int64_t part = first->part[w.x];
        next_class(&w, &from, &count);
        most = ashi_max(most, w.in_part);
        if (part_ends(&w, part))
            w.in_part = 0;
    }
    return most;
}

static int by_turn(const void *a, const void *b)
{
    const class *x = a, *y = b;
    if (x->turn != y->turn)
        return x->turn < y->turn ? -1 : 1;
    return (x->from > y->from) - (x->from < y->from);
}

/* The classes in their new order; `list` has room for one of each segment of both. Returns how many. */
static int64_t deal(const ashi_strip *first, const ashi_strip *second, int64_t skew, class *list)
{
    walk w = {.first = first, .second = second};
    int64_t n = 0, begun = 0;
    while (w.at < first->size) {
        const int64_t part = first->part[w.x];
        next_class(&w, &list[n].from, &list[n].count);
        list[n].turn = n - begun;
        n++;
        if (!part_ends(&w, part))
            continue;
        for (int64_t i = begun; i < n; i++)
            list[i].turn = (list[i].turn + skew % (n - begun) * w.part) % (n - begun);
        begun = n;
        w.part++;
    }
    qsort(list, (size_t)n, sizeof *list, by_turn);
    return n;
}

ashlar_status ashi_skew_axis(const ashi_strip *first, const ashi_strip *second, int64_t skew, ashi_arrangement *out,
                             ashlar_error *err)
{
    const int64_t most = first->count + second->count;
    class *list = malloc((size_t)(most + 1) * sizeof *list);
    *out = (ashi_arrangement){.from = malloc(2 * (size_t)(most + 1) * sizeof *out->from)};
    ashlar_status status = ASHLAR_OK;
    if (!list || !out->from) {
        ashi_arrangement_free(out);
        status = ashi_fail_memory(err, "plan", most * (int64_t)(sizeof *list + 2 * sizeof *out->from));
    } else {
        out->runs = deal(first, second, skew, list);
        out->count = out->from + most + 1;
        for (int64_t i = 0; i < out->runs; i++) {
            out->from[i] = list[i].from;
            out->count[i] = list[i].count;
        }
    }
    free(list);
    return status;
}
