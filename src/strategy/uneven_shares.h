/* What each rank owns of the matrices of boxes of any shape, so that with little memory all receive about the same. */
#ifndef ASHI_UNEVEN_SHARES_H
#define ASHI_UNEVEN_SHARES_H

#include "strategy/uneven_laid.h"

/* How matrices are laid out. */
typedef struct ashi_uneven_way {
    int layered;  /* the dimension along which the boxes are layers */
    bool other;   /* what does not stay is cut along its other side, */
    bool either;  /* or along the one that saves words */
    bool equal;   /* shares are not shifted */
    double slabs; /* in flight there is to be room for so many indices of each side of a box */
} ashi_uneven_way;

/* Lay the matrices out within the problem's memory, see ashi_uneven_lay_out: shares are equal, or shifted from rank to
 * rank if the busiest one receives less then, or the memory would not do. *ample: ranks receive alike, with room for
 * more than way->slabs. */
ashlar_status ashi_uneven_share_out(const ashi_problem *problem, const ashi_uneven_way *way, ashi_proposal *proposal,
                                    ashi_flow *flow, ashi_extent *out, bool *ample, ashlar_error *err);

#endif
