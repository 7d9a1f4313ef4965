/* Going through the tiles of a pattern one by one, beside those of another. */
#ifndef ASHI_PATTERN_CURSOR_H
#define ASHI_PATTERN_CURSOR_H

#include "layout/pattern.h"

/* A tile of a list; the first one to begin with. */
typedef struct ashi_pattern_cursor {
    const ashi_pattern *list;
    int64_t row, tile;
} ashi_pattern_cursor;

static inline void ashi_pattern_cursor_next(ashi_pattern_cursor *c)
{
    c->tile++;
    while (c->row < c->list->rows && c->tile >= c->list->start[c->row + 1])
        c->row++;
}

/* The row of the list's tile; above all rows behind the last one. */
static inline int64_t ashi_pattern_cursor_row(const ashi_pattern_cursor *c)
{
    return c->row < c->list->rows ? c->list->row[c->row] : INT64_MAX;
}

/* Below 0 if the list's tile is before another one in the order of patterns, 0 if it is that one, else above 0, also
 * behind the list's last tile. */
static inline int ashi_pattern_cursor_order(const ashi_pattern_cursor *c, const ashi_tile_at *at)
{
    if (c->row >= c->list->rows)
        return 1;
    const int64_t row = c->list->row[c->row], col = c->list->col[c->tile];
    return row != at->row ? (row > at->row) - (row < at->row) : (col > at->col) - (col < at->col);
}

#endif
