/* Is a product right? Freivalds' test (1977) over matrices distributed in memory or lying in files: C x against
 * alpha op(A) (op(B) x) + beta C0 x.
 *
 * x has elements +1 and -1 drawn at random. An error E in C shows as E x: always where a row of E has one element, and
 * otherwise with a chance of at least 1/2 a vector. All sums are taken in long double.
 *
 * What rounding may do to row i is bounded from the data. An inner product of length k in arithmetic of unit roundoff u
 * errs by at most k u |a||b| in any order of summation (Jeannerod and Rump, SIAM J. Matrix Anal. Appl. 34, 2013), so
 * |E_ij| <= c u (|alpha| ||a_i|| ||b_j|| + |beta| |c0_ij|), with c = k + 8, and sqrt(2) (2k + 16) for complex numbers,
 * which are inner products of twice the length in two parts. The signs of x are independent of E, so by Hoeffding's
 * inequality
 *
 *     |(E x)_i| <= t c u (|alpha| ||a_i|| ||B||_F + |beta| ||c0_i||),    t = min(sqrt(n), sqrt(2 ln(4 m V 1e12))),
 *
 * for all m rows and V vectors but with a chance of 1e-12. To this are added what the test's own arithmetic may err by
 * and what underflow may lose. */
#ifndef ASHI_FREIVALDS_H
#define ASHI_FREIVALDS_H

#include "plan/context.h"
#include "store/store.h"
#include "store/tiles.h"

enum {
    ASHI_FREIVALDS_VECTORS = 8,
    ASHI_FREIVALDS_C0 = 3 /* beside ashlar_operand */
};

/* A matrix in a file, of which this rank reads one of `readers` shares, or, where `file` is NULL, nothing. */
typedef struct ashi_freivalds_file {
    ashi_store *file;
    ashlar_type type; /* of the file, which may be wider than the product's */
    int share, readers;
} ashi_freivalds_file;

/* A tile of a matrix in memory of which any may be absent, and what is to be done with its elements. */
typedef struct ashi_freivalds_tile {
    ashi_tile tile;        /* its owner does not matter */
    bool conjugate, minus;
    bool viewed;           /* its elements are found by `view`, and its offset is 0 there */
    int64_t number;        /* then: which one */
} ashi_freivalds_tile;

/* Those that this rank has; all ranks have them, or none. */
typedef struct ashi_freivalds_tiles {
    const ashi_freivalds_tile *tile;
    int64_t count;
    const void *data;
    const void *(*view)(const void *user, int64_t number); /* what it returns stays until the next call */
    const void *user;
} ashi_freivalds_tiles;

/* The product in question. Matrices in memory have layouts, and data are this rank's parts, each one array; those in
 * files have no layouts. C0 is what was in C's memory, or in a file: then its `readers` are not 0. */
typedef struct ashi_freivalds_product {
    const ashlar_context *context;
    const ashlar_problem *problem;
    const ashlar_layout *layout[3];
    const void *data[3];
    ashi_freivalds_file file[4]; /* A, B, C and C0 */
    const ashi_freivalds_tiles *tiles[4]; /* of A, B, C and C0, or NULL: then they have neither layout nor file */
    double allowed;           /* the Frobenius norm of what was left out on purpose; a row may lack as much */
    const void *alpha, *beta; /* one element each; where beta is 0, C0 is not read, and where alpha is 0, A and B */
} ashi_freivalds_product;

typedef struct ashi_freivalds {
    long double *start; /* beta C0 x of this rank's tiles of C, and the squares of C0's rows after it */
    int64_t rows;       /* over all tiles of this rank */
    bool done, passed;
    double worst;       /* the largest residual over its bound */
    int64_t row;        /* where that was */
} ashi_freivalds;

/* Before the product, if C's memory is C0's and has a layout: keep what will be needed of C0, ASHI_FREIVALDS_VECTORS
 * complex numbers and one more for each row of each tile of this rank. Nothing for files and tiles. Local. */
ashlar_status ashi_freivalds_begin(const ashi_freivalds_product *product, ashi_freivalds *out, ashlar_error *err);

/* After it: judge C. Fills done, passed, worst, row, the same on all ranks. Holds 16 MiB beside the matrices, and where
 * they are in files 8 MiB more and what the stores hold. A file is read once, that of B once for each 2^14 rows of
 * C. Collective; the status is the same on all ranks. */
ashlar_status ashi_freivalds_judge(const ashi_freivalds_product *product, ashi_freivalds *test, ashlar_error *err);

void ashi_freivalds_free(ashi_freivalds *test);

#endif
