/* Slabs of a layout: some rows, or some columns, of a matrix as a layout of their own, used where they lie. */
#include "layout/slab.h"

#include "base/checked.h"
#include "base/error.h"

#include <stdlib.h>

/* The parts of a dimension cut in tiles that a range has something of: first .. first + count - 1. */
typedef struct stretch {
    int64_t first, count;
} stretch;

static stretch stretch_of(const ashi_dim *dim, const ashi_layout_slab *slab)
{
    const int64_t first = ashi_dim_part(dim, slab->lo);
    if (slab->count > 0)
        return (stretch){slab->first, slab->count};
    return (stretch){first, ashi_dim_part(dim, slab->hi - 1) + 1 - first};
}

static const ashi_dim *along(const ashlar_layout *of, bool rows)
{
    return rows ? &of->row : &of->col;
}

/* The pair of a layout of which a slab has pair (r, c). */
static int64_t pair_of(const ashlar_layout *of, const ashi_layout_slab *slab, stretch s, int64_t r, int64_t c)
{
    return slab->rows ? (s.first + r) * of->col.parts + c : r * of->col.parts + s.first + c;
}

/* ---- tiles ---- */

static int64_t *cuts_of(const ashi_dim *dim, stretch s, int64_t lo, int64_t hi)
{
    int64_t *cuts = malloc((size_t)(s.count + 1) * sizeof *cuts);
    for (int64_t i = 0; cuts && i <= s.count; i++)
        cuts[i] = ashi_min(ashi_max(dim->cuts[s.first + i], lo), hi) - lo;
    return cuts;
}

/* Each tile keeps its leading dimension. */
static ashlar_status keep_leads(const ashlar_layout *of, const ashi_layout_slab *slab, stretch s, int rank,
                                ashlar_layout *out, ashlar_error *err)
{
    int64_t *lead = malloc((size_t)ashi_max(ashlar_layout_tile_count(out, rank), 1) * sizeof *lead);
    if (!lead)
        return ashi_fail_memory(err, "layout", 0);
    for (int64_t r = 0; r < out->row.parts; r++)
        for (int64_t c = 0; c < out->col.parts; c++) {
            const int64_t at = pair_of(of, slab, s, r, c), own = r * out->col.parts + c;
            if (out->owner[own] != rank)
                continue;
            const ashi_storage from = ashi_layout_storage(of, at / of->col.parts, at % of->col.parts);
            lead[out->tile[own]] = of->order == ASHLAR_COL_MAJOR ? from.col_stride : from.row_stride;
        }
    const ashlar_status status = ashlar_layout_set_storage(out, rank, NULL, lead, err);
    free(lead);
    return status;
}

static ashlar_status tiles_of(const ashlar_layout *of, const ashi_layout_slab *slab, int rank, ashlar_layout **out,
                              ashlar_error *err)
{
    const stretch s = stretch_of(along(of, slab->rows), slab);
    const int64_t rows = slab->rows ? s.count : of->row.parts, cols = slab->rows ? of->col.parts : s.count;
    int64_t *cuts = cuts_of(along(of, slab->rows), s, slab->lo, slab->hi);
    int *owner = malloc((size_t)(rows * cols) * sizeof *owner);
    ashlar_status status = cuts && owner ? ASHLAR_OK : ashi_fail_memory(err, "layout", rows * cols * 4);
    for (int64_t i = 0; status == ASHLAR_OK && i < rows * cols; i++)
        owner[i] = of->owner[pair_of(of, slab, s, i / cols, i % cols)];
    if (status == ASHLAR_OK)
        status = ashlar_layout_tiles(rows, cols, slab->rows ? cuts : of->row.cuts, slab->rows ? of->col.cuts : cuts,
                                     owner, of->order, out, err);
    free(cuts);
    free(owner);
    return status == ASHLAR_OK ? keep_leads(of, slab, s, rank, *out, err) : status;
}

/* ---- block-cyclic ---- */

/* The same dimension from `lo` on: it begins with what is left of the block there. */
static ashi_dim from_there(const ashi_dim *dim, int64_t lo, int64_t hi)
{
    const ashi_dim_run run = ashi_dim_run_at(dim, lo);
    ashi_dim out = *dim;
    out.start = 0;
    out.size = out.whole = hi - lo;
    out.source = run.part;
    out.first = dim->parts == 1 ? dim->block : ashi_min(run.end - lo, hi - lo);
    return out;
}

/* The pair of a rank, which has one at most; -1 for none. */
static int64_t own_pair(const ashlar_layout *of, int rank)
{
    for (int64_t i = 0; i < of->row.parts * of->col.parts; i++)
        if (of->owner[i] == rank)
            return i;
    return -1;
}

static ashlar_status blocks_of(const ashlar_layout *of, const ashi_layout_slab *slab, int rank, ashlar_layout **out,
                               ashlar_error *err)
{
    const ashlar_status status = ashi_layout_copy(of, out, err);
    if (status != ASHLAR_OK)
        return status;
    ashi_dim *dim = slab->rows ? &(*out)->row : &(*out)->col;
    const int64_t pair = own_pair(of, rank);
    *dim = from_there(dim, slab->lo, slab->hi);
    if (pair < 0)
        return ASHLAR_OK;
    const ashi_storage from = ashi_layout_storage(of, pair / of->col.parts, pair % of->col.parts);
    (*out)->ld = of->order == ASHLAR_COL_MAJOR ? from.col_stride : from.row_stride;
    return ASHLAR_OK;
}

