/* Which rank computes which box, for layouts that the caller already has. */
#include "strategy/settle.h"

#include "base/checked.h"
#include "base/error.h"
#include "search/holdings.h"
#include "search/skew.h"
#include "strategy/sight.h"

#include <stdlib.h>
#include <string.h>

enum {
    GREEDY_MOST = 256,   /* ranks: each box looks at all of them */
    SETTLED_MOST = 4096, /* ranks: of a grid, whose faces are tabulated */
    SKEWS_MOST = 3
};

/* Boxes as intervals along each dimension. A list's are copied. */
typedef struct intervals {
    ashi_sides sides;
    int64_t *of_list;
} intervals;

static ashlar_status intervals_of(const ashi_bricks *b, intervals *out, ashlar_error *err)
{
    const int64_t n = b->count;
    *out = (intervals){.sides = {.domains = n, .listed = b->box != NULL}};
    if (b->box)
        out->of_list = malloc((size_t)(6 * n + 1) * sizeof *out->of_list);
    if (b->box && !out->of_list)
        return ashi_fail_memory(err, "plan", 6 * n * (int64_t)sizeof *out->of_list);
    for (int d = 0; d < 3; d++) {
        int64_t *lo = out->of_list ? out->of_list + 2 * d * n : NULL, *hi = lo ? lo + n : NULL;
        for (int64_t i = 0; i < n && lo; i++) {
            lo[i] = b->box[i].lo[d];
            hi[i] = b->box[i].hi[d];
        }
        out->sides.count[d] = lo ? n : b->grid[d];
        out->sides.lo[d] = lo ? lo : b->cut[d];
        out->sides.hi[d] = lo ? hi : b->cut[d] + 1;
    }
    return ASHLAR_OK;
}

/* Give every box, in turn, to the free rank that owns most of what the box needs. */
static ashlar_status greedily(const ashi_holdings *h, int *rank_of, ashlar_error *err)
{
    const int64_t ranks = h->view[0].ranks;
    bool *taken = calloc((size_t)ranks, sizeof *taken);
    if (!taken)
        return ashi_fail_memory(err, "plan", ranks);
    for (int64_t n = 0; n < h->sides.domains; n++) {
        int64_t best = -1, most = -1;
        for (int64_t r = 0; r < ranks; r++) {
            const int64_t words = taken[r] ? -1 : ashi_holdings_words(h, r, n);
            if (words > most) {
                most = words;
                best = r;
            }
        }
        taken[best] = true;
        rank_of[n] = (int)best;
    }
    free(taken);
    return ASHLAR_OK;
}

/* Of the cells first, first + step, ..., `count` of them, the one of whose faces a rank owns most. */
static int64_t best_cell(const ashi_holdings *h, int64_t rank, int64_t first, int64_t step, int64_t count)
{
    int64_t best = first, most = -1;
    for (int64_t i = 0; i < count; i++) {
        const int64_t words = ashi_holdings_words(h, rank, first + i * step);
        if (words > most) {
            most = words;
            best = first + i * step;
        }
    }
    return best;
}

/* Of a grid: give each rank, in turn, the cell of whose faces it owns most, searched along one dimension after the
 * other, or of the cells beside that along k the first free one. Who finds none takes what is left. */
static ashlar_status by_favourites(const ashi_holdings *h, int *rank_of, ashlar_error *err)
{
    const int64_t *cells = h->sides.count, ranks = h->view[0].ranks, n = h->sides.domains;
    bool *placed = calloc((size_t)ranks, sizeof *placed);
    if (!placed)
        return ashi_fail_memory(err, "plan", ranks);
    for (int64_t i = 0; i < n; i++)
        rank_of[i] = -1;
    for (int64_t r = 0; r < ranks; r++) {
        int64_t cell = best_cell(h, r, 0, cells[1] * cells[2], cells[0]);
        cell = best_cell(h, r, cell, cells[2], cells[1]);
        const int64_t first = cell, best = best_cell(h, r, cell, 1, cells[2]) - first;
        for (int64_t i = 0; i < cells[2] && !placed[r]; i++) {
            cell = first + (best + i) % cells[2];
            placed[r] = rank_of[cell] < 0;
            if (placed[r])
                rank_of[cell] = (int)r;
        }
    }
    for (int64_t i = 0, r = 0; i < n; i++)
        if (rank_of[i] < 0) {
            while (placed[r])
                r++;
            rank_of[i] = (int)r++;
        }
    free(placed);
    return ASHLAR_OK;
}

