/* Weigh what the strategies propose, and fit it into memory. */
#include "strategy/choose.h"

#include "base/checked.h"
#include "base/error.h"
#include "base/type.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

enum {
    BUFFER_PART = 6,          /* without a limit, buffers take this part of the shares, */
    BUFFER_WORDS = 524288,    /* or this many words if that is more */
    THINNEST_SLAB = 64,       /* thinner slabs waste the BLAS: only a limit makes them */
    TRIES = 8,                /* of fitting one proposal into memory */
    FRUITLESS_MOST = 1 << 16, /* rounds of all ranks that are walked only to say how much memory would do */
    MEASURED = 6              /* proposals that are measured, of those that fit */
};

/* Messages along a tree wait for one another, so each counts twice. */
static double seconds_of(const ashi_problem *q, const ashi_totals *t, bool tree)
{
    const ashi_type *type = ashi_type_of(q->type);
    const ashi_pace pace = {&q->machine, (int64_t)type->bytes, q->ranks, type->flops, q->ranks_per_core};
    return ashi_predict_seconds(t, &pace) + (tree ? (double)t->messages_max * q->machine.latency : 0);
}

/* The longest side along k of any box. */
static int64_t longest_k(const ashi_proposal *p)
{
    const ashi_bricks *b = &p->bricks;
    int64_t longest = 1;
    if (p->longest_k > 0)
        return p->longest_k;
    for (int64_t n = 0; n < b->count; n++) {
        const ashi_cuboid box = ashi_bricks_box(b, n);
        longest = ashi_max(longest, box.hi[2] - box.lo[2]);
    }
    return longest;
}

/* Whether all layouts are the proposal's: then its rounds, if it has any, were chosen by the search that proposed
 * it. */
static bool is_own(const ashi_proposal *p)
{
    return p->own[0] && p->own[1] && p->own[2];
}

/* What a choice needs to know to fit a proposal. */
typedef struct fitting {
    const ashi_problem *problem;
    ashi_measure measure;
    void *context;
    int64_t least; /* memory that would have done, over all proposals that did not fit */
} fitting;

static ashlar_status try_out(const fitting *f, const ashi_proposal *p, ashi_schedule *s, ashi_totals *t,
                             ashlar_error *err)
{
    ashi_schedule_free(s);
    const ashlar_status status = p->strategy->schedule(f->problem, p, s, err);
    if (f->problem->route == ASHI_RECTANGULAR)
        s->torus = f->problem->torus;
    return status == ASHLAR_OK ? f->measure(f->context, s, t, err) : status;
}

/* Words that all slots together may take. */
static int64_t slots_budget(const ashi_problem *q, const ashi_totals *t)
{
    if (q->memory_words > 0)
        return q->memory_words - t->fixed_max;
    return ashi_max(ashi_ceil_div(t->share_max, BUFFER_PART), BUFFER_WORDS);
}

/* Slots shrink about as rounds grow in number. */
static int64_t more(int64_t rounds, int64_t words, int64_t budget, int64_t most)
{
    const double wanted = ceil((double)rounds * ((double)words / (double)budget));
    return wanted < (double)most ? ashi_max(rounds + 1, (int64_t)wanted) : most;
}

/* More rounds, so that each takes its budget. False where that is so, or no more can be had. */
static bool thin(const ashi_problem *q, const ashi_totals *t, ashi_proposal *p)
{
    const bool limited = q->memory_words > 0;
    const int64_t k = longest_k(p), all = slots_budget(q, t), budget = all / p->window;
    const int64_t in_flight = ashi_min(p->window, ashi_max(p->rounds, p->reduce_rounds));
    const int64_t most = limited ? k : ashi_max(1, k / THINNEST_SLAB);
    const int64_t sums_budget = limited ? budget : ashi_max(budget, t->panels_max);
    bool thinner = false;
    if (budget < 1)
        return false;
    if (t->panels_max * in_flight > all && p->rounds < most) {
        p->rounds = more(p->rounds, t->panels_max, budget, most);
        thinner = true;
    }
    if (t->sums_max * in_flight > ashi_max(all, sums_budget * in_flight) && p->reduce_rounds < t->sums_cols_max) {
        p->reduce_rounds = more(p->reduce_rounds, t->sums_max, ashi_max(sums_budget, 1), t->sums_cols_max);
        thinner = true;
    }
    return thinner;
}

/* The least memory a proposal can do with: slabs of one, sums column by column, nothing in flight. */
static ashlar_status thinnest(fitting *f, ashi_proposal *p, ashi_schedule *s, ashi_totals *t, ashlar_error *err)
{
    p->rounds = longest_k(p);
    p->reduce_rounds = ashi_max(1, t->sums_cols_max);
    p->window = 1;
    const ashlar_status status = try_out(f, p, s, t, err);
    if (status == ASHLAR_OK)
        f->least = ashi_min(f->least, t->memory_max);
    return status;
}

