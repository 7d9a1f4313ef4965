/* Orders of the indices of a dimension, and layouts seen along them. */
#include "layout/axis.h"

#include "base/checked.h"
#include "base/error.h"
#include "base/ordering.h"

#include <stdlib.h>
#include <string.h>

typedef struct run {
    int64_t first_part, second_part, index, count;
} run;

static int by_parts(const void *a, const void *b)
{
    const run *x = a, *y = b;
    if (x->first_part != y->first_part)
        return x->first_part < y->first_part ? -1 : 1;
    if (x->second_part != y->second_part)
        return x->second_part < y->second_part ? -1 : 1;
    return (x->index > y->index) - (x->index < y->index);
}

static bool are_sorted(const run *runs, int64_t n)
{
    bool sorted = true;
    for (int64_t i = 1; i < n && sorted; i++)
        sorted = by_parts(&runs[i - 1], &runs[i]) <= 0;
    return sorted;
}

/* The runs on which both dims stay within a part; returns how many, and fills `out` where it is not NULL. */
static int64_t elementary_runs(int64_t size, const ashi_dim *first, const ashi_dim *second, run *out)
{
    const ashi_dim_run all = {0, 0, size};
    int64_t n = 0;
    for (int64_t index = 0, end; index < size; index = end, n++) {
        const ashi_dim_run x = first ? ashi_dim_run_at(first, index) : all;
        const ashi_dim_run y = second ? ashi_dim_run_at(second, index) : all;
        end = ashi_min(x.end, y.end);
        if (out)
            out[n] = (run){x.part, y.part, index, end - index};
    }
    return n;
}

/* Store sorted runs, joining those that continue each other. */
static ashlar_status store_runs(const run *runs, int64_t n, ashi_axis *out, ashlar_error *err)
{
    int64_t joined = 0, at = 0;
    for (int64_t i = 0; i < n; i++)
        joined += i == 0 || runs[i].index != runs[i - 1].index + runs[i - 1].count;
    out->at = malloc((size_t)(joined + 1) * sizeof *out->at);
    out->index = malloc((size_t)(joined + 1) * sizeof *out->index);
    if (!out->at || !out->index) {
        ashi_axis_free(out);
        return ashi_fail_memory(err, "axis", joined * 16);
    }
    out->runs = 0;
    for (int64_t i = 0; i < n; i++) {
        if (i == 0 || runs[i].index != runs[i - 1].index + runs[i - 1].count) {
            out->at[out->runs] = at;
            out->index[out->runs++] = runs[i].index;
        }
        at += runs[i].count;
    }
    out->at[out->runs] = at;
    out->size = at;
    return ASHLAR_OK;
}

ashlar_status ashi_axis_build(int64_t size, const ashi_dim *first, const ashi_dim *second, ashi_axis *out,
                              ashlar_error *err)
{
    *out = (ashi_axis){0};
    if (first && second && ashi_dim_same(first, second))
        second = NULL;
    const int64_t n = elementary_runs(size, first, second, NULL);
    run *runs = malloc((size_t)ashi_max(n, 1) * sizeof *runs);
    if (!runs)
        return ashi_fail_memory(err, "axis", n * (int64_t)sizeof *runs);
    elementary_runs(size, first, second, runs);
    if (!are_sorted(runs, n))
        qsort(runs, (size_t)n, sizeof *runs, by_parts);
    const ashlar_status status = store_runs(runs, n, out, err);
    free(runs);
    return status;
}

/* The run of an axis that has a position. */
static int64_t axis_find(const ashi_axis *axis, int64_t position)
{
    return ashi_interval_of(axis->at, axis->runs, position);
}

/* The natural runs of the rearranged axis; returns how many, and fills `out` where it is not NULL. */
static int64_t rearranged_runs(const ashi_axis *axis, int64_t runs, const int64_t *from, const int64_t *count, run *out)
{
    int64_t n = 0;
    for (int64_t r = 0; r < runs; r++)
        for (int64_t at = from[r]; at < from[r] + count[r]; n++) {
            const int64_t i = axis_find(axis, at), end = ashi_min(axis->at[i + 1], from[r] + count[r]);
            if (out)
                out[n] = (run){0, 0, axis->index[i] + at - axis->at[i], end - at};
            at = end;
        }
    return n;
}

