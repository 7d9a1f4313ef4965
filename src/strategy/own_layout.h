/* The layouts in which a grid of boxes needs nothing moved first (COSMA, section 7.6). */
#ifndef ASHI_OWN_LAYOUT_H
#define ASHI_OWN_LAYOUT_H

#include "search/parts.h"
#include "search/turns.h"
#include "strategy/strategy.h"

/* How the matrices of a grid's own layouts are stored. */
typedef struct ashi_own_orders {
    bool k_inside[2]; /* A, B: k is the contiguous side; else m, n is */
    bool c_by_rows;   /* n is; else m is */
} ashi_own_orders;

/* The orders in which the products are of the form that BLAS does fastest: a box of C that is much longer one way than
 * the other lies with its long side contiguous. Matrices of which pieces are sent lie with k as the outer side, and
 * sums with m contiguous; a matrix that the caller lays out lies as it does. */
ashi_own_orders ashi_own_orders_of(const ashi_problem *problem, const int64_t grid[3]);

/* How the ranks that need a face of a grid's boxes share it if C stays: those of a fibre along n op(A)'s and along m
 * op(B)'s, both cut in k; those of one along k C's, in parts of nearly equal words. The rows of a part are m, of B n;
 * its columns are k, of C n. `once`: C's by rows or by columns alone, so that a rank sums up its own part in its
 * place. */
ashi_parts ashi_own_parts(const int64_t size[3], const int64_t grid[3], ashlar_operand operand, bool once);

/* The same if A or B stays. C is cut by rows if A does and by columns if B does, so that each rank owns words of every
 * slab: the other dimension is that which rounds cut. What passes and C are cut by turns. */
ashi_turns ashi_own_turns(const int64_t size[3], const int64_t grid[3], ashi_stays stays, int64_t rounds,
                          ashlar_operand operand);

/* The dimension (0, 1, 2 for m, n, k) that these cut. */
int ashi_own_turned(ashi_stays stays, ashlar_operand operand);

/* Which of these cuts is wanted. */
typedef struct ashi_own_cut {
    ashi_stays stays;
    int64_t rounds; /* if A or B stays */
    bool once;      /* if C stays */
} ashi_own_cut;

/* A layout in which the faces of a grid's boxes are shared so. */
ashlar_status ashi_own_layout(const ashi_bricks *bricks, const ashlar_op op[2], ashlar_operand operand,
                              ashi_own_cut cut, ashi_own_orders orders, ashlar_layout **out, ashlar_error *err);

#endif
