/* Requests at random for the schedules of boxes: sizes, layouts, boxes, rounds, transports. */
#ifndef ASHI_RANDOM_REQUEST_H
#define ASHI_RANDOM_REQUEST_H

#include "random_bricks.h"
#include "random_torus.h"

typedef struct grid_problem {
    ashlar_layout *layout[3];
    ashi_bricks bricks;
    ashi_grid_request request;
    ashi_torus torus; /* along whose links multicasts go, where it has dimensions */
} grid_problem;

static inline void free_grid_problem(grid_problem *p)
{
    for (int x = 0; x < 3; x++)
        ashlar_layout_free(&p->layout[x]);
    ashi_bricks_free(&p->bricks);
}

/* The transport is told by `seed`, so that all are met. */
static inline bool random_grid_problem(uint64_t seed, int64_t longest, grid_problem *p, ashlar_error *err)
{
    uint64_t state = seed;
    const int ranks = (int)ashi_random_in(&state, 1, 14);
    *p = (grid_problem){.request = {.strategy = "test", .ranks = ranks, .tree = seed & 1, .one_sided = seed & 2}};
    ashi_grid_request *q = &p->request;
    for (int d = 0; d < 3; d++)
        q->size[d] = ashi_random_in(&state, 0, 60) ? ashi_random_in(&state, 1, longest) : 0;
    for (int x = 0; x < 2; x++)
        q->op[x] = (ashlar_op)ashi_random_in(&state, 0, 2);
    for (int x = 0; x < 3; x++) {
        q->layout[x] = p->layout[x] = random_operand(&state, x, q->size, q->op, ranks, err);
        if (!p->layout[x])
            return false;
    }
    q->rounds = ashi_random_in(&state, 1, 9);
    q->reduce_rounds = ashi_random_in(&state, 1, 5);
    q->window = (int)ashi_random_in(&state, 1, 4);
    q->bricks = &p->bricks;
    if (random_bricks(&state, q, &p->bricks, err) != ASHLAR_OK)
        return false;
    if (q->tree && ashi_random_in(&state, 0, 1))
        p->torus = random_torus(&state, p->bricks.grid, ranks);
    q->one_sum = ashi_random_in(&state, 0, 1);
    q->thinnest_turned = ashi_random_in(&state, 0, 3); /* 0: the usual one, for which most problems are too small */
    return true;
}

#endif