ashlar_status ashi_axis_rearrange(ashi_axis *axis, int64_t runs, const int64_t *from, const int64_t *count,
                                  ashlar_error *err)
{
    const int64_t n = rearranged_runs(axis, runs, from, count, NULL);
    run *list = malloc((size_t)ashi_max(n, 1) * sizeof *list);
    ashi_axis result = {0};
    if (!list)
        return ashi_fail_memory(err, "axis", n * (int64_t)sizeof *list);
    rearranged_runs(axis, runs, from, count, list);
    const ashlar_status status = store_runs(list, n, &result, err);
    free(list);
    if (status == ASHLAR_OK) {
        ashi_axis_free(axis);
        *axis = result;
    }
    return status;
}

ashlar_status ashi_arrangement_copy(const ashi_arrangement *from, ashi_arrangement *out, ashlar_error *err)
{
    const size_t bytes = (size_t)from->runs * sizeof *out->from;
    *out = (ashi_arrangement){.runs = from->runs, .from = malloc(2 * bytes + 1)};
    if (!out->from)
        return ashi_fail_memory(err, "axis", (int64_t)(2 * bytes));
    out->count = out->from + out->runs;
    memcpy(out->from, from->from, bytes);
    memcpy(out->count, from->count, bytes);
    return ASHLAR_OK;
}

void ashi_arrangement_free(ashi_arrangement *a)
{
    free(a->from);
    *a = (ashi_arrangement){0};
}

ashlar_status ashi_axis_copy(const ashi_axis *axis, ashi_axis *out, ashlar_error *err)
{
    const size_t runs = (size_t)axis->runs + 1;
    *out = (ashi_axis){.size = axis->size, .runs = axis->runs};
    out->at = malloc(runs * sizeof *out->at);
    out->index = malloc(runs * sizeof *out->index);
    if (!out->at || !out->index) {
        ashi_axis_free(out);
        return ashi_fail_memory(err, "axis", (int64_t)(runs * 2 * sizeof *out->at));
    }
    memcpy(out->at, axis->at, runs * sizeof *out->at);
    memcpy(out->index, axis->index, (runs - 1) * sizeof *out->index);
    return ASHLAR_OK;
}

bool ashi_axis_same(const ashi_axis *x, const ashi_axis *y)
{
    const size_t runs = (size_t)x->runs;
    return x->size == y->size && x->runs == y->runs && memcmp(x->at, y->at, (runs + 1) * sizeof *x->at) == 0 &&
           memcmp(x->index, y->index, runs * sizeof *x->index) == 0;
}

void ashi_axis_free(ashi_axis *axis)
{
    free(axis->at);
    free(axis->index);
    *axis = (ashi_axis){0};
}

/* Walk the segments of a dim along an axis; returns how many, and fills at, part and local where `out` has them. */
static int64_t segments(const ashi_axis *axis, const ashi_dim *dim, ashi_strip *out)
{
    int64_t n = 0, last_part = -1, last_end = -1;
    for (int64_t r = 0; r < axis->runs; r++) {
        const int64_t end = axis->index[r] + axis->at[r + 1] - axis->at[r];
        for (int64_t index = axis->index[r], stop; index < end; index = stop) {
            const ashi_dim_run here = ashi_dim_run_at(dim, index);
            stop = ashi_min(end, here.end);
            if (here.part != last_part || here.local != last_end) {
                if (out->at) {
                    out->at[n] = axis->at[r] + index - axis->index[r];
                    out->part[n] = here.part;
                    out->local[n] = here.local;
                }
                n++;
            }
            last_part = here.part;
            last_end = here.local + stop - index;
        }
    }
    return n;
}

/* Sort segment numbers by part, keeping the order of positions, and count what stands before each. */
static void group_by_part(ashi_strip *strip)
{
    for (int64_t s = 0; s < strip->count; s++)
        strip->start[strip->part[s] + 1]++;
    for (int64_t p = 0; p < strip->parts; p++)
        strip->start[p + 1] += strip->start[p];
    for (int64_t s = strip->count; s-- > 0;)
        strip->list[--strip->start[strip->part[s] + 1]] = s;
    /* Each start[p + 1] has moved down to where part p begins: shift back. */
    for (int64_t p = 0; p < strip->parts; p++)
        strip->start[p] = strip->start[p + 1];
    strip->start[strip->parts] = strip->count;
    for (int64_t p = 0; p < strip->parts; p++) {
        int64_t before = 0;
        for (int64_t i = strip->start[p]; i < strip->start[p + 1]; i++) {
            const int64_t s = strip->list[i];
            strip->before[s] = before;
            before += strip->at[s + 1] - strip->at[s];
        }
    }
}

