/* The twelve scenarios of the COSMA paper's evaluation: their sizes, memory, counts of ranks and published words.
 *
 * Source: Kwasniewski et al., SC 2019, sections 8 and 9 and Table 4. The text gives the sizes of strong scaling, the
 * shapes, and what is held constant; it leaves the constants open. The authors published the program that made the
 * sizes, scripts/generate_numbers_2.py, and measured times, paper/results, with their library (eth-cscs/COSMA): with
 * 1.25e9 words on a node, sides times 0.4, it gives every size of square and largeK products in those results, and so
 * do the rules for counts of ranks below. For largeM and flat products nothing is published: largeM mirrors largeK, and
 * flat has the words of the square product for its k = 256 (section 9). */
#include "evaluation/scenario.h"

#include "base/checked.h"

#include <math.h>
#include <stdlib.h>

enum { CORES = 36, FLAT_K = 256, STRONG_FLAT_K = 512, STRONG_FLAT = 131072, STRONG_SQUARE = 16384 };
enum { RPA_M = 17408, RPA_K = 3735552, RPA_LEAST_RANKS = 2048 };

/* Words on a node that the sizes were computed from, and what sides were then multiplied by. */
static const double node_words = 1.25e9, side_factor = 0.4;

/* Of w water molecules: m = n = 136 w, k = 228 w^2. */
static const double rpa_m = 136, rpa_k = 228;

/* 64 GiB on a node of 36 cores, in doubles. */
static const int64_t main_memory = INT64_C(64) * 1024 * 1024 * 1024 / CORES / 8;

const char *ashi_shape_name(ashi_shape shape)
{
    static const char *const names[ASHI_SHAPES] = {"square", "largeK", "largeM", "flat"};
    return names[shape];
}

const char *ashi_scaling_name(ashi_scaling scaling)
{
    static const char *const names[ASHI_SCALINGS] = {"strong", "limited", "extra"};
    return names[scaling];
}

const char *ashi_rival_name(ashi_rival rival)
{
    static const char *const names[ASHI_RIVALS] = {"ScaLAPACK", "CTF", "CARMA", "COSMA"};
    return names[rival];
}

double ashi_scenario_published(ashi_shape shape, ashi_scaling scaling, ashi_rival rival)
{
    static const double mb[ASHI_SHAPES][ASHI_SCALINGS][ASHI_RIVALS] = {
        {{203, 222, 195, 107}, {816, 986, 799, 424}, {303, 350, 291, 151}},
        {{2636, 2278, 659, 545}, {368, 541, 128, 88}, {133, 152, 48, 35}},
        {{3507, 2024, 541, 410}, {989, 672, 399, 194}, {122, 77, 77, 29}},
        {{134, 68, 10, 7}, {47, 101, 26, 8}, {15, 15, 10, 3}},
    };
    return mb[shape][scaling][rival];
}

static int ascending(const void *a, const void *b)
{
    const int64_t x = *(const int64_t *)a, y = *(const int64_t *)b;
    return (x > y) - (x < y);
}

/* Whole nodes, one core more than the node before them has, and powers of two. */
int ashi_scenario_counts(int64_t out[ASHI_SCENARIO_COUNTS])
{
    static const int nodes[] = {4, 7, 8, 13, 16, 25, 27, 32, 37, 61, 64, 81, 93, 128, 201, 216, 256, 333, 473, 512};
    int count = 0;
    for (size_t i = 0; i < sizeof nodes / sizeof nodes[0]; i++) {
        out[count++] = (int64_t)CORES * nodes[i];
        out[count++] = (int64_t)CORES * (nodes[i] - 1) + 1;
    }
    for (int64_t p = 128; p <= 16384; p *= 2)
        out[count++] = p;
    qsort(out, (size_t)count, sizeof *out, ascending);
    return count;
}

int64_t ashi_scenario_least_ranks(ashi_shape shape, ashi_scaling scaling)
{
    return scaling == ASHI_STRONG && (shape == ASHI_LARGE_K || shape == ASHI_LARGE_M) ? RPA_LEAST_RANKS : 1;
}

/* Limited: words in all grow as the ranks; extra: as their power 2/3. */
static double growth(ashi_scaling scaling, int64_t ranks)
{
    const double nodes = (double)ashi_ceil_div(ranks, CORES);
    return scaling == ASHI_LIMITED ? nodes : cbrt(nodes) * cbrt(nodes);
}

static int64_t scaled(double side)
{
    return ashi_max(1, (int64_t)floor(side_factor * floor(side)));
}

static void weak_size(ashi_shape shape, double nodes, int64_t *side, int64_t *other)
{
    if (shape == ASHI_SQUARE) {
        *side = *other = scaled(sqrt(nodes * node_words / 3));
    } else if (shape == ASHI_FLAT) {
        /* n^2 + 2 k n = the words of the square product. */
        const double words = side_factor * side_factor * nodes * node_words, k = FLAT_K;
        *side = ashi_max(1, (int64_t)floor(sqrt(words + k * k) - k));
        *other = FLAT_K;
    } else {
        const double m = floor(rpa_m * cbrt(nodes * node_words / (3 * rpa_k * rpa_m)));
        *side = scaled(m);
        *other = scaled(rpa_k / (rpa_m * rpa_m) * m * m);
    }
}

static void strong_size(ashi_shape shape, int64_t *side, int64_t *other)
{
    *side = shape == ASHI_SQUARE ? STRONG_SQUARE : shape == ASHI_FLAT ? STRONG_FLAT : RPA_M;
    *other = shape == ASHI_SQUARE ? STRONG_SQUARE : shape == ASHI_FLAT ? STRONG_FLAT_K : RPA_K;
}

void ashi_scenario_size(ashi_shape shape, ashi_scaling scaling, int64_t ranks, int64_t size[3])
{
    int64_t side, other;
    if (scaling == ASHI_STRONG)
        strong_size(shape, &side, &other);
    else
        weak_size(shape, growth(scaling, ranks), &side, &other);
    size[0] = size[1] = size[2] = side;
    size[shape == ASHI_LARGE_M ? 0 : 2] = other;
}

/* Limited: the matrices once, and as much again for what is under way; extra: p^(1/3) copies more of the matrices. */
int64_t ashi_scenario_memory(ashi_scaling scaling, int64_t ranks, const int64_t size[3], bool machine)
{
    const double m = (double)size[0], n = (double)size[1], k = (double)size[2];
    const double share = (m * n + m * k + n * k) / (double)ranks;
    if (machine || scaling == ASHI_STRONG)
        return main_memory;
    return (int64_t)ceil(share * (1 + (scaling == ASHI_LIMITED ? 1 : cbrt((double)ranks))));
}
