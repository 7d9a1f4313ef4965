/* The query that a problem is for the search of COSMA's grids. */
#ifndef ASHI_COSMA_QUERY_H
#define ASHI_COSMA_QUERY_H

#include "strategy/cosma_grid.h"
#include "strategy/strategy.h"

ashi_cosma_query ashi_cosma_query_of(const ashi_problem *problem);

/* The same for strategies of grids, in which any matrix may stay. */
ashi_cosma_query ashi_cosma_grids_query(const ashi_problem *problem);

#endif
