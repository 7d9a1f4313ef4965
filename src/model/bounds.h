/* Lower bounds and closed-form costs of the papers. Words are elements. */
#ifndef ASHI_BOUNDS_H
#define ASHI_BOUNDS_H

#include <stdint.h>

/* The least words that the busiest of p ranks must receive from others. memory_words 0: memory does not bind. */
typedef struct ashi_bound {
    double words;
    const char *which;  /* "memory-independent, p <= d1/d2" ... */
    const char *source; /* "Al Daas et al., SPAA 2022, Theorem 3" ... */
} ashi_bound;

ashi_bound ashi_bound_words(int64_t m, int64_t n, int64_t k, int64_t p, int64_t memory_words);

/* The three-case memory-independent bound alone (Al Daas, Ballard, Grigori, Kumar, Rouse, SPAA 2022). */
ashi_bound ashi_bound_memory_independent(int64_t m, int64_t n, int64_t k, int64_t p);

/* COSMA, Theorem 1: 2mnk/sqrt(S) + mn loads and stores of one process with S words of fast memory. */
double ashi_bound_sequential(int64_t m, int64_t n, int64_t k, int64_t s);

/* COSMA, Theorem 2 in the form of eq. 32: words a rank must touch, its own share included. */
double ashi_bound_parallel(int64_t m, int64_t n, int64_t k, int64_t p, int64_t s);

/* COSMA, eqs. 27 and 28: the tile a x b of the near-optimal sequential schedule; ab + a + 1 <= S. S >= 4. */
void ashi_sequential_tile(int64_t s, int64_t *a, int64_t *b);

/* Loads and stores of Listing 1 with that tile, counted exactly, ragged edges included. */
double ashi_sequential_words(int64_t m, int64_t n, int64_t k, int64_t a, int64_t b);

/* COSMA, eq. 32: the domain a x a x b of one rank. */
void ashi_parallel_domain(int64_t m, int64_t n, int64_t k, int64_t p, int64_t s, double *a, double *b);

/* COSMA, Table 3, the general case: words and latency of four decompositions. */
typedef struct ashi_table3_row {
    const char *name; /* "2D", "2.5D", "recursive", "COSMA" */
    double words, latency;
} ashi_table3_row;

void ashi_table3(int64_t m, int64_t n, int64_t k, int64_t p, int64_t s, ashi_table3_row rows[4]);

#endif
