/* Compare what the strategies propose, and take the best. */
#include "choose/choose.h"

#include "base/checked.h"
#include "base/error.h"
#include "choose/fitting.h"
#include "model/rates.h"
#include "strategy/buffers.h"
#include "strategy/idle.h"
#include "strategy/sight.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum {
    STRATEGIES_MOST = 32,
    FRUITLESS_MOST = 1 << 16 /* rounds of all ranks that are walked only to say how much memory would do */
};

/* In the caller's layouts, without a memory limit: a proposal that needs more workspace than usual is taken only if all
 * others move more than 1.125 times its words. Source: measured, see "Memory" in docs/PERFORMANCE.md. */
static const double worth_memory = 1.125;

/* In shared memory words are copies, which the predicted seconds have, and load no link of others: the fewest words are
 * taken instead of the least seconds only if those move more than this times as many. Source: measured, see "Odd
 * process grids" in docs/PERFORMANCE.md. */
static const double worth_copies = 1.4;

/* A proposal whose figures are there: foreseen, or measured. */
typedef struct candidate {
    ashi_proposal *proposal; /* in the list */
    ashi_schedule schedule;  /* made where it was measured, and may be taken */
    ashi_totals totals;
    double seconds;
    bool counted; /* measured */
    bool out;     /* does not compete: it does not fit, or another of its strategy's comes first */
} candidate;

/* All that is compared for a problem. */
typedef struct contest {
    const ashi_problem *problem;
    ashi_fitting fitting;
    ashi_proposals list;
    ashi_proposal **sorted; /* the most promising first */
    candidate *entry;       /* those that are foreseen first */
    int64_t entries;
    int64_t wanted;         /* ranks that a proposal has to use */
    candidate *best;        /* what was decided on: that it has been measured since decides nothing */
    ashi_compared *row;     /* becomes the choice's */
    int rows;
} contest;

/* ---- an order that does not depend on who was asked first ---- */

static int order_numbers(int64_t x, int64_t y)
{
    return (x > y) - (x < y);
}

static int order_reals(double x, double y)
{
    return (x > y) - (x < y);
}

/* Of pointers to proposals: by estimate; of equals by name, and those of one strategy as it proposed them. */
static int by_estimate(const void *a, const void *b)
{
    const ashi_proposal *const *x = a, *const *y = b;
    int order = order_reals((*x)->estimate, (*y)->estimate);
    if (order == 0)
        order = strcmp((*x)->strategy->name, (*y)->strategy->name);
    return order != 0 ? order : (*x > *y) - (*x < *y);
}

/* Of candidates, among those that words decide. If A or B stays each round goes through all of it for a thin slab,
 * which no prediction counts: so that has to save words. */
static int by_words(const candidate *x, const candidate *y)
{
    const int64_t xs[] = {x->totals.messages_max, x->totals.memory_max};
    const int64_t ys[] = {y->totals.messages_max, y->totals.memory_max};
    int order = order_numbers(x->totals.words_max, y->totals.words_max);
    if (order == 0)
        order = (x->proposal->stays != ASHI_STAYS_C) - (y->proposal->stays != ASHI_STAYS_C);
    if (order == 0)
        order = order_reals(x->seconds, y->seconds);
    for (int i = 0; i < 2 && order == 0; i++)
        order = order_numbers(xs[i], ys[i]);
    if (order == 0)
        order = strcmp(x->proposal->strategy->name, y->proposal->strategy->name);
    return order != 0 ? order : (x->proposal > y->proposal) - (x->proposal < y->proposal);
}

/* The least seconds of those that compete, or of one strategy's. */
static double fastest_of(const contest *c, const ashi_strategy *only)
{
    double fastest = INFINITY;
    for (int64_t i = 0; i < c->entries; i++)
        if (!c->entry[i].out && (!only || c->entry[i].proposal->strategy == only))
            fastest = fmin(fastest, c->entry[i].seconds);
    return fastest;
}

