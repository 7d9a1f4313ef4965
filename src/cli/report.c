/* Weighing the strategies for a problem as plan and simulate tell it. */
#include "cli/report.h"

#include "base/checked.h"
#include "base/type.h"
#include "cli/figures.h"
#include "cli/progress.h"

#include <math.h>
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

static ashi_formula formula_of(const ashi_problem *q, const ashi_strategy *s, const ashi_proposal *p)
{
    return s->formula ? s->formula(q, p) : (ashi_formula){NAN, NULL, NULL};
}

static ashi_candidate of_grid(const ashi_problem *q, const ashi_strategy *s, const ashi_cosma_choice *c)
{
    const ashi_proposal proposal = {.strategy = s, .bricks = {.grid = {c->grid[0], c->grid[1], c->grid[2]}}};
    ashi_candidate out = {.name = s->name, .applicable = true, .grid = {c->grid[0], c->grid[1], c->grid[2]},
                          .ranks_used = c->ranks_used, .rounds = c->rounds, .window = c->window,
                          .words_max = c->words_max, .words_total = c->words_total, .words_mean = c->words_mean,
                          .messages_max = c->messages_max, .memory_words = c->memory_words, .seconds = c->seconds,
                          .formula = formula_of(q, s, &proposal)};
    snprintf(out.reason, sizeof out.reason, "nothing need be moved first");
    return out;
}

/* Takes over the choice's bricks. */
static ashi_candidate of_choice(const ashi_problem *q, ashi_choice *c)
{
    const ashi_schedule *s = &c->schedule;
    const ashi_totals *t = &c->totals;
    ashi_candidate out = {.name = c->strategy->name, .applicable = true, .origin = c->proposal.origin,
                          .bricks = c->proposal.bricks, .grid = {s->grid[0], s->grid[1], s->grid[2]},
                          .ranks_used = s->ranks_used, .rounds = s->rounds, .window = s->window,
                          .words_max = t->words_max, .words_total = t->words_total, .words_mean = t->words_mean,
                          .messages_max = t->messages_max, .memory_words = t->memory_max, .disk_words = t->disk_max,
                          .seconds = c->seconds, .formula = formula_of(q, c->strategy, &c->proposal)};
    snprintf(out.reason, sizeof out.reason, "%s", c->reason);
    c->proposal.bricks = (ashi_bricks){0};
    return out;
}

/* A strategy in its own layouts, as closed forms tell: its best grids where there is room for them, and the best. */
static ashlar_status foresee(ashi_report *r, const ashi_strategy *s, ashi_candidate *out, ashlar_error *err)
{
    ashi_cosma_choice choice[ASHI_REPORT_GRIDS];
    const bool listed = r->strategies == 0;
    int count = 0;
    const ashlar_status status = s->foresee(&r->problem, listed ? ASHI_REPORT_GRIDS : 1, choice, &count, err);
    if (status != ASHLAR_OK)
        return status;
    *out = of_grid(&r->problem, s, &choice[0]);
    r->grids = listed ? count : r->grids;
    for (int i = 0; i < count && listed; i++)
        r->grid[i] = of_grid(&r->problem, s, &choice[i]);
    return ASHLAR_OK;
}

static void free_candidate(ashi_candidate *c)
{
    ashi_links_free(&c->links);
    ashi_bricks_free(&c->bricks);
}

/* The load of the torus' links, where there is one. */
static ashlar_status load_links(const ashi_problem *q, ashi_choice *c, ashi_candidate *out, ashlar_error *err)
{
    const ashi_type *type = ashi_type_of(q->type);
    const ashi_pace pace = {&q->machine, (int64_t)type->bytes, q->ranks, type->flops, q->ranks_per_core};
    if (q->torus.dims == 0)
        return ASHLAR_OK;
    const ashlar_status status = ashi_links_count(&c->schedule, &q->torus, &out->links, err);
    if (status == ASHLAR_OK)
        out->links_seconds = ashi_links_seconds(&out->links, &c->totals, &pace);
    return status;
}

