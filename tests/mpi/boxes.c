/* Random schedules on MPI: grids and any other boxes, rounds, windows and routes, and messages cut into small ones. */
#define PROGRAM "boxes"

#include "mpi/executing.h"
#include "random_bricks.h"
#include "random_torus.h"

static bool random_schedule(uint64_t *state, execution *p, const rig *r, ashlar_error *err)
{
    const product *q = &p->product;
    ashi_bricks bricks = {0};
    ashi_grid_request g = {.strategy = "test", .size = {q->size[0], q->size[1], q->size[2]}, .ranks = r->ranks,
                           .op = {q->op[0], q->op[1]}, .layout = {p->layout[0], p->layout[1], p->layout[2]},
                           .bricks = &bricks, .rounds = ashi_random_in(state, 1, 9),
                           .reduce_rounds = ashi_random_in(state, 1, 5),
                           .window = (int)ashi_random_in(state, 1, 4), .one_sided = ashi_random_in(state, 0, 1)};
    g.tree = !g.one_sided && ashi_random_in(state, 0, 1);
    g.thinnest_turned = ashi_random_in(state, 0, 3); /* 0: the usual one, for which these problems are too small */
    const bool made =
        random_bricks(state, &g, &bricks, err) == ASHLAR_OK && ashi_grid_schedule(&g, &p->schedule, err) == ASHLAR_OK;
    if (made && g.tree && bricks.grid[0] > 0 && ashi_random_in(state, 0, 1))
        p->schedule.torus = random_torus(state, bricks.grid, r->ranks);
    ashi_bricks_free(&bricks);
    return made;
}

int main(int argc, char **argv)
{
    return try_executions(argc, argv, 30, random_schedule);
}
