/* Random problems, the same on every rank, of which bench/digests makes digests. */
#ifndef ASHI_BENCH_PROBLEMS_H
#define ASHI_BENCH_PROBLEMS_H

#include <ashlar/ashlar.h>
#include <stdbool.h>
#include <stdint.h>

enum { PROBLEM_TORUS_MOST = 5 };

/* One thing changed in a problem, to see whether its digest shows it. */
typedef enum change {
    CHANGE_NONE,
    CHANGE_ELEMENT, /* of A, if alpha is not 0: one element is another */
    CHANGE_SIZE,    /* k, or the columns of what is moved, is larger by 7 */
    CHANGE_ORDER    /* each pair's messages count in the reverse order */
} change;

/* A product C <- alpha op(A) op(B) + beta C, or a movement B <- alpha op(A) + beta B. */
typedef struct problem {
    uint64_t seed;
    change change;
    bool moves;
    ashlar_type type;
    ashlar_op op[2];
    int64_t size[3];          /* m, n, k; a movement has no k */
    ashlar_layout *layout[3]; /* of A, B and C as stored; NULL: the plan's own; a movement has two */
    ashlar_options options;
    int64_t limit; /* words of a movement's workspace, 0: the default */
    int torus_dims, torus[PROBLEM_TORUS_MOST]; /* 0 dimensions: none */
    double alpha, beta;
} problem;

/* Rows and columns of matrix x (0: A, 1: B, 2: C) as it is stored. */
void problem_shape(const problem *p, int x, int64_t shape[2]);

/* Problem number `seed` for this many ranks. Ends the program where it cannot be made. */
problem problem_random(uint64_t seed, change changed, int rank, int ranks);

void problem_free(problem *p);

/* What the problem asks for, as text. */
void problem_describe(const problem *p, char *out, size_t room);

#endif