/* One way to place the boxes. */
typedef struct way {
    ashi_lead lead; /* without k, which is below */
    ashi_arrangement k;
    int *rank_of;
    ashi_burden burden;
} way;

static void way_free(way *w)
{
    ashi_arrangement_free(&w->k);
    free(w->rank_of);
    *w = (way){0};
}

/* The best ranks for a way's axes. Many ranks: from where they are, and from a first guess. */
static ashlar_status find_ranks(const ashi_holdings *h, way *w, ashlar_error *err)
{
    const ashi_arrivals arrivals = ashi_holdings_arrivals(h);
    const size_t bytes = (size_t)h->sides.domains * sizeof *w->rank_of;
    ashlar_status status = ashi_assign(&arrivals, w->rank_of, &w->burden, err);
    if (status != ASHLAR_OK || arrivals.ranks <= ASHI_ASSIGN_EXACT_MOST)
        return status;
    ashi_burden burden;
    int *guess = malloc(bytes);
    if (!guess)
        return ashi_fail_memory(err, "plan", (int64_t)bytes);
    status = arrivals.ranks <= GREEDY_MOST ? greedily(h, guess, err) : by_favourites(h, guess, err);
    if (status == ASHLAR_OK)
        status = ashi_assign(&arrivals, guess, &burden, err);
    if (status == ASHLAR_OK && ashi_burden_less(&burden, &w->burden)) {
        memcpy(w->rank_of, guess, bytes);
        w->burden = burden;
    }
    free(guess);
    return status;
}

/* What ways are tried for. */
typedef struct trial {
    const ashi_problem *problem;
    const ashi_bricks *bricks;
    intervals intervals;
    way best; /* of those tried; without ranks before the first */
} trial;

/* Try the axes of a lead, arranged by *k, which is taken over. */
static ashlar_status try_axes(trial *t, ashlar_operand operand, bool alone, ashi_arrangement *k, ashlar_error *err)
{
    const size_t bytes = (size_t)t->bricks->count * sizeof *t->best.rank_of;
    way w = {.lead = {.operand = operand, .alone = alone}, .k = *k, .rank_of = malloc(bytes + 1)};
    ashi_lead lead = w.lead;
    ashi_sight own = {0};
    const ashi_sight *s = &own;
    ashi_holdings h = {0};
    *k = (ashi_arrangement){0};
    lead.k = w.k.from ? &w.k : NULL;
    ashlar_status status = w.rank_of ? ASHLAR_OK : ashi_fail_memory(err, "plan", (int64_t)bytes);
    if (status == ASHLAR_OK) {
        memcpy(w.rank_of, t->bricks->rank_of, bytes);
        status = ashi_sight_find(t->problem, lead, &own, &s, err);
    }
    if (status == ASHLAR_OK)
        status = ashi_holdings_build(s->view, &t->intervals.sides, &h, err);
    if (status == ASHLAR_OK)
        status = find_ranks(&h, &w, err);
    ashi_holdings_free(&h);
    ashi_sight_close(&own);
    if (status == ASHLAR_OK && (!t->best.rank_of || ashi_burden_less(&w.burden, &t->best.burden))) {
        way_free(&t->best);
        t->best = w;
        return status;
    }
    way_free(&w);
    return status;
}

