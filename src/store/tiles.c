/* The tiles of a layout, one after the other. */
#include "store/tiles.h"

#include "base/checked.h"

ashi_tiles ashi_tiles_of(const ashlar_layout *layout, int rank, ashi_file_box within, ashlar_order order)
{
    return (ashi_tiles){layout, rank, within, order, within.row, within.col};
}

ashi_tiles ashi_tiles_all(const ashlar_layout *layout, int rank)
{
    const ashi_file_box whole = {0, layout->row.size, 0, layout->col.size};
    return ashi_tiles_of(layout, rank, whole, ASHLAR_ROW_MAJOR);
}

/* What begins at (t->row, t->col), which is in the box. */
static ashi_tile tile_at(const ashi_tiles *t)
{
    const ashi_dim *rows = &t->layout->row, *cols = &t->layout->col;
    const int64_t r = ashi_dim_part(rows, t->row), c = ashi_dim_part(cols, t->col);
    const ashi_storage s = ashi_layout_storage(t->layout, r, c);
    const int64_t row_end = ashi_min(ashi_dim_run_end(rows, t->row), t->within.row + t->within.rows);
    const int64_t col_end = ashi_min(ashi_dim_run_end(cols, t->col), t->within.col + t->within.cols);
    return (ashi_tile){t->layout->owner[r * cols->parts + c], t->row, row_end - t->row, t->col, col_end - t->col,
                       s.start + s.offset + ashi_dim_local(rows, t->row) * s.row_stride +
                           ashi_dim_local(cols, t->col) * s.col_stride,
                       s.row_stride, s.col_stride};
}

/* To the next tile along the order. */
static void step_over(ashi_tiles *t, const ashi_tile *last)
{
    const ashi_file_box *w = &t->within;
    if (t->order == ASHLAR_ROW_MAJOR) {
        t->col += last->cols;
        if (t->col < w->col + w->cols)
            return;
        t->col = w->col;
        t->row += last->rows;
    } else {
        t->row += last->rows;
        if (t->row < w->row + w->rows)
            return;
        t->row = w->row;
        t->col += last->cols;
    }
}

bool ashi_tiles_next(ashi_tiles *t, ashi_tile *out)
{
    const ashi_file_box *w = &t->within;
    while (t->row < w->row + w->rows && t->col < w->col + w->cols) {
        *out = tile_at(t);
        step_over(t, out);
        if (t->rank < 0 || out->owner == t->rank)
            return true;
    }
    return false;
}
