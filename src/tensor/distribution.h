/* How tensors are distributed over ranks, and what a schedule of the paper costs if that is given (section 2.3). */
#ifndef ASHI_TENSOR_DISTRIBUTION_H
#define ASHI_TENSOR_DISTRIBUTION_H

#include "tensor/matching.h"
#include "search/paper.h"

enum { ASHI_DISTRIBUTED_RANKS_MOST = 1 << 20 };

/* No index: every rank has all of the array. One: it is cut into P even parts, part r is rank r's. Two: they are cut
 * into parts[0] x parts[1] = P, and rank r has part r / parts[1] of the first and r mod parts[1] of the second. */
typedef struct ashi_distribution {
    bool given; /* else it may be chosen */
    int count, index[2];
    int64_t parts[2];
} ashi_distribution;

/* The words that the busiest rank receives before or after a schedule, so that each array is where it has to be, and
 * those that it reads and writes for that. */
typedef struct ashi_redistribution {
    bool applicable;
    int index[3];      /* of I, J and K that the schedule cuts; -1: it does not cut that one */
    double received[3]; /* of A, B and C */
    double disk, seconds;
} ashi_redistribution;

/* Read "ik", "i", or "-" for no index, as the distribution of operand 0 or 1 or of the output, 2. Two indices are cut
 * into as square a grid as there is, with no more parts of the first.
 * @return ASHLAR_OK; ASHLAR_ERR_ARG: more than two indices, one twice, or one that the array is not stored by */
ashlar_status ashi_distribution_read(const char *text, const ashi_expression *expression, const ashi_matching *matching,
                                     int array, int64_t ranks, ashi_distribution *out, ashlar_error *err);

/* Choose the indices that a schedule cuts (Table 1), so that it takes the least time to bring A and B from the given
 * distributions to those that it needs, and C from its own to the given one. An array without a given distribution
 * costs nothing. Words are read and written for that, unless `fuse` is set and the schedule reads the array once.
 * @return not applicable: no index of a class has as many values as it is cut into parts */
ashi_redistribution ashi_redistribute(const ashi_expression *expression, const ashi_matching *matching,
                                      const ashi_paper_problem *problem, const ashi_paper_schedule *schedule,
                                      const ashi_distribution given[3], bool fuse);

#endif
