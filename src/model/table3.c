/* Table 3 of the COSMA paper: four decompositions compared, with its misprints mended. */
#include "model/bounds.h"

#include <math.h>

typedef struct sizes {
    double m, n, k, p, s; /* s = INFINITY where memory does not bind */
    double domain;        /* products of one rank */
} sizes;

static double words_of_replicas(sizes z, double c)
{
    return z.k * (z.m + z.n) / sqrt(z.p * c) + z.m * z.n * c / z.p;
}

static ashi_table3_row row_2d(sizes z)
{
    return (ashi_table3_row){"2D", words_of_replicas(z, 1), 2 * z.k * log2(sqrt(z.p))};
}

/* In terms of the replicas c; with c = pS/(k(m+n)) put in, these are the printed formulas. */
static ashi_table3_row row_25d(sizes z)
{
    const double inputs = z.k * (z.m + z.n), outputs = z.m * z.n;
    const double replicas = inputs > 0 ? fmin(fmax(z.p * z.s / inputs, 1), cbrt(z.p)) : 1;
    double steps = outputs > 0 ? INFINITY : 0;
    if (inputs > outputs)
        steps = sqrt(z.p / (replicas * replicas * replicas)) * inputs / (inputs - outputs);
    return (ashi_table3_row){"2.5D", words_of_replicas(z, replicas), steps + 3 * log2(replicas)};
}

/* A cube of side sqrt(S/3) is the largest that fits with its three faces; a larger domain is done cube by cube. */
static ashi_table3_row row_recursive(sizes z)
{
    const double face = cbrt(z.domain) * cbrt(z.domain), streamed = sqrt(3) * z.domain / sqrt(z.s);
    const double cubes = 3 * streamed / z.s; /* 3^(3/2) mnk / (p S^(3/2)) */
    return (ashi_table3_row){"recursive", 2 * fmax(streamed, face) + face, cubes + 3 * log2(z.p)};
}

static ashi_table3_row row_cosma(sizes z)
{
    const double cube = cbrt(z.domain), a = fmin(cube, sqrt(z.s));
    const double words = a > 0 ? 2 * z.domain / a + a * a : 0;
    /* Rounds need room beside C for a column of A and a row of B: a^2 + 2a <= S. */
    const double side = fmin(cube, sqrt(z.s + 1) - 1);
    const double rounds = side > 0 ? fmax(2 * z.domain / side / (z.s - side * side), 1) : 0;
    const double fibre = side > 0 ? fmax(z.m * z.n / (side * side), 1) : 1;
    return (ashi_table3_row){"COSMA", words, rounds * log2(fibre)};
}

static double at_least(int64_t x, int64_t least)
{
    return (double)(x < least ? least : x);
}

static sizes sizes_of(int64_t m, int64_t n, int64_t k, int64_t p, int64_t s)
{
    sizes z = {at_least(m, 0), at_least(n, 0), at_least(k, 0), at_least(p, 1), s > 0 ? (double)s : INFINITY, 0};
    z.domain = z.m * z.n * z.k / z.p;
    return z;
}

double ashi_table3_replicas(int64_t m, int64_t n, int64_t k, int64_t p, double c)
{
    return words_of_replicas(sizes_of(m, n, k, p, 0), c);
}

void ashi_table3(int64_t m, int64_t n, int64_t k, int64_t p, int64_t s, ashi_table3_row rows[4])
{
    const sizes z = sizes_of(m, n, k, p, s);
    rows[0] = row_2d(z);
    rows[1] = row_25d(z);
    rows[2] = row_recursive(z);
    rows[3] = row_cosma(z);
}
