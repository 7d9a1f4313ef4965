/* Groups of ranks that are halved again and again: rows of A stay, columns of B are exchanged in pairs.
 *
 * A group has a box of the m x n x k space; each of its processes has a share of the box's rows of A and of its columns
 * of B. In phase f process q multiplies with the columns of process q xor gray(f), where gray is the reflected code:
 * the diagonal blocks of each half before the others, as in the paper's figure 1. From phase f - 1 to f it exchanges
 * with the process at distance 2^z, z being the zeros at the end of f. Groups of other sizes than powers of two have
 * more processes than ranks. A process' columns travel in sub-blocks: one is multiplied with while others are under
 * way.
 *
 * Source: Hunold, Rauber and Ruenger, ICCS 2004, sections 2 to 4, with the notes of ERRATA. */
#ifndef ASHI_HALVING_H
#define ASHI_HALVING_H

#include "engine/shift_schedule.h"
#include "strategy/strategy.h"

typedef struct ashi_halving {
    int64_t size[3], grid[3]; /* m, n, k, and how they are cut among the groups */
    int64_t ranks;            /* of a group */
    int64_t processes;        /* of a group: a power of two */
    int64_t subs;             /* sub-blocks of a process' columns */
    int *rank_of;             /* rank r of group g at g * ranks + r */
} ashi_halving;

/* Groups of `ranks` ranks each, on a grid of groups. rank_of is left NULL: rank r of group g is g * ranks + r. */
ashi_halving ashi_halving_of(const int64_t size[3], const int64_t grid[3], int64_t ranks);

/* Append the proposal of such groups, whose first ranks are `rank_of`'s. */
ashlar_status ashi_halving_propose(const ashi_halving *h, const char *origin, const ashi_problem *problem,
                                   ashi_proposals *out, ashlar_error *err);

/* Its schedule; rank_of is copied. */
ashlar_status ashi_halving_schedule(const char *strategy, const ashi_halving *h, const ashi_problem *problem,
                                    const ashi_proposal *proposal, ashi_schedule *out, ashlar_error *err);

/* Words that the busiest rank receives in its own layouts, but for what does not divide. */
double ashi_halving_words(const ashi_halving *h);

#endif
