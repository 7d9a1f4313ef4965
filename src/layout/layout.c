/* Making layouts, and answering where an element is. */
#include "layout/layout.h"

#include "base/checked.h"
#include "base/error.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

static int64_t pairs_of(const ashlar_layout *layout)
{
    return layout->row.parts * layout->col.parts;
}

static int64_t least_ld(const ashlar_layout *layout, int64_t r, int64_t c)
{
    const int64_t n =
        layout->order == ASHLAR_COL_MAJOR ? ashi_dim_room(&layout->row, r) : ashi_dim_room(&layout->col, c);
    return ashi_max(n, 1);
}

static int64_t pair_words(const ashlar_layout *layout, int64_t r, int64_t c)
{
    return ashi_dim_count(&layout->row, r) * ashi_dim_count(&layout->col, c);
}

/* Number each pair among those of its owner, and lay them one after the other. */
static ashlar_status number_tiles(ashlar_layout *layout, ashlar_error *err)
{
    const int64_t n = pairs_of(layout), ranks = ashi_layout_ranks(layout);
    int64_t *count = calloc((size_t)ranks * 2, sizeof *count);
    layout->tile = malloc((size_t)n * sizeof *layout->tile);
    layout->first = malloc((size_t)n * sizeof *layout->first);
    if (!count || !layout->tile || !layout->first) {
        free(count);
        return ashi_fail_memory(err, "ashlar_layout", n * 16);
    }
    for (int64_t r = 0; r < layout->row.parts; r++)
        for (int64_t c = 0; c < layout->col.parts; c++) {
            const int64_t at = r * layout->col.parts + c, owner = layout->owner[at];
            layout->tile[at] = count[2 * owner]++;
            layout->first[at] = count[2 * owner + 1];
            count[2 * owner + 1] += pair_words(layout, r, c);
        }
    free(count);
    return ASHLAR_OK;
}

static ashlar_status check_shape(int64_t rows, int64_t cols, ashlar_order order, ashlar_error *err)
{
    int64_t words = 0, bytes = 0;
    if (rows < 0 || cols < 0)
        return ashi_fail(err, ASHLAR_ERR_ARG, "ashlar_layout: %" PRId64 " x %" PRId64 " elements, wanted none below 0",
                         rows, cols);
    if (!ashi_mul(rows, cols, &words) || !ashi_mul(words, 16, &bytes))
        return ashi_fail(err, ASHLAR_ERR_OVERFLOW, "ashlar_layout: %" PRId64 " x %" PRId64 " elements are too many",
                         rows, cols);
    if (order != ASHLAR_COL_MAJOR && order != ASHLAR_ROW_MAJOR)
        return ashi_fail(err, ASHLAR_ERR_ARG, "ashlar_layout: order = %d is neither column- nor row-major", (int)order);
    return ASHLAR_OK;
}

/* Copy or number the owners of all pairs; a block-cyclic grid may name a rank once only. */
static ashlar_status set_owners(ashlar_layout *layout, const int *owner, ashlar_error *err)
{
    const int64_t n = pairs_of(layout);
    layout->owner = malloc((size_t)n * sizeof *layout->owner);
    if (!layout->owner)
        return ashi_fail_memory(err, "ashlar_layout", n * (int64_t)sizeof *layout->owner);
    for (int64_t i = 0; i < n; i++) {
        layout->owner[i] = owner ? owner[i] : (int)i;
        if (layout->owner[i] < 0)
            return ashi_fail(err, ASHLAR_ERR_ARG, "ashlar_layout: rank %d at place %" PRId64 ", wanted at least 0",
                             layout->owner[i], i);
    }
    return number_tiles(layout, err);
}

static ashlar_status new_layout(ashlar_order order, ashlar_layout **out, ashlar_error *err)
{
    *out = calloc(1, sizeof **out);
    if (!*out)
        return ashi_fail_memory(err, "ashlar_layout", (int64_t)sizeof **out);
    (*out)->order = order;
    (*out)->storage_rank = -1;
    return ASHLAR_OK;
}

