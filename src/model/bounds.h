/* Lower bounds and closed-form costs of the papers. Words are elements. */
#ifndef ASHI_BOUNDS_H
#define ASHI_BOUNDS_H

#include <stdint.h>

/*
 * Throughout: op(A) is m x k, op(B) is k x n, C is m x n, all sizes >= 0, p >= 1. A size or p below that counts as the
 * least allowed. s, or memory_words, is the memory of one rank in words; 0 or less says that memory does not bind.
 * Every derivation is in docs/THEORY.md.
 */

/* The least words that the busiest of p ranks must receive from others. memory_words 0: memory does not bind. */
typedef struct ashi_bound {
    double words;
    const char *which;  /* "memory-independent, p <= d1/d2" ... */
    const char *source; /* "Al Daas et al., SPAA 2022" ... */
} ashi_bound;

/*
 * The larger of the memory-independent bound and of COSMA's Theorem 2 less the rank's share. For schedules that give
 * every rank an equal part of the products and of the matrices. Never negative; 0 for p = 1 and for an empty product.
 */
ashi_bound ashi_bound_words(int64_t m, int64_t n, int64_t k, int64_t p, int64_t memory_words);

/*
 * The same of `products` products of m x n x k, none of whose words belong to two of them: that of one product on
 * p/products ranks, a real number. The words that a rank touches are at least a concave function of its multiply-adds:
 * if they are of several products, the rank touches no fewer words than if they are of one. 0 if there are p products
 * or more.
 */
ashi_bound ashi_bound_batch(int64_t products, int64_t m, int64_t n, int64_t k, int64_t p, int64_t memory_words);

/* The three-case memory-independent bound alone (Al Daas, Ballard, Grigori, Kumar, Rouse, SPAA 2022). */
ashi_bound ashi_bound_memory_independent(int64_t m, int64_t n, int64_t k, int64_t p);

/* The least words that processes with s words of memory in all read from files and write to them: every word of A, B
 * and C once, or 2mnk/sqrt(s) - 2s (docs/THEORY.md, section 1), whichever is more. */
ashi_bound ashi_bound_files(int64_t m, int64_t n, int64_t k, int64_t s);

/* COSMA, Theorem 1: 2mnk/sqrt(S) + mn loads and stores of one process with S words of fast memory, S >= 1. */
double ashi_bound_sequential(int64_t m, int64_t n, int64_t k, int64_t s);

/* COSMA, Theorem 2 in the form of eq. 32: words a rank must touch, its own share included. */
double ashi_bound_parallel(int64_t m, int64_t n, int64_t k, int64_t p, int64_t s);

/*
 * COSMA, eq. 26: the integers a, b with the largest ab/(a+b) under ab + a + 1 <= S: the tile of the near-optimal
 * sequential schedule. S >= 3; less gives 1 x 1. Eqs. 27 and 28 solve it in real numbers, and their floors can lose a
 * row or a column (S = 100: 9 x 9, where 9 x 10 fits); this is the optimum, the smallest a of equals.
 */
void ashi_sequential_tile(int64_t s, int64_t *a, int64_t *b);

/* COSMA, eqs. 27 and 28 before the floors: the real a and b that maximise ab/(a+b). S >= 3. */
void ashi_sequential_tile_real(int64_t s, double *a, double *b);

/* Loads and stores of Listing 1 with a tile a x b (>= 1 each), counted exactly, ragged edges included; C starts at
 * 0. */
double ashi_sequential_words(int64_t m, int64_t n, int64_t k, int64_t a, int64_t b);

/* COSMA, eq. 32: the domain a x a x b of one rank; both 0 for an empty product. */
void ashi_parallel_domain(int64_t m, int64_t n, int64_t k, int64_t p, int64_t s, double *a, double *b);

/*
 * COSMA, Table 3, the general case: words a rank touches and messages it takes part in, of four decompositions. The
 * recursive and the COSMA row are the table as corrected in docs/THEORY.md; the 2.5D row holds its number of replicas
 * c = pS/(k(m+n)) between 1 and the cube root of p. latency is INFINITY where the formula leaves no memory for a panel
 * of A or B.
 */
typedef struct ashi_table3_row {
    const char *name; /* "2D", "2.5D", "recursive", "COSMA" */
    double words, latency;
} ashi_table3_row;

void ashi_table3(int64_t m, int64_t n, int64_t k, int64_t p, int64_t s, ashi_table3_row rows[4]);

/* Its 2.5D row for a given number of replicas c, at least 1: words a rank touches on a grid sqrt(p/c) x sqrt(p/c) x c.
 * With c = 1 it is the 2D row, with c = cbrt(p) 3D. */
double ashi_table3_replicas(int64_t m, int64_t n, int64_t k, int64_t p, double c);

/* What of the words that a rank touches does not arrive: its equal share of the three matrices. */
double ashi_bound_share(int64_t m, int64_t n, int64_t k, int64_t p);

/*
 * COSMA, Table 3, its two special cases: what is printed, what the general case of ashi_table3 gives, and the latter
 * less the rank's share, which is what arrives where the formula counts what is touched. docs/THEORY.md, section 6,
 * says where they differ. */
typedef struct ashi_table3_case {
    const char *name;
    double printed, touched, arriving;
} ashi_table3_case;

/* "Limited memory": m = n = k, S = 2n^2/p. n, p >= 1. */
void ashi_table3_square(int64_t n, int64_t p, ashi_table3_case out[4]);

/* "Extra memory": m = n, p = n^2, k = n^3/4, S = 2nk/p^(2/3). 1 <= n <= 2^15. */
void ashi_table3_tall(int64_t n, ashi_table3_case out[4]);

#endif
