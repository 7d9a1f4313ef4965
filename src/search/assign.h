/* Which rank computes which domain, so that the rank that receives the most receives as little as can be. */
#ifndef ASHI_ASSIGN_H
#define ASHI_ASSIGN_H

#include <ashlar/base.h>

/* What each rank would receive. */
typedef struct ashi_arrivals {
    int64_t ranks, domains; /* domains <= ranks: each has a rank of its own, the other ranks have none */
    /* Words that would arrive at `rank` if it computed `domain`; domain -1: if it computed nothing. At least 0. */
    int64_t (*words)(const void *context, int64_t rank, int64_t domain);
    const void *context;
} ashi_arrivals;

/* Up to this number of ranks the assignment is the best there is. */
enum { ASHI_ASSIGN_EXACT_MOST = 64 };

/* What an assignment costs: first the words of the busiest rank, then those of all ranks. */
typedef struct ashi_burden {
    int64_t most, total;
} ashi_burden;

/* Whether x is better than y. */
bool ashi_burden_less(const ashi_burden *x, const ashi_burden *y);

/* rank_of: the rank of each domain, no rank twice. */
ashlar_status ashi_assign_burden(const ashi_arrivals *arrivals, const int *rank_of, ashi_burden *out,
                                 ashlar_error *err);

/* Improve rank_of. The words of the busiest rank, and among equals those of all ranks, become the least possible if
 * there are at most ASHI_ASSIGN_EXACT_MOST ranks. Beyond, ranks are exchanged as long as that relieves the busiest one
 * and a budget lasts. What is not better than the assignment given is not taken. The same input has the same result
 * everywhere.
 * @return ASHLAR_OK; ASHLAR_ERR_MEMORY, rank_of as it was */
ashlar_status ashi_assign(const ashi_arrivals *arrivals, int *rank_of, ashi_burden *out, ashlar_error *err);

#endif
