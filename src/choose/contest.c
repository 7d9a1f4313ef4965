/* The order of what competes for a problem, which does not depend on who was asked first. */
#include "choose/contest.h"

#include "model/rates.h"
#include "strategy/buffers.h"

#include <math.h>
#include <string.h>

/* In the caller's layouts, without a memory limit: a proposal that needs more workspace than usual is taken only if all
 * others move more than 1.125 times its words. Source: measured, see "Memory" in docs/PERFORMANCE.md. */
static const double worth_memory = 1.125;

/* In shared memory words are copies, which the predicted seconds have, and load no link of others: the fewest words are
 * taken instead of the least seconds only if those move more than this times as many. Source: measured, see "Odd
 * process grids" in docs/PERFORMANCE.md. */
static const double worth_copies = 1.4;

/* And only if they are this part of those of the fewest words: no prediction counts what a rank copies of its own
 * parts, or that a product is made in two where it crosses an edge of them. Source: measured, see "What a round
 * costs" in docs/PERFORMANCE.md. */
static const double worth_words = 0.97;

static int order_numbers(int64_t x, int64_t y)
{
    return (x > y) - (x < y);
}

static int order_reals(double x, double y)
{
    return (x > y) - (x < y);
}

/* Of candidates, among those that words decide. If A or B stays each round goes through all of it for a thin slab,
 * which predictions count in shared memory only: so that has to save words. */
static int by_words(const ashi_contender *x, const ashi_contender *y)
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
static double fastest_of(const ashi_contest *c, const ashi_strategy *only)
{
    double fastest = INFINITY;
    for (int64_t i = 0; i < c->entries; i++)
        if (!c->entry[i].out && (!only || c->entry[i].proposal->strategy == only))
            fastest = fmin(fastest, c->entry[i].seconds);
    return fastest;
}

static bool is_frugal(const ashi_contender *e)
{
    return e->totals.memory_max - e->totals.share_max <= ashi_workspace_words(e->totals.share_max);
}

/* The fewest words; if time counts, of those whose predictions are near the least. NULL if there is none. */
static ashi_contender *fewest_of(const ashi_contest *c, const ashi_strategy *only, bool frugal)
{
    const double fastest = fastest_of(c, only);
    ashi_contender *best = NULL;
    for (int64_t i = 0; i < c->entries; i++) {
        ashi_contender *e = &c->entry[i];
        const bool near = c->problem->least_words || e->seconds <= ashi_fit_tie * fastest;
        if (!e->out && (!only || e->proposal->strategy == only) && near && (!frugal || is_frugal(e)) &&
            (!best || by_words(e, best) < 0))
            best = e;
    }
    return best;
}

/* The least seconds of those that compete, or of one strategy's, with C staying: if A or B stays predictions are too
 * low, see by_words. NULL if there is none. */
static ashi_contender *quickest_of(const ashi_contest *c, const ashi_strategy *only)
{
    ashi_contender *best = NULL;
    for (int64_t i = 0; i < c->entries; i++) {
        ashi_contender *e = &c->entry[i];
        if (!e->out && (!only || e->proposal->strategy == only) && e->proposal->stays == ASHI_STAYS_C &&
            (!best || e->seconds < best->seconds || (e->seconds == best->seconds && by_words(e, best) < 0)))
            best = e;
    }
    return best;
}

/* Instead of the fewest words, in shared memory: the least seconds, unless they move far more. */
static ashi_contender *without_links(const ashi_contest *c, const ashi_strategy *only, ashi_contender *fewest)
{
    const ashi_problem *q = c->problem;
    if (!fewest || q->least_words || ashi_proposal_is_own(fewest->proposal) || !ashi_shares_memory(&q->machine))
        return fewest;
    ashi_contender *quickest = quickest_of(c, only);
    const double most = worth_copies * (double)fewest->totals.words_max;
    const bool worth = quickest && quickest->seconds <= worth_words * fewest->seconds;
    return worth && (double)quickest->totals.words_max <= most ? quickest : fewest;
}

ashi_contender *ashi_contest_best(const ashi_contest *c, const ashi_strategy *only)
{
    ashi_contender *best = without_links(c, only, fewest_of(c, only, false));
    const ashi_problem *q = c->problem;
    if (!best || q->least_words || q->memory_words > 0 || ashi_proposal_is_own(best->proposal) || is_frugal(best))
        return best;
    ashi_contender *frugal = fewest_of(c, only, true);
    const double most = worth_memory * (double)best->totals.words_max;
    return frugal && (double)frugal->totals.words_max <= most ? frugal : best;
}
