/* What the planner compared and chose for a problem, as plan and simulate tell it. */
#include "cli/report.h"

#include "base/checked.h"
#include "base/type.h"
#include "cli/figures.h"
#include "cli/progress.h"
#include "model/rates.h"
#include "strategy/cosma_query.h"
#include "strategy/cosma_stays.h"

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

/* Why a strategy is refused; without its name, which the row has, if the text begins with that. */
static void set_reason(const ashi_strategy *s, const char *text, ashi_candidate *out)
{
    const size_t length = strlen(s->name);
    const bool named = strncmp(text, s->name, length) == 0 && strncmp(text + length, ": ", 2) == 0;
    snprintf(out->reason, sizeof out->reason, "%s", named ? text + length + 2 : text);
}

static ashi_candidate of_row(const ashi_problem *q, const ashi_compared *c)
{
    const ashi_proposal proposal = {.strategy = c->strategy, .bricks = {.grid = {c->grid[0], c->grid[1], c->grid[2]}}};
    const ashi_totals *t = &c->totals;
    ashi_candidate out = {.name = c->strategy->name, .applicable = c->has_figures, .formula = {NAN, NULL, NULL}};
    if (!c->has_figures) {
        set_reason(c->strategy, c->refusal.text, &out);
        return out;
    }
    out = (ashi_candidate){.name = c->strategy->name, .applicable = true, .counted = c->counted, .origin = c->origin,
                           .grid = {c->grid[0], c->grid[1], c->grid[2]}, .ranks_used = c->ranks_used,
                           .rounds = c->rounds, .window = c->window, .stays = c->stays,
                           .words_max = t->words_max,
                           .words_total = t->words_total, .words_mean = t->words_mean,
                           .messages_max = t->messages_max, .memory_words = t->memory_max, .disk_words = t->disk_max,
                           .seconds = c->seconds, .formula = formula_of(q, c->strategy, &proposal)};
    snprintf(out.reason, sizeof out.reason, "nothing need be moved first");
    return out;
}

/* Takes over the choice's bricks. */
static ashi_candidate of_choice(const ashi_problem *q, ashi_choice *c)
{
    ashi_candidate out = of_row(q, &c->compared[c->taken]);
    out.formula = formula_of(q, c->strategy, &c->proposal);
    out.bricks = c->proposal.bricks;
    snprintf(out.reason, sizeof out.reason, "%s", c->reason);
    c->proposal.bricks = (ashi_bricks){0};
    return out;
}