/* ---- all layouts ---- */

ashlar_status ashi_layout_slab_of(const ashlar_layout *of, const ashi_layout_slab *slab, int rank, ashlar_layout **out,
                                  ashlar_error *err)
{
    *out = NULL;
    const ashlar_status status =
        of->row.cuts ? tiles_of(of, slab, rank, out, err) : blocks_of(of, slab, rank, out, err);
    if (status != ASHLAR_OK)
        ashlar_layout_free(out);
    return status;
}

static const void *beyond(const void *from, int64_t words, size_t bytes)
{
    return from ? (const char *)from + words * (int64_t)bytes : NULL;
}

static void point_at_blocks(const ashlar_layout *of, const ashi_layout_slab *slab, int rank, size_t bytes,
                            const void *array, const void **out)
{
    const int64_t pair = own_pair(of, rank);
    if (pair < 0)
        return;
    const int64_t r = pair / of->col.parts, c = pair % of->col.parts;
    const ashi_storage s = ashi_layout_storage(of, r, c);
    ashi_dim dim = *along(of, slab->rows);
    dim.start += slab->lo;
    dim.size -= slab->lo;
    *out = beyond(array, ashi_dim_skip(&dim, slab->rows ? r : c) * (slab->rows ? s.row_stride : s.col_stride), bytes);
}

void ashi_layout_slab_tiles(const ashlar_layout *of, const ashi_layout_slab *slab, int rank, size_t bytes,
                            const void *base, const void *const *tile, const void **out)
{
    if (!of->row.cuts) {
        point_at_blocks(of, slab, rank, bytes, tile ? tile[0] : base, out);
        return;
    }
    const ashi_dim *dim = along(of, slab->rows);
    const stretch s = stretch_of(dim, slab);
    const int64_t rows = slab->rows ? s.count : of->row.parts, cols = slab->rows ? of->col.parts : s.count;
    int64_t n = 0;
    for (int64_t r = 0; r < rows; r++)
        for (int64_t c = 0; c < cols; c++) {
            const int64_t at = pair_of(of, slab, s, r, c);
            if (of->owner[at] != rank)
                continue;
            const ashi_storage from = ashi_layout_storage(of, at / of->col.parts, at % of->col.parts);
            const int64_t skip = ashi_max(slab->lo - dim->cuts[s.first + (slab->rows ? r : c)], 0);
            const int64_t words = skip * (slab->rows ? from.row_stride : from.col_stride);
            out[n++] = tile ? beyond(tile[from.tile], words, bytes) : beyond(base, from.start + words, bytes);
        }
}

ashi_layout_slab_key ashi_layout_slab_key_of(const ashlar_layout *of, const ashi_layout_slab *slab)
{
    const ashi_dim *dim = along(of, slab->rows);
    const int64_t size = slab->hi - slab->lo;
    if (dim->cuts) { /* tiles need not have the same leading dimension, nor repeat */
        const stretch s = stretch_of(dim, slab);
        return (ashi_layout_slab_key){size, s.first, s.count == 1 ? -1 : slab->lo};
    }
    const ashi_dim there = from_there(dim, slab->lo, slab->hi);
    return (ashi_layout_slab_key){size, there.source, there.first};
}

int64_t ashi_layout_period(const ashlar_layout *of, bool rows)
{
    const ashi_dim *dim = along(of, rows);
    return dim->cuts || dim->parts == 1 ? 1 : ashi_mul_most(dim->block, dim->parts);
}

ashlar_status ashi_layout_repeat(const ashlar_layout *of, bool rows, int64_t size, ashlar_layout **out,
                                 ashlar_error *err)
{
    const ashi_dim *dim = along(of, rows), *other = along(of, !rows);
    const int64_t turns = ashi_ceil_div(size, dim->size), parts = turns * dim->parts, all = parts * other->parts;
    int64_t *cuts = malloc((size_t)(parts + 1) * sizeof *cuts);
    int *owner = malloc((size_t)all * sizeof *owner);
    ashlar_status status = cuts && owner ? ASHLAR_OK : ashi_fail_memory(err, "layout", parts * 8 + all * 4);
    *out = NULL;
    for (int64_t i = 0; status == ASHLAR_OK && i < parts; i++) {
        cuts[i] = ashi_min(i / dim->parts * dim->size + dim->cuts[i % dim->parts], size);
        for (int64_t j = 0; j < other->parts; j++)
            owner[rows ? i * other->parts + j : j * parts + i] =
                of->owner[rows ? i % dim->parts * other->parts + j : j * dim->parts + i % dim->parts];
    }
    if (status == ASHLAR_OK) {
        cuts[parts] = size;
        status = rows ? ashlar_layout_tiles(parts, other->parts, cuts, other->cuts, owner, of->order, out, err)
                      : ashlar_layout_tiles(other->parts, parts, other->cuts, cuts, owner, of->order, out, err);
    }
    free(cuts);
    free(owner);
    return status;
}
