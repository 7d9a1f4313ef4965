/* The least words that the busiest of p ranks must receive. */
#include "model/bounds.h"

#include <math.h>

typedef struct sorted {
    double d1, d2, d3; /* d1 >= d2 >= d3 */
} sorted;

static double at_least(int64_t x, int64_t least)
{
    return (double)(x < least ? least : x);
}

static sorted sort_sizes(int64_t m, int64_t n, int64_t k)
{
    const double x = at_least(m, 0), y = at_least(n, 0), z = at_least(k, 0);
    const double d1 = fmax(x, fmax(y, z)), d3 = fmin(x, fmin(y, z));
    return (sorted){d1, fmax(fmin(x, y), fmin(fmax(x, y), z)), d3};
}

/* Words of A, B and C that each of p ranks owns. */
static double share(sorted d, double p)
{
    return (d.d1 * d.d2 + d.d1 * d.d3 + d.d2 * d.d3) / p;
}

double ashi_bound_share(int64_t m, int64_t n, int64_t k, int64_t p)
{
    return share(sort_sizes(m, n, k), at_least(p, 1));
}

/* Of `ranks` ranks, which need not be a whole number. */
static ashi_bound independent(sorted d, double ranks)
{
    const char *source = "Al Daas, Ballard, Grigori, Kumar and Rouse, SPAA 2022";
    if (d.d3 <= 0 || ranks <= 1)
        return (ashi_bound){0, d.d3 <= 0 ? "empty product" : "one rank", source};
    /* Multiplied out, so that whole numbers are compared as whole numbers. */
    if (ranks * d.d2 <= d.d1)
        return (ashi_bound){(1 - 1 / ranks) * d.d2 * d.d3, "memory-independent, p <= d1/d2", source};
    if (ranks * d.d3 * d.d3 <= d.d1 * d.d2) {
        const double words = 2 * d.d3 * sqrt(d.d1 * d.d2 / ranks) - (d.d1 * d.d3 + d.d2 * d.d3) / ranks;
        return (ashi_bound){fmax(words, 0), "memory-independent, d1/d2 < p <= d1 d2/d3^2", source};
    }
    const double side = cbrt(d.d1 * d.d2 * d.d3 / ranks);
    return (ashi_bound){fmax(3 * side * side - share(d, ranks), 0), "memory-independent, p > d1 d2/d3^2", source};
}

ashi_bound ashi_bound_memory_independent(int64_t m, int64_t n, int64_t k, int64_t p)
{
    return independent(sort_sizes(m, n, k), at_least(p, 1));
}

/* The domain of eq. 32 of a rank with this number of products. */
static void domain(double products, int64_t s, double *a, double *b)
{
    *a = cbrt(products);
    if (s > 0)
        *a = fmin(*a, sqrt((double)s));
    *b = products > 0 ? products / (*a * *a) : 0;
}

void ashi_parallel_domain(int64_t m, int64_t n, int64_t k, int64_t p, int64_t s, double *a, double *b)
{
    domain(at_least(m, 0) * at_least(n, 0) * at_least(k, 0) / at_least(p, 1), s, a, b);
}

double ashi_bound_parallel(int64_t m, int64_t n, int64_t k, int64_t p, int64_t s)
{
    double a, b;
    ashi_parallel_domain(m, n, k, p, s, &a, &b);
    return 2 * a * b + a * a;
}

/* The larger of the two bounds, of `ranks` ranks that need not be a whole number. */
static ashi_bound either(sorted d, double ranks, int64_t memory_words)
{
    const ashi_bound unlimited = independent(d, ranks);
    if (memory_words <= 0 || d.d3 <= 0 || ranks <= 1)
        return unlimited;
    double a, b;
    domain(d.d1 * d.d2 * d.d3 / ranks, memory_words, &a, &b);
    const double limited = 2 * a * b + a * a - share(d, ranks);
    /* Where memory does not bind the two may be one number, got by two ways of rounding. */
    if (limited <= unlimited.words * (1 + 1e-12))
        return unlimited;
    return (ashi_bound){limited, "memory binds: 2mnk/(p sqrt S) + S, less the share",
                        "Kwasniewski et al., SC 2019 (COSMA), Theorem 2 through eq. 32"};
}

ashi_bound ashi_bound_words(int64_t m, int64_t n, int64_t k, int64_t p, int64_t memory_words)
{
    return either(sort_sizes(m, n, k), at_least(p, 1), memory_words);
}

ashi_bound ashi_bound_batch(int64_t products, int64_t m, int64_t n, int64_t k, int64_t p, int64_t memory_words)
{
    return either(sort_sizes(m, n, k), at_least(p, 1) / at_least(products, 1), memory_words);
}
