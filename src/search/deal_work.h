/* Dealing rows and columns of tiles to a process grid by the work that their tiles are. */
#ifndef ASHI_DEAL_WORK_H
#define ASHI_DEAL_WORK_H

#include "layout/pattern.h"

/* What each tile of a matrix of rows x cols tiles costs: the multiply-adds of a product at C's tiles. */
typedef struct ashi_tile_work {
    int64_t rows, cols;
    const ashi_pattern *pattern;
    const double *work; /* of each tile of the pattern, at least 0 */
} ashi_tile_work;

/* Work of the busiest process over the mean of all, if tile (i, j) is process (row_part[i], col_part[j])'s; a NULL map
 * is cyclic. 1 if there is no work. -1 if memory lacks. */
double ashi_work_imbalance(const ashi_tile_work *work, int64_t grid_rows, int64_t grid_cols, const int *row_part,
                           const int *col_part);

/* Maps for which the busiest process has little more work than the mean, for arrays of work->rows and work->cols
 * numbers. If no map is better than the cyclic one, it is that. *imbalance is what is left. The same input gives the
 * same maps on machines that round alike; among others one makes them for all. Who has only the sums of rows passes a
 * matrix of one column and a grid of grid_rows x 1, and likewise for columns.
 *
 * The greatest lines come first, each to the part in which the squares of the processes' loads grow least; then lines
 * move and change places while the fourth powers become less, rows and columns by turns. Time is proportional to the
 * tiles, and to rows times grid_rows and columns times grid_cols. ASHLAR_ERR_MEMORY. */
ashlar_status ashi_deal_by_work(const ashi_tile_work *work, int64_t grid_rows, int64_t grid_cols, int *row_part,
                                int *col_part, double *imbalance, ashlar_error *err);

#endif
