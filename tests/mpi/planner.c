/* The library and the command choose alike: what ashlar_plan_create decides on all ranks, each walking its own
 * schedule, is what the planner without MPI decides by closed forms, or by walking all ranks' schedules. */
#define PROGRAM "planner"

#include "choosing.h"
#include "mpi/in_context.h"
#include "plan/plan.h"
#include "random_layout.h"

#include <string.h>

/* The same in the terms of both, but for layouts. */
static void random_case(const ashlar_context *context, uint64_t *state, ashlar_problem *problem,
                        ashlar_options *options, ashi_problem *q)
{
    static const ashi_route routes[] = {ASHI_DIRECT, ASHI_TREE, ASHI_EITHER};
    static const ashlar_route public_routes[] = {ASHLAR_ROUTE_DIRECT, ASHLAR_ROUTE_TREE, ASHLAR_ROUTE_AUTO};
    const int64_t longest = ashi_random_in(state, 0, 2) ? 60 : 400;
    const int route = (int)ashi_random_in(state, 0, 4);
    *q = problem_of(1, 1, 1, context->ranks);
    for (int d = 0; d < 3; d++)
        q->size[d] = ashi_random_in(state, 1, longest);
    for (int x = 0; x < 2; x++)
        q->op[x] = (ashlar_op)ashi_random_in(state, 0, 2);
    q->type = ASHLAR_TYPE_Z;
    q->route = routes[ashi_min(route, 2)];
    q->least_words = ashi_random_in(state, 0, 1);
    q->idle = (double)ashi_random_in(state, 0, 30) / 100;
    q->machine.bandwidth *= 1.5; /* what is assumed where nothing is said is another inside a node than between nodes */
    q->ranks_per_core = context->ranks_per_core;
    q->node_of = context->node_of;
    if (ashi_random_in(state, 0, 2) == 0)
        q->memory_words = (int64_t)(ashi_problem_share(q) * (double)ashi_random_in(state, 12, 60) / 10) + 100;
    *options = ashlar_options_default();
    options->objective = q->least_words ? ASHLAR_LEAST_WORDS : ASHLAR_LEAST_TIME;
    options->route = public_routes[ashi_min(route, 2)];
    options->idle = q->idle;
    options->machine = &q->machine;
    options->memory_words = q->memory_words;
    *problem = (ashlar_problem){.type = q->type, .op_a = q->op[0], .op_b = q->op[1], .m = q->size[0], .n = q->size[1],
                                .k = q->size[2]};
}

static bool random_layouts(uint64_t *state, ashi_problem *q, ashlar_problem *problem, ashlar_layout *layout[3])
{
    ashlar_error err = {0};
    for (int x = 0; x < 3; x++) {
        if (ashi_random_in(state, 0, 3) == 0)
            continue;
        do {
            ashlar_layout_free(&layout[x]); /* storage is set rank by rank: such a layout is of one rank only */
            layout[x] = random_operand(state, x, q->size, q->op, q->ranks, &err);
        } while (layout[x] && layout[x]->storage_rank >= 0);
        q->layout[x] = layout[x];
        if (!layout[x])
            return false;
    }
    problem->a = layout[0];
    problem->b = layout[1];
    problem->c = layout[2];
    return true;
}

/* What a plan says of itself, and what the planner without MPI found. */
static void compare(rig *r, const ashlar_plan *plan, const ashi_choice *c)
{
    const ashi_compared *row = &c->compared[c->taken];
    ashlar_explanation why = {0};
    CHECK(&r->test, ashlar_plan_explain(plan, &why, NULL) == ASHLAR_OK, CASE "no explanation", CASE_OF(r));
    CHECK(&r->test, strcmp(why.strategy, row->strategy->name) == 0 &&
                        memcmp(why.grid, row->grid, sizeof row->grid) == 0 && why.rounds == row->rounds &&
                        why.ranks_used == row->ranks_used,
          CASE "the library has %s, %" PRId64 "x%" PRId64 "x%" PRId64 ", %" PRId64 " rounds; the planner %s, %" PRId64
          "x%" PRId64 "x%" PRId64 ", %" PRId64 " rounds", CASE_OF(r), why.strategy, why.grid[0], why.grid[1],
          why.grid[2], why.rounds, row->strategy->name, row->grid[0], row->grid[1], row->grid[2], row->rounds);
    CHECK(&r->test, plan->choice.totals.words_max == c->totals.words_max &&
                        plan->choice.totals.words_total == c->totals.words_total,
          CASE "the library has %" PRId64 " of %" PRId64 " words, the planner %" PRId64 " of %" PRId64, CASE_OF(r),
          plan->choice.totals.words_max, plan->choice.totals.words_total, c->totals.words_max, c->totals.words_total);
}

static void one_case(ashlar_context *context, rig *r)
{
    uint64_t state = r->seed;
    ashi_problem q;
    ashlar_problem problem;
    ashlar_options options;
    ashlar_layout *layout[3] = {NULL, NULL, NULL};
    ashlar_plan *plan = NULL;
    const ashi_strategy *all[32];
    ashi_competition asked = {.strategy = all, .measure = walk_all, .foreseen_does = true};
    ashi_choice choice;
    ashlar_error err = {0}, own = {0};
    random_case(context, &state, &problem, &options, &q);
    if (r->seed % 2 == 0)
        CHECK(&r->test, random_layouts(&state, &q, &problem, layout), CASE "no layout", CASE_OF(r));
    for (int i = 0; ashi_strategy_at(i); i++)
        all[asked.strategies++] = ashi_strategy_at(i);
    const ashlar_status planned = ashlar_plan_create(context, &problem, &options, &plan, &err);
    const ashlar_status found = ashi_choose_among(&q, &asked, &choice, &own);
    CHECK(&r->test, planned == found, CASE "the library: %s; the planner: %s", CASE_OF(r), err.text, own.text);
    if (planned == ASHLAR_OK && found == ASHLAR_OK)
        compare(r, plan, &choice);
    ashi_choice_free(&choice);
    ashlar_plan_free(&plan);
    for (int x = 0; x < 3; x++)
        ashlar_layout_free(&layout[x]);
}

int main(int argc, char **argv)
{
    return try_in_context(argc, argv, 60, one_case);
}
