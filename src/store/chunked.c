/* A box of a matrix cut at the edges of its file's chunks, so that each chunk is in one part. */
#include "store/chunked.h"

#include "base/checked.h"

ashi_chunked ashi_chunked_of(const ashi_file_box *box, int64_t chunk_rows, int64_t chunk_cols, int64_t room)
{
    const int64_t across = ashi_max(1, room / (chunk_rows * chunk_cols));
    const int64_t used = (box->col + box->cols - 1) / chunk_cols - box->col / chunk_cols + 1;
    ashi_chunked cells = {.box = *box, .next_row = box->row, .next_col = box->col};
    cells.cols = chunk_cols * ashi_max(1, ashi_min(across, used));
    cells.rows = chunk_rows * ashi_max(1, room / (chunk_rows * cells.cols));
    return cells;
}

/* What there is from `at` to the next multiple of `pitch`, or to the end. */
static int64_t part_of(int64_t at, int64_t end, int64_t pitch)
{
    return ashi_min(end, at - at % pitch + pitch) - at;
}

bool ashi_chunked_next(ashi_chunked *cells, ashi_file_box *out)
{
    const ashi_file_box *box = &cells->box;
    const int64_t row_end = box->row + box->rows, col_end = box->col + box->cols;
    if (cells->next_row >= row_end || box->cols == 0)
        return false;
    *out = (ashi_file_box){.row = cells->next_row, .col = cells->next_col};
    out->rows = part_of(out->row, row_end, cells->rows);
    out->cols = part_of(out->col, col_end, cells->cols);
    cells->next_col += out->cols;
    if (cells->next_col == col_end) {
        cells->next_col = box->col;
        cells->next_row += out->rows;
    }
    return true;
}
