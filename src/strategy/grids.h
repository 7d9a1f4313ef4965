/* What the strategies share whose domains are the cells of a regular grid: proposals and schedules of their grids. */
#ifndef ASHI_GRIDS_H
#define ASHI_GRIDS_H

#include "strategy/strategy.h"

enum { ASHI_GRIDS_MOST = 12 }; /* how many of the best grids are looked at more closely */

/* The grids of one strategy. */
typedef struct ashi_grids {
    const char *name;
    const char *kind;   /* what they are, in plural: "grids of which a side is 1" */
    const char *origin; /* what suggested them: a part of the sentence that explains the choice */
    /* Whether a grid is one of them; NULL: all are. */
    bool (*is_kind)(const ashi_problem *problem, const int64_t grid[3]);
    /* As of an ashi_strategy. */
    ashlar_status (*foresee)(const ashi_problem *problem, int most, ashi_grid_choice *out, int *count,
                             ashlar_error *err);
    /* Rounds in flight for a grid; NULL: as many as the problem says. */
    int (*window)(const ashi_problem *problem, const int64_t grid[3]);
} ashi_grids;

/* Append the grids that look best: cut evenly, in their own layouts where there is none, and those that follow the
 * layouts given. Their estimates are filled where no layout is given. */
ashlar_status ashi_grids_append(const ashi_grids *grids, const ashi_problem *problem, ashi_proposals *out,
                                ashlar_error *err);

/* The same, with estimates: a whole `propose`. Refuses where strategies are compared: cosma appends the best of all
 * grids. */
ashlar_status ashi_grids_propose(const ashi_grids *grids, const ashi_problem *problem, ashi_proposals *out,
                                 ashlar_error *err);

ashlar_status ashi_grids_schedule(const ashi_problem *problem, const ashi_proposal *proposal, ashi_schedule *out,
                                  ashlar_error *err);

/* A closed form of words touched by each of the ranks used, as one of words that arrive. */
ashi_formula ashi_grids_formula(const ashi_problem *problem, int64_t ranks_used, double touched, const char *text,
                                const char *source);

/* ASHLAR_ERR_UNSUPPORTED where the user wants a grid that is none of these. */
ashlar_status ashi_grids_check(const ashi_grids *grids, const ashi_problem *problem, ashlar_error *err);

/* The ranks that a grid uses. */
int64_t ashi_grid_cells(const int64_t grid[3]);

#endif
