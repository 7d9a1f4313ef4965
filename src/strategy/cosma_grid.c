/* The search for the best COSMA grids: every grid that a cheap lower bound does not rule out is costed exactly. */
#include "strategy/cosma_grid.h"

#include "base/checked.h"
#include "base/error.h"
#include "base/type.h"
#include "strategy/cosma_stays.h"
#include "strategy/idle.h"

#include <inttypes.h>
#include <math.h>
#include <stdlib.h>

/* Bounds are computed in floating point; this much, relatively, is given up before they may rule a grid out. */
static const double SLACK = 1e-9;

/* From so many ranks on grids are walked from the least bound, and by how much above it they begin and end. */
enum { FROM_LEAST = 2048 };
static const double LEAST_MORE = 1.0 / 256, MOST_MORE = 0.5;

typedef struct search {
    const ashi_cosma_query *query;
    int64_t least_ranks, most_ranks; /* a grid must use from .. to */
    int64_t cuts[3];                 /* the most parts of m, n, k */
    double mn, mk, nk;               /* words of C, A, B */
    double compute;                  /* seconds of all products on one rank */
    double word_seconds;             /* of one word to arrive */
    ashi_cosma_cost_row *best;       /* best first: count of at most max */
    int count, max;
    double worst;         /* words or seconds that a grid must not exceed to be of interest; INFINITY until max known */
    int64_t worth_ranks;  /* the fewest ranks of a grid of interest */
    bool guesses;         /* rows are bounds: nothing is costed */
    ashi_wide least_memory; /* of the grids that did not fit */
} search;

static double figure_of(const search *s, const ashi_cosma_cost_row *row)
{
    return s->query->least_words ? (double)row->words_max : row->seconds;
}

/* As many grids as are wanted have no more words or seconds: what is still of interest? */
static void tighten(search *s, double figure)
{
    s->worst = fmin(s->worst, figure * (1 + SLACK));
    if (s->query->least_words)
        return;
    /* With fewer ranks the computation alone takes longer. */
    const double ranks = s->worst > 0 ? s->compute / s->worst * (1 - SLACK) : 0;
    s->worth_ranks = ranks < (double)s->most_ranks ? ashi_max(s->least_ranks, (int64_t)ranks) : s->most_ranks;
}

static void keep(search *s, const ashi_cosma_cost_row *row)
{
    if (s->count == s->max && ashi_cosma_compare(s->query, row, &s->best[s->count - 1]) >= 0)
        return;
    int at = s->count < s->max ? s->count++ : s->count - 1;
    for (; at > 0 && ashi_cosma_compare(s->query, row, &s->best[at - 1]) < 0; at--)
        s->best[at] = s->best[at - 1];
    s->best[at] = *row;
    if (s->count == s->max)
        tighten(s, figure_of(s, &s->best[s->count - 1]));
}

/* No more than the words or seconds of a grid: the busiest rank has at least the mean, and a message from each rank
 * of its fibres. */
static double lower_bound(const search *s, const int64_t grid[3])
{
    const double ranks = (double)(grid[0] * grid[1] * grid[2]);
    const double words = s->mk * (double)(grid[1] - 1) + s->nk * (double)(grid[0] - 1) + s->mn * (double)(grid[2] - 1);
    if (s->query->least_words)
        return words / ranks;
    const double messages = (double)(grid[0] + grid[1] + grid[2] - 3); /* of one round each */
    return (s->compute + words * s->word_seconds) / ranks + messages * s->query->machine.latency;
}

/* Whether the shares and the block that stays alone exceed the limit, and the memory that is known to do as well.
 * `rest`: words of the other two matrices. */
static bool too_large(const search *s, double words, int64_t copies, double rest, double ranks)
{
    const double owned = (words * (double)copies + rest) / ranks * (1 - SLACK);
    return owned > (double)s->query->memory_words && owned > (double)s->least_memory;
}

/* Whether A or B may stay there, and no nearer bound than lower_bound's rules it out. What does not fit is of interest
 * if it may need less memory than all before. */
static bool may_stay(const search *s, const int64_t grid[3], ashi_stays stays)
{
    ashi_cosma_cost_row row;
    if (!ashi_cosma_stays_row_least(s->query, grid, stays, &row))
        return row.memory < s->least_memory;
    return figure_of(s, &row) <= s->worst;
}

