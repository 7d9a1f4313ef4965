/* Which products of tiles to leave out, so that the error stays within what is allowed and the most work is saved. */
#ifndef ASHI_BUDGET_H
#define ASHI_BUDGET_H

#include "base/upward.h"

#include <stdint.h>

/* A product of tiles of one row of C. */
typedef struct ashi_budget_item {
    int64_t col;     /* of its tile of C */
    int64_t number;  /* in the order of ashi_candidates, from 0 */
    ashi_up size;    /* |alpha| ||A_ik|| ||B_kj|| */
    double work;     /* multiply-adds */
    double worth;    /* set by ashi_budget_put_in_order: size over work */
} ashi_budget_item;

enum { ASHI_BUDGET_BINS = 16002, ASHI_BUDGET_SHARES = 4096 };

/* The error of C is the square root of the sum, over its tiles, of the squares of what each tile lost. A product's
 * price is what it adds to that sum of squares, over the work that it saves; the products of a tile are left out in the
 * order of size over work. All products up to a price are left out; of those that cost just that price (a bin), only
 * those in tiles with certain numbers, so that many equal products are not left out all or none. */
typedef struct ashi_budget {
    ashi_up most;    /* the error that is allowed; above 0 */
    int64_t bin;     /* cheaper bins are left out */
    int64_t share;   /* of bin `bin` the tiles whose number, by hash, is less */
} ashi_budget;

/* Nothing is left out yet. */
ashi_budget ashi_budget_begin(ashi_up most);

/* The items of one row: by column, then by size over work, then by number. */
void ashi_budget_put_in_order(ashi_budget_item *item, int64_t count);

/* What the items of one row, in order, would cost in each bin, as parts of most^2: added to cost[ASHI_BUDGET_BINS].
 * Ranks add up what they have, and all call ashi_budget_narrow with the sum. */
void ashi_budget_count(const ashi_budget *budget, const ashi_budget_item *item, int64_t count, double *cost);
void ashi_budget_narrow(ashi_budget *budget, const double *cost);

/* Likewise for the tiles of bin `bin`: share_cost[ASHI_BUDGET_SHARES]. */
void ashi_budget_count_shares(const ashi_budget *budget, int64_t row, const ashi_budget_item *item, int64_t count,
                              double *share_cost);
void ashi_budget_narrow_shares(ashi_budget *budget, const double *cost, const double *share_cost);

/* For items of one row, in order: left_out[item.number] = true or false. */
void ashi_budget_apply(const ashi_budget *budget, int64_t row, const ashi_budget_item *item, int64_t count,
                       bool *left_out);

#endif
