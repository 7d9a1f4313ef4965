/* The tile loops of one order of reads, and the numbers of tiles that cost least. */
#ifndef ASHI_PAPER_LOOPS_H
#define ASHI_PAPER_LOOPS_H

#include "search/paper.h"

/* The loops that remain once needless ones are removed (section 3). The array that is read first has the indices p and
 * q, the second p and r, the third q and r. Loops, outermost first: p, q, [first], r, [second], q again, [third]. So
 * the second array is read once for each tile of the outer q, and the third once for each of p. */
typedef struct ashi_paper_loops {
    int array[3];  /* A, B, C by the order of their reads */
    int p, q, r;   /* which of I, J, K */
} ashi_paper_loops;

ashi_paper_loops ashi_paper_loops_of(int order);

/* What the numbers of tiles are chosen by, in the loops' own terms: the cost
 *     second x q + third x p + tile_p x p + tile_q x (q, both loops) + tile_r x r
 * is least while all arrays are cut into enough tiles. */
typedef struct ashi_paper_request {
    double need[3];              /* tiles that the first, second and third array are cut into at least, words / M */
    double most[3];              /* tiles that p, q and r can be cut into, each at least 1 */
    double second, third;        /* cost of reading the second and the third array through once */
    double tile_p, tile_q, tile_r; /* cost of each tile along p, q and r; tile_p, tile_q or tile_r is 0: that of K */
} ashi_paper_request;

/* Tiles along p, q in both of its loops, and r. */
typedef struct ashi_paper_counts {
    double p, q, inner, r;
} ashi_paper_counts;

/* The cost of these numbers of tiles. */
double ashi_paper_cost(const ashi_paper_request *request, const ashi_paper_counts *counts);

/* Real numbers of at least 1 that cost least. Loops that cost nothing are as short as they can be. */
ashi_paper_counts ashi_paper_counts_real(const ashi_paper_request *request);

/* The same in whole numbers, exactly; `most` is whole. */
ashi_paper_counts ashi_paper_counts_whole(const ashi_paper_request *request);

/* Both: r and the inner loop of q as short as p and q allow, if they cost nothing; r longer before q is cut again. */
ashi_paper_counts ashi_paper_counts_shorten(const ashi_paper_request *request, ashi_paper_counts counts, bool whole);

#endif