static bool is_frugal(const candidate *e)
{
    return e->totals.memory_max - e->totals.share_max <= ashi_workspace_words(e->totals.share_max);
}

/* The fewest words; if time counts, of those whose predictions are near the least. NULL if there is none. */
static candidate *fewest_of(const contest *c, const ashi_strategy *only, bool frugal)
{
    const double fastest = fastest_of(c, only);
    candidate *best = NULL;
    for (int64_t i = 0; i < c->entries; i++) {
        candidate *e = &c->entry[i];
        const bool near = c->problem->least_words || e->seconds <= ashi_fit_tie * fastest;
        if (!e->out && (!only || e->proposal->strategy == only) && near && (!frugal || is_frugal(e)) &&
            (!best || by_words(e, best) < 0))
            best = e;
    }
    return best;
}

/* The least seconds of those that compete, or of one strategy's, with C staying: if A or B stays predictions are too
 * low, see by_words. NULL if there is none. */
static candidate *quickest_of(const contest *c, const ashi_strategy *only)
{
    candidate *best = NULL;
    for (int64_t i = 0; i < c->entries; i++) {
        candidate *e = &c->entry[i];
        if (!e->out && (!only || e->proposal->strategy == only) && e->proposal->stays == ASHI_STAYS_C &&
            (!best || e->seconds < best->seconds || (e->seconds == best->seconds && by_words(e, best) < 0)))
            best = e;
    }
    return best;
}

/* Instead of the fewest words, in shared memory: the least seconds, unless they move far more. */
static candidate *without_links(const contest *c, const ashi_strategy *only, candidate *fewest)
{
    const ashi_problem *q = c->problem;
    if (!fewest || q->least_words || ashi_proposal_is_own(fewest->proposal) || !ashi_shares_memory(&q->machine))
        return fewest;
    candidate *quickest = quickest_of(c, only);
    const double most = worth_copies * (double)fewest->totals.words_max;
    return quickest && quickest->seconds < fewest->seconds && (double)quickest->totals.words_max <= most ? quickest
                                                                                                         : fewest;
}

/* The best of those that compete, or of one strategy's: the fewest words, unless they need much memory and some more
 * words do not, or take longer in shared memory. NULL if there is none. */
static candidate *best_of(const contest *c, const ashi_strategy *only)
{
    candidate *best = without_links(c, only, fewest_of(c, only, false));
    const ashi_problem *q = c->problem;
    if (!best || q->least_words || q->memory_words > 0 || ashi_proposal_is_own(best->proposal) || is_frugal(best))
        return best;
    candidate *frugal = fewest_of(c, only, true);
    const double most = worth_memory * (double)best->totals.words_max;
    return frugal && (double)frugal->totals.words_max <= most ? frugal : best;
}

/* ---- proposals ---- */

/* Why there is no choice; and if memory is too little, the words a rank that would do, 0 if that is not known. */
typedef struct refusal {
    ashlar_error why;
    int64_t least;
} refusal;

/* What all propose. Who refuses has a row with the reason. *refused is one of the reasons: of several that of the first
 * name, but a lack of memory, which the user can do something about, before all others. */
static ashlar_status ask(contest *c, const ashi_competition *asked, refusal *refused, ashlar_error *err)
{
    const char *who = NULL;
    for (int i = 0; i < asked->strategies; i++) {
        const ashi_strategy *s = asked->strategy[i];
        const int64_t before = c->list.count;
        ashi_compared *row = &c->row[c->rows++];
        ashlar_error why = {0};
        c->list.memory_least = 0;
        const ashlar_status status = s->propose(c->problem, &c->list, &why);
        *row = (ashi_compared){.strategy = s};
        if (status == ASHLAR_ERR_UNSUPPORTED || status == ASHLAR_ERR_LIMIT) {
            ashi_proposals_shrink(&c->list, before);
            const bool memory = status == ASHLAR_ERR_LIMIT, had = refused->why.status == ASHLAR_ERR_LIMIT;
            if (!who || (memory && !had) || (memory == had && strcmp(s->name, who) < 0)) {
                *refused = (refusal){why, memory ? c->list.memory_least : 0};
                who = s->name;
            }
            row->refusal = why;
        } else if (status != ASHLAR_OK) {
            return ashi_fail(err, status, "%s", why.text);
        }
        for (int64_t p = before; p < c->list.count; p++)
            c->list.at[p].strategy = s;
    }
    return ASHLAR_OK;
}

