/* The layouts in which a grid of boxes needs nothing moved first (COSMA, section 7.6). */
#ifndef ASHI_OWN_LAYOUT_H
#define ASHI_OWN_LAYOUT_H

#include "strategy/strategy.h"

/* How the matrices of a grid's own layouts are stored. */
typedef struct ashi_own_orders {
    bool k_inside[2]; /* A, B: k is the contiguous side; else m, n is */
    bool c_by_rows;   /* n is; else m is */
} ashi_own_orders;

/* The orders in which the products are of the form that BLAS does fastest. Matrices of which pieces are sent lie with
 * k as the outer side, and sums with m contiguous; a matrix that the caller lays out lies as it does. */
ashi_own_orders ashi_own_orders_of(const ashi_problem *problem, const int64_t grid[3]);

/* Each box's faces are cut among the ranks that need them: A's among a fibre along n, B's along m, both cut in k; C's
 * along k, cut c_cut[0] times in m and c_cut[1] times in n. */
ashlar_status ashi_own_layout(const ashi_bricks *bricks, const ashlar_op op[2], ashlar_operand operand,
                              const int64_t c_cut[2], ashi_own_orders orders, ashlar_layout **out, ashlar_error *err);

#endif
