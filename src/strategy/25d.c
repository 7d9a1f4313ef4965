/* 2.5D: c layers of q x q processes, each of which has all of C but only its part of k.
 *
 * Source: Solomonik and Demmel, "Communication-optimal parallel 2.5D matrix multiplication and LU factorization
 * algorithms", Euro-Par 2011. c = 1 is 2D, c = q is the 3D algorithm of Agarwal et al., 1995. Layers take memory: c is
 * the number that moves least, or ends soonest, of those that fit. For cubes on q^3 ranks it is COSMA's grid; nowhere
 * else does it win, and it is there to be compared with. Ranks that are not among q x q x c idle. */
#include "base/checked.h"
#include "model/bounds.h"
#include "strategy/cosma_query.h"
#include "strategy/grids.h"

#include <math.h>

enum { LAYERS_MOST = 1290 }; /* the cube root of as many ranks as MPI can number */

static bool is_kind(const ashi_problem *q, const int64_t grid[3])
{
    (void)q;
    return grid[0] == grid[1] && grid[2] <= grid[0];
}

static int64_t square_root(int64_t x)
{
    int64_t root = (int64_t)sqrt((double)x);
    while (root * root > x)
        root--;
    while ((root + 1) * (root + 1) <= x)
        root++;
    return root;
}

/* For each number of layers the largest q; how many there are. */
static int list(const ashi_problem *q, int64_t grid[LAYERS_MOST][3])
{
    int count = 0;
    for (int64_t c = 1; count < LAYERS_MOST && c <= ashi_min(q->ranks / c / c, ashi_max(q->size[2], 1)); c++) {
        const int64_t least = ashi_max(ashi_min(q->size[0], q->size[1]), 1);
        const int64_t side = ashi_min(square_root(q->ranks / c), least);
        if (side < c)
            break;
        grid[count][0] = grid[count][1] = side;
        grid[count++][2] = c;
    }
    return count;
}

static ashlar_status foresee(const ashi_problem *q, int most, ashi_grid_choice *out, int *count, ashlar_error *err);

static const ashi_grids grids = {.name = "2.5d", .kind = "grids q x q x c with c <= q",
                                 .origin = "the best number of layers", .is_kind = is_kind, .foresee = foresee};

static ashlar_status foresee(const ashi_problem *q, int most, ashi_grid_choice *out, int *count, ashlar_error *err)
{
    int64_t grid[LAYERS_MOST][3];
    ashi_cosma_query query = ashi_cosma_grids_query(q);
    query.strategy = grids.name;
    *count = 0;
    const ashlar_status status = ashi_grids_check(&grids, q, err);
    if (status != ASHLAR_OK)
        return status;
    if (q->grid[0] == 0)
        return ashi_cosma_best_of(&query, grid, list(q, grid), most, out, count, err);
    for (int d = 0; d < 3; d++)
        grid[0][d] = q->grid[d];
    return ashi_cosma_best_of(&query, grid, 1, most, out, count, err);
}

static ashlar_status propose(const ashi_problem *q, ashi_proposals *out, ashlar_error *err)
{
    return ashi_grids_propose(&grids, q, out, err);
}

static ashi_formula formula(const ashi_problem *q, const ashi_proposal *p)
{
    const int64_t *grid = p->bricks.grid, used = ashi_grid_cells(grid);
    return ashi_grids_formula(q, used,
                              ashi_table3_replicas(q->size[0], q->size[1], q->size[2], used, (double)grid[2]),
                              "k(m + n)/sqrt(pc) + mnc/p - share",
                              "Kwasniewski et al., SC 2019 (COSMA), Table 3, 2.5D, by its number of layers c");
}

const ashi_strategy ashi_strategy_25d = {
    .name = "2.5d",
    .summary = "q x q x c: c layers of a square process grid, as many as memory allows; c = q is 3D",
    .propose = propose, .schedule = ashi_grids_schedule, .formula = formula, .foresee = foresee};
