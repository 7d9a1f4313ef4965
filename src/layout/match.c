/* One dimension of a movement: which indices go from which part of the source to which part of the target. */
#include "layout/match.h"

#include "base/checked.h"
#include "base/error.h"

#include <stdlib.h>

/* Indices next to each other in both their part of the source and their part of the target. */
typedef struct run {
    int64_t from_part, to_part, from, to, count;
} run;

static bool continues(const run *a, const run *b)
{
    return a->from_part == b->from_part && a->to_part == b->to_part && a->from + a->count == b->from &&
           a->to + a->count == b->to;
}

static bool same_match(const run *a, const run *b)
{
    return a->from_part == b->from_part && a->to_part == b->to_part;
}

/* Walk the runs of marked parts; returns how many, and fills `out` where it is not NULL. */
static int64_t list_runs(const ashi_dim *from, const bool *from_mine, const ashi_dim *to, const bool *to_mine, run *out)
{
    int64_t n = 0;
    for (int64_t index = 0, end; index < to->size; index = end) {
        end = ashi_min(ashi_dim_run_end(from, index), ashi_dim_run_end(to, index));
        run r = {.from_part = ashi_dim_part(from, index), .to_part = ashi_dim_part(to, index), .count = end - index};
        if (!from_mine[r.from_part] && !to_mine[r.to_part])
            continue;
        if (out) {
            r.from = ashi_dim_local(from, index);
            r.to = ashi_dim_local(to, index);
            out[n] = r;
        }
        n++;
    }
    return n;
}

/* Sort by one of the parts, keeping the order of runs within it; `start` has room for parts + 1 numbers. */
static void sort_by_part(const run *runs, int64_t n, bool by_target, int64_t parts, int64_t *start, run *out)
{
    for (int64_t p = 0; p <= parts; p++)
        start[p] = 0;
    for (int64_t i = 0; i < n; i++)
        start[1 + (by_target ? runs[i].to_part : runs[i].from_part)]++;
    for (int64_t p = 0; p < parts; p++)
        start[p + 1] += start[p];
    for (int64_t i = 0; i < n; i++)
        out[start[by_target ? runs[i].to_part : runs[i].from_part]++] = runs[i];
}

/* Join runs that continue each other, in place; returns how many are left. */
static int64_t join(run *runs, int64_t n)
{
    int64_t joined = 0;
    for (int64_t i = 0; i < n; i++) {
        if (joined && continues(&runs[joined - 1], &runs[i]))
            runs[joined - 1].count += runs[i].count;
        else
            runs[joined++] = runs[i];
    }
    return joined;
}

/* The runs of the match that begins with runs[i]: where it ends, how many indices it has, and as how many runs. */
static int64_t match_end(const run *runs, int64_t n, int64_t i, int64_t *count, int64_t *stored)
{
    int64_t end = i;
    *count = 0;
    for (; end < n && same_match(&runs[i], &runs[end]); end++)
        *count += runs[end].count;
    *stored = *count < ASHI_FINE * (end - i) ? *count : end - i;
    return end;
}

static void fill_match(ashi_match *match, const run *runs, int64_t n, int64_t *from, int64_t *to, int64_t *at)
{
    const bool fine = match->runs == match->count;
    int64_t used = 0, before = 0;
    match->from = from;
    match->to = to;
    match->at = at;
    for (int64_t i = 0; i < n; i++) {
        for (int64_t j = 0; j < (fine ? runs[i].count : 1); j++) {
            from[used] = runs[i].from + j;
            to[used] = runs[i].to + j;
            at[used++] = before + j;
        }
        before += runs[i].count;
    }
    at[used] = before;
}

static ashlar_status store(const run *runs, int64_t n, ashi_matches *out, ashlar_error *err)
{
    int64_t matches = 0, stored = 0, count, size;
    for (int64_t i = 0; i < n; i = match_end(runs, n, i, &count, &size), stored += size)
        matches++;
    out->match = malloc((size_t)ashi_max(matches, 1) * sizeof *out->match);
    out->memory = malloc((size_t)(3 * stored + matches + 1) * sizeof *out->memory);
    if (!out->match || !out->memory)
        return ashi_fail_memory(err, "matches", (3 * stored + matches) * 8);
    int64_t *place = out->memory;
    for (int64_t i = 0, end; i < n; i = end) {
        end = match_end(runs, n, i, &count, &size);
        ashi_match *match = &out->match[out->count++];
        *match = (ashi_match){.from_part = runs[i].from_part, .to_part = runs[i].to_part, .runs = size, .count = count};
        fill_match(match, runs + i, end - i, place, place + size, place + 2 * size);
        place += 3 * size + 1;
    }
    return ASHLAR_OK;
}

ashlar_status ashi_matches_build(const ashi_dim *from, const bool *from_mine, const ashi_dim *to, const bool *to_mine,
                                 ashi_matches *out, ashlar_error *err)
{
    *out = (ashi_matches){0};
    const int64_t n = list_runs(from, from_mine, to, to_mine, NULL), parts = ashi_max(from->parts, to->parts);
    run *runs = malloc((size_t)(2 * n + 1) * sizeof *runs);
    int64_t *start = malloc((size_t)(parts + 1) * sizeof *start);
    ashlar_status status = ASHLAR_OK;
    if (!runs || !start)
        status = ashi_fail_memory(err, "matches", n * 2 * (int64_t)sizeof *runs + parts * 8);
    if (status == ASHLAR_OK) {
        list_runs(from, from_mine, to, to_mine, runs);
        sort_by_part(runs, n, false, from->parts, start, runs + n);
        sort_by_part(runs + n, n, true, to->parts, start, runs);
        status = store(runs, join(runs, n), out, err);
    }
    free(runs);
    free(start);
    if (status != ASHLAR_OK)
        ashi_matches_free(out);
    return status;
}

void ashi_matches_free(ashi_matches *matches)
{
    free(matches->match);
    free(matches->memory);
    *matches = (ashi_matches){0};
}
