/* Blocks handed on, and several parts a rank: Cannon's algorithm in layers, any parts on any ranks, on MPI. */
#define PROGRAM "handing"

#include "cannon_rule.h"
#include "mpi/executing.h"

static bool random_schedule(uint64_t *state, execution *p, const rig *r, ashlar_error *err)
{
    const product *q = &p->product;
    ashi_shift_request request = {.size = {q->size[0], q->size[1], q->size[2]}, .ranks = r->ranks,
                                  .op = {q->op[0], q->op[1]},
                                  .layout = {p->layout[0], p->layout[1], p->layout[2]},
                                  .lead = {.operand = (ashlar_operand)ashi_random_in(state, 0, 2),
                                           .alone = ashi_random_in(state, 0, 1)}};
    cannon *c = random_cannon(state, ashi_random_in(state, 1, 4), q->size, r->ranks);
    return c && cannon_schedule(state, c, &request, &p->schedule, err) == ASHLAR_OK;
}

int main(int argc, char **argv)
{
    return try_executions(argc, argv, 24, random_schedule);
}
