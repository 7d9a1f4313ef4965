/* A square torus of virtual processes, folded onto the ranks there are.
 *
 * Process (i, j) is given by the digits of i and of j, level by level, the first the highest. Row digits and column
 * digits of one level have the same length, and each lies along its own dimension of the ranks, several to a rank where
 * that is shorter.
 *
 * Source: Solomonik and Demmel, UCB/EECS-2012-28, section 2.1 (the embedding) and 4 (virtual processes). */
#ifndef ASHI_FOLD_H
#define ASHI_FOLD_H

#include "engine/shift_schedule.h"
#include "strategy/strategy.h"

/* How many ranks a digit is spread over, and how far apart they are. */
typedef struct ashi_fold_side {
    int64_t ranks, stride;
} ashi_fold_side;

typedef struct ashi_fold {
    ashi_torus digits; /* of i, and of j: a dimension for each level */
    ashi_fold_side row[ASHI_TORUS_MOST], col[ASHI_TORUS_MOST];
    int64_t side;       /* the product of the lengths: rows and columns of processes */
    int64_t ranks_used; /* the product of all sides' ranks */
    int64_t size[3];    /* m, n, k, each cut evenly in `side` */
    int *rank_of;       /* NULL, or the rank that takes the place of each */
} ashi_fold;

/* One level on pr x pc ranks, numbered row by row. */
ashi_fold ashi_fold_plane(const int64_t size[3], int64_t side, int64_t pr, int64_t pc);

/* A level for each pair of a torus' dimensions: where it has an even number of them and the second half's lengths are
 * the first's, these are row digits and those column digits, and each process is a rank. Any other torus is folded: its
 * dimensions are paired by length, the longest with the next, and the last one of an odd number with none. */
ashi_fold ashi_fold_torus(const int64_t size[3], const ashi_torus *torus);

/* The fold that a proposal was made for; its rank_of is the proposal's. */
ashi_fold ashi_fold_of(const ashi_problem *problem, const ashi_proposal *proposal);

/* Process `part` is i * side + j. */
int ashi_fold_rank(const ashi_fold *fold, int64_t part);
ashi_box ashi_fold_box(const ashi_fold *fold, int64_t part);

/* The least length that two dimensions of the ranks divide. */
int64_t ashi_fold_common(int64_t a, int64_t b);

/* Add the layouts in which each process has the blocks with which Cannon's algorithm begins there, if the problem gives
 * none: process (i, j) has block (i, j) of C and, with l = i + j digit by digit, (i, l) of A and (l, j) of B. */
ashlar_status ashi_fold_layouts(const ashi_fold *fold, const ashi_problem *problem, ashi_proposal *proposal,
                                ashlar_error *err);

/* The schedule of a rule whose parts are a fold's, which is copied to be the rule's own: rank_of and box are filled
 * in. */
ashlar_status ashi_fold_schedule(const char *strategy, const ashi_problem *problem, const ashi_proposal *proposal,
                                 const ashi_shift_rule *rule, ashi_schedule *out, ashlar_error *err);

/* ---- which fold serves a problem (fold_choose.c) ---- */

/* Refuses matrices in files, and to be compared with grids: a rank of a folded torus needs the rows of A and
 * columns of B of a grid's box, and blocks may come to it twice. */
ashlar_status ashi_fold_decline(const char *strategy, const ashi_problem *problem, ashlar_error *err);

/* The plane on which a square torus of processes is predicted to do best, leaving no more ranks idle than the problem
 * allows; on a square number of ranks that of as many processes, unless another is clearly better.
 * ASHLAR_ERR_UNSUPPORTED where the matrices are too small to be cut so. */
ashlar_status ashi_fold_choose(const char *strategy, const ashi_problem *problem, ashi_fold *out, ashlar_error *err);

/* Append one proposal for a fold. */
ashlar_status ashi_fold_propose(ashi_fold *fold, const char *origin, const ashi_problem *problem, ashi_proposals *out,
                                ashlar_error *err);

#endif
