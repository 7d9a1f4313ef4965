/* The query that a problem is for the search of COSMA's grids. */
#include "strategy/cosma_query.h"

ashi_cosma_query ashi_cosma_query_of(const ashi_problem *q)
{
    const bool own = !q->layout[0] && !q->layout[1] && !q->layout[2];
    return (ashi_cosma_query){.m = q->size[0], .n = q->size[1], .k = q->size[2], .p = q->ranks, .type = q->type,
                              .op = {q->op[0], q->op[1]},
                              .memory_words = q->memory_words, .idle = q->idle, .least_words = q->least_words,
                              .machine = q->machine, .window = q->window, .window_given = q->window_given, .thick = own,
                              .fixed_grid = {q->grid[0], q->grid[1], q->grid[2]}};
}

ashi_cosma_query ashi_cosma_grids_query(const ashi_problem *q)
{
    ashi_cosma_query query = ashi_cosma_query_of(q);
    query.any_stays = true;
    return query;
}
