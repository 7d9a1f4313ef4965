/* Planning the steps of a sequence under a limit of memory. */
#include "tensor/sequence_plan.h"

#include "base/checked.h"

#include <math.h>
#include <string.h>

typedef struct planner {
    const ashi_expression *expression;
    const ashi_sequence_request *request;
    ashi_sequence_plan *out;
    int64_t room; /* words of all ranks for intermediates */
    int without;  /* the result of this step is formed tile by tile: it is nowhere. -1: none */
} planner;

/* Words of the intermediates that are in memory during a step. */
static int64_t held_at(const planner *p, int s)
{
    const ashi_sequence *q = &p->out->sequence;
    int64_t held = 0;
    for (int t = 0; t <= s; t++)
        if (q->step[t].user >= s && !p->out->step[t].scratch && t != p->without)
            held += q->step[t].result_words;
    return held;
}

/* The largest intermediates go to scratch files, until the others fit at every step. */
static void spill(const planner *p)
{
    const ashi_sequence *q = &p->out->sequence;
    for (int s = 0; s < q->steps; s++)
        while (held_at(p, s) > p->room) {
            int largest = -1;
            for (int t = 0; t <= s; t++)
                if (q->step[t].user >= s && !p->out->step[t].scratch &&
                    (largest < 0 || q->step[t].result_words > q->step[largest].result_words))
                    largest = t;
            p->out->step[largest].scratch = true;
            p->out->scratch++;
        }
}

/* Whether the result of a step, or an operand, is an array in memory. */
static bool is_in_memory(const planner *p, int array)
{
    const int step = array - p->out->sequence.operands;
    return step >= 0 && p->out->sequence.step[step].user >= 0 && !p->out->step[step].scratch;
}

static double seconds_of(const planner *p, double disk_words, int64_t multiply_adds)
{
    const double ranks = (double)p->request->ranks;
    return fmax(disk_words / (ranks * p->request->disk), (double)multiply_adds / (ranks * p->request->multiply_adds));
}

/* The paper's fastest schedule, and one large tile. */
static void plan_pair(const planner *p, const ashi_matching *m, ashi_planned_step *o)
{
    ashi_paper_schedule all[ASHI_PAPER_SCHEDULES];
    const ashi_sequence_request *r = p->request;
    o->m = m->group[ASHI_FREE_A].extent;
    o->n = m->group[ASHI_FREE_B].extent;
    o->k = m->group[ASHI_SUMMED].extent;
    o->batch = m->group[ASHI_BATCH].extent;
    const ashi_paper_problem problem = {
        .extent = {o->m, o->n, o->k}, .batch = o->batch, .ranks = r->ranks,
        .tile_words = ashi_max(1, o->memory_words / 3), .replicate = 1, .reduce = log2((double)r->ranks),
        .disk = r->disk, .network = r->network};
    const int best = ashi_paper_plan(&problem, all);
    if (best >= 0)
        o->paper = all[best];
    o->tiling = ashi_contract_tiling_make(&problem, o->memory_words, r->bytes, false);
}

static ashlar_status plan_step(const planner *p, int s, ashlar_error *err)
{
    const ashi_sequence *q = &p->out->sequence;
    const ashi_sequence_step *step = &q->step[s];
    ashi_planned_step *o = &p->out->step[s];
    ashi_expression e;
    ashi_matching m;
    const int array[3] = {step->operand[0], step->operand[1], q->operands + s};
    o->memory_words = p->request->memory_words - ashi_ceil_div(held_at(p, s), p->request->ranks);
    ashi_sequence_expression(p->expression, q, s, &e);
    if (e.operands == 1) {
        o->disk_words += is_in_memory(p, array[0]) ? 0 : (double)ashi_expression_words(&e, &e.operand[0]);
        o->disk_words += is_in_memory(p, array[2]) ? 0 : (double)step->result_words;
    } else {
        const ashlar_status status = ashi_matching_make(&e, &m, err);
        if (status != ASHLAR_OK)
            return status;
        plan_pair(p, &m, o);
        for (int x = 0; x < 3; x++)
            o->disk_words += !o->tiling.applicable ? HUGE_VAL : is_in_memory(p, array[x]) ? 0 : o->tiling.disk_of[x];
    }
    o->seconds = seconds_of(p, o->disk_words, step->multiply_adds);
    return ASHLAR_OK;
}