static ashlar_status load_network(const ashi_problem *q, ashi_choice *c, ashi_candidate *out, ashlar_error *err)
{
    const ashlar_status status = load_links(q, c, out, err);
    if (status != ASHLAR_OK || !q->node_of)
        return status;
    return ashi_node_words_count(&c->schedule, q->node_of, &out->crossing, err);
}

/* By walking every rank's schedule. Name NULL: the best of all strategies. With `grid` only that is looked at. */
static ashlar_status walk(const ashi_report *r, const char *name, const int64_t *grid, bool progress,
                          ashi_candidate *out, ashlar_error *err)
{
    ashi_choice choice;
    ashi_problem q = r->problem;
    if (grid)
        memcpy(q.grid, grid, sizeof q.grid);
    ashlar_status status = ashi_choose(&q, name, walk_all, &progress, &choice, err);
    if (status == ASHLAR_OK) {
        *out = of_choice(&q, &choice);
        status = load_network(&q, &choice, out, err);
        if (status != ASHLAR_OK)
            free_candidate(out);
        ashi_choice_free(&choice);
    }
    return status;
}

static bool is_eligible(const ashi_report *r, const ashi_candidate *c)
{
    const int64_t p = r->problem.ranks;
    int64_t most = 0;
    for (int i = 0; i < r->strategies; i++)
        most = ashi_max(most, r->strategy[i].ranks_used);
    return c->applicable && c->ranks_used >= ashi_min(most, p - ashi_cosma_idle_most(r->problem.idle, p));
}

/* Whether x is better than y, as the planner has it: of what closed forms tell it takes the least seconds; against that
 * predictions that are nearly the same are decided by words. */
static bool is_better(const ashi_report *r, const ashi_candidate *x, const ashi_candidate *y)
{
    const bool both_told = ashi_strategy_named(x->name)->foresee && ashi_strategy_named(y->name)->foresee;
    const bool near = x->seconds <= ashi_choose_tie * y->seconds && y->seconds <= ashi_choose_tie * x->seconds;
    if (r->problem.least_words || (near && !both_told))
        return x->words_max < y->words_max;
    return x->seconds < y->seconds;
}

/* The best of those that use ranks enough: as many as may not idle, or as many as any of them. */
static int best_of(const ashi_report *r)
{
    int best = -1;
    for (int i = 0; i < r->strategies; i++)
        if (is_eligible(r, &r->strategy[i]) && (best < 0 || is_better(r, &r->strategy[i], &r->strategy[best])))
            best = i;
    return best;
}

static ashlar_status relayout(ashi_report *r, ashlar_error *err)
{
    r->relayout_words = 0;
    return r->layouts ? ashi_relayout_words(&r->problem, 0, r->problem.ranks, &r->relayout_words, err) : ASHLAR_OK;
}

/* Without closed forms a strategy's ranks have to be walked to be weighed: that is done where they are few. */
enum { WALKED_UNASKED = 1024 };

static bool is_walked_unasked(const ashi_problem *q)
{
    return q->ranks <= WALKED_UNASKED && q->size[0] > 0 && q->size[1] > 0 && q->size[2] > 0;
}

/* The figures of one strategy; where closed forms have found its grid one walk is enough, where they cannot serve it is
 * walked if it is asked for, or ranks are few. */
static ashlar_status try_one(ashi_report *r, const ashi_report_wish *w, const ashi_strategy *s, ashi_candidate *out,
                             ashlar_error *err)
{
    if (!s->foresee || r->layouts)
        return walk(r, s->name, NULL, w->progress, out, err);
    const bool asked = w->all || w->only;
    const ashlar_status status = foresee(r, s, out, err);
    if (status == ASHLAR_ERR_UNSUPPORTED && (asked || is_walked_unasked(&r->problem)))
        return walk(r, s->name, NULL, w->progress, out, err);
    if (status != ASHLAR_OK || !r->walked || !asked)
        return status;
    return walk(r, s->name, out->grid, w->progress, out, err);
}