/* Rounds for one proposal. Sets *fits. */
static ashlar_status fit(fitting *f, ashi_proposal *p, ashi_schedule *s, ashi_totals *t, bool *fits, ashlar_error *err)
{
    const ashi_problem *q = f->problem;
    const bool settled = q->memory_words > 0 || (is_own(p) && p->rounds > 0);
    p->rounds = ashi_max(p->rounds, 1);
    p->reduce_rounds = ashi_max(p->reduce_rounds, 1);
    *fits = false;
    for (int attempt = 0; attempt < TRIES; attempt++) {
        const ashlar_status status = try_out(f, p, s, t, err);
        if (status != ASHLAR_OK)
            return status;
        const bool within = q->memory_words == 0 || t->memory_max <= q->memory_words;
        *fits = within;
        if ((within && settled) || !thin(q, t, p)) {
            if (within || p->window == 1)
                break;
            p->window = 1; /* the last resort: nothing in flight while multiplying */
        }
    }
    if (*fits)
        return ASHLAR_OK;
    const ashlar_status status = thinnest(f, p, s, t, err);
    *fits = status == ASHLAR_OK && t->memory_max <= q->memory_words;
    return status;
}

/* Of pointers to proposals; equals stay in the order in which they were proposed. */
static int by_estimate(const void *a, const void *b)
{
    const ashi_proposal *const *x = a, *const *y = b;
    if ((*x)->estimate != (*y)->estimate)
        return (*x)->estimate > (*y)->estimate ? 1 : -1;
    return (*x > *y) - (*x < *y);
}

const double ashi_choose_tie = 1.25;

/* A proposal that was measured, fitted into memory if it fits. */
typedef struct candidate {
    ashi_proposal proposal;
    ashi_schedule schedule;
    ashi_totals totals;
    double seconds;
    bool fits;
} candidate;

static bool is_better(const ashi_problem *q, const ashi_totals *t, double seconds, const ashi_totals *than_t,
                      double than_seconds, double fastest)
{
    if (q->least_words && t->words_max != than_t->words_max)
        return t->words_max < than_t->words_max;
    if (seconds > ashi_choose_tie * fastest || than_seconds > ashi_choose_tie * seconds)
        return seconds < than_seconds;
    return t->words_max != than_t->words_max ? t->words_max < than_t->words_max : seconds < than_seconds;
}

static ashlar_status measure_route(fitting *f, const ashi_proposal *p, bool tree, candidate *out, ashlar_error *err)
{
    *out = (candidate){.proposal = *p};
    out->proposal.tree = tree;
    const ashlar_status status = fit(f, &out->proposal, &out->schedule, &out->totals, &out->fits, err);
    out->fits = out->fits && status == ASHLAR_OK;
    out->seconds = seconds_of(f->problem, &out->totals, tree);
    return status;
}

/* Whether one rank sends or receives so much more than others that a tree may help. */
static bool is_lopsided(const ashi_totals *t)
{
    return t->sent_max > 2 * t->words_max || (double)t->words_max > 2 * t->words_mean;
}

/* The proposal by the better route, where either may be taken. */
static ashlar_status measure_proposal(fitting *f, const ashi_proposal *p, candidate *out, ashlar_error *err)
{
    const ashi_problem *q = f->problem;
    candidate tree;
    ashlar_status status = measure_route(f, p, q->route == ASHI_TREE || q->route == ASHI_RECTANGULAR, out,
                                         err);
    if (status != ASHLAR_OK || q->route != ASHI_EITHER || !is_lopsided(&out->totals))
        return status;
    status = measure_route(f, p, true, &tree, err);
    if (tree.fits && (!out->fits || is_better(q, &tree.totals, tree.seconds, &out->totals, out->seconds,
                                              fmin(tree.seconds, out->seconds)))) {
        ashi_schedule_free(&out->schedule);
        *out = tree;
    } else {
        ashi_schedule_free(&tree.schedule);
    }
    return status;
}

/* Measure one proposal, and keep it in `out` if it is the best so far: it is then empty. */
static ashlar_status try_proposal(fitting *f, ashi_proposal *p, ashi_choice *out, bool *fits, ashlar_error *err)
{
    candidate c;
    const ashlar_status status = measure_proposal(f, p, &c, err);
    *fits = c.fits;
    if (status == ASHLAR_OK && c.fits &&
        (!out->strategy || is_better(f->problem, &c.totals, c.seconds, &out->totals, out->seconds, out->fastest))) {
        const double fastest = out->strategy ? fmin(out->fastest, c.seconds) : c.seconds;
        ashi_choice_free(out);
        *out = (ashi_choice){.strategy = c.proposal.strategy, .proposal = c.proposal, .schedule = c.schedule,
                             .totals = c.totals, .seconds = c.seconds, .fastest = fastest};
        *p = (ashi_proposal){0};
    } else {
        ashi_schedule_free(&c.schedule);
    }
    return status;
}

/* Measure the most promising proposals, and keep the best in `out`. Once the best of those whose estimates are exact
 * has been measured, no other can be better. */
