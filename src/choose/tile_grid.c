/* The process grid over which tiles are dealt out if nobody says one. */
#include "choose/tile_grid.h"

#include "base/checked.h"

#include <ashlar/machine.h>
#include <math.h>

/* How much less even than on the evenest grid work may be: words may hide behind products, and work does not. Layers of
 * k may be as uneven (tile_ways.h). */
static const double EVEN = 1.1;

/* Costs that differ by a smaller part are equal: rounding may not decide between 2 x 3 and 3 x 2. */
static const double EQUAL = 1e-9;

/* How many multiply-adds of reals take as long as one word that arrives. */
static double word_in_products(void)
{
    const ashlar_machine machine = ashlar_machine_default();
    return (double)sizeof(double) / machine.bandwidth * machine.flops_per_second / 2;
}

static double mean_size(const ashi_cuts *cuts)
{
    return (double)ashi_cuts_all(cuts) / (double)ashi_max(cuts->tiles, 1);
}

/* The rows or columns of the busiest of `parts` processes. */
static double busiest(const ashi_cuts *cuts, int64_t parts)
{
    return (double)ashi_ceil_div(cuts->tiles, parts) * mean_size(cuts);
}

/* The multiply-adds of the busiest process, for each index of k. */
static double work_of(const ashi_cuts *rows, const ashi_cuts *cols, int64_t grid_rows, int64_t grid_cols)
{
    return busiest(rows, grid_rows) * busiest(cols, grid_cols);
}

/* With what comes to it, in multiply-adds. A process has its part of its rows of A, and of its columns of B. */
static double cost_of(const ashi_cuts *rows, const ashi_cuts *cols, int64_t grid_rows, int64_t grid_cols)
{
    const double words = busiest(rows, grid_rows) * (1 - 1 / (double)grid_cols) +
                         busiest(cols, grid_cols) * (1 - 1 / (double)grid_rows);
    return work_of(rows, cols, grid_rows, grid_cols) + word_in_products() * words;
}

static double least_work(const ashi_cuts *rows, const ashi_cuts *cols, int64_t ranks)
{
    double least = INFINITY;
    for (int64_t r = 1; r <= ranks; r++)
        if (ranks % r == 0)
            least = fmin(least, work_of(rows, cols, r, ranks / r));
    return least;
}

void ashi_tile_grid(const ashi_cuts *rows, const ashi_cuts *cols, int64_t ranks, int64_t grid[2])
{
    const double most = EVEN * least_work(rows, cols, ranks);
    double least = INFINITY;
    int64_t longest = INT64_MAX;
    for (int64_t r = 1; r <= ranks; r++) {
        if (ranks % r != 0 || work_of(rows, cols, r, ranks / r) > most)
            continue;
        const double cost = cost_of(rows, cols, r, ranks / r);
        const int64_t side = ashi_max(r, ranks / r);
        if (cost > least * (1 + EQUAL) || (cost >= least * (1 - EQUAL) && side >= longest))
            continue;
        grid[0] = r;
        grid[1] = ranks / r;
        least = cost;
        longest = side;
    }
}
