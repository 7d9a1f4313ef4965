/* A tensor that is dealt out in blocks as a matrix whose rows and columns are groups of its indices. */
#include "contract/matricised.h"

#include "base/checked.h"
#include "base/error.h"

#include <inttypes.h>
#include <stdlib.h>

/* How a matrix is cut so that each tile has a leading dimension: which side has neighbours in memory, and which is cut
 * into single positions if neither has. */
typedef struct shape {
    bool single[2]; /* rows, columns */
    ashlar_order order;
} shape;

static bool has_neighbours(const ashi_dealt *t, const ashi_order *order)
{
    return order->count > 0 && order->index[order->count - 1] == t->fast;
}

static shape shape_of(const ashi_dealt *t, const ashi_order *rows, const ashi_order *cols)
{
    if (!t->plain)
        return (shape){{true, true}, ASHLAR_ROW_MAJOR};
    if (has_neighbours(t, cols))
        return (shape){{false, false}, ASHLAR_ROW_MAJOR};
    if (has_neighbours(t, rows))
        return (shape){{false, false}, ASHLAR_COL_MAJOR};
    const int64_t by_cols = ashi_mul_most(ashi_runs_count(t, rows, false), ashi_runs_count(t, cols, true));
    const int64_t by_rows = ashi_mul_most(ashi_runs_count(t, rows, true), ashi_runs_count(t, cols, false));
    return by_cols <= by_rows ? (shape){{false, true}, ASHLAR_ROW_MAJOR} : (shape){{true, false}, ASHLAR_COL_MAJOR};
}

/* Whether the matrix is block-cyclic, with more blocks than parts, and each rank's part is one matrix in memory. */
static bool is_cyclic(const ashi_dealt *t, const ashi_order *rows, const ashi_order *cols, const shape *s,
                      ashi_cycle *cycle)
{
    const int64_t m = ashi_order_extent(t->expression, rows), n = ashi_order_extent(t->expression, cols);
    if (s->single[0] || s->single[1] || !ashi_runs_cycle(t, rows, &cycle[0]) || !ashi_runs_cycle(t, cols, &cycle[1]))
        return false;
    return ashi_mul_most(cycle[0].block, cycle[0].parts) < m || ashi_mul_most(cycle[1].block, cycle[1].parts) < n;
}

int64_t ashi_matricised_tiles(const ashi_dealt *t, const ashi_order *rows, const ashi_order *cols)
{
    const shape s = shape_of(t, rows, cols);
    ashi_cycle cycle[2];
    if (is_cyclic(t, rows, cols, &s, cycle))
        return (int64_t)cycle[0].parts * cycle[1].parts;
    return ashi_mul_most(ashi_runs_count(t, rows, s.single[0]), ashi_runs_count(t, cols, s.single[1]));
}

ashlar_status ashi_matricised_make(const ashi_dealt *t, const ashi_order *rows, const ashi_order *cols,
                                   int64_t most, ashi_matricised *out, ashlar_error *err)
{
    const shape s = shape_of(t, rows, cols);
    const int64_t tiles = ashi_matricised_tiles(t, rows, cols);
    *out = (ashi_matricised){.tensor = t, .order = s.order};
    if (tiles > most)
        return ashi_fail(err, ASHLAR_ERR_UNSUPPORTED,
                         "column %d: the tensor is %" PRId64 " tiles of matrices, at most %" PRId64
                         " are supported: larger blocks, or blocks of fewer of its indices, have fewer",
                         t->list->begin, tiles, most);
    if (is_cyclic(t, rows, cols, &s, out->cycle)) {
        out->cyclic = true;
        out->size[0] = ashi_order_extent(t->expression, rows);
        out->size[1] = ashi_order_extent(t->expression, cols);
        return ASHLAR_OK;
    }
    ashlar_status status = ashi_runs_make(t, rows, s.single[0], &out->row, err);
    if (status == ASHLAR_OK)
        status = ashi_runs_make(t, cols, s.single[1], &out->col, err);
    if (status != ASHLAR_OK)
        ashi_matricised_free(out);
    return status;
}

void ashi_matricised_free(ashi_matricised *matrix)
{
    ashi_runs_free(&matrix->row);
    ashi_runs_free(&matrix->col);
}