/* A strategy that competes with no grid of its own, in its own layouts: the best, as closed forms tell. */
static ashlar_status foresee(const ashi_problem *q, const ashi_strategy *s, ashi_candidate *out, ashlar_error *err)
{
    ashi_grid_choice choice;
    int count = 0;
    const ashi_cosma_query query = ashi_cosma_query_of(q);
    const ashlar_status status = s->foresee(q, 1, &choice, &count, err);
    if (status != ASHLAR_OK)
        return status;
    const ashi_compared row = {.strategy = s, .has_figures = true, .ranks_used = choice.ranks_used,
                               .grid = {choice.grid[0], choice.grid[1], choice.grid[2]}, .rounds = choice.rounds,
                               .window = choice.window, .stays = choice.stays,
                               .totals = ashi_cosma_stays_totals(&query, &choice), .seconds = choice.seconds};
    *out = of_row(q, &row);
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

/* What the planner chooses, of the one strategy or of all. Every rank's schedule is walked where that is wanted, or
 * closed forms do not tell. */
static ashlar_status plan(const ashi_report *r, const ashi_strategy *only, bool progress, ashi_choice *out,
                          ashlar_error *err)
{
    const ashi_strategy *all[ASHI_REPORT_STRATEGIES] = {only};
    ashi_competition asked = {.strategy = all, .strategies = only ? 1 : 0, .measure = walk_all, .context = &progress,
                              .foreseen_does = !r->walked};
    for (int i = 0; !only && i < ASHI_REPORT_STRATEGIES && ashi_strategy_at(i); i++)
        all[asked.strategies++] = ashi_strategy_at(i);
    return ashi_choose_among(&r->problem, &asked, out, err);
}

/* The figures of a choice, and of the network that it uses. */
static ashlar_status take(const ashi_report *r, ashi_choice *c, ashi_candidate *out, ashlar_error *err)
{
    *out = of_choice(&r->problem, c);
    const ashlar_status status = out->counted ? load_network(&r->problem, c, out, err) : ASHLAR_OK;
    if (status != ASHLAR_OK)
        free_candidate(out);
    return status;
}

static ashlar_status program_of(void *context, ashi_program *out, ashlar_error *err)
{
    return ashi_program_of(context, out, err);
}

/* A message is two tasks at least. */
static ashlar_status play(ashi_report *r, const ashi_report_wish *w, ashi_choice *c, ashlar_error *err)
{
    const ashi_problem *q = &r->problem;
    const ashi_type *type = ashi_type_of(q->type);
    const ashi_joint_request request = {.program = program_of, .context = &c->schedule, .machine = &q->machine,
                                        .bytes = (int64_t)type->bytes, .flops = type->flops,
                                        .torus = q->torus, .ranks_per_core = q->ranks_per_core,
                                        .rates_are_shared = ashi_is_measured(&q->machine),
                                        .event = w->trace ? ashi_joint_trace_note : NULL, .event_context = w->trace};
    if (!w->play || !c->compared[c->taken].counted)
        return ASHLAR_OK;
    ashlar_status status = ASHLAR_OK;
    ashi_progress_clock_start("playing the schedule", w->progress);
    if (c->totals.messages_total <= ASHI_JOINT_TASKS / 2)
        status = ashi_joint_run(&request, q->ranks, &r->play, err);
    ashi_progress_clock_end();
    r->unplayed = !r->play.played;
    return status;
}

/* What the chosen schedule takes of devices. */
static ashlar_status predict_device(ashi_report *r, const ashi_report_wish *w, ashi_choice *c, ashlar_error *err)
{
    ashi_program program;
    r->device = *w->device;
    if (!r->device.device)
        return ASHLAR_OK;
    ashlar_status status = ashi_program_of(&c->schedule, &program, err);
    if (status != ASHLAR_OK)
        return status;
    status = ashi_plan_device_count(&program, r->problem.ranks, &r->problem.machine, &r->device, err);
    ashi_program_free(&program);
    return status;
}

static ashlar_status relayout(ashi_report *r, ashlar_error *err)
{
    r->relayout_words = 0;
    return r->layouts ? ashi_relayout_words(&r->problem, 0, r->problem.ranks, &r->relayout_words, err) : ASHLAR_OK;
}

static bool is_refusal(ashlar_status status)
{
    return status == ASHLAR_ERR_UNSUPPORTED || status == ASHLAR_ERR_LIMIT;
}

/* A strategy that the planner did not choose, asked by itself. */
static ashlar_status tell_alone(const ashi_report *r, const ashi_strategy *s, bool progress, ashi_candidate *out,
                                ashlar_error *err)
{
    ashi_choice choice;
    const ashlar_status status = plan(r, s, progress, &choice, err);
    if (status != ASHLAR_OK)
        return status;
    const ashlar_status taken = take(r, &choice, out, err);
    ashi_choice_free(&choice);
    return taken;
}

/* Row number i of what the planner compared, which it did not choose: with its figures, or those that it has by itself
 * where they are asked for or need no walk. False where there is nothing to be told. */
static ashlar_status tell_other(const ashi_report *r, const ashi_report_wish *w, const ashi_compared *row,
                                ashi_candidate *out, bool *told, ashlar_error *err)
{
    const ashi_strategy *s = row->strategy;
    ashlar_error why = row->refusal, alone = {0};
    ashlar_status status = ASHLAR_OK;
    *told = true;
    if (w->all)
        status = tell_alone(r, s, w->progress, out, &why);
    else if (row->has_figures)
        *out = of_row(&r->problem, row);
    else if (s->foresee && !r->layouts)
        status = foresee(&r->problem, s, out, &alone);
    else
        *told = false;
    if (alone.status != ASHLAR_OK && (status != ASHLAR_ERR_UNSUPPORTED || why.status == ASHLAR_OK))
        why = alone; /* more than that it is not compared */
    if (status != ASHLAR_OK && !is_refusal(status)) {
        *err = why;
        return status;
    }
    if (status != ASHLAR_OK) {
        *out = (ashi_candidate){.name = s->name, .formula = {NAN, NULL, NULL}};
        set_reason(s, why.text, out);
    }
    return ASHLAR_OK;
}

/* The best grids of the first strategy told, where closed forms have them. */
static void list_grids(ashi_report *r, const ashi_choice *c, const ashi_strategy *first)
{
    if (r->all || r->layouts || r->strategy[0].grid[0] == 0)
        return;
    r->grid[r->grids++] = r->strategy[0];
    for (int i = 0; i < c->comparisons && r->grids < ASHI_REPORT_GRIDS; i++)
        if (c->compared[i].has_figures && !c->compared[i].competes && c->compared[i].strategy == first)
            r->grid[r->grids++] = of_row(&r->problem, &c->compared[i]);
    for (int i = 0; i < r->grids; i++)
        r->grid[i].bricks = (ashi_bricks){0}; /* the strategy's own */
}

/* What the planner compared, strategy by strategy, and what it chose. */
static ashlar_status tell(ashi_report *r, const ashi_report_wish *w, ashi_choice *c, ashlar_error *err)
{
    ashlar_status status = ASHLAR_OK;
    const ashi_strategy *first = NULL;
    for (int i = 0; i < c->strategies && status == ASHLAR_OK && r->strategies < ASHI_REPORT_STRATEGIES; i++) {
        const ashi_compared *row = &c->compared[i];
        bool told = true;
        if (i == c->taken)
            r->chosen = r->strategies;
        ashi_candidate *out = &r->strategy[r->strategies];
        status = i == c->taken ? take(r, c, out, err) : tell_other(r, w, row, out, &told, err);
        first = first || !told ? first : row->strategy;
        r->strategies += status == ASHLAR_OK && told;
    }
    if (status == ASHLAR_OK)
        list_grids(r, c, first);
    return status;
}

ashlar_status ashi_report_make(const ashi_problem *q, const ashi_report_wish *w, ashi_report *out, ashlar_error *err)
{
    *out = (ashi_report){.problem = *q, .chosen = -1, .all = w->all, .only = w->only != NULL,
                         .layouts = q->layout[0] || q->layout[1] || q->layout[2]};
    const bool empty = ashi_problem_is_empty(q);
    const bool by_device = w->device && w->device->device;
    out->walked = w->walk || out->layouts ||
                  (!empty && (q->torus.dims > 0 || q->route == ASHI_TREE || q->route == ASHI_RECTANGULAR ||
                              (q->node_of && w->all) || by_device));
    out->bound = ashi_bound_words(q->size[0], q->size[1], q->size[2], q->ranks, q->memory_words);
    ashi_choice choice;
    ashlar_status status = plan(out, w->only ? ashi_strategy_named(w->only) : NULL, w->progress, &choice, err);
    if (status != ASHLAR_OK)
        return status;
    status = tell(out, w, &choice, err);
    if (status == ASHLAR_OK)
        status = play(out, w, &choice, err);
    if (status == ASHLAR_OK && w->device && !empty)
        status = predict_device(out, w, &choice, err);
    ashi_choice_free(&choice);
    if (status != ASHLAR_OK)
        return status;
    out->walked = out->strategy[out->chosen].counted;
    out->problem.compared = !w->only;
    ashi_report_say_why(out);
    return relayout(out, err);
}

void ashi_report_free(ashi_report *r)
{
    for (int i = 0; i < r->strategies; i++)
        free_candidate(&r->strategy[i]);
}
