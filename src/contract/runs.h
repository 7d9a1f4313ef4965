/* Positions of a group of indices, cut into runs that lie in one piece on one rank. */
#ifndef ASHI_CONTRACT_RUNS_H
#define ASHI_CONTRACT_RUNS_H

#include "contract/dealt.h"

/* Indices that are one, the slowest first. */
typedef struct ashi_order {
    int count, index[ASHI_INDICES_MOST];
} ashi_order;

/* The product of the extents. */
int64_t ashi_order_extent(const ashi_expression *e, const ashi_order *order);

/* Positions that are dealt out in blocks: of one index in turn, with all values of those after it. */
typedef struct ashi_cycle {
    int64_t block; /* positions */
    int parts, index;
    int64_t step;  /* from one position of a rank to the next in its memory */
} ashi_cycle;

/* Whether the order is so, and lies in each rank's memory as if that had nothing else; an empty order is. */
bool ashi_runs_cycle(const ashi_dealt *tensor, const ashi_order *order, ashi_cycle *out);

/* In a run the places of positions are `step` apart. */
typedef struct ashi_runs {
    int64_t count;
    int64_t *cut;     /* where each begins, and the end */
    int64_t *process; /* what it adds to the number of the owner */
    int64_t *offset;  /* and to its place in the owner's memory */
    int64_t step;     /* on this rank */
} ashi_runs;

/* How many runs there are; each position is one if `single`. INT64_MAX if they do not fit in 64 bits. */
int64_t ashi_runs_count(const ashi_dealt *tensor, const ashi_order *order, bool single);

/* @return ASHLAR_OK; ASHLAR_ERR_MEMORY */
ashlar_status ashi_runs_make(const ashi_dealt *tensor, const ashi_order *order, bool single, ashi_runs *out,
                             ashlar_error *err);

void ashi_runs_free(ashi_runs *runs);

#endif
