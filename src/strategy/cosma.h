/* What others ask of the COSMA strategy: its query for a problem. */
#ifndef ASHI_COSMA_H
#define ASHI_COSMA_H

#include "strategy/cosma_grid.h"
#include "strategy/strategy.h"

ashi_cosma_query ashi_cosma_query_of(const ashi_problem *problem);

/* The same for strategies of grids, in which any matrix may stay. */
ashi_cosma_query ashi_cosma_grids_query(const ashi_problem *problem);

#endif
