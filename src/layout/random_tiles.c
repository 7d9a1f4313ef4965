/* Random cuts and random patterns of tiles, for generated problems and for tests. */
#include "layout/random_tiles.h"
#include "base/array.h"
#include "base/checked.h"
#include "base/error.h"
#include "base/hash.h"
#include "base/wide.h"

#include <inttypes.h>
#include <stdlib.h>

/* A probability below this is 0. */
static const double least_likely = 0x1p-53;

/* A number from 0 to bound - 1. */
static int64_t draw_below(uint64_t key, int64_t counter, int64_t bound)
{
    return (int64_t)(((ashi_wide)(ashi_hash(key, counter) >> 1) * bound) >> 63);
}

/* 0 <= number < 1 */
static double draw_fraction(uint64_t key, int64_t counter)
{
    return (double)(ashi_hash(key, counter) >> 11) * 0x1p-53;
}

/* ---- cuts ---- */

/* The running sum of the tiles' chances: all are equal if spread is 1. */
static ashlar_status make_chances(int64_t tiles, double spread, uint64_t seed, int64_t **sum, ashlar_error *err)
{
    const int64_t unit = 1 << 16, range = (int64_t)((spread - 1) * (double)unit) + 1;
    *sum = malloc(((size_t)tiles + 1) * sizeof **sum);
    if (!*sum)
        return ashi_fail_memory(err, "random cuts", (tiles + 1) * (int64_t)sizeof **sum);
    (*sum)[0] = 0;
    for (int64_t t = 0; t < tiles; t++)
        if (!ashi_add((*sum)[t], unit + draw_below(~seed, t, range), &(*sum)[t + 1]))
            return ashi_fail(err, ASHLAR_ERR_OVERFLOW, "random cuts: too many tiles for the spread %g", spread);
    return ASHLAR_OK;
}

static void deal_indices(int64_t n, int64_t tiles, uint64_t seed, const int64_t *chance, int64_t *size)
{
    const ashi_cuts chances = {.tiles = tiles, .at = (int64_t *)chance};
    for (int64_t t = 0; t < tiles; t++)
        size[t] = 1;
    for (int64_t x = tiles; x < n; x++)
        size[chance ? ashi_cuts_find(&chances, draw_below(seed, x, chance[tiles])) : draw_below(seed, x, tiles)]++;
}

ashlar_status ashi_random_cuts(int64_t n, int64_t mean, double spread, uint64_t seed, const char *name, ashi_cuts *out,
                               ashlar_error *err)
{
    *out = (ashi_cuts){0};
    if (n < 0 || mean < 1 || !(spread >= 1 && spread <= ASHI_SPREAD_MOST))
        return ashi_fail(err, ASHLAR_ERR_ARG,
                         "random cuts of %s: n = %" PRId64 ", mean = %" PRId64
                         ", spread = %g, wanted n >= 0, mean >= 1 and spread from 1 to %d",
                         name, n, mean, spread, ASHI_SPREAD_MOST);
    const int64_t tiles = ashi_ceil_div(n, mean);
    int64_t *chance = NULL, *size = malloc(((size_t)tiles + 1) * sizeof *size);
    ashlar_status status = size ? ASHLAR_OK
                                : ashi_fail_memory(err, "random cuts", (tiles + 1) * (int64_t)sizeof *size);
    if (status == ASHLAR_OK && spread > 1)
        status = make_chances(tiles, spread, seed, &chance, err);
    if (status == ASHLAR_OK) {
        deal_indices(n, tiles, seed, chance, size);
        status = ashi_cuts_make(tiles, size, name, out, err);
    }
    free(chance);
    free(size);
    return status;
}

/* ---- patterns ---- */

/* exp(-x), x >= 0. By additions, multiplications and divisions alone, which are the same everywhere: libraries differ
 * in the last bit of exp. */
static double falling(double x)
{
    int halved = 0;
    for (; x > 0.5 && halved < 12; halved++)
        x /= 2;
    if (x > 0.5)
        return 0;
    double sum = 1;
    for (int n = 20; n > 0; n--) {
        const double term = x / n * sum;
        sum = 1 - term;
    }
    for (; halved > 0; halved--)
        sum *= sum;
    return sum;
}

static double power(double base, int64_t exponent)
{
    double result = 1;
    for (; exponent > 0; exponent /= 2, base *= base)
        if (exponent % 2 == 1)
            result *= base;
    return result;
}

static int64_t diagonal_of(const ashi_random_pattern *pattern, int64_t row)
{
    return (int64_t)((ashi_wide)row * pattern->cols / pattern->rows);
}

static int64_t apart(int64_t x, int64_t y)
{
    return x > y ? x - y : y - x;
}

ashlar_status ashi_random_check(const ashi_random_pattern *pattern, ashlar_error *err)
{
    if (pattern->rows < 0 || pattern->cols < 0)
        return ashi_fail(err, ASHLAR_ERR_ARG, "random pattern: %" PRId64 " x %" PRId64 " tiles, wanted at least 0",
                         pattern->rows, pattern->cols);
    if (!(pattern->density >= 0 && pattern->density <= 1))
        return ashi_fail(err, ASHLAR_ERR_ARG, "random pattern: density = %g, wanted from 0 to 1", pattern->density);
    if (!(pattern->decay >= 0))
        return ashi_fail(err, ASHLAR_ERR_ARG, "random pattern: decay = %g, wanted at least 0", pattern->decay);
    return ASHLAR_OK;
}

