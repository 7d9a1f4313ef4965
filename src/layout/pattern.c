/* Which tiles of a matrix, or of a part of it, are present. */
#include "layout/pattern.h"
#include "base/array.h"
#include "base/error.h"
#include "base/ordering.h"

#include <stdlib.h>
#include <string.h>

static bool before(const ashi_tile_at *x, const ashi_tile_at *y)
{
    return x->row != y->row ? x->row < y->row : x->col < y->col;
}

static bool in_order(const ashi_tile_at *tile, int64_t count)
{
    for (int64_t t = 1; t < count; t++)
        if (before(&tile[t], &tile[t - 1]))
            return false;
    return true;
}

/* By row, then by column. */
static ashlar_status put_in_order(ashi_tile_at *tile, int64_t count, ashlar_error *err)
{
    if (in_order(tile, count))
        return ASHLAR_OK;
    int64_t *order = malloc((size_t)count * sizeof *order);
    ashi_tile_at *sorted = malloc((size_t)count * sizeof *sorted);
    bool done = order && sorted;
    if (done) {
        ashi_order_start(count, order);
        done = ashi_order_by(&tile->col, 2, count, order) && ashi_order_by(&tile->row, 2, count, order);
    }
    if (done) {
        for (int64_t t = 0; t < count; t++)
            sorted[t] = tile[order[t]];
        memcpy(tile, sorted, (size_t)count * sizeof *tile);
    }
    free(order);
    free(sorted);
    return done ? ASHLAR_OK
                : ashi_fail_memory(err, "the pattern of a matrix", count * (int64_t)(sizeof *order + sizeof *sorted));
}

ashlar_status ashi_pattern_reserve(int64_t rows, int64_t tiles, ashi_pattern *out, ashlar_error *err)
{
    const size_t number = sizeof *out->row;
    *out = (ashi_pattern){.rows = rows,
                          .tiles = tiles,
                          .row = malloc(((size_t)rows + 1) * number),
                          .start = malloc(((size_t)rows + 1) * number),
                          .col = malloc(((size_t)tiles + 1) * number)};
    if (out->row && out->start && out->col) {
        out->start[rows] = tiles;
        return ASHLAR_OK;
    }
    return ashi_fail_memory(err, "the pattern of a matrix", (2 * rows + tiles) * (int64_t)number);
}

static bool same(const ashi_tile_at *x, const ashi_tile_at *y)
{
    return x->row == y->row && x->col == y->col;
}

ashlar_status ashi_pattern_make(ashi_tile_at *tile, int64_t count, ashi_pattern *out, ashlar_error *err)
{
    *out = (ashi_pattern){0};
    int64_t rows = 0, tiles = 0;
    ashlar_status status = put_in_order(tile, count, err);
    if (status != ASHLAR_OK)
        return status;
    for (int64_t t = 0; t < count; t++) {
        rows += t == 0 || tile[t].row != tile[t - 1].row;
        tiles += t == 0 || !same(&tile[t], &tile[t - 1]);
    }
    status = ashi_pattern_reserve(rows, tiles, out, err);
    if (status != ASHLAR_OK)
        return status;
    int64_t x = -1, number = 0;
    for (int64_t t = 0; t < count; t++) {
        if (t > 0 && same(&tile[t], &tile[t - 1]))
            continue;
        if (t == 0 || tile[t].row != tile[t - 1].row) {
            out->row[++x] = tile[t].row;
            out->start[x] = number;
        }
        out->col[number++] = tile[t].col;
    }
    return ASHLAR_OK;
}

ashlar_status ashi_pattern_copy(const ashi_pattern *from, ashi_pattern *out, ashlar_error *err)
{
    const ashlar_status status = ashi_pattern_reserve(from->rows, from->tiles, out, err);
    if (status != ASHLAR_OK || from->tiles == 0)
        return status;
    memcpy(out->row, from->row, (size_t)from->rows * sizeof *out->row);
    memcpy(out->start, from->start, (size_t)from->rows * sizeof *out->start);
    memcpy(out->col, from->col, (size_t)from->tiles * sizeof *out->col);
    return ASHLAR_OK;
}

