/* The near-optimal schedule of one process with a small fast memory: its tile, its words and their bound. */
#include "base/checked.h"
#include "base/wide.h"
#include "model/bounds.h"

#include <math.h>

/* A larger memory gives no tile that matters, and below it the comparisons stay within 128 bits. */
static const int64_t LARGEST_MEMORY = INT64_C(1) << 60;

double ashi_bound_sequential(int64_t m, int64_t n, int64_t k, int64_t s)
{
    const double rows = (double)ashi_max(m, 0), cols = (double)ashi_max(n, 0), depth = (double)ashi_max(k, 0);
    return 2 * rows * cols * depth / sqrt((double)ashi_max(s, 1)) + rows * cols;
}

ashi_bound ashi_bound_files(int64_t m, int64_t n, int64_t k, int64_t s)
{
    const double rows = (double)ashi_max(m, 0), cols = (double)ashi_max(n, 0), depth = (double)ashi_max(k, 0);
    const double memory = (double)ashi_max(s, 1);
    const double once = rows * depth + depth * cols + rows * cols;
    const double phases = 2 * rows * cols * depth / sqrt(memory) - 2 * memory;
    if (phases > once)
        return (ashi_bound){phases, "2mnk/sqrt(S) - 2S, S the memory of all ranks together", "Smith and van de Geijn"};
    return (ashi_bound){once, "every word of A, B and C once", "none needed"};
}

void ashi_sequential_tile_real(int64_t s, double *a, double *b)
{
    /* Eqs. 27 and 28 in terms of t = sqrt(S - 1), without their cancellation. */
    const double t = sqrt((double)ashi_max(s, 3) - 1);
    *a = t * t / (t + 1);
    *b = t;
}

typedef struct tile {
    int64_t a, b;
} tile;

/* The tallest tile of the given width. */
static tile tile_of(int64_t room, int64_t a)
{
    return (tile){a, (room - a) / a};
}

/* Whether x has more products per loaded word than y. */
static bool denser(tile x, tile y)
{
    return (ashi_wide)x.a * x.b * (y.a + y.b) > (ashi_wide)y.a * y.b * (x.a + x.b);
}

/* Whether a tile of width a, were its height a real number, could be as dense as best or denser. */
static bool may_be_denser(int64_t room, int64_t a, tile best)
{
    const ashi_wide products = room - a, words_by_a = (ashi_wide)a * a + room - a;
    return products * a * (best.a + best.b) >= words_by_a * ((ashi_wide)best.a * best.b);
}

void ashi_sequential_tile(int64_t s, int64_t *a, int64_t *b)
{
    const int64_t room = ashi_max(ashi_min(s, LARGEST_MEMORY), 3) - 1;
    double real_a, real_b;
    ashi_sequential_tile_real(room + 1, &real_a, &real_b);
    const int64_t start = ashi_max((int64_t)real_a, 1);
    tile best = tile_of(room, start);
    /* Away from the real optimum the density of a real tile only falls, so each way ends where it is below the best. */
    for (int64_t w = start + 1; 2 * w <= room && may_be_denser(room, w, best); w++)
        if (denser(tile_of(room, w), best))
            best = tile_of(room, w);
    for (int64_t w = start - 1; w >= 1 && may_be_denser(room, w, best); w--)
        if (!denser(best, tile_of(room, w)))
            best = tile_of(room, w);
    *a = best.a;
    *b = best.b;
}

double ashi_sequential_words(int64_t m, int64_t n, int64_t k, int64_t a, int64_t b)
{
    const int64_t rows = ashi_max(m, 0), cols = ashi_max(n, 0);
    /* A is read once for every column of tiles, B once for every row of them, C is written once. */
    const double tiles_down = (double)ashi_ceil_div(rows, ashi_max(a, 1));
    const double tiles_across = (double)ashi_ceil_div(cols, ashi_max(b, 1));
    const double loads = (tiles_across * (double)rows + tiles_down * (double)cols) * (double)ashi_max(k, 0);
    return loads + (double)rows * (double)cols;
}