/* Whether a strategy has a row: each where all are asked for; else one that closed forms tell, or that competes. */
static bool is_told(const ashi_report *r, const ashi_report_wish *w, const ashi_strategy *s)
{
    if (w->only)
        return strcmp(w->only, s->name) == 0;
    return w->all || s->foresee || is_walked_unasked(&r->problem);
}

/* Every strategy's figures, or why there are none. *refused is the reason to be given where none applies. */
static ashlar_status try_all(ashi_report *r, const ashi_report_wish *w, ashlar_error *refused, ashlar_error *err)
{
    const ashi_strategy *s = NULL;
    for (int i = 0; (s = ashi_strategy_at(i)) != NULL && r->strategies < ASHI_REPORT_STRATEGIES; i++) {
        if (!is_told(r, w, s))
            continue;
        ashi_candidate *c = &r->strategy[r->strategies];
        ashlar_error why;
        const ashlar_status status = try_one(r, w, s, c, &why);
        if (status != ASHLAR_OK && status != ASHLAR_ERR_UNSUPPORTED && status != ASHLAR_ERR_LIMIT) {
            *err = why;
            return status;
        }
        if (status != ASHLAR_OK) {
            if (refused->status != ASHLAR_ERR_LIMIT) /* which the user can do something about */
                *refused = why;
            *c = (ashi_candidate){.name = s->name, .formula = {NAN, NULL, NULL}};
            snprintf(c->reason, sizeof c->reason, "%s", why.text);
        }
        r->strategies += status == ASHLAR_OK || s->foresee || w->only || w->all;
    }
    return ASHLAR_OK;
}

static ashlar_status choose(ashi_report *r, const ashi_report_wish *w, ashlar_error *err)
{
    ashlar_error refused = {ASHLAR_ERR_UNSUPPORTED, "no strategy can serve this problem"};
    if (r->layouts && !w->all && !w->only) { /* what the planner looks at, once for all strategies */
        r->strategies = 1;
        r->chosen = 0;
        return walk(r, NULL, NULL, w->progress, &r->strategy[0], err);
    }
    ashlar_status status = try_all(r, w, &refused, err);
    r->chosen = best_of(r);
    if (status == ASHLAR_OK && r->chosen < 0) {
        *err = refused;
        return refused.status;
    }
    ashi_candidate *best = r->chosen >= 0 ? &r->strategy[r->chosen] : NULL;
    const bool foreseen = best && best->grid[0] > 0 && ashi_strategy_named(best->name)->foresee;
    if (status == ASHLAR_OK && r->walked && foreseen && !r->layouts && !w->all && !w->only)
        status = walk(r, best->name, best->grid, w->progress, best, err);
    r->walked = r->walked || !foreseen;
    return status;
}

ashlar_status ashi_report_make(const ashi_problem *q, const ashi_report_wish *w, ashi_report *out, ashlar_error *err)
{
    *out = (ashi_report){.problem = *q, .chosen = -1, .all = w->all, .only = w->only != NULL,
                         .layouts = q->layout[0] || q->layout[1] || q->layout[2]};
    const bool empty = q->size[0] == 0 || q->size[1] == 0 || q->size[2] == 0;
    out->problem.weighed = !w->only && !w->all;
    out->walked = w->walk || out->layouts || (!empty && (q->torus.dims > 0 || q->route != ASHI_DIRECT ||
                                                         (q->node_of && w->all)));
    out->bound = ashi_bound_words(q->size[0], q->size[1], q->size[2], q->ranks, q->memory_words);
    const ashlar_status status = choose(out, w, err);
    if (status != ASHLAR_OK)
        return status;
    ashi_report_say_why(out);
    return relayout(out, err);
}

void ashi_report_free(ashi_report *r)
{
    for (int i = 0; i < r->strategies; i++)
        free_candidate(&r->strategy[i]);
}
