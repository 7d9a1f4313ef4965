/* The tiles of op(X), row of tiles by row of tiles: the pattern itself, or its transpose. */
#include "kernel/tile_rows.h"

#include "base/error.h"
#include "base/ordering.h"

#include <stdlib.h>
#include <string.h>

/* How many columns of tiles the pattern has something in, and with `first` where each begins when the tiles are put
 * column by column: a count for each column of the matrix, added up. */
static int64_t add_up(const ashi_pattern *p, int64_t columns, int64_t *first)
{
    int64_t used = 0;
    memset(first, 0, ((size_t)columns + 1) * sizeof *first);
    for (int64_t t = 0; t < p->tiles; t++)
        used += first[p->col[t] + 1]++ == 0;
    for (int64_t j = 0; j < columns; j++)
        first[j + 1] += first[j];
    return used;
}

static ashlar_status turn(const ashi_tile_set *set, ashi_tile_rows *out, ashlar_error *err)
{
    const ashi_pattern *p = set->pattern;
    const int64_t columns = set->cols->tiles;
    int64_t *first = malloc(((size_t)columns + 1) * sizeof *first);
    if (!first)
        return ashi_fail_memory(err, "the columns of a set of tiles", (columns + 1) * (int64_t)sizeof *first);
    const int64_t used = add_up(p, columns, first);
    out->own_count = 2 * used + 1 + 2 * p->tiles;
    out->own = malloc((size_t)out->own_count * sizeof *out->own);
    if (!out->own) {
        free(first);
        return ashi_fail_memory(err, "the columns of a set of tiles", out->own_count * (int64_t)sizeof *out->own);
    }
    int64_t *row = out->own, *start = row + used, *col = start + used + 1, *number = col + p->tiles;
    for (int64_t j = 0; j < columns; j++)
        if (first[j] < first[j + 1]) {
            row[out->rows] = j;
            start[out->rows++] = first[j];
        }
    start[used] = p->tiles;
    for (int64_t x = 0; x < p->rows; x++)
        for (int64_t t = p->start[x]; t < p->start[x + 1]; t++) {
            const int64_t to = first[p->col[t]]++;
            col[to] = p->row[x];
            number[to] = t;
        }
    free(first);
    out->row = row;
    out->start = start;
    out->col = col;
    out->number = number;
    return ASHLAR_OK;
}

ashlar_status ashi_tile_rows_make(const ashi_tile_set *set, ashlar_op op, ashi_tile_rows *out, ashlar_error *err)
{
    const ashi_pattern *p = set->pattern;
    const bool turned = op != ASHLAR_OP_N;
    *out = (ashi_tile_rows){.turned = turned,
                            .conjugate = op == ASHLAR_OP_C,
                            .cuts = {turned ? set->cols : set->rows, turned ? set->rows : set->cols},
                            .at = set->at};
    if (turned)
        return turn(set, out, err);
    out->rows = p->rows;
    out->row = p->row;
    out->start = p->start;
    out->col = p->col;
    return ASHLAR_OK;
}

void ashi_tile_rows_free(ashi_tile_rows *rows)
{
    free(rows->own);
    *rows = (ashi_tile_rows){0};
}

int64_t ashi_tile_rows_from(const ashi_tile_rows *x, int64_t r, int64_t col)
{
    return ashi_first_from(x->col, x->start[r], x->start[r + 1], col);
}
