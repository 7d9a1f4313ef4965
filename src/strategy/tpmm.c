/* tpMM: all ranks are one group; each keeps its rows of A, and its columns of B visit all others, pair by pair.
 *
 * Source: Hunold, Rauber and Ruenger, Hierarchical Matrix-Matrix Multiplication based on Multiprocessor Tasks, ICCS
 * 2004. Neighbours exchange most often, so where ranks of one node follow each other most exchanges stay inside nodes.
 * Wins for few ranks, and where A is large and B is small. */
#include "base/checked.h"
#include "base/error.h"
#include "strategy/halving.h"
#include "strategy/nodes.h"

#include <inttypes.h>
#include <stdlib.h>

static const int64_t one[3] = {1, 1, 1};

static ashlar_status group_of(const ashi_problem *q, ashi_halving *h, ashlar_error *err)
{
    *h = ashi_halving_of(q->size, one, q->ranks);
    return ashi_nodes_order(q, &h->rank_of, err);
}

static ashlar_status propose(const ashi_problem *q, ashi_proposals *out, ashlar_error *err)
{
    ashi_halving h;
    if (q->compared)
        return ashi_fail(err, ASHLAR_ERR_UNSUPPORTED,
                         "tpmm has every rank receive all of B that it lacks, as the grid of p x 1 x 1 does: that grid "
                         "is compared instead");
    if (q->grid[0] > 0)
        return ashi_fail(err, ASHLAR_ERR_UNSUPPORTED, "tpmm has no grid: each rank has rows of A and columns of B");
    if (q->size[0] < q->ranks || q->size[1] < q->ranks)
        return ashi_fail(err, ASHLAR_ERR_UNSUPPORTED,
                         "tpmm gives each of %" PRId64 " ranks rows of C and columns of B, and there are %" PRId64
                         " and %" PRId64, q->ranks, q->size[0], q->size[1]);
    ashlar_status status = group_of(q, &h, err);
    if (status == ASHLAR_OK)
        status = ashi_halving_propose(&h, "columns of B exchanged in pairs", q, out, err);
    free(h.rank_of);
    return status;
}

static ashlar_status schedule(const ashi_problem *q, const ashi_proposal *p, ashi_schedule *out, ashlar_error *err)
{
    ashi_halving h;
    ashlar_status status = group_of(q, &h, err);
    if (status == ASHLAR_OK)
        status = ashi_halving_schedule("tpmm", &h, q, p, out, err);
    free(h.rank_of);
    return status;
}

static ashi_formula formula(const ashi_problem *q, const ashi_proposal *p)
{
    const double ranks = (double)q->ranks;
    (void)p;
    return (ashi_formula){(double)q->size[1] * (double)q->size[2] * (ranks - 1) / ranks, "nk(p - 1)/p",
                          "Hunold, Rauber and Ruenger 2004, section 2: p - 1 exchanges of nk/p words"};
}

const ashi_strategy ashi_strategy_tpmm = {
    .name = "tpmm",
    .summary = "rows of A stay, columns of B are exchanged in pairs of ranks",
    .propose = propose, .schedule = schedule, .formula = formula};