static ashlar_status weigh_in_order(fitting *f, ashi_proposal **sorted, int64_t count, int64_t wanted,
                                    ashi_choice *out, ashlar_error *err)
{
    ashlar_status status = ASHLAR_OK;
    int measured = 0;
    for (int64_t i = 0; i < count && status == ASHLAR_OK; i++) {
        ashi_proposal *p = sorted[i];
        const bool exact = p->exact, at_home = p->at_home;
        bool fits = false;
        if (!at_home && (measured >= MEASURED || ashi_proposal_ranks(p) < wanted))
            continue;
        status = try_proposal(f, p, out, &fits, err);
        const bool counts = fits && (!at_home || !p->strategy); /* taken for the best */
        measured += counts ? (exact ? MEASURED : 1) : 0;
    }
    return status;
}

static ashlar_status weigh(fitting *f, ashi_proposals *list, int64_t wanted, ashi_choice *out, ashlar_error *err)
{
    ashi_proposal **sorted = malloc((size_t)ashi_max(list->count, 1) * sizeof *sorted);
    if (!sorted)
        return ashi_fail_memory(err, "plan", list->count * (int64_t)sizeof *sorted);
    for (int64_t i = 0; i < list->count; i++)
        sorted[i] = &list->at[i];
    qsort(sorted, (size_t)list->count, sizeof *sorted, by_estimate);
    const ashlar_status status = weigh_in_order(f, sorted, list->count, wanted, out, err);
    free(sorted);
    return status;
}

static void explain(const ashi_problem *q, ashi_choice *c)
{
    const bool own = is_own(&c->proposal);
    const int64_t idle = q->ranks - c->schedule.ranks_used;
    char ranks[64] = "";
    if (idle > ashi_cosma_idle_most(q->idle, q->ranks))
        snprintf(ranks, sizeof ranks, "; %" PRId64 " of %" PRId64 " ranks idle", idle, q->ranks);
    snprintf(c->reason, sizeof c->reason, "%s: %s, %s%s", own ? "nothing need be moved first" : c->proposal.origin,
             q->least_words ? "fewest words for the busiest rank" : "least predicted time",
             q->memory_words ? "within the memory given" : "no memory limit given", ranks);
}

/* Whether proposals are to be measured: not if the memory limit has no room for the matrices alone, wherever they lie,
 * and it would take long to say how much would do. */
static bool is_worth_measuring(const ashi_problem *q)
{
    const double rounds_of_all = (double)q->size[2] * (double)q->ranks;
    return q->in_files || q->memory_words == 0 || ashi_problem_share(q) <= (double)q->memory_words ||
           rounds_of_all <= FRUITLESS_MOST;
}

/* Why no proposal is taken: those that there are do not fit, or there are none. */
static ashlar_status say_why_none(const fitting *f, const ashlar_error *refused, ashlar_error *said)
{
    const ashi_problem *q = f->problem;
    if (f->least < INT64_MAX)
        return ashi_fail(said, ASHLAR_ERR_LIMIT,
                         "%" PRId64 " words a rank are too few for these layouts: %" PRId64 " would do",
                         q->memory_words, f->least);
    if (refused->status == ASHLAR_OK || (refused->status != ASHLAR_ERR_LIMIT && !is_worth_measuring(q)))
        return ashi_fail(said, ASHLAR_ERR_LIMIT,
                         "%" PRId64 " words are too few for a rank's share of the matrices, %.0f", q->memory_words,
                         ashi_problem_share(q));
    *said = *refused;
    return refused->status;
}

ashlar_status ashi_choose(const ashi_problem *q, const char *name, ashi_measure measure, void *context,
                          ashi_choice *out, ashlar_error *err)
{
    *out = (ashi_choice){0};
    if (name && !ashi_strategy_named(name))
        return ashi_fail(err, ASHLAR_ERR_UNSUPPORTED, "there is no strategy \"%s\"", name);
    ashi_problem problem = *q;
    problem.weighed = q->weighed || !name;
    fitting f = {&problem, measure, context, INT64_MAX};
    ashi_proposals list = {0};
    ashlar_error refused = {0}, said = {0};
    ashlar_status status = ashi_strategies_propose(&problem, name, &list, &refused, &said);
    if (status == ASHLAR_OK && is_worth_measuring(q))
        status = weigh(&f, &list, name ? 0 : ashi_proposals_ranks_wanted(q, &list), out, &said);
    ashi_proposals_free(&list);
    if (status == ASHLAR_OK && !out->strategy)
        status = say_why_none(&f, &refused, &said);
    if (status == ASHLAR_OK) {
        explain(q, out);
        return ASHLAR_OK;
    }
    ashi_choice_free(out);
    return ashi_fail(err, status, "%s", said.text);
}

void ashi_choice_free(ashi_choice *c)
{
    ashi_schedule_free(&c->schedule);
    ashi_proposal_free(&c->proposal);
    *c = (ashi_choice){0};
}
