/* The layouts of described submatrices, replicated ones too. */
#include "pblas/place.h"

#include "base/checked.h"

#include <stdlib.h>

/* One dimension of a submatrix, and how many processes it is spread over, or repeated on. */
typedef struct extent {
    int64_t start, count, whole, first, block;
    int source, processes, process;
} extent;

static extent rows_of(const ashi_submatrix *s, const ashi_coordinates *grid)
{
    const ashi_descriptor *d = &s->of;
    return (extent){s->row,        s->rows,       d->rows,   d->first_rows, d->block_rows,
                    d->row_source, grid->rows, grid->row};
}

static extent cols_of(const ashi_submatrix *s, const ashi_coordinates *grid)
{
    const ashi_descriptor *d = &s->of;
    return (extent){s->col,        s->cols,       d->cols,   d->first_cols, d->block_cols,
                    d->col_source, grid->cols, grid->col};
}

static bool repeats(const extent *e)
{
    return e->source < 0 && e->processes > 1;
}

bool ashi_place_is_replicated(const ashi_submatrix *sub, const ashi_coordinates *grid)
{
    const extent rows = rows_of(sub, grid), cols = cols_of(sub, grid);
    return repeats(&rows) || repeats(&cols);
}

/* How many indices below `index` of the whole matrix a process has: its local place. */
static int64_t local(const extent *e, int64_t index, int process)
{
    return ashi_descriptor_share(index, e->first, e->block, process, e->source, e->processes);
}

/* ---- replicated: tiles ---- */

/* A dimension's cuts, counted from the submatrix's begin, and the process that each part is given to. */
typedef struct parts {
    int64_t count, *cut;
    int *process;
} parts;

static void parts_free(parts *p)
{
    free(p->cut);
    free(p->process);
}

/* The number of the block that has an index of the whole matrix, and where the block ends. */
static int64_t block_of(const extent *e, int64_t index)
{
    return index < e->first ? 0 : 1 + (index - e->first) / e->block;
}

static int64_t block_end(const extent *e, int64_t block)
{
    return e->first + block * e->block;
}

static bool parts_make(const extent *e, parts *out)
{
    const int64_t first = block_of(e, e->start);
    const bool even = repeats(e) || e->processes == 1;
    out->count = even ? e->processes : block_of(e, e->start + e->count - 1) - first + 1;
    out->cut = malloc(((size_t)out->count + 1) * sizeof *out->cut);
    out->process = malloc((size_t)out->count * sizeof *out->process);
    if (!out->cut || !out->process)
        return false;
    out->cut[0] = 0;
    for (int64_t i = 0; i < out->count; i++) {
        out->cut[i + 1] = even ? ashi_cut(e->count, out->count, i + 1)
                               : ashi_min(block_end(e, first + i) - e->start, e->count);
        out->process[i] = even ? (int)i : (int)((first + i + e->source) % e->processes);
    }
    return true;
}

/* Where this process's tiles lie in its local array. */
static ashlar_status store(ashlar_layout *layout, const ashi_submatrix *sub, const ashi_coordinates *grid, int rank,
                           const parts *rows, const parts *cols, ashlar_error *err)
{
    const extent r = rows_of(sub, grid), c = cols_of(sub, grid);
    const int64_t tiles = ashlar_layout_tile_count(layout, rank);
    int64_t *offset = malloc((size_t)ashi_max(tiles, 1) * sizeof *offset), t = 0;
    int64_t *ld = malloc((size_t)ashi_max(tiles, 1) * sizeof *ld);
    ashlar_status status = offset && ld ? ASHLAR_OK : ASHLAR_ERR_MEMORY;
    for (int64_t i = 0; status == ASHLAR_OK && i < rows->count; i++)
        for (int64_t j = 0; j < cols->count; j++) {
            if (rows->process[i] != grid->row || cols->process[j] != grid->col)
                continue;
            offset[t] = local(&r, r.start + rows->cut[i], grid->row) +
                        local(&c, c.start + cols->cut[j], grid->col) * sub->of.ld;
            ld[t++] = sub->of.ld;
        }
    if (status == ASHLAR_OK)
        status = ashlar_layout_set_storage(layout, rank, offset, ld, err);
    free(offset);
    free(ld);
    return status;
}