/* Sort them, and enter those that are foreseen: of each strategy the first competes, the others where that does not
 * fit. */
static ashlar_status sort(contest *c, ashlar_error *err)
{
    const int64_t count = c->list.count;
    c->sorted = malloc((size_t)ashi_max(count, 1) * sizeof *c->sorted);
    c->entry = calloc((size_t)ashi_max(count, 1), sizeof *c->entry);
    ashi_compared *row = realloc(c->row, (size_t)(c->rows + count) * sizeof *row);
    c->row = row ? row : c->row;
    if (!c->sorted || !c->entry || !row)
        return ashi_fail_memory(err, "plan", count * (int64_t)(sizeof *c->sorted + sizeof *c->entry + sizeof *row));
    for (int64_t i = 0; i < count; i++)
        c->sorted[i] = &c->list.at[i];
    qsort(c->sorted, (size_t)count, sizeof *c->sorted, by_estimate);
    for (int64_t i = 0; i < count; i++) {
        ashi_proposal *p = &c->list.at[i];
        if (!p->foreseen)
            continue;
        const bool first = i == 0 || p[-1].strategy != p->strategy || !p[-1].foreseen;
        c->entry[c->entries++] = (candidate){.proposal = p, .totals = p->totals,
                                             .seconds = ashi_problem_seconds(c->problem, &p->totals, false),
                                             .out = !first || ashi_proposal_ranks(p) < c->wanted};
    }
    return ASHLAR_OK;
}

/* ---- measuring ---- */

/* Keep the schedule of the one that leads only: of many ranks it is large. Another is made again if it wins. */
static void keep_leader(contest *c)
{
    const candidate *leader = best_of(c, NULL);
    for (int64_t i = 0; i < c->entries; i++)
        if (&c->entry[i] != leader)
            ashi_schedule_free(&c->entry[i].schedule);
}

/* Some proposals that are measured together. */
typedef struct batch {
    ashi_proposal *at[ASHI_FITTED_MOST];
    int64_t number[ASHI_FITTED_MOST]; /* among the sorted */
    int counts[ASHI_FITTED_MOST];     /* as how many: those that have the same schedule are measured once */
    int count, most;
} batch;

/* What became of each of the sorted proposals. */
typedef enum fate { UNTRIED, TRIED, FITS, REPEATED } fate;

/* Fit them, and enter those that do. Adds to *counted how many of the measured that is. */
static ashlar_status measure(contest *c, const batch *b, fate *fates, int *counted, ashlar_error *err)
{
    ashi_fitted fitted[ASHI_FITTED_MOST];
    const ashlar_status status = ashi_fit(&c->fitting, b->at, b->count, fitted, err);
    for (int i = 0; i < b->count && status == ASHLAR_OK; i++) {
        if (!fitted[i].fits) {
            ashi_schedule_free(&fitted[i].schedule);
            continue;
        }
        c->entry[c->entries++] =
            (candidate){b->at[i], fitted[i].schedule, fitted[i].totals, fitted[i].seconds, true, false};
        fates[b->number[i]] = FITS;
        *counted += b->counts[i];
    }
    keep_leader(c);
    return status;
}

/* Whether both would have the same schedule, of the caller's layouts: boxes that follow A are often those that follow C
 * under another name. */
