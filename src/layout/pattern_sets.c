/* Patterns made from patterns: sets of tiles, turned ones, parts, and parts put together. */
#include "layout/pattern_sets.h"
#include "base/error.h"
#include "base/ordering.h"

#include <stdlib.h>

/* ---- sets ---- */

typedef struct kept {
    bool only_x, both, only_y;
} kept;

/* A row that both have. */
static bool join_rows(const ashi_pattern *x, int64_t xr, const ashi_pattern *y, int64_t yr, kept keep,
                      ashi_pattern_maker *maker)
{
    int64_t a = x->start[xr], b = y->start[yr];
    const int64_t row = x->row[xr], a_end = x->start[xr + 1], b_end = y->start[yr + 1];
    bool added = true;
    while (added && (a < a_end || b < b_end)) {
        const bool in_x = a < a_end && (b == b_end || x->col[a] <= y->col[b]);
        const bool in_y = b < b_end && (a == a_end || y->col[b] <= x->col[a]);
        const int64_t col = in_x ? x->col[a] : y->col[b];
        if (in_x && in_y ? keep.both : in_x ? keep.only_x : keep.only_y)
            added = ashi_pattern_add(maker, row, col);
        a += in_x;
        b += in_y;
    }
    return added;
}

static bool take_row(const ashi_pattern *from, int64_t row, ashi_pattern_maker *maker)
{
    for (int64_t t = from->start[row]; t < from->start[row + 1]; t++)
        if (!ashi_pattern_add(maker, from->row[row], from->col[t]))
            return false;
    return true;
}

static ashlar_status join(const ashi_pattern *x, const ashi_pattern *y, kept keep, ashi_pattern *out, ashlar_error *err)
{
    ashi_pattern_maker maker = {0};
    bool added = true;
    for (int64_t a = 0, b = 0; added && (a < x->rows || b < y->rows);) {
        const bool in_x = a < x->rows && (b == y->rows || x->row[a] <= y->row[b]);
        const bool in_y = b < y->rows && (a == x->rows || y->row[b] <= x->row[a]);
        if (in_x && in_y)
            added = join_rows(x, a, y, b, keep, &maker);
        else if (in_x && keep.only_x)
            added = take_row(x, a, &maker);
        else if (in_y && keep.only_y)
            added = take_row(y, b, &maker);
        a += in_x;
        b += in_y;
    }
    return ashi_pattern_finish(&maker, added, out, err);
}

ashlar_status ashi_pattern_union(const ashi_pattern *x, const ashi_pattern *y, ashi_pattern *out, ashlar_error *err)
{
    return join(x, y, (kept){.only_x = true, .both = true, .only_y = true}, out, err);
}

ashlar_status ashi_pattern_intersection(const ashi_pattern *x, const ashi_pattern *y, ashi_pattern *out,
                                        ashlar_error *err)
{
    return join(x, y, (kept){.both = true}, out, err);
}

ashlar_status ashi_pattern_difference(const ashi_pattern *x, const ashi_pattern *y, ashi_pattern *out,
                                      ashlar_error *err)
{
    return join(x, y, (kept){.only_x = true}, out, err);
}

ashlar_status ashi_pattern_merge(const ashi_pattern *part, int64_t parts, ashi_pattern *out, ashlar_error *err)
{
    *out = (ashi_pattern){0};
    int64_t count = 0;
    for (int64_t p = 0; p < parts; p++)
        count += part[p].tiles;
    ashi_tile_at *tile = malloc(((size_t)count + 1) * sizeof *tile);
    if (!tile)
        return ashi_fail_memory(err, "the parts of a pattern", (count + 1) * (int64_t)sizeof *tile);
    int64_t number = 0;
    for (int64_t p = 0; p < parts; p++)
        for (int64_t x = 0; x < part[p].rows; x++)
            for (int64_t t = part[p].start[x]; t < part[p].start[x + 1]; t++)
                tile[number++] = (ashi_tile_at){part[p].row[x], part[p].col[t]};
    const ashlar_status status = ashi_pattern_make(tile, count, out, err);
    free(tile);
    return status;
}

/* ---- turned ---- */

