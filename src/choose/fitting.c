/* Fit a proposal into memory, and take the better route. */
#include "choose/fitting.h"

#include "base/checked.h"
#include "strategy/buffers.h"

#include <math.h>

enum {
    TRIES = 8,        /* of fitting one proposal into memory */
    TRIES_WITHOUT = 4 /* of them at least with nothing in flight, if with that it does not fit */
};

const double ashi_fit_tie = 1.25;

/* The longest side that rounds cut of any box: along k if C stays. */
static int64_t longest_cut(const ashi_proposal *p)
{
    const ashi_bricks *b = &p->bricks;
    const int cut = ashi_dims_of[ashi_stationary(p->stays)][2];
    int64_t longest = 1;
    if (p->longest_k > 0)
        return p->longest_k;
    for (int64_t n = 0; n < b->count; n++) {
        const ashi_cuboid box = ashi_bricks_box(b, n);
        longest = ashi_max(longest, box.hi[cut] - box.lo[cut]);
    }
    return longest;
}

/* The most rounds that sums are moved in; if A or B stays, that it arrives in: each cuts the products. */
static int64_t most_reduce_rounds(const ashi_proposal *p, const ashi_totals *t)
{
    if (p->stays == ASHI_STAYS_C)
        return ashi_max(1, t->sums_cols_max);
    return t->sums_max > 0 ? ashi_max(1, t->sums_cols_max / ASHI_THINNEST_SLAB) : 1;
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

/* Words that all rounds in flight together may take. */
static int64_t rounds_budget(const ashi_problem *q, const ashi_totals *t)
{
    if (q->memory_words > 0)
        return q->memory_words - t->fixed_max;
    return ashi_buffer_words(t->share_max);
}

/* A round takes less about as rounds grow in number. */
static int64_t more(int64_t rounds, int64_t words, int64_t budget, int64_t most)
{
    const double wanted = ceil((double)rounds * ((double)words / (double)budget));
    return wanted < (double)most ? ashi_max(rounds + 1, (int64_t)wanted) : most;
}

/* The same if more than `rounds` of `length` indices can be cut: the longest slabs are thinner than now, since others
 * with slabs as thick would only be more messages. */
static int64_t more_of_thinner(int64_t rounds, int64_t words, int64_t budget, int64_t length)
{
    const int64_t thickest = ashi_ceil_div(length, rounds);
    return ashi_max(more(rounds, words, budget, length), ashi_ceil_div(length, thickest - 1));
}

/* More rounds, so that each takes its budget. False if that is so, or no more can be had. `stuck`: what was thinned
 * last has not made the fullest rank hold less, so slabs are what it holds too much of. */
static bool thin(const ashi_problem *q, const ashi_totals *t, bool stuck, ashi_proposal *p)
{
    const bool limited = q->memory_words > 0;
    const int64_t k = longest_cut(p), all = rounds_budget(q, t), budget = all / p->window;
    const int64_t in_flight = ashi_min(p->window, ashi_max(p->rounds, p->reduce_rounds));
    const int64_t most = limited ? k : ashi_max(1, k / ASHI_THINNEST_SLAB);
    const int64_t sums_budget = limited ? budget : ashi_max(budget, t->panels_max);
    const int64_t most_sums = most_reduce_rounds(p, t);
    bool thinner = false;
    if (budget < 1)
        return false;
    if ((stuck || t->panels_max * in_flight > all) && p->rounds < most) {
        p->rounds = limited ? more_of_thinner(p->rounds, t->panels_max, budget, k)
                            : more(p->rounds, t->panels_max, budget, most);
        thinner = true;
    }
    if (!stuck && t->sums_max * in_flight > ashi_max(all, sums_budget * in_flight) && p->reduce_rounds < most_sums) {
        p->reduce_rounds = more(p->reduce_rounds, t->sums_max, ashi_max(sums_budget, 1), most_sums);
        thinner = true;
    }
    return thinner;
}

/* Figures by one route. */
typedef struct routed {
    ashi_proposal proposal; /* shares what it has with the one that is fitted */
    ashi_schedule schedule;
    ashi_totals totals;
    double seconds;
    bool fits;
} routed;

/* One proposal on its way. Each of its schedules is measured before the next one is known. */
typedef struct job {
    ashi_proposal *proposal;
    routed route[2];
    int at, attempt; /* which route, and how often it was tried */
    int64_t memory;  /* in the last try; 0: there was none with this window */
    bool settled;    /* what fits need not be thinned */
    bool thinnest;   /* the last resort is tried */
    bool done;
} job;

static void begin_route(const ashi_problem *q, job *j, int at, bool tree)
{
    routed *r = &j->route[at];
    *r = (routed){.proposal = *j->proposal};
    j->at = at;
    j->attempt = 0;
    j->memory = 0;
    j->settled = q->memory_words > 0 || (ashi_proposal_is_own(&r->proposal) && r->proposal.rounds > 0);
    j->thinnest = false;
    r->proposal.tree = tree;
    r->proposal.rounds = ashi_max(r->proposal.rounds, 1);
    r->proposal.reduce_rounds = ashi_max(r->proposal.reduce_rounds, 1);
}

/* The last resort but one: nothing in flight while multiplying. Then about as many times fewer rounds do. */
static void go_without_window(job *j, ashi_proposal *p)
{
    p->rounds = ashi_ceil_div(p->rounds, p->window);
    p->reduce_rounds = ashi_ceil_div(p->reduce_rounds, p->window);
    p->window = 1;
    j->memory = 0;
    j->attempt = (int)ashi_min(j->attempt, TRIES - TRIES_WITHOUT);
}

/* The least memory that a proposal can do with: slabs of one, sums column by column, nothing in flight, and no copy of
 * what a rank owns of a matrix that stays. False if that is what was measured. */
static bool try_thinnest(ashi_fitting *f, job *j)
{
    routed *r = &j->route[j->at];
    ashi_proposal *p = &r->proposal;
    const int64_t rounds = longest_cut(p), reduce_rounds = most_reduce_rounds(p, &r->totals);
    if (p->once && p->rounds == rounds && p->reduce_rounds == reduce_rounds && p->window == 1) {
        f->least = ashi_min(f->least, r->totals.memory_max);
        return false;
    }
    p->once = true;
    p->rounds = rounds;
    p->reduce_rounds = reduce_rounds;
    p->window = 1;
    j->thinnest = true;
    return true;
}

ashi_fitting ashi_fitting_begin(const ashi_problem *q, const ashi_competition *asked)
{
    return (ashi_fitting){.problem = q, .measure = asked->measure, .measure_all = asked->measure_all,
                          .context = asked->context, .least = INT64_MAX, .seconds = INFINITY, .words = INT64_MAX};
}

void ashi_fitting_note(ashi_fitting *f, double seconds, int64_t words)
{
    f->seconds = fmin(f->seconds, seconds);
    f->words = ashi_min(f->words, words);
}

/* Whether what does not fit yet is beyond what does: more rounds would not change that. */
static bool is_beaten(const ashi_fitting *f, const routed *r)
{
    const ashi_problem *q = f->problem;
    if (q->memory_words == 0 || r->fits)
        return false;
    return q->least_words ? r->totals.words_max > f->words
                          : ashi_problem_seconds(q, &r->totals, r->proposal.tree) > ashi_fit_tie * f->seconds;
}

/* Decide by the totals whether the route is done; if not, what to try next. */
static bool route_is_done(ashi_fitting *f, job *j)
{
    const ashi_problem *q = f->problem;
    routed *r = &j->route[j->at];
    ashi_proposal *p = &r->proposal;
    r->fits = q->memory_words == 0 || r->totals.memory_max <= q->memory_words;
    if (j->thinnest) {
        f->least = ashi_min(f->least, r->totals.memory_max);
        return true;
    }
    if (is_beaten(f, r))
        return true;
    const bool stuck = q->memory_words > 0 && j->memory > 0 && r->totals.memory_max >= j->memory;
    bool again = ++j->attempt < TRIES;
    j->memory = r->totals.memory_max;
    if (again && ((r->fits && j->settled) || !thin(q, &r->totals, stuck, p))) {
        again = !r->fits && p->window > 1;
        if (again)
            go_without_window(j, p);
    }
    if (again || r->fits)
        return !again;
    return !try_thinnest(f, j);
}

/* After a schedule was measured. */
static void go_on(ashi_fitting *f, job *j)
{
    const ashi_problem *q = f->problem;
    routed *r = &j->route[j->at];
    if (!route_is_done(f, j))
        return;
    r->seconds = ashi_problem_seconds(q, &r->totals, r->proposal.tree);
    if (r->fits)
        ashi_fitting_note(f, r->seconds, r->totals.words_max);
    j->done = j->at == 1 || q->route != ASHI_EITHER || !ashi_is_lopsided(&r->totals, r->schedule.ranks_used);
    if (!j->done)
        begin_route(q, j, 1, true);
}

/* Whether the tree is the better of two that fit. */
static bool is_better(const ashi_problem *q, const routed *tree, const routed *direct)
{
    const bool near = tree->seconds <= ashi_fit_tie * direct->seconds &&
                      direct->seconds <= ashi_fit_tie * tree->seconds;
    if ((q->least_words || near) && tree->totals.words_max != direct->totals.words_max)
        return tree->totals.words_max < direct->totals.words_max;
    return tree->seconds < direct->seconds;
}

static void take(const ashi_problem *q, job *j, ashi_fitted *out)
{
    routed *direct = &j->route[0], *tree = &j->route[1];
    const bool better = j->at == 1 && tree->fits && (!direct->fits || is_better(q, tree, direct));
    routed *r = better ? tree : direct;
    *j->proposal = r->proposal;
    *out = (ashi_fitted){r->schedule, r->totals, r->seconds, r->fits};
    r->schedule = (ashi_schedule){0};
}

/* Measure schedules one by one, or all together. */
static ashlar_status measure(const ashi_fitting *f, ashlar_status status, ashi_schedule *const *schedule, int count,
                             ashi_totals *out, ashlar_error *err)
{
    if (f->measure_all)
        return f->measure_all(f->context, status, schedule, count, out, err);
    for (int i = 0; i < count && status == ASHLAR_OK; i++)
        status = f->measure(f->context, schedule[i], &out[i], err);
    return status;
}

/* Make the next schedule of every job that is not done, and measure them together. Ranks that fail take part. */
static ashlar_status try_out(ashi_fitting *f, job *jobs, int count, ashlar_error *err)
{
    ashi_schedule *schedule[ASHI_FITTED_MOST];
    ashi_totals totals[ASHI_FITTED_MOST];
    ashlar_status status = ASHLAR_OK;
    int n = 0;
    for (int i = 0; i < count; i++) {
        routed *r = &jobs[i].route[jobs[i].at];
        if (jobs[i].done)
            continue;
        ashi_schedule_free(&r->schedule);
        if (status == ASHLAR_OK)
            status = ashi_fit_schedule(f->problem, &r->proposal, &r->schedule, err);
        schedule[n++] = &r->schedule;
    }
    status = measure(f, status, schedule, n, totals, err);
    n = 0;
    for (int i = 0; i < count && status == ASHLAR_OK; i++)
        if (!jobs[i].done) {
            jobs[i].route[jobs[i].at].totals = totals[n++];
            go_on(f, &jobs[i]);
        }
    return status;
}

static bool all_done(const job *jobs, int count)
{
    bool done = true;
    for (int i = 0; i < count; i++)
        done = done && jobs[i].done;
    return done;
}

ashlar_status ashi_fit(ashi_fitting *f, ashi_proposal *const *p, int count, ashi_fitted *out, ashlar_error *err)
{
    const ashi_problem *q = f->problem;
    job jobs[ASHI_FITTED_MOST] = {{0}};
    ashlar_status status = ASHLAR_OK;
    for (int i = 0; i < count; i++) {
        out[i] = (ashi_fitted){0};
        if (status == ASHLAR_OK)
            status = ashi_proposal_furnish(q, p[i], err);
        jobs[i].proposal = p[i];
        begin_route(q, &jobs[i], 0, q->route == ASHI_TREE || q->route == ASHI_RECTANGULAR);
    }
    while (status == ASHLAR_OK && !all_done(jobs, count))
        status = try_out(f, jobs, count, err);
    for (int i = 0; i < count; i++) {
        if (status == ASHLAR_OK)
            take(q, &jobs[i], &out[i]);
        for (int r = 0; r < 2; r++)
            ashi_schedule_free(&jobs[i].route[r].schedule);
    }
    return status;
}