static bool is_same(const ashi_problem *q, const ashi_proposal *x, const ashi_proposal *y)
{
    const bool own = x->own[0] || x->own[1] || x->own[2] || y->own[0] || y->own[1] || y->own[2];
    return !own && !x->furnish && !y->furnish && x->strategy == y->strategy &&
           ashi_max(x->rounds, 1) == ashi_max(y->rounds, 1) &&
           ashi_max(x->reduce_rounds, 1) == ashi_max(y->reduce_rounds, 1) && x->window == y->window &&
           x->tree == y->tree && x->stays == y->stays && x->once == y->once &&
           memcmp(x->shape, y->shape, sizeof x->shape) == 0 &&
           ashi_bricks_same_cuts(&x->bricks, &y->bricks) &&
           memcmp(x->bricks.rank_of, y->bricks.rank_of, (size_t)x->bricks.count * sizeof *x->bricks.rank_of) == 0 &&
           ashi_sight_same_axes(q, &x->bricks.lead, &y->bricks.lead);
}

/* The number of a proposal that was taken to be measured and has the same schedule as number i; -1 for none. They have
 * the same estimate and stand together. */
static int64_t find_same(const contest *c, const fate *fates, int64_t i)
{
    int64_t j = i - 1;
    while (j >= 0 && c->sorted[j]->estimate == c->sorted[i]->estimate &&
           !((fates[j] == TRIED || fates[j] == FITS) && is_same(c->problem, c->sorted[j], c->sorted[i])))
        j--;
    return j >= 0 && c->sorted[j]->estimate == c->sorted[i]->estimate ? j : -1;
}

/* Put number i into the batch, or count it with the one that has the same schedule. */
static void put(const contest *c, fate *fates, int64_t i, int counts, batch *b, int *measured)
{
    const int64_t same = find_same(c, fates, i);
    fates[i] = same < 0 ? TRIED : REPEATED;
    if (same < 0) {
        b->number[b->count] = i;
        b->counts[b->count] = counts;
        b->at[b->count++] = c->sorted[i];
        return;
    }
    for (int n = 0; n < b->count; n++)
        b->counts[n] += b->number[n] == same ? counts : 0;
    *measured += fates[same] == FITS ? counts : 0;
}

/* What cannot fit is measured only if nothing does, to say how much memory would do. */
static bool is_hopeless(const contest *c, const ashi_proposal *p)
{
    return c->problem->memory_words > 0 && p->memory_least > c->problem->memory_words;
}

/* Those to be measured next, when *measured have been: the most promising of those that are not foreseen, and none that
 * promises less than what is. Once the best of those whose estimates are exact has been measured, no other can be
 * better. What is computed at home is measured whatever it promises. */
static void gather(const contest *c, double foreseen, int *measured, fate *fates, batch *b, bool hopeless)
{
    int soon = *measured;
    b->count = 0;
    for (int64_t i = 0; i < c->list.count && b->count < b->most; i++) {
        const ashi_proposal *p = c->sorted[i];
        if (fates[i] != UNTRIED || p->foreseen || is_hopeless(c, p) != hopeless ||
            (!p->at_home &&
             (soon >= ASHI_LOOKED_AT || ashi_proposal_ranks(p) < c->wanted || p->estimate > foreseen)))
            continue;
        const int counts = p->at_home ? 0 : p->exact ? ASHI_LOOKED_AT : 1;
        put(c, fates, i, counts, b, measured);
        soon += counts;
    }
}

/* Several at a time, if ranks are few: each has its schedule. */
static ashlar_status measure_in_order(contest *c, ashlar_error *err)
{
    batch b = {.most = c->problem->ranks <= ASHI_MEASURED_MOST ? ASHI_FITTED_MOST : 1};
    fate *fates = calloc((size_t)ashi_max(c->list.count, 1), sizeof *fates);
    ashlar_status status = fates ? ASHLAR_OK : ashi_fail_memory(err, "plan", c->list.count * (int64_t)sizeof *fates);
    double foreseen = INFINITY;
    int measured = 0;
    for (int64_t i = 0; i < c->entries; i++) {
        const candidate *e = &c->entry[i];
        if (e->out)
            continue;
        foreseen = fmin(foreseen, e->proposal->estimate);
        if (c->problem->ranks <= ASHI_MEASURED_MOST) /* on more ranks it may turn out not to fit */
            ashi_fitting_note(&c->fitting, e->seconds, e->totals.words_max);
    }
    for (int hopeless = 0; status == ASHLAR_OK && hopeless < 2 && (!hopeless || c->entries == 0);) {
        gather(c, foreseen, &measured, fates, &b, hopeless);
        if (b.count > 0)
            status = measure(c, &b, fates, &measured, err);
        hopeless += b.count == 0;
    }
    free(fates);
    return status;
}