static ashlar_status check_grid(int64_t mb, int64_t nb, int grid_rows, int grid_cols, int row_source, int col_source,
                                int64_t ld, ashlar_error *err)
{
    int64_t ranks = 0;
    int unused = 0;
    if (mb < 1 || nb < 1)
        return ashi_fail(err, ASHLAR_ERR_ARG,
                         "ashlar_layout_block_cyclic: blocks of %" PRId64 " x %" PRId64 ", wanted at least 1 x 1", mb,
                         nb);
    if (grid_rows < 1 || grid_cols < 1 || !ashi_mul(grid_rows, grid_cols, &ranks) || !ashi_to_int(ranks, &unused))
        return ashi_fail(err, ASHLAR_ERR_ARG, "ashlar_layout_block_cyclic: a grid of %d x %d processes", grid_rows,
                         grid_cols);
    if (row_source < 0 || row_source >= grid_rows || col_source < 0 || col_source >= grid_cols)
        return ashi_fail(err, ASHLAR_ERR_ARG,
                         "ashlar_layout_block_cyclic: source process (%d, %d) outside the %d x %d grid", row_source,
                         col_source, grid_rows, grid_cols);
    if (ld < 0)
        return ashi_fail(err, ASHLAR_ERR_ARG, "ashlar_layout_block_cyclic: ld = %" PRId64 ", wanted at least 0", ld);
    return ASHLAR_OK;
}

static int by_value(const void *a, const void *b)
{
    const int x = *(const int *)a, y = *(const int *)b;
    return (x > y) - (x < y);
}

/* Each rank at most once: its part is one matrix. */
static ashlar_status check_distinct(const ashlar_layout *layout, ashlar_error *err)
{
    const size_t n = (size_t)pairs_of(layout);
    int *sorted = malloc(n * sizeof *sorted);
    if (!sorted)
        return ashi_fail_memory(err, "ashlar_layout_block_cyclic", (int64_t)(n * sizeof *sorted));
    memcpy(sorted, layout->owner, n * sizeof *sorted);
    qsort(sorted, n, sizeof *sorted, by_value);
    ashlar_status status = ASHLAR_OK;
    for (size_t i = 1; i < n && status == ASHLAR_OK; i++)
        if (sorted[i] == sorted[i - 1])
            status = ashi_fail(err, ASHLAR_ERR_ARG, "ashlar_layout_block_cyclic: rank %d stands in the grid twice",
                               sorted[i]);
    free(sorted);
    return status;
}

ashlar_status ashlar_layout_block_cyclic(int64_t rows, int64_t cols, int64_t mb, int64_t nb, int grid_rows,
                                         int grid_cols, int row_source, int col_source, const int *ranks,
                                         ashlar_order order, int64_t ld, ashlar_layout **out, ashlar_error *err)
{
    if (!out)
        return ashi_fail(err, ASHLAR_ERR_ARG, "ashlar_layout_block_cyclic: out is NULL");
    *out = NULL;
    ashlar_layout *layout = NULL;
    ashlar_status status = check_shape(rows, cols, order, err);
    if (status == ASHLAR_OK)
        status = check_grid(mb, nb, grid_rows, grid_cols, row_source, col_source, ld, err);
    if (status == ASHLAR_OK)
        status = new_layout(order, &layout, err);
    if (status != ASHLAR_OK)
        return status;
    layout->row = (ashi_dim){rows, grid_rows, mb, row_source, mb, rows, 0, NULL};
    layout->col = (ashi_dim){cols, grid_cols, nb, col_source, nb, cols, 0, NULL};
    layout->ld = ld;
    status = set_owners(layout, ranks, err);
    if (status == ASHLAR_OK && ranks)
        status = check_distinct(layout, err);
    if (status == ASHLAR_OK)
        *out = layout;
    else
        ashlar_layout_free(&layout);
    return status;
}

static ashlar_status set_cuts(ashi_dim *dim, int64_t parts, const int64_t *cuts, const char *which, ashlar_error *err)
{
    if (!cuts || parts < 1)
        return ashi_fail(err, ASHLAR_ERR_ARG, "ashlar_layout_tiles: %" PRId64 " tile %ss%s", parts, which,
                         cuts ? "" : ", and no cuts");
    for (int64_t i = 0; i <= parts; i++)
        if (cuts[i] < (i ? cuts[i - 1] : 0) || (i == 0 && cuts[0] != 0))
            return ashi_fail(err, ASHLAR_ERR_ARG,
                             "ashlar_layout_tiles: %s cut %" PRId64 " is %" PRId64 ", wanted the first 0 and none "
                             "below the one before", which, i, cuts[i]);
    dim->cuts = malloc((size_t)(parts + 1) * sizeof *cuts);
    if (!dim->cuts)
        return ashi_fail_memory(err, "ashlar_layout_tiles", (parts + 1) * (int64_t)sizeof *cuts);
    memcpy(dim->cuts, cuts, (size_t)(parts + 1) * sizeof *cuts);
    dim->parts = parts;
    dim->size = cuts[parts];
    dim->block = 1;
    return ASHLAR_OK;
}