static ashlar_status cut_and_store(const ashi_submatrix *sub, const ashi_coordinates *grid, const int *ranks,
                                   const parts *rows, const parts *cols, ashlar_layout **out, ashlar_error *err)
{
    int64_t tiles = 0;
    int *owner = ashi_mul(rows->count, cols->count, &tiles) ? malloc((size_t)tiles * sizeof *owner) : NULL;
    for (int64_t t = 0; owner && t < tiles; t++)
        owner[t] = ranks[rows->process[t / cols->count] * grid->cols + cols->process[t % cols->count]];
    ashlar_layout *layout = NULL;
    ashlar_status status = owner ? ashlar_layout_tiles(rows->count, cols->count, rows->cut, cols->cut, owner,
                                                       ASHLAR_COL_MAJOR, &layout, err)
                                 : ASHLAR_ERR_MEMORY;
    if (status == ASHLAR_OK)
        status = store(layout, sub, grid, ranks[grid->row * grid->cols + grid->col], rows, cols, err);
    if (status != ASHLAR_OK)
        ashlar_layout_free(&layout);
    free(owner);
    *out = layout;
    return status;
}

static ashlar_status place_tiles(const ashi_submatrix *sub, const ashi_coordinates *grid, const int *ranks,
                                 ashlar_layout **out, ashlar_error *err)
{
    const extent r = rows_of(sub, grid), c = cols_of(sub, grid);
    parts rows = {0}, cols = {0};
    const bool made = parts_make(&r, &rows) && parts_make(&c, &cols);
    *out = NULL;
    const ashlar_status status =
        made ? cut_and_store(sub, grid, ranks, &rows, &cols, out, err) : ASHLAR_ERR_MEMORY;
    parts_free(&rows);
    parts_free(&cols);
    return status;
}

/* ---- not replicated: by formula ---- */

static ashlar_status place_blocks(const ashi_submatrix *sub, const ashi_coordinates *grid, const int *ranks,
                                  ashlar_layout **out, ashlar_error *err)
{
    const ashi_descriptor *d = &sub->of;
    ashlar_layout *whole = NULL;
    *out = NULL;
    ashlar_status status = ashlar_layout_block_cyclic(
        d->rows, d->cols, d->block_rows, d->block_cols, grid->rows, grid->cols, (int)ashi_max(d->row_source, 0),
        (int)ashi_max(d->col_source, 0), ranks, ASHLAR_COL_MAJOR, d->ld, &whole, err);
    if (status == ASHLAR_OK)
        status = ashlar_layout_first_block(whole, d->first_rows, d->first_cols, err);
    if (status == ASHLAR_OK)
        status = ashlar_layout_submatrix(whole, sub->row, sub->col, sub->rows, sub->cols, out, err);
    ashlar_layout_free(&whole);
    return status;
}

ashlar_status ashi_place_layout(const ashi_submatrix *sub, const ashi_coordinates *grid, const int *ranks,
                                ashlar_layout **out, ashlar_error *err)
{
    return ashi_place_is_replicated(sub, grid) ? place_tiles(sub, grid, ranks, out, err)
                                               : place_blocks(sub, grid, ranks, out, err);
}

/* The local interval of a dimension that a process along it was chosen for, in this process's local array. */
static void interval(const extent *e, int process, int64_t *from, int64_t *count)
{
    int64_t lo = e->start, hi = e->start + e->count;
    if (repeats(e)) {
        hi = lo + ashi_cut(e->count, e->processes, process + 1);
        lo += ashi_cut(e->count, e->processes, process);
    }
    *from = local(e, lo, e->process);
    *count = local(e, hi, e->process) - *from;
}

ashi_slab ashi_place_slab(const ashi_submatrix *sub, const ashi_coordinates *grid, int row, int col)
{
    const extent r = rows_of(sub, grid), c = cols_of(sub, grid);
    int64_t from_row = 0, from_col = 0;
    ashi_slab slab = {0};
    interval(&r, row, &from_row, &slab.rows);
    interval(&c, col, &from_col, &slab.cols);
    slab.offset = from_row + from_col * sub->of.ld;
    return slab;
}