/* The next that is foreseen of the same strategy competes instead of one that does not fit. */
static void replace(contest *c, candidate *e)
{
    e->out = true;
    const bool another = e + 1 < c->entry + c->entries && e[1].proposal->strategy == e->proposal->strategy;
    if (another && !e[1].counted)
        e[1].out = ashi_proposal_ranks(e[1].proposal) < c->wanted;
}

/* Measure the best, where it was only foreseen. Clears it if it does not fit: the next best is to be tried. */
static ashlar_status measure_best(contest *c, ashlar_error *err)
{
    candidate *e = c->best;
    ashi_fitted fitted;
    const ashlar_status status = ashi_fit(&c->fitting, &e->proposal, 1, &fitted, err);
    if (status == ASHLAR_OK && fitted.fits) {
        *e = (candidate){e->proposal, fitted.schedule, fitted.totals, fitted.seconds, true, false};
        return status;
    }
    ashi_schedule_free(&fitted.schedule);
    replace(c, e);
    c->best = NULL;
    return status;
}

/* Decide, and see that there is a schedule unless what is foreseen does. */
static ashlar_status decide(contest *c, bool foreseen_does, ashlar_error *err)
{
    ashlar_status status = ASHLAR_OK;
    while (status == ASHLAR_OK && !c->best && (c->best = best_of(c, NULL)) != NULL && !c->best->counted &&
           !foreseen_does)
        status = measure_best(c, err);
    if (status != ASHLAR_OK || !c->best || !c->best->counted || c->best->schedule.own)
        return status;
    return ashi_fit_schedule(c->problem, c->best->proposal, &c->best->schedule, err);
}

/* ---- reasons and rows ---- */

static void explain(const ashi_problem *q, int64_t ranks_used, ashi_choice *c)
{
    const bool own = !q->layout[0] && !q->layout[1] && !q->layout[2];
    const int64_t idle = q->ranks - ranks_used;
    char ranks[64] = "", stays[64] = "";
    if (c->proposal.stays != ASHI_STAYS_C)
        snprintf(stays, sizeof stays, "; %c stays, and sums of C are moved in each round",
                 "ABC"[ashi_stationary(c->proposal.stays)]);
    if (idle > ashi_idle_most(q->idle, q->ranks))
        snprintf(ranks, sizeof ranks, "; %" PRId64 " of %" PRId64 " ranks idle", idle, q->ranks);
    snprintf(c->reason, sizeof c->reason, "%s: %s, %s%s%s", own ? "nothing need be moved first" : c->proposal.origin,
             q->least_words ? "fewest words for the busiest rank" : "least predicted time",
             q->memory_words ? "within the memory given" : "no memory limit given", ranks, stays);
}

/* Whether proposals are to be measured: not if the memory limit has no room for the matrices alone, wherever they lie,
 * and it would take long to say how much would do. */
static bool is_worth_measuring(const ashi_problem *q)
{
    const double rounds_of_all = (double)q->size[2] * (double)q->ranks;
    return q->memory_words == 0 || ashi_problem_share(q) <= (double)q->memory_words ||
           rounds_of_all <= FRUITLESS_MOST;
}