ashlar_status ashlar_layout_tiles(int64_t tile_rows, int64_t tile_cols, const int64_t *row_cuts,
                                  const int64_t *col_cuts, const int *owner, ashlar_order order, ashlar_layout **out,
                                  ashlar_error *err)
{
    int64_t tiles = 0, bytes = 0;
    if (!out)
        return ashi_fail(err, ASHLAR_ERR_ARG, "ashlar_layout_tiles: out is NULL");
    *out = NULL;
    if (!owner)
        return ashi_fail(err, ASHLAR_ERR_ARG, "ashlar_layout_tiles: owner is NULL");
    if (tile_rows > 0 && tile_cols > 0 && (!ashi_mul(tile_rows, tile_cols, &tiles) || !ashi_mul(tiles, 16, &bytes)))
        return ashi_fail(err, ASHLAR_ERR_OVERFLOW, "ashlar_layout_tiles: too many tiles");
    ashlar_layout *layout = NULL;
    ashlar_status status = new_layout(order, &layout, err);
    if (status == ASHLAR_OK)
        status = set_cuts(&layout->row, tile_rows, row_cuts, "row", err);
    if (status == ASHLAR_OK)
        status = set_cuts(&layout->col, tile_cols, col_cuts, "column", err);
    if (status == ASHLAR_OK)
        status = check_shape(layout->row.size, layout->col.size, order, err);
    if (status == ASHLAR_OK)
        status = set_owners(layout, owner, err);
    if (status == ASHLAR_OK)
        *out = layout;
    else
        ashlar_layout_free(&layout);
    return status;
}

static void drop_storage(ashlar_layout *layout)
{
    free(layout->offset);
    free(layout->lead);
    layout->offset = layout->lead = NULL;
    layout->storage_rank = -1;
}

static ashlar_status check_storage(const ashlar_layout *layout, int rank, const int64_t *offset, const int64_t *ld,
                                   ashlar_error *err)
{
    for (int64_t r = 0; r < layout->row.parts; r++)
        for (int64_t c = 0; c < layout->col.parts; c++) {
            const int64_t at = r * layout->col.parts + c, t = layout->tile[at];
            if (layout->owner[at] != rank)
                continue;
            if (ld[t] < least_ld(layout, r, c))
                return ashi_fail(err, ASHLAR_ERR_ARG,
                                 "ashlar_layout_set_storage: tile %" PRId64 " has ld = %" PRId64 ", wanted at least %"
                                 PRId64, t, ld[t], least_ld(layout, r, c));
            if (offset && offset[t] < 0)
                return ashi_fail(err, ASHLAR_ERR_ARG, "ashlar_layout_set_storage: tile %" PRId64 " has offset %" PRId64,
                                 t, offset[t]);
        }
    return ASHLAR_OK;
}

static int64_t *copy_of(const int64_t *from, int64_t n)
{
    int64_t *to = malloc((size_t)ashi_max(n, 1) * sizeof *to);
    if (to && n)
        memcpy(to, from, (size_t)n * sizeof *to);
    return to;
}

ashlar_status ashlar_layout_set_storage(ashlar_layout *layout, int rank, const int64_t *offset, const int64_t *ld,
                                        ashlar_error *err)
{
    if (!layout || !layout->row.cuts || rank < 0)
        return ashi_fail(err, ASHLAR_ERR_ARG, "ashlar_layout_set_storage: wanted a tiles layout and a rank");
    const int64_t tiles = ashlar_layout_tile_count(layout, rank);
    if (tiles && !ld)
        return ashi_fail(err, ASHLAR_ERR_ARG, "ashlar_layout_set_storage: ld is NULL");
    ashlar_status status = tiles ? check_storage(layout, rank, offset, ld, err) : ASHLAR_OK;
    if (status != ASHLAR_OK)
        return status;
    drop_storage(layout);
    layout->lead = copy_of(ld, tiles);
    layout->offset = offset ? copy_of(offset, tiles) : NULL;
    if (!layout->lead || (offset && !layout->offset)) {
        drop_storage(layout);
        return ashi_fail_memory(err, "ashlar_layout_set_storage", tiles * 16);
    }
    layout->storage_tiles = tiles;
    layout->storage_rank = rank;
    return ASHLAR_OK;
}

