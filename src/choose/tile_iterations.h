/* How the k of a product of matrices of tiles is cut into iterations. */
#ifndef ASHI_TILE_ITERATIONS_H
#define ASHI_TILE_ITERATIONS_H

#include "layout/cuts.h"
#include "layout/deal.h"

/* Iterations in flight if nothing else is said, as in eq. (1) of Calvin, Lewis and Valeev (2015) on the smallest
 * grids. */
enum { ASHI_ITERATIONS_WINDOW = 2 };

/* A or B of a term, as it is stored. */
typedef struct ashi_iterations_factor {
    const ashi_deal *deal;
    bool turned;   /* op(X) is its transpose */
    bool half;     /* its tiles with row > column are mirror images */
    int64_t words; /* that are stored */
} ashi_iterations_factor;

/* One of the products that are added up. */
typedef struct ashi_iterations_term {
    ashi_iterations_factor x[2];
    const ashi_cuts *k; /* its own */
    int64_t begin;      /* its first tile in the k of all terms */
    int64_t lo, hi;     /* which of its own tiles of k take part */
} ashi_iterations_term;

typedef struct ashi_iterations_request {
    const ashi_iterations_term *term;
    int64_t terms;
    const ashi_cuts *cuts[3]; /* of m, of n, and of the k of all terms */
    const ashi_deal *c;       /* of C, or of its partial sums */
    bool layered;             /* C is summed up in layers */
    int64_t layers;           /* how many there are */
    int64_t ranks;
    int window;               /* iterations in flight */
    int64_t depth;            /* the k that the innermost product sums up at once */
} ashi_iterations_request;

/* How much of k an iteration usually has at most: so much that the tiles which come for those in flight are few beside
 * what the ranks have, and so little that the next can come while one is multiplied. It is a whole part of k, so that
 * the iterations stay as they are when a few words come or go. */
double ashi_iterations_inner_most(const ashi_iterations_request *request);

/* Cut k into iterations of at most `most`, or of one tile: first[i] is the first tile of k of iteration i, and behind
 * the last of them all tiles; there is room for as many as k has tiles, and one more. Returns how many there are. */
int64_t ashi_iterations_cut(const ashi_iterations_request *request, double most, int64_t *first);

#endif
