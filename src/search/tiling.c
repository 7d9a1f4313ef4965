/* Choosing what stays, teams, tiles and slabs for matrices in files.
 *
 * Source: Kwasniewski et al., SC 2019 (COSMA), section 5.2.7, for one rank: a tile a x b stays, slabs h thick are read
 * past it, in ab + h(a + b) words. Here the ranks of a team hold the tile together, a box each. Slabs are read once by
 * the team, so a team of p ranks needs the words of one memory of p S, near 2mnk/sqrt(pS) + mn.
 *
 * If tiles are cut tu x tv, the words are fixed + per_u tu + per_v tv, for each of the three matrices that may stay.
 * The least of it over all tilings that fit with slabs one word thick, and one buffer, is the mark. Of the tilings
 * within 5 % of the mark the one is taken whose lanes, played against each other, end first: a smaller tile leaves room
 * for two buffers of thicker slabs, which overlap and are read in longer runs. A tiling of up to half as many words
 * again is taken only if it ends earlier by a tenth of the time: a quick disk is worth thicker slabs, since thin ones
 * are multiplied slowly, and so are chunks that are unpacked once and not for several slabs. If a matrix is seen in an
 * array, one that moves no more bytes of whole pages is taken if it ends earlier at all. If the disk's rate is only
 * assumed, one of up to a quarter as many words again is taken instead of slabs of a few words if time x words is half:
 * such slabs are read in a run for each line, which is slow on any disk. */
#include "search/tiling.h"

#include "base/checked.h"
#include "base/error.h"
#include "base/wide.h"
#include "engine/grid_schedule.h"
#include "model/rates.h"
#include "search/tiling_frames.h"

#include <inttypes.h>
#include <math.h>

enum {
    STRIP_LEAST = 512, /* rows or columns of a strip: for each strip BLAS packs the other operand again */
    STRIPS_USUAL = 16,
    HALVINGS = 6,      /* slabs are tried down to 1/32 of the thickest */
    UNITS_MOST = 4,    /* that are tried along one index */
    THIN_BYTES = 256   /* of a run. Source: measured, 0.6 us for a run that is in memory, 0.5 GB/s assumed */
};

/* A larger memory makes no difference, and sums of products stay within 128 bits. */
static const int64_t LARGEST_MEMORY = INT64_C(1) << 60;

/* The best tiling so far; of equals the one of fewest words. */
typedef struct candidate {
    bool found;
    ashi_nest nest;
    double seconds, cost; /* the least cost is the best */
    ashi_wide words;
} candidate;

typedef struct search {
    ashi_tiling_range range;
    ashi_wide mark;      /* the fewest words of any tiling; negative before the first */
    candidate near, far; /* the best within 5 % of the mark, and beyond */
    candidate paged;     /* the best beyond that moves no more bytes of pages than `near` */
    double pages;        /* the bytes of pages that `near` moves; 0: not known */
} search;

static void find_mark(void *to, const ashi_tiling_frame *g, int64_t tu, int64_t tv, ashi_wide words)
{
    ashi_wide *mark = to;
    (void)g;
    (void)tu;
    (void)tv;
    if (*mark < 0 || words < *mark)
        *mark = words;
}

static ashi_nest nest_of(const search *f, const ashi_tiling_frame *g, int64_t tu, int64_t tv)
{
    const ashi_tiling_request *q = f->range.request;
    ashi_nest nest = {.size = {q->size[0], q->size[1], q->size[2]}, .ranks = q->ranks, .adds = q->adds,
                      .stays = g->stays, .parts = {g->parts[0], g->parts[1]}, .team = {g->team[0], g->team[1]},
                      .strips = 1};
    nest.cut[g->u] = tu;
    nest.cut[g->v] = tv;
    for (int x = 0; x < 3; x++)
        nest.minor[x] = q->minor[x];
    return nest;
}

/* Panels of a rank's box of C, if that stays. */
static int64_t strips_of(const ashi_nest *nest)
{
    int64_t shape[3];
    ashi_nest_shape(nest, shape);
    const int64_t slow = shape[nest->minor[ASHLAR_C] ? 1 : 0];
    if (nest->stays != ASHLAR_C)
        return 1;
    return ashi_max(ashi_min(slow / STRIP_LEAST, STRIPS_USUAL), 1);
}

