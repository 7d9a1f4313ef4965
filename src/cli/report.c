/* Weighing the strategies for a problem as plan and simulate tell it. */
#include "cli/report.h"

#include "base/checked.h"
#include "cli/figures.h"
#include "cli/progress.h"
#include "strategy/cosma.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

static void walked_one(void *context, int64_t done, int64_t of)
{
    (void)done;
    (void)of;
    ashi_progress_add(context, 1);
}

/* An ashi_measure: all ranks, one after the other. */
static ashlar_status walk_all(void *context, ashi_schedule *schedule, ashi_totals *out, ashlar_error *err)
{
    ashi_progress progress = ashi_progress_start("walking the ranks' schedules", schedule->ranks, *(bool *)context);
    const ashlar_status status = ashi_simulate(schedule, walked_one, &progress, out, err);
    ashi_progress_end(&progress);
    return status;
}

static ashi_candidate of_grid(const ashi_cosma_choice *c)
{
    return (ashi_candidate){.name = "cosma", .applicable = true, .grid = {c->grid[0], c->grid[1], c->grid[2]},
                            .ranks_used = c->ranks_used, .rounds = c->rounds, .window = c->window,
                            .words_max = c->words_max, .words_total = c->words_total, .words_mean = c->words_mean,
                            .messages_max = c->messages_max, .memory_words = c->memory_words, .seconds = c->seconds};
}

static ashi_candidate of_choice(const ashi_choice *c)
{
    const ashi_schedule *s = &c->schedule;
    const ashi_totals *t = &c->totals;
    ashi_candidate out = {.name = c->strategy->name, .applicable = true,
                          .grid = {s->grid[0], s->grid[1], s->grid[2]}, .ranks_used = s->ranks_used,
                          .rounds = s->rounds, .window = s->window, .words_max = t->words_max,
                          .words_total = t->words_total, .words_mean = t->words_mean,
                          .messages_max = t->messages_max, .memory_words = t->memory_max, .seconds = c->seconds};
    snprintf(out.reason, sizeof out.reason, "%s", c->reason);
    return out;
}

/* The COSMA strategy in its own layout: closed forms tell all there is. */
static ashlar_status search_grids(const ashi_problem *q, ashi_report *r, ashlar_error *err)
{
    ashi_cosma_choice choice[ASHI_REPORT_GRIDS];
    const ashi_cosma_query query = ashi_cosma_query_of(q);
    const ashlar_status status = ashi_cosma_search_many(&query, ASHI_REPORT_GRIDS, choice, &r->grids, err);
    if (status != ASHLAR_OK)
        r->grids = 0;
    for (int i = 0; i < r->grids; i++)
        r->grid[i] = of_grid(&choice[i]);
    return status;
}

static ashlar_status walk(const ashi_problem *q, const ashi_strategy *s, bool progress, ashi_candidate *out,
                          ashlar_error *err)
{
    ashi_choice choice;
    const ashlar_status status = ashi_choose(q, s->name, walk_all, &progress, &choice, err);
    if (status == ASHLAR_OK) {
        *out = of_choice(&choice);
        ashi_choice_free(&choice);
    }
    return status;
}

/* The figures of one strategy. In COSMA's own layout the closed forms find the grid, so that one walk is enough. */
static ashlar_status try_one(const ashi_strategy *s, bool progress, ashi_report *r, ashi_candidate *out,
                             ashlar_error *err)
{
    ashi_problem q = r->problem;
    ashlar_status status = ASHLAR_OK;
    if (s == &ashi_strategy_cosma && !r->layouts) {
        status = search_grids(&q, r, err);
        if (status != ASHLAR_OK)
            return status;
        *out = r->grid[0];
        snprintf(out->reason, sizeof out->reason, "nothing need be moved first");
        if (!r->walked)
            return ASHLAR_OK;
        memcpy(q.grid, out->grid, sizeof q.grid);
    }
    return walk(&q, s, progress, out, err);
}

static bool better(const ashi_problem *q, const ashi_candidate *x, const ashi_candidate *y)
{
    return q->least_words ? x->words_max < y->words_max : x->seconds < y->seconds;
}

/* One sentence: the rule that decided, how near the bound it comes, and what memory did to it. */
static void say_why(ashi_report *r)
{
    const ashi_problem *q = &r->problem;
    const ashi_candidate *c = &r->strategy[r->chosen];
    const int64_t idle = (int64_t)(q->idle * (double)q->ranks);
    char rule[128], bound[96] = "";
    if (q->grid[0] > 0)
        snprintf(rule, sizeof rule, "the grid that was asked for");
    else
        snprintf(rule, sizeof rule, "%s of all grids that leave at most %" PRId64 " of %" PRId64 " ranks idle",
                 q->least_words ? "the fewest words" : "the least predicted time", idle, q->ranks);
    if (r->layouts)
        snprintf(rule, sizeof rule, "%.*s", (int)sizeof rule - 1, c->reason);
    if (r->bound.words > 0)
        snprintf(bound, sizeof bound, "; %.3f times the bound", (double)c->words_max / r->bound.words);
    snprintf(r->why, sizeof r->why, "%s%s%s", rule, bound,
             q->memory_words > 0 && c->rounds > 1 ? "; the memory limit makes it go in rounds" : "");
}

static ashlar_status relayout(ashi_report *r, ashlar_error *err)
{
    r->relayout_words = 0;
    return r->layouts ? ashi_relayout_words(&r->problem, 0, r->problem.ranks, &r->relayout_words, err) : ASHLAR_OK;
}

ashlar_status ashi_report_make(const ashi_problem *q, const char *only, bool walk_them, bool progress,
                               ashi_report *out, ashlar_error *err)
{
    const ashi_strategy *s = NULL;
    ashlar_error refused = {ASHLAR_ERR_UNSUPPORTED, "no strategy can serve this problem"};
    *out = (ashi_report){.problem = *q, .chosen = -1,
                         .layouts = q->layout[0] || q->layout[1] || q->layout[2]};
    out->walked = walk_them || out->layouts;
    out->bound = ashi_bound_words(q->size[0], q->size[1], q->size[2], q->ranks, q->memory_words);
    for (int i = 0; (s = ashi_strategy_at(i)) != NULL && out->strategies < ASHI_REPORT_STRATEGIES; i++) {
        if (only && strcmp(only, s->name) != 0)
            continue;
        ashi_candidate *c = &out->strategy[out->strategies];
        ashlar_error why;
        const ashlar_status status = try_one(s, progress, out, c, &why);
        if (status != ASHLAR_OK && status != ASHLAR_ERR_UNSUPPORTED && status != ASHLAR_ERR_LIMIT) {
            *err = why;
            return status;
        }
        if (status != ASHLAR_OK) {
            if (refused.status != ASHLAR_ERR_LIMIT) /* which the user can do something about */
                refused = why;
            *c = (ashi_candidate){.name = s->name};
            snprintf(c->reason, sizeof c->reason, "%s", why.text);
        } else if (out->chosen < 0 || better(q, c, &out->strategy[out->chosen])) {
            out->chosen = out->strategies;
        }
        out->strategies++;
    }
    if (out->chosen < 0) {
        *err = refused;
        return refused.status;
    }
    say_why(out);
    return relayout(out, err);
}