/* With little memory A or B may stay. */
static void try_stays(search *s, const int64_t grid[3])
{
    static const ashi_stays others[] = {ASHI_STAYS_A, ASHI_STAYS_B};
    ashi_cosma_cost_row row;
    for (int i = 0; i < 2; i++)
        if (may_stay(s, grid, others[i]) &&
            ashi_cosma_stays_row(s->query, grid, others[i], &row, &s->least_memory))
            keep(s, &row);
}

static void try_grid(search *s, int64_t pm, int64_t pn, int64_t pk)
{
    ashi_cosma_cost_row row;
    const int64_t grid[3] = {pm, pn, pk};
    const bool limited = s->query->memory_words > 0;
    if (lower_bound(s, grid) > s->worst)
        return;
    ashi_cosma_row_least(s->query, grid, &row); /* a nearer bound; to look for the best parts of C costs more still */
    const bool hopeful = figure_of(s, &row) <= s->worst;
    if (s->guesses) {
        if (hopeful)
            keep(s, &row);
        return;
    }
    if (hopeful && (!limited || !too_large(s, s->mn, pk, s->mk + s->nk, (double)(pm * pn * pk))))
        if (ashi_cosma_row(s->query, grid, &row, &s->least_memory))
            keep(s, &row);
    if (limited && s->query->any_stays)
        try_stays(s, grid);
}

/*
 * The pn for which a grid with this pm can be of interest; false if there are none. With F words in all matrices the
 * mean is at least
 *     pn mk/p + mn/(pm pn) + pm nk/p - F/least_ranks,
 * which stays within the words of interest between the two roots of a quadratic in pn.
 */
static bool pn_interval(const search *s, int64_t pm, int64_t *from, int64_t *to)
{
    const double p = (double)s->most_ranks, rise = s->mk / p, fall = s->mn / (double)pm;
    const double words = s->query->least_words ? s->worst : s->worst / s->word_seconds;
    const double given = words + (s->mn + s->mk + s->nk) / (double)s->least_ranks;
    const double left = given * (1 + SLACK) - (double)pm * s->nk / p;
    *from = ashi_max(1, s->worth_ranks / s->cuts[2] / pm);
    *to = ashi_min(s->cuts[1], s->most_ranks / pm);
    if (isinf(words) || rise <= 0)
        return true;
    const double square = left * left * (1 + SLACK) - 4 * rise * fall;
    if (left < 0 || square < 0)
        return false;
    const double upper = (left + sqrt(square)) / (2 * rise) + 1, lower = fall / rise / upper - 1;
    if (upper < (double)*to)
        *to = (int64_t)upper;
    if (lower > (double)*from)
        *from = lower < (double)*to ? (int64_t)lower : *to;
    return true;
}

/* The most parts of k beside these cuts of m and n, on at most so many ranks. */
static int64_t most_pk(const search *s, int64_t ranks, int64_t pm, int64_t pn)
{
    const int64_t most = ashi_min(s->cuts[2], ranks / (pm * pn));
    return s->query->flat && pm > 1 && pn > 1 ? ashi_min(most, 1) : most;
}

/* All grids with this pm. False where none can be of interest. */
static bool walk_pm(search *s, int64_t pm)
{
    int64_t from, to;
    if (!pn_interval(s, pm, &from, &to))
        return false;
    for (int64_t pn = from; pn <= to; pn++) {
        if (s->query->flat && pm > 1 && pn > 1 && pm * pn < s->worth_ranks) { /* k is not cut: the ranks must do */
            pn = ashi_ceil_div(s->worth_ranks, pm) - 1;
            continue;
        }
        const int64_t last = most_pk(s, s->most_ranks, pm, pn);
        for (int64_t pk = ashi_ceil_div(s->worth_ranks, pm * pn); pk <= last; pk++)
            try_grid(s, pm, pn, pk);
    }
    return true;
}

/*
 * From the pm of a cubic domain, where the bound in pn_interval is least, outwards: good grids are met first, and a pm
 * without a grid of interest ends its direction.
 */
static void walk(search *s)
{
    const double m = (double)s->query->m;
    const int64_t last = ashi_min(s->cuts[0], s->most_ranks);
    const double cubic = s->nk > 0 ? cbrt((double)s->most_ranks / s->nk * m * m) : 1;
    const int64_t start = cubic < (double)last ? ashi_max((int64_t)cubic, 1) : last;
    int64_t up = start + 1, down = start;
    bool go_up = true, go_down = true;
    while (go_up || go_down) {
        go_down = go_down && down >= 1 && walk_pm(s, down--);
        go_up = go_up && up <= last && walk_pm(s, up++);
    }
}

