/* Which grid COSMA should use: the exact cost of a grid in COSMA's own layout, and the search over all grids. */
#ifndef ASHI_COSMA_GRID_H
#define ASHI_COSMA_GRID_H

#include "simulate/simulate.h"
#include "strategy/grid_choice.h"

#include <ashlar/base.h>
#include <ashlar/machine.h>

/*
 * A grid pm x pn x pk cuts m, n and k evenly (ashi_cut). Rank (i, j, l) has the domain I x J x L made of part i of m,
 * part j of n and part l of k. In COSMA's own layout it owns
 *     of op(A)  I x (part j of L, cut in pn),
 *     of op(B)  (part i of L, cut in pm) x J,
 *     of C      part l of I x J (ashi_own_parts);
 * it receives the rest of I x L and of L x J, and pk - 1 partial sums of its part of C.
 *
 * If C stays L is streamed in `rounds` slabs, the pk - 1 partial sums in `reduce_rounds` pieces; `window` of them have
 * memory at once. A rank holds its shares, the rest of its block of C where pk > 1 (all of it if it is one sum), and
 * window times the larger of a slab and a piece. If C's parts are not summed up where they are, a rank's own is held
 * twice, unless memory is too short for that: then C is cut by rows or columns alone. If A or B stays (cosma_stays.h)
 * J or I is streamed, and what does not stay is shared by turns. All counts are of words, that is elements.
 */
typedef struct ashi_cosma_query {
    const char *strategy;   /* who asks, for messages */
    int64_t m, n, k;        /* >= 0; mn + mk + nk must be below 2^62 */
    int64_t p;              /* ranks, >= 1 */
    ashlar_type type;
    ashlar_op op[2];        /* of A and B: what is not N may have to be copied, though the rank owns it */
    int64_t memory_words;   /* 0: no limit; else the most words a rank may hold, its shares included */
    double idle;            /* the part of the ranks that may idle, from 0 to 1 */
    bool least_words;       /* order grids by words_max; else by seconds */
    ashlar_machine machine; /* all figures above 0 */
    int window;             /* rounds in flight, >= 1; a memory limit may reduce it to 1, */
    bool window_given;      /* but only if so many do not fit; else also if slabs would be too thin for the BLAS */
    int64_t least_rounds;   /* slabs of L at least, unless they would be too thin for the BLAS; 0: as few as fit */
    bool thick;             /* if that takes less time: slabs thicker than the usual buffers, blocks of C that are one
                               sum */
    bool flat;              /* only grids of which a side is 1 */
    bool any_stays;         /* A or B may stay instead of C, if memory is limited */
    int64_t fixed_grid[3];  /* all 0: search; else the only grid considered, idle ranks or not */
} ashi_cosma_query;

/*
 * The best grid with pm <= m, pn <= n, pk <= k that leaves at most floor(idle * p) ranks idle; where there is no such
 * grid, the best of those that use the most ranks. An empty product takes 1 x 1 x 1 if the limit allows it.
 *
 * Equal cost is decided by fewer words_max, fewer words_total, fewer messages, less memory, then smaller pk, pm, pn, so
 * the same query has the same answer everywhere.
 *
 * @return ASHLAR_OK; ASHLAR_ERR_ARG; ASHLAR_ERR_OVERFLOW (the matrices, or a count of the answer, are too large);
 *         ASHLAR_ERR_LIMIT: then the choice's memory_words are the least that some admissible grid can do with, and
 *         nothing else is set in it
 */
ashlar_status ashi_cosma_search(const ashi_cosma_query *query, ashi_grid_choice *choice, ashlar_error *err);

/*
 * The best grids, best first, at most max (>= 1) of them; *count says how many there were. Errors as above, with
 * ASHLAR_ERR_LIMIT in choices[0], and ASHLAR_ERR_MEMORY.
 */
ashlar_status ashi_cosma_search_many(const ashi_cosma_query *query, int max, ashi_grid_choice *choices, int *count,
                                     ashlar_error *err);

/*
 * The best of `grids` grids, each of which must be one that ashi_cosma_cost takes, at most max of them, best first.
 * ASHLAR_ERR_LIMIT if none fits: then the memory_words of choices[0] are the least that one of them can do with. Other
 * errors as there.
 */
ashlar_status ashi_cosma_best_of(const ashi_cosma_query *query, int64_t (*grid)[3], int grids, int max,
                                 ashi_grid_choice *choices, int *count, ashlar_error *err);

/*
 * The choice's figures, if C stays, as a simulation has them, where every message goes straight from its owner: words
 * and products exact, those that a rank sends among them; messages at most what is said, memory the choice's, no
 * copies. Sums over all ranks that exceed 64 bits are INT64_MAX. Members that only simulations have are 0.
 */
ashi_totals ashi_cosma_totals(const ashi_cosma_query *query, const ashi_grid_choice *choice);

/* Whether each rank sums up its block of C as one product, its own part of it too, and adds that part to its C then:
 * BLAS packs A or B again for each part. Without a limit, if the part that is held twice is no larger than buffers may
 * be (buffers.h). */
bool ashi_cosma_has_one_sum(const ashi_cosma_query *query, const ashi_grid_choice *choice);

/* Memory that certainly does. More than the choice says if slabs of a matrix that is not sent cannot be multiplied
 * where they lie because they are in too many thin pieces. */
int64_t ashi_cosma_memory_most(const ashi_cosma_query *query, const ashi_grid_choice *choice);

/* Put a choice where it belongs in the list of the best, which has room for max, unless its grid is there. */
void ashi_cosma_keep(const ashi_cosma_query *query, const ashi_grid_choice *choice, int max, ashi_grid_choice *best,
                     int *count);

/* The cost of one grid; query->fixed_grid and query->idle are not looked at. Errors as above. */
ashlar_status ashi_cosma_cost(const ashi_cosma_query *query, const int64_t grid[3], ashi_grid_choice *choice,
                              ashlar_error *err);

#endif