void ashlar_layout_free(ashlar_layout **layout)
{
    if (!layout || !*layout)
        return;
    drop_storage(*layout);
    free((*layout)->row.cuts);
    free((*layout)->col.cuts);
    free((*layout)->owner);
    free((*layout)->tile);
    free((*layout)->first);
    free(*layout);
    *layout = NULL;
}

ashlar_status ashi_layout_copy(const ashlar_layout *from, ashlar_layout **out, ashlar_error *err)
{
    ashlar_layout *to = NULL;
    ashlar_status status;
    if (from->row.cuts)
        status = ashlar_layout_tiles(from->row.parts, from->col.parts, from->row.cuts, from->col.cuts, from->owner,
                                     from->order, &to, err);
    else
        status = ashlar_layout_block_cyclic(from->row.size, from->col.size, from->row.block, from->col.block,
                                            (int)from->row.parts, (int)from->col.parts, (int)from->row.source,
                                            (int)from->col.source, from->owner, from->order, from->ld, &to, err);
    if (status == ASHLAR_OK && !from->row.cuts) {
        to->row = from->row;
        to->col = from->col;
    }
    if (status == ASHLAR_OK && from->storage_rank >= 0)
        status = ashlar_layout_set_storage(to, from->storage_rank, from->offset, from->lead, err);
    if (status != ASHLAR_OK)
        ashlar_layout_free(&to);
    *out = to;
    return status;
}

/* Whether a pair's storage is what ashlar_layout_set_storage was given. */
static bool is_stored(const ashlar_layout *layout, int64_t at)
{
    return layout->owner[at] == layout->storage_rank;
}

static int64_t lead_of(const ashlar_layout *layout, int64_t r, int64_t c)
{
    const int64_t at = r * layout->col.parts + c;
    return is_stored(layout, at) ? layout->lead[layout->tile[at]] : ashi_max(layout->ld, least_ld(layout, r, c));
}

static int64_t start_of(const ashlar_layout *layout, int64_t r, int64_t c)
{
    const int64_t at = r * layout->col.parts + c;
    if (!is_stored(layout, at))
        return layout->first[at];
    return layout->offset ? layout->offset[layout->tile[at]] : 0;
}

ashi_storage ashi_layout_storage(const ashlar_layout *layout, int64_t r, int64_t c)
{
    const bool by_col = layout->order == ASHLAR_COL_MAJOR;
    const int64_t ld = lead_of(layout, r, c), row_stride = by_col ? 1 : ld, col_stride = by_col ? ld : 1;
    const int64_t offset = ashi_dim_skip(&layout->row, r) * row_stride + ashi_dim_skip(&layout->col, c) * col_stride;
    return (ashi_storage){layout->tile[r * layout->col.parts + c], start_of(layout, r, c), offset, row_stride,
                          col_stride};
}

bool ashi_layout_needs_pointers(const ashlar_layout *layout, int rank)
{
    return layout->storage_rank == rank && !layout->offset && layout->storage_tiles > 1;
}

int64_t ashi_layout_ranks(const ashlar_layout *layout)
{
    int64_t ranks = 0;
    for (int64_t i = 0; i < pairs_of(layout); i++)
        ranks = ashi_max(ranks, (int64_t)layout->owner[i] + 1);
    return ranks;
}

/* Whether the places of a pair's elements, in bytes, fit in 64 bits. */
static bool places_fit(const ashlar_layout *layout, int64_t r, int64_t c)
{
    const bool by_col = layout->order == ASHLAR_COL_MAJOR;
    const ashi_dim *lines = by_col ? &layout->col : &layout->row;
    const int64_t part = by_col ? c : r, count = ashi_dim_skip(lines, part) + ashi_dim_count(lines, part);
    int64_t words = 0, bytes = 0;
    return ashi_mul(lead_of(layout, r, c), count, &words) && ashi_add(words, start_of(layout, r, c), &words) &&
           ashi_mul(words, 16, &bytes);
}