static bool is_unpacked(const ashi_tiling_chunks *chunks)
{
    return chunks->side[0] > 0 && chunks->word_seconds > 0;
}

/* Whether the seconds are known that words of the disk take, or chunks take more than these. */
static bool time_decides(const ashi_tiling_request *q)
{
    return ashi_disk_is_given(q->machine) || is_unpacked(&q->chunks[0]) || is_unpacked(&q->chunks[1]);
}

/* Whether it is certain that sums are written before they come back. */
static bool comes_back_late(const ashi_nest *nest, int w)
{
    return nest->stays == ASHLAR_C || nest->cut[2] == 1 ||
           ashi_min(nest->cut[w], ashi_nest_units(nest, w, nest->size[w]) / nest->parts[w]) > 1;
}

/* Bytes of the pages that all ranks read and write. */
static double pages_of(const search *f, const ashi_nest *nest)
{
    const ashi_tiling_bytes pages = ashi_tiling_pages(f->range.request, nest);
    return pages.read + pages.written;
}

static void consider(search *f, ashi_nest *nest, ashi_wide words)
{
    int64_t steps;
    if (ashi_nest_memory(nest) > f->range.memory || ashi_nest_steps(nest, &steps, NULL) != ASHLAR_OK)
        return;
    nest->strips = strips_of(nest);
    const bool near = words * 20 <= f->mark * 21;
    const double seconds = ashi_tiling_expect(f->range.request, nest).all;
    const double cost = near || time_decides(f->range.request) ? seconds : seconds * (double)words;
    candidate *best = f->pages > 0 ? &f->paged : near ? &f->near : &f->far;
    if (f->pages > 0 && (near || pages_of(f, nest) > f->pages))
        return;
    if (!best->found || cost < best->cost || (cost <= best->cost && words < best->words))
        *best = (candidate){true, *nest, seconds, cost, words};
}

/* One tiling in these units, with two buffers and with one, and slabs from as thick as can be. */
static void consider_slabs(search *f, const ashi_tiling_frame *g, ashi_nest nest, ashi_wide words)
{
    const int64_t unit = ashi_nest_unit(&nest, g->w), length = ashi_nest_units(&nest, g->w, g->length[g->w]);
    int64_t shape[3];
    nest.cut[g->w] = 1;
    ashi_nest_shape(&nest, shape);
    const int64_t x = shape[g->u], y = shape[g->v];
    for (nest.ahead = 1; nest.ahead >= 0; nest.ahead--) {
        int64_t h = ashi_min(ashi_max(f->range.memory - x * y, 0) / ((1 + nest.ahead) * (x + y)) / unit, length);
        for (int i = 0; i < HALVINGS && h >= 1; i++, h /= 2) {
            nest.cut[g->w] = ashi_ceil_div(length, h);
            if (nest.ahead > 0 && !comes_back_late(&nest, g->w))
                nest.cut[g->w] = ashi_min(2, length);
            if (nest.ahead == 0 || comes_back_late(&nest, g->w))
                consider(f, &nest, words);
        }
    }
}

/* Units that are worth trying along index d: whole chunks, or pages, of the two files that have it, those of each, and
 * a single index. Of equals the first is taken. Returns how many. */
static int units_to_try(const ashi_tiling_request *q, int d, int64_t unit[UNITS_MOST])
{
    int64_t chunk[2] = {1, 1};
    int count = 0, found = 0;
    for (int x = 0; x < 3; x++)
        for (int s = 0; s < 2; s++) {
            const int64_t side = x == ASHLAR_C && !q->adds ? q->pages[s] : q->chunks[x].side[s];
            if (ashi_dims_of[x][s] == d && side > 1)
                chunk[found++] = ashi_min(side, q->size[d]);
        }
    const bool differ = found == 2 && chunk[0] != chunk[1];
    const int64_t times = differ ? chunk[0] / ashi_common_divisor(chunk[0], chunk[1]) : 1;
    const int64_t both = times <= q->size[d] / chunk[1] ? times * chunk[1] : 0;
    if (differ && both > ashi_max(chunk[0], chunk[1]))
        unit[count++] = both;
    for (int i = 0; i < (differ ? 2 : ashi_min(found, 1)); i++)
        unit[count++] = chunk[i];
    unit[count++] = 1;
    return count;
}

