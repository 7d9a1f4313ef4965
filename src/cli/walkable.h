/* How many ranks' schedules are walked one by one. */
#ifndef ASHI_WALKABLE_H
#define ASHI_WALKABLE_H

#include "strategy/strategy.h"

/* Above these numbers of ranks a command would take hours. WALKED: to count the words of each rank's schedule. PROVED:
 * to follow every message as well. SQUARED: for work that grows with the square of the ranks, which is to place boxes
 * that do not form a grid, or as many rounds as there are ranks. */
enum { ASHI_WALKED_MOST = 1000000, ASHI_PROVED_MOST = 100000, ASHI_SQUARED_MOST = 20000 };

/* What is asked of the planner or the simulator. */
typedef struct ashi_walk {
    const char *command;
    const char *only; /* the one strategy to be considered, or NULL */
    bool all;         /* the figures of each strategy */
    bool always;      /* whatever is asked, schedules are walked, of at most `most` ranks */
    int64_t most;
} ashi_walk;

/* @return ASHLAR_OK; ASHLAR_ERR_UNSUPPORTED if schedules of more ranks would be walked than can be, with what has them
 *         walked, how many can be, and what has closed forms */
ashlar_status ashi_walkable(const ashi_problem *problem, const ashi_walk *walk, ashlar_error *err);

#endif
