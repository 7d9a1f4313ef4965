/* The row of the table for matrices in files that do not fit in memory, one of them staying tile by tile.
 *
 * Source: Kwasniewski et al., SC 2019 (COSMA), Listing 1. It has no schedules of matrices in memory: a plan of matrices
 * in files has a program of engine/nest.h, with what search/tiling.h finds, and bears this row's name. */
#include "base/error.h"
#include "strategy/strategy.h"

static ashlar_status propose(const ashi_problem *q, ashi_proposals *out, ashlar_error *err)
{
    (void)q;
    (void)out;
    return ashi_fail(err, ASHLAR_ERR_UNSUPPORTED, "only matrices in files are streamed; these are in memory");
}

const ashi_strategy ashi_strategy_sequential = {
    .name = "sequential",
    .summary = "matrices in files: tiles of C stay in memory, slabs of A and B are read past them",
    .propose = propose};