/* One piece for all lists: strips are made and freed often. Returns how many numbers it has; 0 if memory lacks. */
static size_t make_lists(ashi_strip *out, ashlar_error *err)
{
    const size_t n = (size_t)out->count + 1, all = 5 * n + (size_t)out->parts + 1;
    out->at = calloc(all, sizeof *out->at);
    if (!out->at) {
        ashi_fail_memory(err, "strip", (int64_t)(all * sizeof *out->at));
        return 0;
    }
    out->part = out->at + n;
    out->local = out->part + n;
    out->list = out->local + n;
    out->before = out->list + n;
    out->start = out->before + n;
    return all;
}

ashlar_status ashi_strip_copy(const ashi_strip *strip, ashi_strip *out, ashlar_error *err)
{
    *out = (ashi_strip){.size = strip->size, .parts = strip->parts, .count = strip->count};
    const size_t numbers = make_lists(out, err);
    if (numbers == 0)
        return ASHLAR_ERR_MEMORY;
    memcpy(out->at, strip->at, numbers * sizeof *out->at);
    return ASHLAR_OK;
}

ashlar_status ashi_strip_build(const ashi_axis *axis, const ashi_dim *dim, ashi_strip *out, ashlar_error *err)
{
    *out = (ashi_strip){.size = axis->size, .parts = dim->parts};
    out->count = segments(axis, dim, out);
    if (make_lists(out, err) == 0)
        return ASHLAR_ERR_MEMORY;
    segments(axis, dim, out);
    out->at[out->count] = axis->size;
    group_by_part(out);
    return ASHLAR_OK;
}

void ashi_strip_free(ashi_strip *strip)
{
    free(strip->at);
    *strip = (ashi_strip){0};
}

int64_t ashi_strip_find(const ashi_strip *strip, int64_t position)
{
    return ashi_interval_of(strip->at, strip->count, position);
}

/* The first of strip->list[lo .. hi-1] that does not begin below a position; hi if there is none. */
static int64_t first_not_below(const ashi_strip *strip, int64_t lo, int64_t hi, int64_t position)
{
    if (lo < hi && position > strip->at[strip->list[hi - 1]])
        return hi;
    if (lo < hi && position <= strip->at[strip->list[lo]])
        return lo;
    while (lo < hi) {
        const int64_t mid = lo + (hi - lo) / 2;
        if (strip->at[strip->list[mid]] < position)
            lo = mid + 1;
        else
            hi = mid;
    }
    return lo;
}

/* The part's positions below one, if strip->list[item] is the part's first segment that does not begin below it. */
static int64_t below(const ashi_strip *strip, int64_t part, int64_t item, int64_t position)
{
    if (item == strip->start[part])
        return 0;
    const int64_t s = strip->list[item - 1];
    return strip->before[s] + ashi_min(position, strip->at[s + 1]) - strip->at[s];
}

int64_t ashi_strip_below(const ashi_strip *strip, int64_t part, int64_t position)
{
    return below(strip, part, first_not_below(strip, strip->start[part], strip->start[part + 1], position), position);
}

int64_t ashi_strip_between(const ashi_strip *strip, int64_t part, int64_t lo, int64_t hi, int64_t *first)
{
    const int64_t end = strip->start[part + 1];
    const int64_t item = first_not_below(strip, strip->start[part], end, lo);
    int64_t step = 1, from = item; /* the other end is mostly near: steps are doubled until they are beyond it */
    while (from + step < end && strip->at[strip->list[from + step]] < hi) {
        from += step;
        step *= 2;
    }
    *first = below(strip, part, item, lo);
    return hi <= lo ? 0 : below(strip, part, first_not_below(strip, from, ashi_min(from + step, end), hi), hi) - *first;
}