int64_t ashi_random_distance(const ashi_random_pattern *pattern, int64_t row, int64_t col)
{
    return apart(col, diagonal_of(pattern, row));
}

double ashi_random_factor(const ashi_random_pattern *pattern, int64_t row, int64_t col)
{
    return power(falling(pattern->decay), ashi_random_distance(pattern, row, col));
}

/* How far from the diagonal a tile can still be present: at most twice as far as needed. */
static int64_t reach_of(const ashi_random_pattern *pattern, double fall)
{
    int64_t reach = 1;
    while (reach < pattern->cols && pattern->density * power(fall, reach) >= least_likely)
        reach = 2 * reach;
    return reach;
}

/* Columns over which the probability falls by less than a factor of 3. */
static int64_t block_of(const ashi_random_pattern *pattern)
{
    if (pattern->decay >= 1)
        return 1;
    return pattern->decay * (double)pattern->cols <= 1 ? pattern->cols : (int64_t)(1 / pattern->decay);
}

ashi_random_row ashi_random_row_begin(const ashi_random_pattern *pattern, int64_t row)
{
    ashi_random_row tiles = {.of = pattern, .fall = falling(pattern->decay), .diagonal = diagonal_of(pattern, row),
                             .end = pattern->cols, .block = pattern->cols, .key = ashi_hash(pattern->seed, row)};
    if (pattern->decay > 0) {
        const int64_t reach = reach_of(pattern, tiles.fall);
        tiles.col = ashi_max(0, tiles.diagonal - reach);
        tiles.end = ashi_min(pattern->cols, tiles.diagonal + reach + 1);
        tiles.block = block_of(pattern);
    }
    tiles.block_end = tiles.col;
    return tiles;
}

static double likely_at(const ashi_random_row *tiles, int64_t col)
{
    return tiles->of->density * power(tiles->fall, apart(col, tiles->diagonal));
}

/* The next block of columns, in which the probabilities differ by less than a factor of 3. */
static void next_block(ashi_random_row *tiles)
{
    tiles->block_end = tiles->block < tiles->end - tiles->col ? tiles->col + tiles->block : tiles->end;
    const int64_t last = tiles->block_end - 1;
    const int64_t nearest = ashi_min(ashi_max(tiles->diagonal, tiles->col), last);
    tiles->likely = likely_at(tiles, nearest);
}

/* How many things that each happen with a probability do not, before one that does: at most `most`. The number g is
 * drawn with the probability (1 - probability)^g of being reached. */
static int64_t draw_gap(double probability, double fraction, int64_t most)
{
    double step[64];
    int steps = 0;
    step[0] = 1 - probability;
    for (int64_t length = 1; step[steps] > fraction && length <= most / 2; length *= 2, steps++)
        step[steps + 1] = step[steps] * step[steps];
    double reached = 1;
    int64_t gap = 0;
    for (; steps >= 0; steps--)
        if (reached * step[steps] > fraction) {
            reached *= step[steps];
            gap += (int64_t)1 << steps;
        }
    return ashi_min(gap, most);
}

int64_t ashi_random_row_next(ashi_random_row *tiles)
{
    while (tiles->col < tiles->end) {
        if (tiles->col == tiles->block_end)
            next_block(tiles);
        const int64_t left = tiles->block_end - tiles->col;
        tiles->col += tiles->likely < least_likely
                          ? left
                          : draw_gap(tiles->likely, draw_fraction(tiles->key, tiles->drawn++), left);
        if (tiles->col == tiles->block_end)
            continue;
        const int64_t col = tiles->col++;
        if (!(tiles->of->decay > 0) ||
            draw_fraction(tiles->key, tiles->drawn++) * tiles->likely < likely_at(tiles, col))
            return col;
    }
    return -1;
}

static ashlar_status list_rows(const ashi_random_pattern *pattern, int64_t first, int64_t end, ashi_tile_at **list,
                               int64_t *count, ashlar_error *err)
{
    int64_t capacity = 0;
    for (int64_t row = first; row < end; row++) {
        ashi_random_row tiles = ashi_random_row_begin(pattern, row);
        for (int64_t col; (col = ashi_random_row_next(&tiles)) >= 0;) {
            ashi_tile_at *larger = ashi_array_room(*list, &capacity, *count + 1, sizeof **list);
            if (!larger)
                return ashi_fail_memory(err, "a random pattern", 2 * *count * (int64_t)sizeof **list);
            *list = larger;
            (*list)[(*count)++] = (ashi_tile_at){row, col};
        }
    }
    return ASHLAR_OK;
}

ashlar_status ashi_random_pattern_make(const ashi_random_pattern *pattern, int64_t first, int64_t end,
                                       ashi_pattern *out, ashlar_error *err)
{
    *out = (ashi_pattern){0};
    ashi_tile_at *list = NULL;
    int64_t count = 0;
    ashlar_status status = ashi_random_check(pattern, err);
    if (status == ASHLAR_OK && (first < 0 || end > pattern->rows))
        status = ashi_fail(err, ASHLAR_ERR_ARG, "random pattern: rows %" PRId64 " to %" PRId64 " of %" PRId64, first,
                           end - 1, pattern->rows);
    if (status == ASHLAR_OK)
        status = list_rows(pattern, first, end, &list, &count, err);
    if (status == ASHLAR_OK)
        status = ashi_pattern_make(list, count, out, err);
    free(list);
    return status;
}