/* One tiling, in all units that are worth trying; each part has at least one. */
static void consider_units(search *f, const ashi_tiling_frame *g, int64_t tu, int64_t tv, ashi_wide words)
{
    int64_t unit[3][UNITS_MOST];
    int count[3], all = 1;
    ashi_nest nest = nest_of(f, g, tu, tv);
    for (int d = 0; d < 3; d++)
        all *= count[d] = units_to_try(f->range.request, d, unit[d]);
    for (int i = 0; i < all; i++) {
        const int which[3] = {i % count[0], i / count[0] % count[1], i / count[0] / count[1]};
        bool serves = true;
        for (int d = 0; d < 3; d++) {
            nest.unit[d] = unit[d][which[d]];
            serves = serves && (d == 2 || ashi_nest_units(&nest, d, nest.size[d]) >= nest.parts[d]);
        }
        if (serves)
            consider_slabs(f, g, nest, words);
    }
}

/* The most words that a tiling may read and write to be considered. */
static ashi_wide most_words(const search *f)
{
    const ashi_tiling_request *q = f->range.request;
    if (q->least)
        return f->mark;
    return f->mark + f->mark / (q->fewest_words ? 20 : time_decides(q) ? 2 : 4);
}

/* A tiling within the limit of words, and those with somewhat more tiles along the other side. */
static void consider_near(void *to, const ashi_tiling_frame *g, int64_t tu, int64_t tv, ashi_wide words)
{
    search *f = to;
    const ashi_wide most = most_words(f);
    while (words <= most) {
        consider_units(f, g, tu, tv, words);
        tv += ashi_max(tv / 100, 1);
        words = g->fixed + g->per_u * tu + g->per_v * tv;
        if (tv > g->length[g->v])
            return;
    }
}

/* Whether slabs are so thin that a call of the system for each run takes longer than the run's bytes. */
static bool is_thin(const search *f, const ashi_nest *nest)
{
    int64_t shape[3];
    ashi_nest_shape(nest, shape);
    return shape[ashi_dims_of[nest->stays][2]] * f->range.request->bytes < THIN_BYTES;
}

/* More than 5 % above the fewest words are worth a tenth of the time, or any if pages have no more bytes; if the disk's
 * rate is only assumed, instead of thin slabs, half of time x words. */
static candidate best_of(const search *f)
{
    const candidate *near = &f->near, *far = &f->far, *paged = &f->paged;
    if (!near->found || !far->found)
        return near->found ? *near : *far;
    if (time_decides(f->range.request)) {
        const candidate *least = paged->found && paged->seconds < near->seconds ? paged : near;
        return far->cost <= 0.9 * least->seconds ? *far : *least;
    }
    const bool worth = far->cost <= 0.5 * near->seconds * (double)near->words;
    return worth && is_thin(f, &near->nest) ? *far : *near;
}

/* What teams are compared by: if the disk's rate is only assumed, the best near the fewest words. */
static double weighed_seconds(const search *f)
{
    return time_decides(f->range.request) || !f->near.found ? best_of(f).seconds : f->near.seconds;
}

/* Whether a matrix is seen in an array, so that words say little of bytes. */
static bool sees_arrays(const ashi_tiling_request *q)
{
    return q->seen[0] || q->seen[1] || q->seen[2];
}

/* The fewest words over all that may stay, then the best near them, with the ranks as one team or each for itself. */
static search search_mode(const ashi_tiling_request *q, bool joint)
{
    search f = {.range = {q, ashi_min(q->memory_words, LARGEST_MEMORY), joint, false}, .mark = -1};
    ashi_tiling_frames(&f.range, &f.mark, find_mark, &f.mark);
    const ashi_wide most = most_words(&f);
    f.range.coarse = !q->least;
    ashi_tiling_frames(&f.range, &most, consider_near, &f);
    if (f.near.found && sees_arrays(q) && time_decides(q) && !q->fewest_words && !q->least) {
        f.pages = pages_of(&f, &f.near.nest);
        ashi_tiling_frames(&f.range, &most, consider_near, &f);
    }
    return f;
}

