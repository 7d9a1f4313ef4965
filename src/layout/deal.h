/* How tiles are dealt out: which rank has which tile. */
#ifndef ASHI_DEAL_H
#define ASHI_DEAL_H

#include <ashlar/base.h>

/* On a process grid tile (i, j) is process (row_part[i], col_part[j])'s, rank grid_rank[row_part[i] * grid_cols +
 * col_part[j]]. With `owner` the caller's function says, the same on every rank; it is called on any thread. */
typedef struct ashi_deal {
    int64_t grid_rows, grid_cols;
    int *grid_rank;
    int *row_part, *col_part; /* NULL: the tile's number modulo the grid's rows or columns */
    int (*owner)(void *context, int64_t row, int64_t col); /* NULL: the grid */
    void *context;
} ashi_deal;

static inline int ashi_deal_row_part(const ashi_deal *deal, int64_t row)
{
    return deal->row_part ? deal->row_part[row] : (int)(row % deal->grid_rows);
}

static inline int ashi_deal_col_part(const ashi_deal *deal, int64_t col)
{
    return deal->col_part ? deal->col_part[col] : (int)(col % deal->grid_cols);
}

static inline int ashi_deal_owner(const ashi_deal *deal, int64_t row, int64_t col)
{
    if (deal->owner)
        return deal->owner(deal->context, row, col);
    return deal->grid_rank[ashi_deal_row_part(deal, row) * deal->grid_cols + ashi_deal_col_part(deal, col)];
}

#endif
