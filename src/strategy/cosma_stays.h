/* The cost of one COSMA grid in which A or B stays. */
#ifndef ASHI_COSMA_STAYS_H
#define ASHI_COSMA_STAYS_H

#include "strategy/cosma_cost.h"

/*
 * Fill row for a grid as ashi_cosma_row does, if A or B stays. The block I x L of A is held as a whole, and J is cut in
 * `rounds` slabs; or that of B, and I is cut. A fibre along k cuts its block of C in pk parts by rows if A stays, by
 * columns if B does, so that each rank of it owns words of every slab. Only for a query with a memory limit.
 */
bool ashi_cosma_stays_row(const ashi_cosma_query *query, const int64_t grid[3], ashi_stays stays,
                          ashi_cosma_cost_row *row, ashi_wide *least);

/* As ashi_cosma_memory_most, whatever stays. */
int64_t ashi_cosma_stays_memory_most(const ashi_cosma_query *query, const ashi_grid_choice *choice);

#endif