ashlar_status ashi_pattern_transpose(const ashi_pattern *from, ashi_pattern *out, int64_t **tile, ashlar_error *err)
{
    *out = (ashi_pattern){0};
    if (tile)
        *tile = NULL;
    const size_t bytes = ((size_t)from->tiles + 1) * sizeof(int64_t);
    int64_t *row = malloc(bytes), *order = malloc(bytes);
    ashi_pattern_maker maker = {0};
    bool done = row && order;
    if (done) {
        for (int64_t x = 0; x < from->rows; x++)
            for (int64_t t = from->start[x]; t < from->start[x + 1]; t++)
                row[t] = from->row[x];
        ashi_order_start(from->tiles, order);
        done = ashi_order_by(from->col, 1, from->tiles, order);
    }
    for (int64_t t = 0; done && t < from->tiles; t++)
        done = ashi_pattern_add(&maker, from->col[order[t]], row[order[t]]);
    const ashlar_status status = ashi_pattern_finish(&maker, done, out, err);
    free(row);
    if (tile && status == ASHLAR_OK)
        *tile = order;
    else
        free(order);
    return status;
}

/* ---- parts ---- */

ashlar_status ashi_pattern_filter(const ashi_pattern *from, ashi_pattern_keep *keep, const void *context,
                                  ashi_pattern *out, ashlar_error *err)
{
    ashi_pattern_maker maker = {0};
    bool added = true;
    for (int64_t x = 0; x < from->rows && added; x++)
        for (int64_t t = from->start[x]; t < from->start[x + 1] && added; t++)
            if (keep(context, from->row[x], from->col[t]))
                added = ashi_pattern_add(&maker, from->row[x], from->col[t]);
    return ashi_pattern_finish(&maker, added, out, err);
}

typedef struct box {
    ashi_tile_at first, end;
} box;

static bool in_box(const void *context, int64_t row, int64_t col)
{
    const box *b = context;
    return row >= b->first.row && row < b->end.row && col >= b->first.col && col < b->end.col;
}

ashlar_status ashi_pattern_box(const ashi_pattern *from, ashi_tile_at first, ashi_tile_at end, ashi_pattern *out,
                               ashlar_error *err)
{
    return ashi_pattern_filter(from, in_box, &(box){first, end}, out, err);
}

typedef struct part {
    const ashi_deal *deal;
    int row, col; /* -1: all */
    int rank;
} part;

static bool in_part(const void *context, int64_t row, int64_t col)
{
    const part *p = context;
    return (p->row < 0 || ashi_deal_row_part(p->deal, row) == p->row) &&
           (p->col < 0 || ashi_deal_col_part(p->deal, col) == p->col);
}

ashlar_status ashi_pattern_of_part(const ashi_pattern *from, const ashi_deal *deal, int row_part, int col_part,
                                   ashi_pattern *out, ashlar_error *err)
{
    return ashi_pattern_filter(from, in_part, &(part){.deal = deal, .row = row_part, .col = col_part}, out, err);
}

static bool at_rank(const void *context, int64_t row, int64_t col)
{
    const part *p = context;
    return ashi_deal_owner(p->deal, row, col) == p->rank;
}

ashlar_status ashi_pattern_of_rank(const ashi_pattern *from, const ashi_deal *deal, int rank, ashi_pattern *out,
                                   ashlar_error *err)
{
    return ashi_pattern_filter(from, at_rank, &(part){.deal = deal, .rank = rank}, out, err);
}

void ashi_pattern_numbers(const ashi_pattern *of, const ashi_pattern *in, int64_t *number)
{
    int64_t y = 0;
    for (int64_t x = 0; x < of->rows; x++) {
        while (y < in->rows && in->row[y] < of->row[x])
            y++;
        const bool there = y < in->rows && in->row[y] == of->row[x];
        int64_t at = there ? in->start[y] : 0;
        const int64_t end = there ? in->start[y + 1] : 0;
        for (int64_t t = of->start[x]; t < of->start[x + 1]; t++) {
            while (at < end && in->col[at] < of->col[t])
                at++;
            number[t] = at < end && in->col[at] == of->col[t] ? at : -1;
        }
    }
}
