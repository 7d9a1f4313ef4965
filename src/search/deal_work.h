/* Dealing rows and columns of tiles to a process grid by the work that their tiles are. */
#ifndef ASHI_DEAL_WORK_H
#define ASHI_DEAL_WORK_H

#include "layout/pattern.h"

/* ---- with sums of work ---- */

/* Some rows, or columns, and how all of the other side are dealt to its parts. */
typedef struct ashi_line_band {
    const int64_t *line;
    int64_t lines;
    const int *part; /* of each line of the other side */
    int64_t parts;
} ashi_line_band;

/* find sets load[x * parts + y] to the work of tiles in line[x] whose other side is of part y, for rows (side 0) or
 * columns (side 1): whole numbers, so that they are right in whatever order they were added up, up to 2^53. */
typedef struct ashi_line_sums {
    void (*find)(void *user, int side, const ashi_line_band *band, double *load);
    void *user;
} ashi_line_sums;

typedef struct ashi_dealing ashi_dealing;

/* Products of tiles up to which tiles of C are looked at one by one. If there are more, rows and columns are dealt by
 * the work of each alone. */
#define ASHI_DEAL_PRODUCTS 5e7

/* How many sums are asked for at once, at most. */
int64_t ashi_dealing_room(const int64_t lines[2], const int64_t grid[2]);

/* Room for dealing lines[0] rows and lines[1] columns to a grid. Freed by ashi_dealing_free, also after a failure.
 * ASHLAR_ERR_MEMORY. */
ashlar_status ashi_dealing_make(const int64_t lines[2], const int64_t grid[2], ashi_dealing **out, ashlar_error *err);
void ashi_dealing_free(ashi_dealing **dealing);

/* Maps for which the busiest process has little more work than the mean, for arrays of as many numbers as there are
 * rows and columns. If no map is better than the cyclic one, it is that. *imbalance is what is left. The same sums give
 * the same maps on machines that round alike. How often sums are asked for, and for how many lines, depends on the
 * numbers of lines and on the grid alone.
 *
 * The greatest lines come first, each to the part in which the squares of the processes' loads grow least; then lines
 * move and change places while the fourth powers become less, rows and columns by turns. Time is proportional to the
 * work of the sums, and to rows times grid_rows and columns times grid_cols; memory to the lines, and 8 MiB. */
void ashi_dealing_run(ashi_dealing *dealing, const ashi_line_sums *sums, int *row_part, int *col_part,
                      double *imbalance);

/* ---- with all tiles in one memory ---- */

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

/* As ashi_dealing_run. ASHLAR_ERR_MEMORY. */
ashlar_status ashi_deal_by_work(const ashi_tile_work *work, int64_t grid_rows, int64_t grid_cols, int *row_part,
                                int *col_part, double *imbalance, ashlar_error *err);

/* The same of one side alone, from the work of each line. */
ashlar_status ashi_deal_lines(const double *work, int64_t lines, int64_t parts, int *part, double *imbalance,
                              ashlar_error *err);

#endif