/* Whether as many grids as are wanted have at most this figure: then the best are found. */
static bool walk_within(search *s, double figure)
{
    s->count = 0;
    s->worst = INFINITY;
    s->worth_ranks = s->least_ranks;
    tighten(s, figure);
    walk(s);
    return s->count == s->max && figure_of(s, &s->best[s->count - 1]) <= figure;
}

/* On many ranks many grids have bounds that are nearly equal, and most of them parts of C that are far from it: as they
 * are met, few rule others out. So begin with those whose bounds are next to the least one. */
static bool walk_from_least(search *s)
{
    ashi_cosma_cost_row least;
    search bounds = *s;
    bool found = false;
    if (s->query->p < FROM_LEAST || s->query->memory_words > 0) /* of what does not fit bounds say little */
        return false;
    bounds.guesses = true;
    bounds.best = &least;
    bounds.max = 1;
    walk(&bounds);
    double known = INFINITY; /* that as many grids as are wanted have at most */
    for (double more = LEAST_MORE; bounds.count > 0 && !found && more <= MOST_MORE; more *= 2) {
        found = walk_within(s, fmin(figure_of(s, &least) * (1 + more), known));
        if (s->count == s->max)
            known = figure_of(s, &s->best[s->count - 1]);
    }
    return found;
}

/* The most ranks, up to p, that any grid can use, or any number from `enough` on. */
static int64_t usable_ranks(const search *s, int64_t p, int64_t enough)
{
    int64_t most = 1;
    for (int64_t pm = 1; pm <= ashi_min(s->cuts[0], p); pm++)
        for (int64_t pn = 1; pn <= ashi_min(s->cuts[1], p / pm); pn++) {
            most = ashi_max(most, pm * pn * most_pk(s, p, pm, pn));
            if (most >= enough)
                return most;
        }
    return most;
}

static search search_of(const ashi_cosma_query *q, int max, ashi_cosma_cost_row *best)
{
    const double m = (double)q->m, n = (double)q->n, k = (double)q->k;
    search s = {.query = q, .cuts = {ashi_max(q->m, 1), ashi_max(q->n, 1), ashi_max(q->k, 1)}, .mn = m * n,
                .mk = m * k, .nk = n * k, .best = best, .max = max, .worst = INFINITY, .least_memory = INT64_MAX};
    s.least_ranks = ashi_max(q->p - ashi_idle_most(q->idle, q->p), 1);
    s.most_ranks = q->p;
    const int64_t usable = usable_ranks(&s, q->p, s.least_ranks);
    if (usable < s.least_ranks)
        s.least_ranks = s.most_ranks = usable;
    s.worth_ranks = s.least_ranks;
    /* A type of 8 flops in a multiply-add needs four times the seconds of a real product. */
    s.compute = m * n * k * ashi_type_of(q->type)->flops / q->machine.flops_per_second;
    s.word_seconds = (double)ashlar_type_bytes(q->type) / q->machine.bandwidth;
    return s;
}

/* *choice then has the least memory that would do. */
static ashlar_status fail_limit(const ashi_cosma_query *q, ashi_wide least, ashi_grid_choice *choice,
                                ashlar_error *err)
{
    int64_t words = INT64_MAX;
    ashi_narrow(least, &words);
    *choice = (ashi_grid_choice){.memory_words = words};
    return ashi_fail(err, ASHLAR_ERR_LIMIT,
                     "%s: %" PRId64 " words a rank are too few for m, n, k = %" PRId64 ", %" PRId64 ", %" PRId64
                     " on %" PRId64 " ranks: %" PRId64 " would do",
                     q->strategy ? q->strategy : "cosma", q->memory_words, q->m, q->n, q->k, q->p, words);
}

static void search_all(search *s)
{
    ashi_cosma_cost_row row;
    const int64_t single[3] = {1, 1, 1};
    const bool empty = s->query->m == 0 || s->query->n == 0 || s->query->k == 0;
    if (empty && ashi_cosma_row(s->query, single, &row, &s->least_memory)) {
        keep(s, &row);
        return;
    }
    if (!walk_from_least(s))
        walk_within(s, INFINITY);
}

