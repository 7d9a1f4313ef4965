/* The cost of one COSMA grid in which A or B stays. */
#ifndef ASHI_COSMA_STAYS_H
#define ASHI_COSMA_STAYS_H

#include "strategy/cosma_cost.h"

/*
 * Fill row for a grid as ashi_cosma_row does, if A or B stays. The block I x L of A is held as a whole, and J is cut in
 * `rounds` slabs; or that of B, and I is cut. The blocks of the other two matrices are shared by turns
 * (ashi_own_turns), so that each rank owns words of every slab. Only for a query with a memory limit.
 */
bool ashi_cosma_stays_row(const ashi_cosma_query *query, const int64_t grid[3], ashi_stays stays,
                          ashi_cosma_cost_row *row, ashi_wide *least);

/* No more words, rounds, messages and seconds than that row has, found without looking at parts. False if it certainly
 * does not fit. row->memory: no more than the memory that would do with the thinnest slabs. */
bool ashi_cosma_stays_row_least(const ashi_cosma_query *query, const int64_t grid[3], ashi_stays stays,
                                ashi_cosma_cost_row *row);

/* As ashi_cosma_totals, whatever stays. */
ashi_totals ashi_cosma_stays_totals(const ashi_cosma_query *query, const ashi_grid_choice *choice);

/* As ashi_cosma_memory_most, whatever stays. */
int64_t ashi_cosma_stays_memory_most(const ashi_cosma_query *query, const ashi_grid_choice *choice);

#endif
