/* Fit a proposal into memory, and take the better route. */
#include "strategy/fitting.h"

#include "base/checked.h"
#include "base/type.h"
#include "strategy/buffers.h"

#include <math.h>

enum { TRIES = 8 }; /* of fitting one proposal into memory */

/* Messages along a tree wait for one another, so each counts twice. */
double ashi_fitted_seconds(const ashi_problem *q, const ashi_totals *t, bool tree)
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

bool ashi_proposal_is_own(const ashi_proposal *p)
{
    return p->own[0] && p->own[1] && p->own[2];
}

ashlar_status ashi_fit_schedule(const ashi_problem *q, const ashi_proposal *p, ashi_schedule *out, ashlar_error *err)
{
    const ashlar_status status = p->strategy->schedule(q, p, out, err);
    if (q->route == ASHI_RECTANGULAR)
        out->torus = q->torus;
    return status;
}

static ashlar_status try_out(const ashi_fitting *f, const ashi_proposal *p, ashi_schedule *s, ashi_totals *t,
                             ashlar_error *err)
{
    ashi_schedule_free(s);
    const ashlar_status status = ashi_fit_schedule(f->problem, p, s, err);
    return status == ASHLAR_OK ? f->measure(f->context, s, t, err) : status;
}

/* Words that all slots together may take. */
static int64_t slots_budget(const ashi_problem *q, const ashi_totals *t)
{
    if (q->memory_words > 0)
        return q->memory_words - t->fixed_max;
    return ashi_buffer_words(t->share_max);
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
    const int64_t most = limited ? k : ashi_max(1, k / ASHI_THINNEST_SLAB);
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
static ashlar_status thinnest(ashi_fitting *f, ashi_proposal *p, ashi_schedule *s, ashi_totals *t, ashlar_error *err)
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
static ashlar_status fit(ashi_fitting *f, ashi_proposal *p, ashi_schedule *s, ashi_totals *t, bool *fits,
                         ashlar_error *err)
{
    const ashi_problem *q = f->problem;
    const bool settled = q->memory_words > 0 || (ashi_proposal_is_own(p) && p->rounds > 0);
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

/* Figures by one route. */
typedef struct routed {
    ashi_proposal proposal; /* shares what it has with the one that is fitted */
    ashi_schedule schedule;
    ashi_totals totals;
    double seconds;
    bool fits;
} routed;

static ashlar_status fit_route(ashi_fitting *f, const ashi_proposal *p, bool tree, routed *out, ashlar_error *err)
{
    *out = (routed){.proposal = *p};
    out->proposal.tree = tree;
    const ashlar_status status = fit(f, &out->proposal, &out->schedule, &out->totals, &out->fits, err);
    out->fits = out->fits && status == ASHLAR_OK;
    out->seconds = ashi_fitted_seconds(f->problem, &out->totals, tree);
    return status;
}

/* Whether the tree is the better of two that fit. */
static bool is_better(const ashi_problem *q, const routed *tree, const routed *direct)
{
    const bool near = tree->seconds <= ashi_choose_tie * direct->seconds &&
                      direct->seconds <= ashi_choose_tie * tree->seconds;
    if ((q->least_words || near) && tree->totals.words_max != direct->totals.words_max)
        return tree->totals.words_max < direct->totals.words_max;
    return tree->seconds < direct->seconds;
}

static void take(routed *r, ashi_proposal *p, ashi_fitted *out)
{
    *p = r->proposal;
    *out = (ashi_fitted){r->schedule, r->totals, r->seconds, r->fits};
}

ashlar_status ashi_fit(ashi_fitting *f, ashi_proposal *p, ashi_fitted *out, ashlar_error *err)
{
    const ashi_problem *q = f->problem;
    routed direct, tree;
    *out = (ashi_fitted){0};
    ashlar_status status = ashi_proposal_furnish(q, p, err);
    if (status != ASHLAR_OK)
        return status;
    status = fit_route(f, p, q->route == ASHI_TREE || q->route == ASHI_RECTANGULAR, &direct, err);
    if (status != ASHLAR_OK || q->route != ASHI_EITHER ||
        !ashi_is_lopsided(&direct.totals, direct.schedule.ranks_used)) {
        take(&direct, p, out);
        return status;
    }
    status = fit_route(f, p, true, &tree, err);
    const bool better = tree.fits && (!direct.fits || is_better(q, &tree, &direct));
    ashi_schedule_free(better ? &direct.schedule : &tree.schedule);
    take(better ? &tree : &direct, p, out);
    return status;
}
