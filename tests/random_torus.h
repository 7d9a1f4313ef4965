/* Random tori in which the fibres of a grid may be sub-tori, for property tests. */
#ifndef ASHI_RANDOM_TORUS_H
#define ASHI_RANDOM_TORUS_H

#include "model/torus.h"
#include "test.h"

/* Append dimensions whose product is `nodes`, all but the last of random length. */
static inline void random_lengths(uint64_t *state, int64_t nodes, ashi_torus *torus)
{
    while (nodes > 1) {
        int64_t length = ashi_random_in(state, 2, nodes);
        while (nodes % length != 0)
            length++;
        torus->length[torus->dims++] = length;
        nodes /= length;
    }
}

/* Of `ranks` nodes: each side of the grid is some of its dimensions where the grid has as many cells. */
static inline ashi_torus random_torus(uint64_t *state, const int64_t grid[3], int64_t ranks)
{
    ashi_torus torus = {0};
    if (grid[0] * grid[1] * grid[2] == ranks)
        for (int d = 0; d < 3; d++)
            random_lengths(state, grid[d], &torus);
    else
        random_lengths(state, ranks, &torus);
    return torus;
}

#endif
