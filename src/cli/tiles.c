/* The tiles of a layout, one after the other. */
#include "cli/tiles.h"

#include "base/checked.h"

ashi_tiles ashi_tiles_of(const ashlar_layout *layout, int rank, ashi_file_box within, ashlar_order order)
{
    return (ashi_tiles){layout, rank, within, order, 0};
}

ashi_tiles ashi_tiles_all(const ashlar_layout *layout, int rank)
{
    const ashi_file_box whole = {0, layout->row.size, 0, layout->col.size};
    return ashi_tiles_of(layout, rank, whole, ASHLAR_ROW_MAJOR);
}

/* What a pair of parts has inside the box. */
static ashi_tile clip(const ashi_tiles *t, int64_t r, int64_t c)
{
    const int64_t *rows = t->layout->row.cuts, *cols = t->layout->col.cuts;
    const ashi_file_box *w = &t->within;
    const ashi_storage s = ashi_layout_storage(t->layout, r, c);
    const int64_t row = ashi_max(rows[r], w->row), row_end = ashi_min(rows[r + 1], w->row + w->rows);
    const int64_t col = ashi_max(cols[c], w->col), col_end = ashi_min(cols[c + 1], w->col + w->cols);
    return (ashi_tile){t->layout->owner[r * t->layout->col.parts + c], row, row_end - row, col, col_end - col,
                       s.start + s.offset + (row - rows[r]) * s.row_stride + (col - cols[c]) * s.col_stride,
                       s.row_stride, s.col_stride};
}

bool ashi_tiles_next(ashi_tiles *t, ashi_tile *out)
{
    const int64_t rows = t->layout->row.parts, cols = t->layout->col.parts;
    while (t->at < rows * cols) {
        const bool by_row = t->order == ASHLAR_ROW_MAJOR;
        const int64_t r = by_row ? t->at / cols : t->at % rows, c = by_row ? t->at % cols : t->at / rows;
        t->at++;
        if (t->rank >= 0 && t->layout->owner[r * cols + c] != t->rank)
            continue;
        *out = clip(t, r, c);
        if (out->rows > 0 && out->cols > 0)
            return true;
    }
    return false;
}