ashlar_status ashi_layout_check(const ashlar_layout *layout, int rank, const char *name, ashlar_error *err)
{
    for (int64_t r = 0; r < layout->row.parts; r++)
        for (int64_t c = 0; c < layout->col.parts; c++) {
            if (layout->owner[r * layout->col.parts + c] != rank)
                continue;
            if (layout->ld > 0 && pair_words(layout, r, c) > 0 && layout->ld < least_ld(layout, r, c))
                return ashi_fail(err, ASHLAR_ERR_ARG,
                                 "layout of %s: rank %d has ld = %" PRId64 ", wanted at least %" PRId64, name, rank,
                                 layout->ld, least_ld(layout, r, c));
            if (!places_fit(layout, r, c))
                return ashi_fail(err, ASHLAR_ERR_OVERFLOW,
                                 "layout of %s: rank %d has a leading dimension or an offset so large that places in "
                                 "its memory do not fit in 64 bits", name, rank);
        }
    return ASHLAR_OK;
}

int64_t ashlar_layout_rows(const ashlar_layout *layout)
{
    return layout ? layout->row.size : 0;
}

int64_t ashlar_layout_cols(const ashlar_layout *layout)
{
    return layout ? layout->col.size : 0;
}

int64_t ashlar_layout_tile_count(const ashlar_layout *layout, int rank)
{
    int64_t count = 0;
    for (int64_t r = 0; layout && r < layout->row.parts; r++)
        for (int64_t c = 0; c < layout->col.parts; c++)
            if (layout->owner[r * layout->col.parts + c] == rank)
                count += layout->row.cuts ? 1 : pair_words(layout, r, c) > 0;
    return count;
}

int64_t ashlar_layout_words(const ashlar_layout *layout, int rank)
{
    int64_t words = 0;
    for (int64_t r = 0; layout && r < layout->row.parts; r++)
        for (int64_t c = 0; c < layout->col.parts; c++)
            if (layout->owner[r * layout->col.parts + c] == rank)
                words += pair_words(layout, r, c);
    return words;
}

int64_t ashlar_layout_extent(const ashlar_layout *layout, int rank)
{
    int64_t extent = 0;
    for (int64_t r = 0; layout && r < layout->row.parts; r++)
        for (int64_t c = 0; c < layout->col.parts; c++) {
            if (layout->owner[r * layout->col.parts + c] != rank || pair_words(layout, r, c) == 0)
                continue;
            const ashi_storage s = ashi_layout_storage(layout, r, c);
            extent = ashi_max(extent, s.start + s.offset + (ashi_dim_count(&layout->row, r) - 1) * s.row_stride +
                                          (ashi_dim_count(&layout->col, c) - 1) * s.col_stride + 1);
        }
    return extent;
}

static bool inside(const ashlar_layout *layout, int64_t row, int64_t col)
{
    return layout && row >= 0 && col >= 0 && row < layout->row.size && col < layout->col.size;
}

int ashlar_layout_owner(const ashlar_layout *layout, int64_t row, int64_t col)
{
    if (!inside(layout, row, col))
        return -1;
    return layout->owner[ashi_dim_part(&layout->row, row) * layout->col.parts + ashi_dim_part(&layout->col, col)];
}

int64_t ashlar_layout_offset(const ashlar_layout *layout, int64_t row, int64_t col)
{
    if (!inside(layout, row, col))
        return -1;
    const ashi_storage s =
        ashi_layout_storage(layout, ashi_dim_part(&layout->row, row), ashi_dim_part(&layout->col, col));
    return s.start + s.offset + ashi_dim_local(&layout->row, row) * s.row_stride +
           ashi_dim_local(&layout->col, col) * s.col_stride;
}

static uint64_t mix(uint64_t digest, int64_t value)
{
    return (digest ^ (uint64_t)value) * 0x100000001B3u + (digest >> 29); /* FNV-1a, with the high bits fed back */
}

static uint64_t mix_dim(uint64_t digest, const ashi_dim *dim)
{
    digest = mix(mix(mix(mix(digest, dim->size), dim->parts), dim->block), dim->source);
    digest = mix(mix(mix(digest, dim->first), dim->whole), dim->start);
    for (int64_t i = 0; dim->cuts && i <= dim->parts; i++)
        digest = mix(digest, dim->cuts[i]);
    return digest;
}

uint64_t ashi_layout_digest(const ashlar_layout *layout)
{
    uint64_t digest = mix_dim(mix_dim(0xCBF29CE484222325u, &layout->row), &layout->col);
    for (int64_t i = 0; i < pairs_of(layout); i++)
        digest = mix(digest, layout->owner[i]);
    return digest;
}
