/* One way to multiply in one scenario on one count of ranks: its words, counted by walking schedules. */
#include "evaluation/scenario_row.h"

#include "base/checked.h"
#include "base/error.h"
#include "choose/choose.h"
#include "simulate/count.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum {
    SAMPLE = 64,
    SAMPLE_LEAST = 4,
    NODE = 36, /* cores of a node of the paper's machine */
    /* Operations, some of which take a microsecond, if all ranks' walks are as long as the first one's: */
    RANK_MOST = 2 * 1000 * 1000, /* of a rank that is walked at all; */
    SAMPLE_MOST = 1000 * 1000,   /* of a sample of more than the least; */
    WALK_MOST = 60 * 1000 * 1000 /* of all ranks */
};

/* Ranks spread evenly, the first among them: what each received in the last schedule that was walked. */
typedef struct sample {
    int64_t count;
    int64_t received[SAMPLE];
} sample;

static int64_t rank_of(const sample *s, int64_t ranks, int64_t i)
{
    return ranks / s->count * i + ashi_min(ranks % s->count, i);
}

/* How many operations one rank's walk visits, and where it is to stop. */
typedef struct effort {
    int64_t visited, most;
} effort;

static ashlar_status count_operation(void *context, const ashi_operation *operation, ashlar_error *err)
{
    effort *e = context;
    (void)operation;
    return ++e->visited <= e->most ? ASHLAR_OK : ashi_fail(err, ASHLAR_ERR_LIMIT, "too much to be walked");
}

static ashlar_status pass_panel(void *context, const ashi_panel *panel, ashlar_error *err)
{
    (void)context;
    (void)panel;
    (void)err;
    return ASHLAR_OK;
}

static ashlar_status walk_program(ashi_schedule *schedule, effort *e, ashlar_error *err)
{
    const ashi_program_visitor visitor = {pass_panel, count_operation, e};
    ashi_program program = {0};
    ashlar_status status = ashi_program_of(schedule, &program, err);
    program.brief = true;
    if (status == ASHLAR_OK)
        status = ashi_program_walk(&program, 0, &visitor, err);
    ashi_program_free(&program);
    return status;
}

/* How many operations the first rank's walk visits, if no more than `most`; ASHLAR_ERR_LIMIT otherwise. */
static ashlar_status measure_walk(ashi_schedule *schedule, int64_t most, int64_t *visited, ashlar_error *err)
{
    effort e = {0, most};
    const int64_t rounds = schedule->rounds + schedule->reduce_rounds;
    ashlar_status status = ASHLAR_ERR_LIMIT; /* no round is empty */
    if (rounds <= e.most)
        status = walk_program(schedule, &e, err);
    *visited = e.visited;
    if (status != ASHLAR_ERR_LIMIT)
        return status;
    return ashi_fail(err, status, "not walked: %" PRId64 " rounds of a rank are more than %" PRId64 " operations",
                     rounds, e.most);
}

/* The sample, of s->count ranks. */
static ashlar_status walk_ranks(sample *s, ashi_schedule *schedule, ashi_totals *out, ashlar_error *err)
{
    ashi_program program = {0};
    ashlar_status status = ashi_program_of(schedule, &program, err);
    *out = (ashi_totals){0};
    for (int64_t i = 0; i < s->count && status == ASHLAR_OK; i++) {
        ashi_need need;
        status = ashi_count_program(&program, rank_of(s, schedule->ranks, i), &need, err);
        if (status != ASHLAR_OK)
            break;
        ashi_totals_add(out, &need);
        s->received[i] = need.received;
    }
    ashi_program_free(&program);
    out->words_mean = (double)out->words_total / (double)s->count;
    return status;
}

/* An ashi_measure: as many ranks as can be walked soon. */
static ashlar_status walk_sample(void *context, ashi_schedule *schedule, ashi_totals *out, ashlar_error *err)
{
    sample *s = context;
    int64_t visited;
    const ashlar_status status = measure_walk(schedule, RANK_MOST, &visited, err);
    const int64_t affordable = ashi_max(SAMPLE_LEAST, SAMPLE_MOST / ashi_max(visited, 1));
    s->count = ashi_min(schedule->ranks, ashi_min(SAMPLE, affordable));
    return status == ASHLAR_OK ? walk_ranks(s, schedule, out, err) : status;
}

/* Whether the sample receives in this schedule what it received before. */
static ashlar_status same_words(const sample *before, ashi_schedule *schedule, bool *same, ashlar_error *err)
{
    sample now = {.count = before->count};
    ashi_totals totals;
    const ashlar_status status = walk_ranks(&now, schedule, &totals, err);
    *same = status == ASHLAR_OK;
    for (int64_t i = 0; *same && i < now.count; i++)
        *same = now.received[i] == before->received[i];
    return status;
}