/* Why no proposal is taken: those that there are do not fit, or there are none. */
static ashlar_status say_why_none(const ashi_fitting *f, const refusal *refused, refusal *said)
{
    const ashi_problem *q = f->problem;
    const ashlar_status status = refused->why.status;
    said->least = f->least < INT64_MAX ? f->least : 0;
    if (f->least < INT64_MAX)
        return ashi_fail(&said->why, ASHLAR_ERR_LIMIT,
                         "%" PRId64 " words a rank are too few for these layouts: %" PRId64 " would do",
                         q->memory_words, f->least);
    if (status == ASHLAR_OK || (status != ASHLAR_ERR_LIMIT && !is_worth_measuring(q)))
        return ashi_fail(&said->why, ASHLAR_ERR_LIMIT,
                         "%" PRId64 " words are too few for a rank's share of the matrices, %.0f", q->memory_words,
                         ashi_problem_share(q));
    *said = *refused;
    return status;
}

static void tell(const candidate *e, ashi_compared *row)
{
    const ashi_proposal *p = e->proposal;
    *row = (ashi_compared){.strategy = p->strategy, .has_figures = true, .competes = !e->out, .counted = e->counted,
                           .ranks_used = ashi_proposal_ranks(p), .rounds = p->rounds, .window = p->window,
                           .stays = p->stays, .totals = e->totals, .seconds = e->seconds, .origin = p->origin};
    for (int d = 0; d < 3; d++)
        row->grid[d] = p->bricks.grid[d];
    if (e->schedule.own) {
        row->ranks_used = e->schedule.ranks_used;
        row->rounds = e->schedule.rounds;
        row->window = e->schedule.window;
        memcpy(row->grid, e->schedule.grid, sizeof row->grid);
    }
}

/* Rows: of each strategy its best in the place that it was asked in, then all others that are foreseen. */
static void tell_all(contest *c, const candidate *best, ashi_choice *out)
{
    const int strategies = c->rows;
    for (int i = 0; i < strategies; i++) {
        const candidate *e = best_of(c, c->row[i].strategy);
        if (best->proposal->strategy == c->row[i].strategy) {
            e = best;
            out->taken = i;
        }
        if (e)
            tell(e, &c->row[i]);
    }
    for (int64_t i = 0; i < c->entries; i++)
        if (!c->entry[i].counted && c->entry[i].out)
            tell(&c->entry[i], &c->row[c->rows++]);
    out->strategies = strategies;
    out->compared = c->row;
    out->comparisons = c->rows;
    c->row = NULL;
}

static void take(contest *c, ashi_choice *out)
{
    candidate *best = c->best;
    tell_all(c, best, out);
    out->strategy = best->proposal->strategy;
    out->proposal = *best->proposal;
    out->schedule = best->schedule;
    out->totals = best->totals;
    out->seconds = best->seconds;
    *best->proposal = (ashi_proposal){.strategy = out->strategy};
    best->schedule = (ashi_schedule){0};
    explain(c->problem, out->compared[out->taken].ranks_used, out);
}

static void end(contest *c)
{
    for (int64_t i = 0; i < c->entries; i++)
        ashi_schedule_free(&c->entry[i].schedule);
    ashi_proposals_free(&c->list);
    free(c->sorted);
    free(c->entry);
    free(c->row);
}

static ashlar_status choose_within(const ashi_problem *q, const ashi_competition *asked, ashi_choice *out,
                                   refusal *said)
{
    ashi_problem problem = *q;
    contest c = {.problem = &problem, .fitting = ashi_fitting_begin(&problem, asked)};
    ashi_sights sights = {0};
    refusal refused = {{0}, 0};
    *out = (ashi_choice){0};
    problem.compared = q->compared || asked->strategies > 1;
    problem.sights = &sights;
    c.row = calloc((size_t)asked->strategies, sizeof *c.row);
    ashlar_status status = c.row ? ask(&c, asked, &refused, &said->why)
                                 : ashi_fail_memory(&said->why, "plan", 0);
    if (status == ASHLAR_OK && is_worth_measuring(q)) {
        c.wanted = asked->strategies > 1 ? ashi_proposals_ranks_wanted(q, &c.list) : 0;
        status = sort(&c, &said->why);
    }
    if (status == ASHLAR_OK && c.sorted)
        status = measure_in_order(&c, &said->why);
    if (status == ASHLAR_OK && c.sorted)
        status = decide(&c, asked->foreseen_does, &said->why);
    if (status == ASHLAR_OK && !c.best)
        status = say_why_none(&c.fitting, &refused, said);
    if (status == ASHLAR_OK)
        take(&c, out);
    end(&c);
    ashi_sights_close(&sights);
    return status;
}