int64_t ashi_tiling_fewest(const ashi_tiling_request *q)
{
    const ashi_tiling_range range = {q, ashi_min(q->memory_words, LARGEST_MEMORY), false, false};
    ashi_wide mark = -1;
    int64_t words;
    ashi_tiling_frames(&range, &mark, find_mark, &mark);
    return mark >= 0 && ashi_narrow(mark, &words) ? words : INT64_MAX;
}

int64_t ashi_tiling_least(const ashi_tiling_request *q)
{
    return q->size[2] > 0 ? 3 : 1; /* a word of C, and one of A and of B */
}

static ashlar_status check_request(const ashi_tiling_request *q, ashlar_error *err)
{
    if (q->memory_words < ashi_tiling_least(q))
        return ashi_fail(err, ASHLAR_ERR_LIMIT,
                         "sequential: %" PRId64 " words a rank are too few even if the matrices are streamed from "
                         "files: %" PRId64 " would do", q->memory_words, ashi_tiling_least(q));
    for (int d = 0; d < 3; d++)
        if (q->size[d] > LARGEST_MEMORY)
            return ashi_fail(err, ASHLAR_ERR_OVERFLOW, "a matrix of %" PRId64 " rows or columns is too large",
                             q->size[d]);
    return ASHLAR_OK;
}

ashlar_status ashi_tiling_choose(const ashi_tiling_request *q, ashi_nest *out, ashlar_error *err)
{
    ashi_nest_figures total, most;
    *out = (ashi_nest){.size = {q->size[0], q->size[1], q->size[2]}, .ranks = q->ranks, .adds = q->adds,
                       .stays = ASHLAR_C, .strips = 1};
    if (q->size[0] == 0 || q->size[1] == 0)
        return ASHLAR_OK;
    const ashlar_status status = check_request(q, err);
    if (status != ASHLAR_OK)
        return status;
    if (q->size[2] == 0) {
        *out = ashi_tiling_lines(q, !q->file_minor[ASHLAR_C]);
        return ASHLAR_OK;
    }
    search apart = {0}, joint = {0};
    if (!q->least)
        apart = search_mode(q, false);
    if (q->least || (q->ranks > 1 && !q->apart))
        joint = search_mode(q, true);
    const candidate one = best_of(&joint), each = best_of(&apart);
    if (!one.found && !each.found)
        return ashi_fail(err, ASHLAR_ERR_OVERFLOW, "the words to be read from files do not fit in 64 bits");
    /* Reading each word once is worth a little time: others use the disk too. */
    const bool together = one.found && (!each.found || weighed_seconds(&joint) <= 1.05 * weighed_seconds(&apart));
    *out = together ? one.nest : each.nest;
    return ashi_nest_total(out, &total, &most, err);
}

ashi_nest ashi_tiling_lines(const ashi_tiling_request *q, bool by_rows)
{
    const int line = by_rows ? 1 : 0, across = 1 - line; /* the side along a line, and that which counts lines */
    ashi_nest s = {.size = {q->size[0], q->size[1], 0}, .ranks = q->ranks, .adds = q->adds, .stays = ASHLAR_C,
                   .team = {1, 1}, .strips = 1};
    for (int x = 0; x < 3; x++)
        s.minor[x] = q->minor[x];
    if (q->size[0] == 0 || q->size[1] == 0)
        return s;
    s.parts[across] = ashi_min(q->ranks, s.size[across]);
    s.parts[line] = ashi_min(q->ranks / s.parts[across], s.size[line]);
    const int64_t longest = ashi_ceil_div(s.size[line], s.parts[line]);
    const int64_t count = ashi_ceil_div(s.size[across], s.parts[across]);
    const int64_t length = ashi_min(longest, q->memory_words);
    const int64_t lines = ashi_min(count, q->memory_words / length);
    s.cut[line] = ashi_ceil_div(longest, length);
    s.cut[across] = ashi_ceil_div(count, lines);
    return s;
}