/* Two steps in a row, as one expression of three operands. False if they are not. */
static bool join_steps(const planner *p, int s, ashi_expression *out, bool in_memory[4])
{
    const ashi_sequence *q = &p->out->sequence;
    const ashi_sequence_step *first = &q->step[s], *second = &q->step[s + 1];
    const int made = q->operands + s, other = second->operand[second->operand[0] == made];
    ashi_expression e;
    if (first->user != s + 1 || first->operand[1] < 0 || other < 0)
        return false;
    ashi_sequence_expression(p->expression, q, s + 1, &e);
    const ashi_index_list third = e.operand[second->operand[0] == made];
    const ashi_index_list output = e.output;
    ashi_sequence_expression(p->expression, q, s, out);
    out->operands = 3;
    out->operand[2] = third;
    out->output = output;
    in_memory[0] = is_in_memory(p, first->operand[0]);
    in_memory[1] = is_in_memory(p, first->operand[1]);
    in_memory[2] = is_in_memory(p, other);
    in_memory[3] = is_in_memory(p, q->operands + s + 1);
    return true;
}

/* The two steps that gain most if they are done tile by tile. An MTTKRP is noted even if it loses. */
static void try_tiles(planner *p)
{
    ashi_sequence_plan *o = p->out;
    double gain = -HUGE_VAL;
    for (int s = 0; s + 1 < o->sequence.steps; s++) {
        const int64_t adds = o->sequence.step[s].multiply_adds + o->sequence.step[s + 1].multiply_adds;
        const double pairs = o->step[s].disk_words + o->step[s + 1].disk_words;
        ashi_expression e;
        ashi_tile_by_tile tiles;
        bool in_memory[4];
        p->without = s;
        const int64_t held = ashi_max(held_at(p, s), held_at(p, s + 1));
        p->without = -1;
        const int64_t memory = ashi_mul_most(p->request->memory_words, p->request->ranks) - held;
        if (!join_steps(p, s, &e, in_memory) ||
            !ashi_tile_by_tile_find(&e, in_memory, memory, ashi_add_most(adds, adds / 10), &tiles) ||
            (tiles.disk_words >= pairs && !ashi_is_mttkrp(&tiles)) || (o->three && pairs - tiles.disk_words <= gain))
            continue;
        gain = pairs - tiles.disk_words;
        o->three = true;
        o->tiles = tiles;
        o->candidate = s;
        o->disk_pairs = pairs;
    }
    if (o->three && gain > 0)
        o->fused = o->candidate;
}

static void sum_up(planner *p)
{
    ashi_sequence_plan *o = p->out;
    p->without = o->fused;
    if (o->fused >= 0 && o->step[o->fused].scratch)
        o->scratch--;
    for (int s = 0; s < o->sequence.steps; s++) {
        o->held = ashi_max(o->held, held_at(p, s));
        if (o->fused >= 0 && (s == o->fused || s == o->fused + 1))
            continue;
        o->disk_words += o->step[s].disk_words;
        o->seconds += o->step[s].seconds;
    }
    if (o->fused >= 0) {
        o->disk_words += o->tiles.disk_words;
        o->seconds += seconds_of(p, o->tiles.disk_words, o->tiles.multiply_adds);
    }
}

static ashlar_status plan_sequence(planner *p, ashlar_error *err)
{
    ashlar_status status = ASHLAR_OK;
    p->out->fused = p->without = -1;
    spill(p);
    for (int s = 0; s < p->out->sequence.steps && status == ASHLAR_OK; s++)
        status = plan_step(p, s, err);
    if (status != ASHLAR_OK)
        return status;
    try_tiles(p);
    sum_up(p);
    return ASHLAR_OK;
}

ashlar_status ashi_sequence_plan_make(const ashi_expression *e, const ashi_sequence_request *r,
                                      ashi_sequence_plan *out, ashlar_error *err)
{
    ashi_sequence_plan within = {.fused = -1};
    int64_t least = 0;
    planner p = {.expression = e, .request = r, .out = out, .room = ashi_mul_most(r->ranks, r->memory_words) / 2};
    memset(out, 0, sizeof *out);
    ashlar_status status = ashi_sequence_choose(e, INT64_MAX, &out->sequence, &least, err);
    out->cheapest = out->sequence.multiply_adds;
    if (status == ASHLAR_OK)
        status = plan_sequence(&p, err);
    if (status != ASHLAR_OK || out->sequence.held <= p.room)
        return status;
    status = ashi_sequence_choose(e, p.room, &within.sequence, &least, err);
    if (status == ASHLAR_ERR_LIMIT || status == ASHLAR_ERR_OVERFLOW)
        return ASHLAR_OK; /* scratch files it is */
    within.cheapest = out->cheapest;
    p.out = &within;
    if (status == ASHLAR_OK)
        status = plan_sequence(&p, err);
    if (status == ASHLAR_OK && within.seconds < out->seconds)
        *out = within;
    return status;
}