/* Try skewed orders of the k axis that A's parts lead, or B's. *classes: how finely the others cut them. */
static ashlar_status try_skews(trial *t, ashlar_operand operand, int64_t *classes, ashlar_error *err)
{
    ashi_sight own;
    const ashi_sight *s;
    ashlar_status status = ashi_sight_find(t->problem, (ashi_lead){.operand = operand}, &own, &s, err);
    if (status != ASHLAR_OK)
        return status;
    const ashlar_operand other = operand == ASHLAR_A ? ASHLAR_B : ASHLAR_A;
    const ashi_strip *first = &s->view[operand].major, *second = &s->view[other].major;
    *classes = ashi_skew_classes(first, second);
    for (int64_t skew = 0; skew < ashi_min(*classes, SKEWS_MOST + 1) && *classes > 1 && status == ASHLAR_OK; skew++) {
        ashi_arrangement k;
        status = ashi_skew_axis(first, second, skew, &k, err);
        if (status == ASHLAR_OK)
            status = try_axes(t, operand, false, &k, err);
    }
    ashi_sight_close(&own);
    return status;
}

static ashlar_status try_orders(trial *t, ashlar_error *err)
{
    static const ashlar_operand leads[2] = {ASHLAR_A, ASHLAR_B};
    int64_t finest = 0, classes = 0;
    ashlar_status status = ASHLAR_OK;
    for (int i = 0; i < 2 && status == ASHLAR_OK; i++) {
        status = try_skews(t, leads[i], &classes, err);
        finest = ashi_max(finest, classes);
    }
    for (int i = 0; i < 2 && finest > 1 && status == ASHLAR_OK; i++)
        status = try_axes(t, leads[i], false, &(ashi_arrangement){0}, err);
    return status;
}

/* Try the axes that the bricks have. */
static ashlar_status try_given(trial *t, ashlar_error *err)
{
    const ashi_lead *lead = &t->bricks->lead;
    ashi_arrangement k = {0};
    const ashlar_status status = lead->k ? ashi_arrangement_copy(lead->k, &k, err) : ASHLAR_OK;
    return status == ASHLAR_OK ? try_axes(t, lead->operand, lead->alone, &k, err) : status;
}

/* The best way becomes that of the bricks. */
static ashlar_status take(way *w, ashi_bricks *b, ashlar_error *err)
{
    ashi_arrangement *k = w->k.from ? malloc(sizeof *k) : NULL;
    if (w->k.from && !k)
        return ashi_fail_memory(err, "plan", (int64_t)sizeof *k);
    if (k)
        *k = w->k;
    memcpy(b->rank_of, w->rank_of, (size_t)b->count * sizeof *b->rank_of);
    if (b->k)
        ashi_arrangement_free(b->k);
    free(b->k);
    b->lead = w->lead;
    b->lead.k = b->k = k;
    w->k = (ashi_arrangement){0};
    return ASHLAR_OK;
}

ashlar_status ashi_settle(const ashi_problem *q, ashi_bricks *b, bool orders, ashi_burden *burden, ashlar_error *err)
{
    trial t = {.problem = q, .bricks = b};
    *burden = (ashi_burden){-1, 0};
    for (int x = 0; x < 3; x++)
        if (!q->layout[x] || q->ranks > (b->box ? GREEDY_MOST : SETTLED_MOST))
            return ASHLAR_OK;
    ashlar_status status = intervals_of(b, &t.intervals, err);
    if (status == ASHLAR_OK)
        status = try_given(&t, err);
    if (status == ASHLAR_OK && orders && !b->box && b->grid[2] > 1 && q->ranks <= ASHI_ASSIGN_EXACT_MOST)
        status = try_orders(&t, err);
    if (status == ASHLAR_OK)
        status = take(&t.best, b, err);
    if (status == ASHLAR_OK)
        *burden = t.best.burden;
    way_free(&t.best);
    free(t.intervals.of_list);
    return status;
}