ashlar_status ashi_cosma_search_many(const ashi_cosma_query *query, int max, ashi_grid_choice *choices, int *count,
                                     ashlar_error *err)
{
    const int64_t *fixed = query->fixed_grid;
    *count = 0;
    if (max < 1)
        return ashi_fail(err, ASHLAR_ERR_ARG, "cosma: %d choices wanted, at least 1 can be given", max);
    if (fixed[0] != 0 || fixed[1] != 0 || fixed[2] != 0) {
        const ashlar_status status = ashi_cosma_cost(query, fixed, choices, err);
        *count = status == ASHLAR_OK;
        return status;
    }
    ashlar_status status = ashi_cosma_check(query, err);
    if (status != ASHLAR_OK)
        return status;
    ashi_cosma_cost_row *best = calloc((size_t)max, sizeof *best);
    if (!best)
        return ashi_fail_memory(err, "cosma", (int64_t)max * (int64_t)sizeof *best);
    search s = search_of(query, max, best);
    search_all(&s);
    if (s.count == 0)
        status = fail_limit(query, s.least_memory, choices, err);
    for (int i = 0; status == ASHLAR_OK && i < s.count; i++)
        status = ashi_cosma_finish(query, &best[i], &choices[i], err);
    if (status == ASHLAR_OK)
        *count = s.count;
    free(best);
    return status;
}

ashlar_status ashi_cosma_search(const ashi_cosma_query *query, ashi_grid_choice *choice, ashlar_error *err)
{
    int count;
    return ashi_cosma_search_many(query, 1, choice, &count, err);
}

/* Whether a grid cuts each dimension at most into its elements, and has a rank for each part. */
static bool can_use(const ashi_cosma_query *q, const int64_t grid[3])
{
    const int64_t sizes[3] = {q->m, q->n, q->k};
    int64_t ranks = 1;
    bool fits = true;
    for (int d = 0; d < 3 && fits; d++)
        fits = grid[d] >= 1 && grid[d] <= ashi_max(sizes[d], 1) && ashi_mul(ranks, grid[d], &ranks);
    return fits && ranks <= q->p;
}

static ashlar_status fail_grid(const ashi_cosma_query *q, const int64_t grid[3], ashlar_error *err)
{
    return ashi_fail(err, ASHLAR_ERR_ARG,
                     "cosma: grid %" PRId64 " x %" PRId64 " x %" PRId64 ", wanted each at least 1, at most m, n, k "
                     "= %" PRId64 ", %" PRId64 ", %" PRId64 ", and their product at most %" PRId64 " ranks",
                     grid[0], grid[1], grid[2], q->m, q->n, q->k, q->p);
}

/* Whatever stays in it. */
static ashlar_status keep_grid(const ashi_cosma_query *q, const int64_t grid[3], int max, ashi_grid_choice *choices,
                               int *count, ashi_wide *least, ashlar_error *err)
{
    const ashi_stays last = q->any_stays && q->memory_words > 0 ? ASHI_STAYS_B : ASHI_STAYS_C;
    ashlar_status status = ASHLAR_OK;
    for (ashi_stays stays = ASHI_STAYS_C; stays <= last && status == ASHLAR_OK; stays++) {
        ashi_cosma_cost_row row;
        ashi_grid_choice choice;
        const bool fits = stays == ASHI_STAYS_C ? ashi_cosma_row(q, grid, &row, least)
                                                : ashi_cosma_stays_row(q, grid, stays, &row, least);
        if (!fits)
            continue;
        status = ashi_cosma_finish(q, &row, &choice, err);
        if (status == ASHLAR_OK)
            ashi_cosma_keep(q, &choice, max, choices, count);
    }
    return status;
}

ashlar_status ashi_cosma_best_of(const ashi_cosma_query *query, int64_t (*grid)[3], int grids, int max,
                                 ashi_grid_choice *choices, int *count, ashlar_error *err)
{
    ashi_wide least = INT64_MAX;
    ashlar_status status = ashi_cosma_check(query, err);
    *count = 0;
    for (int i = 0; i < grids && status == ASHLAR_OK; i++)
        status = can_use(query, grid[i]) ? keep_grid(query, grid[i], max, choices, count, &least, err)
                                         : fail_grid(query, grid[i], err);
    return status == ASHLAR_OK && *count == 0 ? fail_limit(query, least, choices, err) : status;
}

ashlar_status ashi_cosma_cost(const ashi_cosma_query *query, const int64_t grid[3], ashi_grid_choice *choice,
                              ashlar_error *err)
{
    int64_t only[1][3] = {{grid[0], grid[1], grid[2]}};
    int count;
    return ashi_cosma_best_of(query, only, 1, 1, choice, &count, err);
}
