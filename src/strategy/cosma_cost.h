/* The cost of one grid as the grid search compares it: unchecked arguments, counts that cannot overflow. */
#ifndef ASHI_COSMA_COST_H
#define ASHI_COSMA_COST_H

#include "base/wide.h"
#include "strategy/cosma_grid.h"
#include "strategy/own_layout.h"

typedef struct ashi_cosma_cost_row {
    int64_t grid[3], rounds, reduce_rounds, words_max;
    ashi_stays stays;
    bool once;
    ashi_wide words_total, messages, memory;
    int window;
    double seconds;
} ashi_cosma_cost_row;

/* Whether the arguments of a query are in their range; ASHLAR_ERR_ARG or ASHLAR_ERR_OVERFLOW if not. */
ashlar_status ashi_cosma_check(const ashi_cosma_query *query, ashlar_error *err);

/*
 * Fill row for a grid with 1 <= pm <= max(1, m) and so on, in which C stays. False if the grid does not fit in
 * query->memory_words; then *least is lowered to the memory that would do, if that is below it.
 */
bool ashi_cosma_row(const ashi_cosma_query *query, const int64_t grid[3], ashi_cosma_cost_row *row, ashi_wide *least);

/* How the block of C of a fibre along k is cut if C stays; `once` as ashi_own_parts has it. */
ashi_parts ashi_cosma_parts(const ashi_cosma_query *query, const int64_t grid[3], bool once);

/* Words that all ranks together receive, whatever stays. */
ashi_wide ashi_cosma_words_total(const ashi_cosma_query *query, const int64_t grid[3]);

/* Fill in the seconds, once the words and messages are there. */
void ashi_cosma_row_seconds(const ashi_cosma_query *query, ashi_cosma_cost_row *row);

/* A row with no more words, messages and seconds than those of the grid, found without looking for the best parts of
 * C. */
void ashi_cosma_row_least(const ashi_cosma_query *query, const int64_t grid[3], ashi_cosma_cost_row *row);

/* Narrow a row into a choice; ASHLAR_ERR_OVERFLOW where a count does not fit in 64 bits. */
ashlar_status ashi_cosma_finish(const ashi_cosma_query *query, const ashi_cosma_cost_row *row,
                                ashi_grid_choice *choice, ashlar_error *err);

/* Below 0, 0 or above 0 as x is to be preferred, is the same grid, or comes after y. */
int ashi_cosma_compare(const ashi_cosma_query *query, const ashi_cosma_cost_row *x, const ashi_cosma_cost_row *y);

#endif
