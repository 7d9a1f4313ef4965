/* Fit a proposal into memory, and take the better route. */
#include "choose/fitting.h"

#include "base/checked.h"
#include "base/error.h"
#include "choose/thinning.h"
#include "simulate/simulate.h"

#include <math.h>
#include <stdlib.h>

enum {
    TRIES = 8,         /* of fitting one proposal into memory */
    TRIES_WITHOUT = 4, /* of them at least with nothing in flight, if with that it does not fit */
    RANKS_ASKED = 32   /* whether they hold too much, before all are */
};

const double ashi_fit_tie = 1.25;

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
    const int64_t rounds = ashi_longest_cut(p), reduce_rounds = ashi_most_reduce_rounds(p, &r->totals);
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

/* Whether the limit has no room for the matrices alone, wherever they lie: then nothing fits. */
static bool holds_no_shares(const ashi_problem *q)
{
    return q->memory_words > 0 && ashi_problem_share(q) > (double)q->memory_words;
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
    if (holds_no_shares(q)) /* only the least that would do is left to find */
        return !try_thinnest(f, j);
    const bool stuck = q->memory_words > 0 && j->memory > 0 && r->totals.memory_max >= j->memory;
    bool again = ++j->attempt < TRIES;
    j->memory = r->totals.memory_max;
    if (again && ((r->fits && j->settled) || !ashi_thin(q, &r->totals, stuck, p))) {
        again = !r->fits && p->window > 1;
        if (again)
            go_without_window(j, p);
    }
    if (again || r->fits)
        return !again;
    return !try_thinnest(f, j);
}

/* Whether what is to be tried next is the schedule that was measured: with one round nothing is in flight anyway. */
static bool is_measured(const routed *r, const ashi_proposal *before)
{
    const ashi_proposal *p = &r->proposal;
    return r->schedule.window == 1 && p->window == 1 && p->rounds == before->rounds &&
           p->reduce_rounds == before->reduce_rounds && p->once == before->once;
}

/* What is known of the route decides whether the other one is tried. */
static void end_route(ashi_fitting *f, job *j)
{
    const ashi_problem *q = f->problem;
    routed *r = &j->route[j->at];
    r->seconds = ashi_problem_seconds(q, &r->totals, r->proposal.tree);
    if (r->fits)
        ashi_fitting_note(f, r->seconds, r->totals.words_max);
    j->done = j->at == 1 || q->route != ASHI_EITHER || !ashi_is_lopsided(&r->totals, r->schedule.ranks_used);
    if (!j->done)
        begin_route(q, j, 1, true);
}

/* After a schedule was measured. */
static void go_on(ashi_fitting *f, job *j)
{
    routed *r = &j->route[j->at];
    ashi_proposal before;
    do {
        before = r->proposal;
        if (route_is_done(f, j))
            break;
        if (!is_measured(r, &before))
            return;
    } while (true);
    end_route(f, j);
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

/* How many ranks are counted to see that a schedule is out before all are; they are evenly spread. */
static int64_t ranks_asked(const ashi_schedule *schedule)
{
    return ashi_max(1, ashi_min(schedule->ranks / 8, RANKS_ASKED));
}

/* Whether a rank is found that holds more than `words`. With `and_beaten` ranks also have to show that the schedule is
 * worse than the best one that fits. */
static ashlar_status find_too_much(const ashi_fitting *f, routed *r, int64_t words, bool and_beaten, bool *out,
                                   ashlar_error *err)
{
    const int64_t some = ranks_asked(&r->schedule);
    routed found = {.proposal = r->proposal};
    ashlar_status status = ASHLAR_OK;
    *out = false;
    for (int64_t i = 0; i < some && status == ASHLAR_OK && !*out; i++) {
        ashi_need need;
        status = ashi_need_of(&r->schedule, ashi_cut(r->schedule.ranks, some, i), &need, err);
        if (status == ASHLAR_OK)
            ashi_totals_add(&found.totals, &need);
        *out = found.totals.memory_max > words && (!and_beaten || is_beaten(f, &found));
    }
    return status;
}

/* End the route if a few ranks are enough to see that what is tried is out: it does not fit, and is beyond what does,
 * or is the last resort. That has the most rounds and is put off: it is measured only if nothing fits, to say how much
 * memory would do. Whether the other route is tried follows from the words, which were measured before. */
static ashlar_status end_early(ashi_fitting *f, job *j, ashlar_error *err)
{
    routed *r = &j->route[j->at];
    bool out = false;
    ashlar_status status = find_too_much(f, r, f->problem->memory_words, !j->thinnest, &out, err);
    if (status != ASHLAR_OK || !out)
        return status;
    if (j->thinnest) {
        ashi_proposal *grown = realloc(f->put_off, (size_t)(f->puts_off + 1) * sizeof *grown);
        if (!grown)
            return ashi_fail_memory(err, "plan", (f->puts_off + 1) * (int64_t)sizeof *grown);
        f->put_off = grown;
        f->put_off[f->puts_off++] = r->proposal;
    }
    end_route(f, j);
    return status;
}

ashlar_status ashi_fit_least(ashi_fitting *f, ashlar_error *err)
{
    ashlar_status status = ASHLAR_OK;
    for (int64_t i = 0; i < f->puts_off && status == ASHLAR_OK; i++) {
        routed r = {.proposal = f->put_off[i]};
        bool more = false;
        status = ashi_fit_schedule(f->problem, &r.proposal, &r.schedule, err);
        if (status == ASHLAR_OK)
            status = find_too_much(f, &r, f->least - 1, false, &more, err);
        if (status == ASHLAR_OK && !more)
            status = f->measure(f->context, &r.schedule, &r.totals, err);
        if (status == ASHLAR_OK && !more)
            f->least = ashi_min(f->least, r.totals.memory_max);
        ashi_schedule_free(&r.schedule);
    }
    return status;
}

/* Make the next schedule of every job that is not done, and measure them together. Ranks that fail take part. */
static ashlar_status try_out(ashi_fitting *f, job *jobs, int count, ashlar_error *err)
{
    ashi_schedule *schedule[ASHI_FITTED_MOST];
    ashi_totals totals[ASHI_FITTED_MOST];
    job *measured[ASHI_FITTED_MOST];
    ashlar_status status = ASHLAR_OK;
    int n = 0;
    for (int i = 0; i < count; i++) {
        routed *r = &jobs[i].route[jobs[i].at];
        if (jobs[i].done)
            continue;
        ashi_schedule_free(&r->schedule);
        if (status == ASHLAR_OK)
            status = ashi_fit_schedule(f->problem, &r->proposal, &r->schedule, err);
        if (status == ASHLAR_OK && f->measure && (jobs[i].thinnest || (jobs[i].attempt > 0 && f->words < INT64_MAX)))
            status = end_early(f, &jobs[i], err);
        if (&jobs[i].route[jobs[i].at] == r && !jobs[i].done) {
            measured[n] = &jobs[i];
            schedule[n++] = &r->schedule;
        }
    }
    status = measure(f, status, schedule, n, totals, err);
    for (int i = 0; i < n && status == ASHLAR_OK; i++) {
        measured[i]->route[measured[i]->at].totals = totals[i];
        go_on(f, measured[i]);
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
