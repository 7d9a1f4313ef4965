/* Which products of tiles to leave out, so that the error stays within what is allowed and the most work is saved. */
#ifndef ASHI_BUDGET_H
#define ASHI_BUDGET_H

#include "base/upward.h"

#include <stdbool.h>
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

/* Costs are counted in units of most^2 / 2^45, rounded up, so that their sums are exact: the same on any number of
 * ranks, whoever counts what. What is more than twice most^2 counts as that. */
enum { ASHI_BUDGET_UNITS_POWER = 45 };

/* Numbers of all ranks are added up, on all of them. `mine` is false if this rank has failed; the answer is false if
 * any rank has, and then the numbers do not matter. NULL: there is one rank. */
typedef struct ashi_budget_sum {
    bool (*add)(void *user, bool mine, int64_t *numbers, int64_t count);
    void *user;
} ashi_budget_sum;

/* The error of C is the square root of the sum, over its tiles, of the squares of what each tile lost. A product's
 * price is what it adds to that sum of squares, over the work that it saves; the products of a tile are left out in the
 * order of size over work. All products up to a price are left out; of those that cost just that price (a bin), only
 * those in tiles with certain numbers, so that many equal products are not left out all or none. */
typedef struct ashi_budget {
    ashi_up most;    /* the error that is allowed; above 0 */
    int64_t bin;     /* cheaper bins are left out */
    int64_t share;   /* of bin `bin` the tiles whose number, by hash, is less */
} ashi_budget;

/* The units of x^2, x >= 0, as a part of most^2. */
int64_t ashi_budget_units(ashi_up x, ashi_up most);

/* x + y for units, at most twice the whole. */
int64_t ashi_budget_add_units(int64_t x, int64_t y);

/* `error` minus an error whose square is these units of error^2; 0 if that is the larger one. */
double ashi_budget_rest(double error, int64_t units);

/* Nothing is left out yet. */
ashi_budget ashi_budget_begin(ashi_up most);

/* The items of one row: by column, then by size over work, then by number. */
void ashi_budget_put_in_order(ashi_budget_item *item, int64_t count);

/* What the items of one row, in order, would cost in each bin, in units: added to cost[ASHI_BUDGET_BINS]. Ranks add up
 * what they have, and all call ashi_budget_narrow with the sum. */
void ashi_budget_count(const ashi_budget *budget, const ashi_budget_item *item, int64_t count, int64_t *cost);
void ashi_budget_narrow(ashi_budget *budget, const int64_t *cost);

/* Likewise for the tiles of bin `bin`: share_cost[ASHI_BUDGET_SHARES]. */
void ashi_budget_count_shares(const ashi_budget *budget, int64_t row, const ashi_budget_item *item, int64_t count,
                              int64_t *share_cost);
void ashi_budget_narrow_shares(ashi_budget *budget, const int64_t *cost, const int64_t *share_cost);

/* All four, with the costs of all ranks: `count` is called twice, for ashi_budget_count and then, with `shares`, for
 * ashi_budget_count_shares. `room` is for ASHI_BUDGET_ROOM numbers; NULL: this rank has failed. Collective if the sum
 * is. False if any rank has failed. */
enum { ASHI_BUDGET_ROOM = ASHI_BUDGET_BINS + ASHI_BUDGET_SHARES };
typedef bool ashi_budget_counter(void *user, const ashi_budget *budget, int64_t *cost, bool shares);
bool ashi_budget_choose(ashi_budget *budget, ashi_budget_counter *count, void *user, const ashi_budget_sum *sum,
                        int64_t *room);

/* For items of one row, in order: left_out[item.number] = true or false. */
void ashi_budget_apply(const ashi_budget *budget, int64_t row, const ashi_budget_item *item, int64_t count,
                       bool *left_out);

#endif
