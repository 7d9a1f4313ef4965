/* Which tiles of a matrix, or of a part of it, are present. */
#include "layout/pattern.h"
#include "base/error.h"

#include <stdlib.h>
#include <string.h>

static int by_row_then_column(const void *a, const void *b)
{
    const ashi_tile_at *x = a, *y = b;
    if (x->row != y->row)
        return x->row < y->row ? -1 : 1;
    return (x->col > y->col) - (x->col < y->col);
}

static ashlar_status reserve(int64_t rows, int64_t tiles, ashi_pattern *out, ashlar_error *err)
{
    const size_t number = sizeof *out->row;
    *out = (ashi_pattern){.rows = rows,
                          .tiles = tiles,
                          .row = malloc(((size_t)rows + 1) * number),
                          .start = malloc(((size_t)rows + 1) * number),
                          .col = malloc(((size_t)tiles + 1) * number)};
    if (out->row && out->start && out->col)
        return ASHLAR_OK;
    return ashi_fail_memory(err, "the pattern of a matrix", (2 * rows + tiles) * (int64_t)number);
}

static bool same(const ashi_tile_at *x, const ashi_tile_at *y)
{
    return x->row == y->row && x->col == y->col;
}

ashlar_status ashi_pattern_make(ashi_tile_at *tile, int64_t count, ashi_pattern *out, ashlar_error *err)
{
    int64_t rows = 0, tiles = 0;
    if (count > 1)
        qsort(tile, (size_t)count, sizeof *tile, by_row_then_column);
    for (int64_t t = 0; t < count; t++) {
        rows += t == 0 || tile[t].row != tile[t - 1].row;
        tiles += t == 0 || !same(&tile[t], &tile[t - 1]);
    }
    const ashlar_status status = reserve(rows, tiles, out, err);
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
    out->start[rows] = tiles;
    return ASHLAR_OK;
}

ashlar_status ashi_pattern_copy(const ashi_pattern *from, ashi_pattern *out, ashlar_error *err)
{
    const ashlar_status status = reserve(from->rows, from->tiles, out, err);
    if (status != ASHLAR_OK)
        return status;
    memcpy(out->row, from->row, (size_t)from->rows * sizeof *out->row);
    memcpy(out->start, from->start, ((size_t)from->rows + 1) * sizeof *out->start);
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

/* Where `wanted` is in an ascending array between lo and hi, -1 if it is not there. */
static int64_t search(const int64_t *in, int64_t lo, int64_t hi, int64_t wanted)
{
    const int64_t end = hi;
    while (lo < hi) {
        const int64_t middle = lo + (hi - lo) / 2;
        if (in[middle] < wanted)
            lo = middle + 1;
        else
            hi = middle;
    }
    return lo < end && in[lo] == wanted ? lo : -1;
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