/* Owners, and where this rank's tiles lie, of the runs r and c of rows and columns as the layout has them. */
static void fill(const ashi_matricised *m, int64_t process, int rank, bool turned, int *owner, int64_t *offset,
                 int64_t *ld)
{
    const int *const ranks = m->tensor->layout->ranks;
    const ashi_runs *const row = turned ? &m->col : &m->row, *const col = turned ? &m->row : &m->col;
    const bool by_rows = (m->order == ASHLAR_ROW_MAJOR) != turned;
    int64_t mine = 0;
    for (int64_t r = 0; r < row->count; r++)
        for (int64_t c = 0; c < col->count; c++) {
            const int64_t at = process + row->process[r] + col->process[c];
            const int64_t least = by_rows ? col->cut[c + 1] - col->cut[c] : row->cut[r + 1] - row->cut[r];
            owner[r * col->count + c] = ranks ? ranks[at] : (int)at;
            if (owner[r * col->count + c] != rank)
                continue;
            offset[mine] = row->offset[r] + col->offset[c];
            ld[mine++] = ashi_max(ashi_max(by_rows ? row->step : col->step, least), 1);
        }
}

static ashlar_status make_cyclic(const ashi_matricised *m, int64_t process, bool turned, ashlar_layout **out,
                                 ashlar_error *err)
{
    const ashi_cycle *const row = &m->cycle[turned], *const col = &m->cycle[!turned];
    const int *const ranks = m->tensor->layout->ranks;
    const bool by_rows = (m->order == ASHLAR_ROW_MAJOR) != turned;
    const int64_t parts = (int64_t)row->parts * col->parts;
    int *const owner = malloc((size_t)parts * sizeof *owner);
    if (!owner)
        return ashi_fail_memory(err, "process grid of a tensor", parts * (int64_t)sizeof *owner);
    for (int i = 0; i < parts; i++) {
        const int64_t r = i / col->parts, c = i % col->parts;
        const int64_t at = process + (row->index < 0 ? 0 : ashi_dealt_process_at(m->tensor, row->index, r)) +
                           (col->index < 0 ? 0 : ashi_dealt_process_at(m->tensor, col->index, c));
        owner[i] = ranks ? ranks[at] : (int)at;
    }
    const ashlar_status status = ashlar_layout_block_cyclic(
        m->size[turned], m->size[!turned], ashi_max(row->block, 1), ashi_max(col->block, 1), row->parts, col->parts, 0,
        0, owner, by_rows ? ASHLAR_ROW_MAJOR : ASHLAR_COL_MAJOR, by_rows ? row->step : col->step, out, err);
    free(owner);
    return status;
}

ashlar_status ashi_matricised_layout(const ashi_matricised *m, int64_t process, int rank, bool turned,
                                     ashlar_layout **out, ashlar_error *err)
{
    if (m->cyclic)
        return make_cyclic(m, process, turned, out, err);
    const ashi_runs *const row = turned ? &m->col : &m->row, *const col = turned ? &m->row : &m->col;
    const size_t tiles = (size_t)ashi_max(row->count * col->count, 1);
    const ashlar_order turned_order = m->order == ASHLAR_ROW_MAJOR ? ASHLAR_COL_MAJOR : ASHLAR_ROW_MAJOR;
    int *const owner = malloc(tiles * sizeof *owner);
    int64_t *const offset = malloc(tiles * sizeof *offset), *const ld = malloc(tiles * sizeof *ld);
    *out = NULL;
    const bool room = owner && offset && ld;
    ashlar_status status = room ? ASHLAR_OK : ashi_fail_memory(err, "tiles of a tensor", (int64_t)tiles * 20);
    if (room)
        fill(m, process, rank, turned, owner, offset, ld);
    if (status == ASHLAR_OK)
        status = ashlar_layout_tiles(row->count, col->count, row->cut, col->cut, owner,
                                     turned ? turned_order : m->order, out, err);
    if (status == ASHLAR_OK)
        status = ashlar_layout_set_storage(*out, rank, offset, ld, err);
    if (status != ASHLAR_OK)
        ashlar_layout_free(out);
    free(owner);
    free(offset);
    free(ld);
    return status;
}
