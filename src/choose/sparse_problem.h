/* A planned product of matrices of tiles as the problem that a program is made for. */
#ifndef ASHI_SPARSE_PROBLEM_H
#define ASHI_SPARSE_PROBLEM_H

#include "choose/sparse_plan.h"
#include "schedule/tile_problem.h"

/* Tiles are dealt out by turns, and C stays in one layer. All of it is owned. */
typedef struct ashi_sparse_problem {
    ashi_tile_problem problem;
    ashi_pattern pattern[2]; /* of op(A) and op(B) */
    int64_t *rank[2];        /* of their tiles; NULL: all are dense */
    ashi_symbolic symbolic;
    ashi_tile_deals deals;
    ashi_tile_needs needs;
    int64_t *first;          /* of each iteration */
} ashi_sparse_problem;

/* Whether going through all tiles of all ranks, and through all products of tiles, takes too long. */
bool ashi_sparse_is_too_much(const ashi_sparse_request *request, const ashi_sparse_plan *plan);

/* depth: 0, and an iteration is one tile of k; or the k that the innermost product sums up at once, and the iterations
 * are those of ashlar_tiles_multiply without a limit of memory. `out` stays where it is, and is freed by
 * ashi_sparse_problem_free, also after a failure. ASHLAR_ERR_MEMORY. */
ashlar_status ashi_sparse_problem_make(const ashi_sparse_request *request, const ashi_sparse_plan *plan, int64_t depth,
                                       ashi_sparse_problem *out, ashlar_error *err);
void ashi_sparse_problem_free(ashi_sparse_problem *problem);

#endif
