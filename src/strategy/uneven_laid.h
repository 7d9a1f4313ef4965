/* The matrices of boxes of any shape laid out for their ranks, and the most that any box and rank has then. */
#ifndef ASHI_UNEVEN_LAID_H
#define ASHI_UNEVEN_LAID_H

#include "strategy/shared_layout.h"
#include "strategy/strategy.h"

/* The most of any box and rank. */
typedef struct ashi_extent {
    int64_t side[3]; /* of a box */
    int64_t width;   /* words of A and B for each of its indices of k */
    int64_t block;   /* its words of C */
    ashi_flow flow;  /* each member the most of any rank; sent: of sums alone */
} ashi_extent;

/* Make the layouts of all matrices for a proposal's boxes, which frees those that it has, and find what follows from
 * them: flow[problem->ranks], the extent, and the proposal's totals and least memory. */
ashlar_status ashi_uneven_lay_out(const ashi_problem *problem, const ashi_shared_cut cut[3], ashi_proposal *proposal,
                                  ashi_flow *flow, ashi_extent *out, ashlar_error *err);

#endif
