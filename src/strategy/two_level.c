/* Two levels: nodes on a grid of boxes, and inside each node tpMM, so that every word enters a node once.
 *
 * Source: Hunold, Rauber and Ruenger, ICCS 2004, section 5 (tpMM as a building block); the grid between nodes is
 * COSMA's (Kwasniewski et al., SC 2019) or SUMMA's (van de Geijn and Watts 1997: A and B move, C stays). Wins where
 * words between nodes cost much more than words inside them. */
#include "base/checked.h"
#include "base/error.h"
#include "strategy/cosma_query.h"
#include "strategy/halving.h"
#include "strategy/idle.h"
#include "strategy/nodes.h"

#include <inttypes.h>
#include <stdlib.h>

/* The problem as nodes see it. */
static ashi_cosma_query between(const ashi_problem *q, int64_t nodes)
{
    ashi_cosma_query query = ashi_cosma_query_of(q);
    query.p = nodes;
    query.memory_words = 0; /* what fits is measured */
    return query;
}

static ashlar_status cosma_grid(const ashi_problem *q, int64_t nodes, int64_t grid[3], ashlar_error *err)
{
    const ashi_cosma_query query = between(q, nodes);
    ashi_grid_choice choice;
    const ashlar_status status = ashi_cosma_search(&query, &choice, err);
    for (int d = 0; d < 3 && status == ASHLAR_OK; d++)
        grid[d] = choice.grid[d];
    return status;
}

static ashlar_status summa_grid(const ashi_problem *q, int64_t nodes, int64_t grid[3], ashlar_error *err)
{
    const ashi_cosma_query query = between(q, nodes);
    const int64_t fewest = ashi_max(1, nodes - ashi_idle_most(q->idle, nodes));
    int64_t least = INT64_MAX;
    for (int64_t pm = 1; pm <= ashi_min(nodes, q->size[0]); pm++)
        for (int64_t pn = ashi_ceil_div(fewest, pm); pn <= ashi_min(nodes / pm, q->size[1]); pn++) {
            const int64_t plane[3] = {pm, pn, 1};
            ashi_grid_choice choice;
            const ashlar_status status = ashi_cosma_cost(&query, plane, &choice, err);
            if (status != ASHLAR_OK)
                return status;
            if (choice.words_max >= least)
                continue;
            least = choice.words_max;
            grid[0] = pm;
            grid[1] = pn;
            grid[2] = 1;
        }
    if (least < INT64_MAX)
        return ASHLAR_OK;
    return ashi_fail(err, ASHLAR_ERR_UNSUPPORTED,
                     "summa_tpmm: C is too small to be cut on a plane of %" PRId64 " nodes", nodes);
}

typedef ashlar_status (*grid_search)(const ashi_problem *, int64_t nodes, int64_t grid[3], ashlar_error *);

static ashlar_status propose(const char *name, grid_search search, const ashi_problem *q, ashi_proposals *out,
                             ashlar_error *err)
{
    int64_t nodes = 0, each = 0, grid[3] = {q->grid[0], q->grid[1], q->grid[2]};
    if (q->compared)
        return ashi_fail(err, ASHLAR_ERR_UNSUPPORTED,
                         "%s spares words between nodes and moves more inside them, which the cost model does not tell "
                         "apart", name);
    ashlar_status status = ashi_nodes_count(name, q, &nodes, &each, err);
    if (status == ASHLAR_OK && grid[0] == 0)
        status = search(q, nodes, grid, err);
    if (status != ASHLAR_OK)
        return status;
    if (grid[0] * grid[1] * grid[2] > nodes)
        return ashi_fail(err, ASHLAR_ERR_UNSUPPORTED,
                         "%s: the grid %" PRId64 "x%" PRId64 "x%" PRId64 " is of nodes, and there are %" PRId64, name,
                         grid[0], grid[1], grid[2], nodes);
    if (q->size[0] / grid[0] < each || q->size[1] / grid[1] < each)
        return ashi_fail(err, ASHLAR_ERR_UNSUPPORTED,
                         "%s gives each of a node's %" PRId64 " ranks rows of C and columns of B: there are too few",
                         name, each);
    ashi_halving h = ashi_halving_of(q->size, grid, each);
    status = ashi_nodes_order(q, &h.rank_of, err);
    if (status == ASHLAR_OK)
        status = ashi_halving_propose(&h, "boxes of nodes, and pairs of ranks inside them", q, out, err);
    free(h.rank_of);
    return status;
}

static ashlar_status schedule(const char *name, const ashi_problem *q, const ashi_proposal *p, ashi_schedule *out,
                              ashlar_error *err)
{
    ashi_halving h = ashi_halving_of(q->size, p->bricks.grid, p->shape[0]);
    ashlar_status status = ashi_nodes_order(q, &h.rank_of, err);
    if (status == ASHLAR_OK)
        status = ashi_halving_schedule(name, &h, q, p, out, err);
    free(h.rank_of);
    return status;
}

static ashlar_status propose_cosma(const ashi_problem *q, ashi_proposals *out, ashlar_error *err)
{
    return propose("cosma_tpmm", cosma_grid, q, out, err);
}

static ashlar_status propose_summa(const ashi_problem *q, ashi_proposals *out, ashlar_error *err)
{
    return propose("summa_tpmm", summa_grid, q, out, err);
}

static ashlar_status schedule_cosma(const ashi_problem *q, const ashi_proposal *p, ashi_schedule *out,
                                    ashlar_error *err)
{
    return schedule("cosma_tpmm", q, p, out, err);
}

static ashlar_status schedule_summa(const ashi_problem *q, const ashi_proposal *p, ashi_schedule *out,
                                    ashlar_error *err)
{
    return schedule("summa_tpmm", q, p, out, err);
}

static ashi_formula formula(const ashi_problem *q, const ashi_proposal *p)
{
    const ashi_halving h = ashi_halving_of(q->size, p->bricks.grid, p->shape[0]);
    return (ashi_formula){ashi_halving_words(&h), "(faces of the node's box)/g + nk(g - 1)/g",
                          "the grid's and Hunold, Rauber and Ruenger 2004's together; g ranks a node"};
}

const ashi_strategy ashi_strategy_cosma_tpmm = {
    .name = "cosma_tpmm",
    .summary = "COSMA's grid between nodes, tpMM inside each",
    .propose = propose_cosma, .schedule = schedule_cosma, .formula = formula};
const ashi_strategy ashi_strategy_summa_tpmm = {
    .name = "summa_tpmm",
    .summary = "SUMMA's plane between nodes, tpMM inside each",
    .propose = propose_summa, .schedule = schedule_summa, .formula = formula};
