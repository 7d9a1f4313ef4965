/* What one rank has and moves by a method of the paper, as a function of the numbers of tiles. */
#ifndef ASHI_PAPER_SHARES_H
#define ASHI_PAPER_SHARES_H

#include "search/paper.h"

/* Words of one rank, for one product of the batch. */
typedef struct ashi_paper_shares {
    double tiled[3];      /* of A, B and C that tiles are cut from: local size in the paper */
    double each[3];       /* of A, B and C that are read each time the loops read them through */
    double moved_once;    /* received before or after the loops, */
    double copied_reads, copied_writes; /* and read and written for that */
    double first;         /* of C: read only because it is added to */
    double with_read[3];  /* received each time A, B or C is read */
    double with_tile[2];  /* received for each tile of I, and of J */
    double length[3];     /* of I, J and K that are cut into tiles */
} ashi_paper_shares;

/* @param grid   ranks along I and J, for rotation
 * @param whole  indices are cut in whole numbers and the rank has the longest pieces; else all shares are equal */
ashi_paper_shares ashi_paper_shares_of(const ashi_paper_problem *problem, bool inside, ashi_paper_method method,
                                       const int64_t grid[2], const bool resident[3], bool whole);

/* Which of A, B and C a rank keeps in memory. */
void ashi_paper_residents(const ashi_paper_problem *problem, const ashi_paper_shares *shares, bool resident[3]);

#endif
