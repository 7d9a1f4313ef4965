/* Ranks by the node that they are on. */
#ifndef ASHI_NODES_H
#define ASHI_NODES_H

#include "strategy/strategy.h"

/* All ranks, those of a node after each other: *out is freed by the caller, NULL on failure. Where nodes are not known
 * the order is that of the ranks. */
ashlar_status ashi_nodes_order(const ashi_problem *problem, int **out, ashlar_error *err);

/* How many nodes there are, and the ranks of each. ASHLAR_ERR_UNSUPPORTED where that is not known, or nodes differ. */
ashlar_status ashi_nodes_count(const char *strategy, const ashi_problem *problem, int64_t *nodes, int64_t *ranks_each,
                               ashlar_error *err);

#endif
