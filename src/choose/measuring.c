/* Measure what was proposed, the most promising first, until what is left cannot be the best. */
#include "choose/measuring.h"

#include "base/checked.h"
#include "base/error.h"
#include "strategy/sight.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* Keep the schedule of the one that leads only: of many ranks it is large. Another is made again if it wins. */
static void keep_leader(ashi_contest *c)
{
    const ashi_contender *leader = ashi_contest_best(c, NULL);
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
static ashlar_status measure(ashi_contest *c, const batch *b, fate *fates, int *counted, ashlar_error *err)
{
    ashi_fitted fitted[ASHI_FITTED_MOST];
    const ashlar_status status = ashi_fit(&c->fitting, b->at, b->count, fitted, err);
    for (int i = 0; i < b->count && status == ASHLAR_OK; i++) {
        if (!fitted[i].fits) {
            ashi_schedule_free(&fitted[i].schedule);
            continue;
        }
        c->entry[c->entries++] =
            (ashi_contender){b->at[i], fitted[i].schedule, fitted[i].totals, fitted[i].seconds, true, false};
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
static int64_t find_same(const ashi_contest *c, const fate *fates, int64_t i)
{
    int64_t j = i - 1;
    while (j >= 0 && c->sorted[j]->estimate == c->sorted[i]->estimate &&
           !((fates[j] == TRIED || fates[j] == FITS) && is_same(c->problem, c->sorted[j], c->sorted[i])))
        j--;
    return j >= 0 && c->sorted[j]->estimate == c->sorted[i]->estimate ? j : -1;
}

/* Put number i into the batch, or count it with the one that has the same schedule. */
static void put(const ashi_contest *c, fate *fates, int64_t i, int counts, batch *b, int *measured)
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
static bool is_hopeless(const ashi_contest *c, const ashi_proposal *p)
{
    return c->problem->memory_words > 0 && p->memory_least > c->problem->memory_words;
}

/* Those to be measured next, when *measured have been: the most promising of those that are not foreseen, and none that
 * promises less than what is. Once the best of those whose estimates are exact has been measured, no other can be
 * better. What is computed at home is measured whatever it promises. */
static void gather(const ashi_contest *c, double foreseen, int *measured, fate *fates, batch *b, bool hopeless)
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

ashlar_status ashi_measure_in_order(ashi_contest *c, ashlar_error *err)
{
    batch b = {.most = c->problem->ranks <= ASHI_MEASURED_MOST ? ASHI_FITTED_MOST : 1};
    fate *fates = calloc((size_t)ashi_max(c->list.count, 1), sizeof *fates);
    ashlar_status status = fates ? ASHLAR_OK : ashi_fail_memory(err, "plan", c->list.count * (int64_t)sizeof *fates);
    double foreseen = INFINITY;
    int measured = 0;
    for (int64_t i = 0; i < c->entries; i++) {
        const ashi_contender *e = &c->entry[i];
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
static void replace(ashi_contest *c, ashi_contender *e)
{
    e->out = true;
    const bool another = e + 1 < c->entry + c->entries && e[1].proposal->strategy == e->proposal->strategy;
    if (another && !e[1].counted)
        e[1].out = ashi_proposal_ranks(e[1].proposal) < c->wanted;
}

/* Measure the best, where it was only foreseen. Clears it if it does not fit: the next best is to be tried. */
static ashlar_status measure_best(ashi_contest *c, ashlar_error *err)
{
    ashi_contender *e = c->best;
    ashi_fitted fitted;
    const ashlar_status status = ashi_fit(&c->fitting, &e->proposal, 1, &fitted, err);
    if (status == ASHLAR_OK && fitted.fits) {
        *e = (ashi_contender){e->proposal, fitted.schedule, fitted.totals, fitted.seconds, true, false};
        return status;
    }
    ashi_schedule_free(&fitted.schedule);
    replace(c, e);
    c->best = NULL;
    return status;
}

ashlar_status ashi_contest_decide(ashi_contest *c, bool foreseen_does, ashlar_error *err)
{
    ashlar_status status = ASHLAR_OK;
    while (status == ASHLAR_OK && !c->best && (c->best = ashi_contest_best(c, NULL)) != NULL && !c->best->counted &&
           !foreseen_does)
        status = measure_best(c, err);
    if (status != ASHLAR_OK || !c->best || !c->best->counted || c->best->schedule.own)
        return status;
    return ashi_fit_schedule(c->problem, c->best->proposal, &c->best->schedule, err);
}
