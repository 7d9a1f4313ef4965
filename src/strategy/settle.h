/* Which rank computes which box, for layouts that the caller already has. */
#ifndef ASHI_SETTLE_H
#define ASHI_SETTLE_H

#include "search/assign.h"
#include "strategy/strategy.h"

/* Give each box the rank for which the busiest rank receives least, and among equals all ranks together. `orders`: also
 * try other orders of the k axis, in which an even cut takes something of more parts; the bricks' lead becomes the best
 * one. The ranks that the boxes have already stay if nothing is better. Only where every matrix has a layout. Exact for
 * few ranks, a heuristic for more, and beyond some thousand ranks nothing is done. *burden: the words that arrive then;
 * of which `most` is -1 if nothing was done. */
ashlar_status ashi_settle(const ashi_problem *problem, ashi_bricks *bricks, bool orders, ashi_burden *burden,
                          ashlar_error *err);

#endif