/* Closed forms give the memory that is enough if sums go straight to their owners. Along trees sums may take more. So
 * that memory is tried; if it is not enough, the larger number that this gives is tried next, and so on. */
static ashlar_status find_what_does(const ashi_problem *q, const ashi_competition *asked, refusal *said)
{
    ashi_problem more = *q;
    refusal next = *said;
    ashlar_status status = ASHLAR_ERR_LIMIT;
    while (status == ASHLAR_ERR_LIMIT && next.least > more.memory_words) {
        ashi_choice choice;
        more.memory_words = next.least;
        status = choose_within(&more, asked, &choice, &next);
        if (status == ASHLAR_OK)
            ashi_choice_free(&choice);
    }
    if (status != ASHLAR_OK && status != ASHLAR_ERR_LIMIT) {
        *said = next;
        return status;
    }
    if (status != ASHLAR_OK || more.memory_words == said->least)
        return ASHLAR_ERR_LIMIT;
    said->least = more.memory_words;
    return ashi_fail(&said->why, ASHLAR_ERR_LIMIT, "%" PRId64 " words a rank are too few if sums go along trees: %"
                     PRId64 " would do", q->memory_words, more.memory_words);
}

ashlar_status ashi_choose_among(const ashi_problem *q, const ashi_competition *asked, ashi_choice *out,
                                ashlar_error *err)
{
    refusal said = {{0}, 0};
    ashlar_status status = choose_within(q, asked, out, &said);
    if (status == ASHLAR_ERR_LIMIT && q->route == ASHI_TREE)
        status = find_what_does(q, asked, &said);
    if (status == ASHLAR_OK)
        return status;
    out->memory_least = status == ASHLAR_ERR_LIMIT ? said.least : 0;
    return ashi_fail(err, status, "%s", said.why.text);
}

/* Between all strategies, or one that is named. */
static ashlar_status choose_by_name(const ashi_problem *q, const char *name, ashi_competition *asked, ashi_choice *out,
                                    ashlar_error *err)
{
    const ashi_strategy *all[STRATEGIES_MOST] = {name ? ashi_strategy_named(name) : NULL};
    *out = (ashi_choice){0};
    if (name && !all[0])
        return ashi_fail(err, ASHLAR_ERR_UNSUPPORTED, "there is no strategy \"%s\"", name);
    asked->strategy = all;
    asked->strategies = name ? 1 : 0;
    for (int i = 0; !name && i < STRATEGIES_MOST && ashi_strategy_at(i); i++)
        all[asked->strategies++] = ashi_strategy_at(i);
    return ashi_choose_among(q, asked, out, err);
}

ashlar_status ashi_choose(const ashi_problem *q, const char *name, ashi_measure measure_one, void *context,
                          ashi_choice *out, ashlar_error *err)
{
    return choose_by_name(q, name, &(ashi_competition){.measure = measure_one, .context = context}, out, err);
}

ashlar_status ashi_choose_together(const ashi_problem *q, const char *name, ashi_measure_all measure_all,
                                   void *context, ashi_choice *out, ashlar_error *err)
{
    return choose_by_name(q, name, &(ashi_competition){.measure_all = measure_all, .context = context}, out, err);
}

void ashi_choice_free(ashi_choice *c)
{
    ashi_schedule_free(&c->schedule);
    ashi_proposal_free(&c->proposal);
    free(c->compared);
    *c = (ashi_choice){0};
}
