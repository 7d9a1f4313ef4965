/* Layouts whose owners are some of the ranks, under other numbers. */
#include "base/checked.h"
#include "base/error.h"
#include "layout/layout.h"

#include <inttypes.h>
#include <stdlib.h>

ashlar_status ashi_layout_spread(const ashlar_layout *from, const ashi_some_ranks *some, ashlar_layout **out,
                                 ashlar_error *err)
{
    const ashlar_status status = ashi_layout_copy(from, out, err);
    for (int64_t at = 0; status == ASHLAR_OK && at < from->row.parts * from->col.parts; at++)
        (*out)->owner[at] = some->first + from->owner[at] * some->step;
    if (status == ASHLAR_OK && from->storage_rank >= 0)
        (*out)->storage_rank = some->first + from->storage_rank * some->step;
    return status;
}

ashlar_status ashi_layout_within(const ashlar_layout *from, const ashi_some_ranks *some, ashlar_layout **out,
                                 ashlar_error *err)
{
    *out = NULL;
    for (int64_t at = 0; at < from->row.parts * from->col.parts; at++) {
        const int beyond = from->owner[at] - some->first;
        if (beyond < 0 || beyond % some->step != 0 || beyond / some->step >= some->count)
            return ASHLAR_OK;
    }
    const ashlar_status status = ashi_layout_copy(from, out, err);
    for (int64_t at = 0; status == ASHLAR_OK && at < from->row.parts * from->col.parts; at++)
        (*out)->owner[at] = (from->owner[at] - some->first) / some->step;
    if (status == ASHLAR_OK && from->storage_rank >= 0)
        (*out)->storage_rank = (from->storage_rank - some->first) / some->step;
    return status;
}

/* Where runs of a dimension begin, and the end; returns how many there are, at least one. NULL: only that. */
static int64_t find_cuts(const ashi_dim *dim, int64_t *cut)
{
    int64_t count = 0, at = 0;
    do {
        if (cut)
            cut[count] = at;
        count++;
        at = at < dim->size ? ashi_dim_run_end(dim, at) : at;
    } while (at < dim->size);
    if (cut)
        cut[count] = dim->size;
    return count;
}

static void find_owners(const ashlar_layout *layout, const int64_t *row, int64_t rows, const int64_t *col, int64_t cols,
                        int step, int *owner)
{
    const bool empty = layout->row.size == 0 || layout->col.size == 0;
    for (int64_t r = 0; r < rows; r++)
        for (int64_t c = 0; c < cols; c++)
            owner[r * cols + c] = empty ? 0 : ashlar_layout_owner(layout, row[r], col[c]) / step;
}

ashlar_status ashi_layout_fold(const ashlar_layout *layout, int step, int64_t most, ashlar_layout **out,
                               ashlar_error *err)
{
    const int64_t rows = find_cuts(&layout->row, NULL), cols = find_cuts(&layout->col, NULL);
    const int64_t tiles = ashi_mul_most(rows, cols);
    *out = NULL;
    if (tiles > most)
        return ashi_fail(err, ASHLAR_ERR_UNSUPPORTED, "a layout of %" PRId64 " tiles, at most %" PRId64, tiles, most);
    int64_t *const row = malloc((size_t)(rows + 1) * sizeof *row);
    int64_t *const col = malloc((size_t)(cols + 1) * sizeof *col);
    int *const owner = malloc((size_t)tiles * sizeof *owner);
    ashlar_status status = row && col && owner ? ASHLAR_OK : ashi_fail_memory(err, "layout", tiles * 20);
    if (status == ASHLAR_OK) {
        (void)find_cuts(&layout->row, row);
        (void)find_cuts(&layout->col, col);
        find_owners(layout, row, rows, col, cols, step, owner);
        status = ashlar_layout_tiles(rows, cols, row, col, owner, layout->order, out, err);
    }
    free(row);
    free(col);
    free(owner);
    return status;
}
