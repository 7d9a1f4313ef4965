/* Dealing tiles by work if all of them are in one memory. */
#include "base/error.h"
#include "layout/pattern_sets.h"
#include "search/deal_work.h"

#include <stdlib.h>
#include <string.h>

double ashi_work_imbalance(const ashi_tile_work *work, int64_t grid_rows, int64_t grid_cols, const int *row_part,
                           const int *col_part)
{
    const ashi_pattern *p = work->pattern;
    double *load = calloc((size_t)(grid_rows * grid_cols), sizeof *load), most = 0, sum = 0;
    if (!load)
        return -1;
    for (int64_t x = 0; x < p->rows; x++) {
        const int64_t row = row_part ? row_part[p->row[x]] : p->row[x] % grid_rows;
        for (int64_t t = p->start[x]; t < p->start[x + 1]; t++)
            load[row * grid_cols + (col_part ? col_part[p->col[t]] : p->col[t] % grid_cols)] += work->work[t];
    }
    for (int64_t x = 0; x < grid_rows * grid_cols; x++) {
        most = load[x] > most ? load[x] : most;
        sum += load[x];
    }
    free(load);
    return sum > 0 ? most / (sum / (double)(grid_rows * grid_cols)) : 1;
}

/* Line by line of each side. */
typedef struct tiles {
    const ashi_tile_work *work;
    ashi_pattern cols;
    int64_t *number; /* of the tiles of `cols` in work->pattern */
} tiles;

static void find(void *user, int side, const ashi_line_band *band, double *load)
{
    const tiles *t = user;
    const ashi_pattern *pattern = side == 0 ? t->work->pattern : &t->cols;
    memset(load, 0, (size_t)(band->lines * band->parts) * sizeof *load);
    for (int64_t i = 0; i < band->lines; i++) {
        const int64_t x = ashi_pattern_row(pattern, band->line[i]);
        for (int64_t u = x < 0 ? 0 : pattern->start[x]; u < (x < 0 ? 0 : pattern->start[x + 1]); u++)
            load[i * band->parts + band->part[pattern->col[u]]] += t->work->work[side == 0 ? u : t->number[u]];
    }
}

ashlar_status ashi_deal_by_work(const ashi_tile_work *work, int64_t grid_rows, int64_t grid_cols, int *row_part,
                                int *col_part, double *imbalance, ashlar_error *err)
{
    const int64_t lines[2] = {work->rows, work->cols}, grid[2] = {grid_rows, grid_cols};
    tiles t = {.work = work};
    ashi_dealing *dealing = NULL;
    ashlar_status status = ashi_pattern_transpose(work->pattern, &t.cols, &t.number, err);
    if (status == ASHLAR_OK)
        status = ashi_dealing_make(lines, grid, &dealing, err);
    if (status == ASHLAR_OK)
        ashi_dealing_run(dealing, &(ashi_line_sums){find, &t}, row_part, col_part, imbalance);
    ashi_dealing_free(&dealing);
    ashi_pattern_free(&t.cols);
    free(t.number);
    return status;
}

/* ---- one side alone ---- */

static void find_lines(void *user, int side, const ashi_line_band *band, double *load)
{
    const ashi_tile_work *all = user;
    if (side == 0) {
        for (int64_t i = 0; i < band->lines; i++)
            load[i] = all->work[band->line[i]];
        return;
    }
    memset(load, 0, (size_t)band->parts * sizeof *load);
    for (int64_t line = 0; line < all->rows; line++)
        load[band->part[line]] += all->work[line];
}

ashlar_status ashi_deal_lines(const double *work, int64_t lines, int64_t parts, int *part, double *imbalance,
                              ashlar_error *err)
{
    ashi_tile_work all = {lines, 1, NULL, work};
    ashi_dealing *dealing = NULL;
    int only;
    const ashlar_status status = ashi_dealing_make((int64_t[]){lines, 1}, (int64_t[]){parts, 1}, &dealing, err);
    if (status == ASHLAR_OK)
        ashi_dealing_run(dealing, &(ashi_line_sums){find_lines, &all}, part, &only, imbalance);
    ashi_dealing_free(&dealing);
    return status;
}
