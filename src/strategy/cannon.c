/* Cannon's algorithm: blocks of A pass along the rows of a square torus, blocks of B along its columns.
 *
 * Source: Cannon, A cellular computer to implement the Kalman filter algorithm, 1969; Solomonik and Demmel,
 * UCB/EECS-2012-28, algorithm 1. A rank talks to its neighbours only, and holds a few blocks beside its own: it wins on
 * networks where near messages are cheap. The square is of virtual processes, folded onto any number of ranks. */
#include "base/checked.h"
#include "strategy/fold.h"

#include <math.h>

static const int64_t step_of[2][2] = {{0, 1}, {1, 0}}; /* A comes from the right, B from below */

static int64_t neighbour(const ashi_fold *f, ashlar_operand x, int64_t part, int64_t direction)
{
    const int64_t side = f->side;
    const int64_t i = (part / side + side + direction * step_of[x][0]) % side;
    const int64_t j = (part % side + side + direction * step_of[x][1]) % side;
    return i * side + j;
}

static int64_t from(const void *own, ashlar_operand x, int64_t part, int64_t round, int64_t piece)
{
    (void)round;
    (void)piece;
    return neighbour(own, x, part, 1);
}

static int64_t to(const void *own, ashlar_operand x, int64_t part, int64_t round, int64_t piece)
{
    (void)round;
    (void)piece;
    return neighbour(own, x, part, -1);
}

static ashi_reach k_of(const void *own, ashlar_operand x, int64_t part, int64_t round, int64_t piece)
{
    const ashi_fold *f = own;
    const int64_t l = (part / f->side + part % f->side + round) % f->side;
    (void)x;
    (void)piece;
    return (ashi_reach){ashi_cut(f->size[2], f->side, l), ashi_cut(f->size[2], f->side, l + 1)};
}

static ashlar_status propose(const ashi_problem *q, ashi_proposals *out, ashlar_error *err)
{
    ashi_fold fold;
    ashlar_status status = ashi_fold_decline("cannon", q, err);
    if (status == ASHLAR_OK)
        status = ashi_fold_choose("cannon", q, &fold, err);
    return status == ASHLAR_OK ? ashi_fold_propose(&fold, "blocks handed on round a torus", q, out, err) : status;
}

static ashlar_status schedule(const ashi_problem *q, const ashi_proposal *p, ashi_schedule *out, ashlar_error *err)
{
    const ashi_shift_rule rule = {.rounds = p->shape[0], .pieces = 1, .k_of = k_of, .from = from, .to = to};
    return ashi_fold_schedule("cannon", q, p, &rule, out, err);
}

static ashi_formula formula(const ashi_problem *q, const ashi_proposal *p)
{
    const double m = (double)q->size[0], n = (double)q->size[1], k = (double)q->size[2];
    (void)p;
    return (ashi_formula){(m * k + n * k) / sqrt((double)q->ranks), "(mk + nk)/sqrt(p)",
                          "Solomonik and Demmel 2012, section 3, without the stagger"};
}

const ashi_strategy ashi_strategy_cannon = {
    .name = "cannon",
    .summary = "blocks of A and B handed on round a square torus, folded onto the ranks",
    .propose = propose, .schedule = schedule, .formula = formula};