/* The words of all ranks: in one round if the sample's are the same in it. ASHLAR_ERR_LIMIT if that takes too long. */
static ashlar_status walk_all(const ashi_problem *q, ashi_choice *c, const sample *s, ashi_totals *out,
                              ashlar_error *err)
{
    ashi_proposal one = c->proposal;
    ashi_schedule schedule = {0};
    bool same = false;
    int64_t visited;
    one.rounds = one.reduce_rounds = one.window = 1;
    ashlar_status status = ASHLAR_OK;
    if (q->ranks > s->count && c->strategy->schedule(q, &one, &schedule, err) == ASHLAR_OK)
        status = same_words(s, &schedule, &same, err);
    ashi_schedule *walked = same ? &schedule : &c->schedule;
    if (status == ASHLAR_OK)
        status = measure_walk(walked, WALK_MOST / q->ranks, &visited, err);
    if (status == ASHLAR_OK)
        status = ashi_simulate(walked, NULL, NULL, out, err);
    ashi_schedule_free(&schedule);
    return status;
}

/* The choice's words by walking all ranks, or a sample of *walked if that would take too long: then all are taken to
 * have what the sample has on the average. */
static ashlar_status walk_choice(const ashi_problem *q, ashi_choice *c, ashi_totals *out, int64_t *walked,
                                 ashlar_error *err)
{
    sample s;
    ashi_totals few;
    ashlar_status status = walk_sample(&s, &c->schedule, &few, err); /* what was walked last may not be the choice */
    if (status != ASHLAR_OK)
        return status;
    status = walk_all(q, c, &s, out, err);
    *walked = status == ASHLAR_ERR_LIMIT ? s.count : q->ranks;
    if (status != ASHLAR_ERR_LIMIT)
        return status;
    *out = few;
    out->words_total = llround(few.words_mean * (double)q->ranks);
    return ASHLAR_OK;
}

static void take(const ashi_choice *c, const ashi_totals *all, int64_t walked, ashi_scenario_row *row)
{
    row->applicable = true;
    row->strategy = c->strategy->name;
    for (int d = 0; d < 3; d++)
        row->grid[d] = c->schedule.grid[d];
    row->ranks_used = c->schedule.ranks_used;
    row->rounds = c->schedule.rounds;
    row->ranks_walked = walked;
    row->words_max = all->words_max;
    row->words_total = all->words_total;
    row->words_mean = all->words_mean;
    row->messages = c->totals.messages_max;
    row->memory = c->totals.memory_max;
}

/* Nodes of the paper's machine, filled one after the other; freed by the caller. */
static int *nodes_of(int64_t ranks)
{
    int *node = malloc((size_t)ranks * sizeof *node);
    for (int64_t r = 0; node && r < ranks; r++)
        node[r] = (int)(r / NODE);
    return node;
}

/* The planner's way comes last. */
static bool is_planner(int way)
{
    return way > 0 && !ashi_strategy_at(way) && ashi_strategy_at(way - 1);
}

const char *ashi_scenario_way(int way)
{
    const ashi_strategy *s = ashi_strategy_at(way);
    return s ? s->name : is_planner(way) ? "planner" : NULL;
}

static ashlar_status choose_and_walk(const ashi_problem *q, ashi_scenario_row *row, ashlar_error *err)
{
    const char *name = is_planner(row->way) ? NULL : ashi_scenario_way(row->way);
    sample s;
    ashi_choice choice;
    ashi_totals all;
    ashlar_status status = ashi_choose(q, name, walk_sample, &s, &choice, err);
    if (status != ASHLAR_OK)
        return status;
    int64_t walked;
    status = walk_choice(q, &choice, &all, &walked, err);
    if (status == ASHLAR_OK)
        take(&choice, &all, walked, row);
    ashi_choice_free(&choice);
    return status;
}

ashlar_status ashi_scenario_walk(ashi_scenario_row *row, ashlar_error *err)
{
    int *node = nodes_of(row->ranks);
    if (!node)
        return ashi_fail_memory(err, "bench", row->ranks * (int64_t)sizeof *node);
    const ashi_problem q = {.size = {row->size[0], row->size[1], row->size[2]}, .ranks = row->ranks,
                            .type = ASHLAR_TYPE_D, .memory_words = row->memory_words, .idle = 0.03,
                            .least_words = true, .machine = ashlar_machine_default(), .window = 2, .node_of = node};
    row->bound = ashi_bound_words(q.size[0], q.size[1], q.size[2], q.ranks, q.memory_words).words;
    row->applicable = false;
    ashlar_status status = choose_and_walk(&q, row, err);
    free(node);
    if (status == ASHLAR_ERR_UNSUPPORTED || status == ASHLAR_ERR_LIMIT) {
        snprintf(row->reason, sizeof row->reason, "%.*s", (int)sizeof row->reason - 1, err->text);
        status = ASHLAR_OK;
    }
    return status;
}