void ashi_pattern_free(ashi_pattern *pattern)
{
    free(pattern->row);
    free(pattern->start);
    free(pattern->col);
    *pattern = (ashi_pattern){0};
}

/* ---- one tile after another ---- */

static bool room(int64_t **numbers, int64_t *capacity, int64_t count)
{
    int64_t *larger = ashi_array_room(*numbers, capacity, count, sizeof **numbers);
    if (larger)
        *numbers = larger;
    return larger != NULL;
}

bool ashi_pattern_add(ashi_pattern_maker *maker, int64_t row, int64_t col)
{
    ashi_pattern *made = &maker->made;
    if (!room(&made->col, &maker->col_room, made->tiles + 1))
        return false;
    if (made->rows == 0 || made->row[made->rows - 1] != row) {
        if (!room(&made->row, &maker->row_room, made->rows + 1) ||
            !room(&made->start, &maker->start_room, made->rows + 2))
            return false;
        made->row[made->rows] = row;
        made->start[made->rows++] = made->tiles;
    }
    made->col[made->tiles++] = col;
    return true;
}

/* Gives back what is not needed of an array; at least one number stays. */
static void trim(int64_t **numbers, int64_t count)
{
    int64_t *smaller = realloc(*numbers, (size_t)(count > 0 ? count : 1) * sizeof **numbers);
    if (smaller)
        *numbers = smaller;
}

ashlar_status ashi_pattern_finish(ashi_pattern_maker *maker, bool all_added, ashi_pattern *out, ashlar_error *err)
{
    *out = maker->made;
    *maker = (ashi_pattern_maker){0};
    if (!all_added)
        return ashi_fail_memory(err, "the pattern of a matrix", 2 * out->tiles * (int64_t)sizeof *out->col);
    if (out->rows == 0)
        return ashi_pattern_reserve(0, 0, out, err);
    out->start[out->rows] = out->tiles;
    trim(&out->row, out->rows);
    trim(&out->start, out->rows + 1);
    trim(&out->col, out->tiles);
    return ASHLAR_OK;
}

static bool numbers_equal(const int64_t *x, const int64_t *y, int64_t count)
{
    return count == 0 || memcmp(x, y, (size_t)count * sizeof *x) == 0;
}

bool ashi_pattern_equal(const ashi_pattern *x, const ashi_pattern *y)
{
    return x->rows == y->rows && x->tiles == y->tiles && numbers_equal(x->row, y->row, x->rows) &&
           numbers_equal(x->start, y->start, x->rows) && numbers_equal(x->col, y->col, x->tiles);
}

/* ---- looking up ---- */

/* Where `wanted` is in an ascending array between lo and hi, -1 if it is not there. */
static int64_t search(const int64_t *in, int64_t lo, int64_t hi, int64_t wanted)
{
    const int64_t at = ashi_first_from(in, lo, hi, wanted);
    return at < hi && in[at] == wanted ? at : -1;
}

int64_t ashi_pattern_row(const ashi_pattern *pattern, int64_t row)
{
    return search(pattern->row, 0, pattern->rows, row);
}

int64_t ashi_pattern_find(const ashi_pattern *pattern, int64_t row, int64_t col)
{
    const int64_t x = ashi_pattern_row(pattern, row);
    return x < 0 ? -1 : search(pattern->col, pattern->start[x], pattern->start[x + 1], col);
}

/* *near is the row that was found last. */
int64_t ashi_pattern_find_near(const ashi_pattern *pattern, int64_t row, int64_t col, int64_t *near)
{
    const int64_t from = *near < pattern->rows && pattern->row[*near] <= row ? *near : 0;
    const int64_t x = ashi_first_near(pattern->row, from, pattern->rows, row);
    if (x == pattern->rows || pattern->row[x] != row)
        return -1;
    *near = x;
    return search(pattern->col, pattern->start[x], pattern->start[x + 1], col);
}
