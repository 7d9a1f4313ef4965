/* Listing a rank's tiles: which rectangles of the matrix they are, and how each lies in memory. */
#include "base/error.h"
#include "base/structure.h"
#include "layout/layout.h"

#include <inttypes.h>

/* What is being listed. */
typedef struct listing {
    const ashlar_layout *layout;
    int rank;
    int64_t room, count; /* tiles that fit, tiles met */
    unsigned char *tiles;
    size_t size;         /* bytes of each in the caller's array */
} listing;

/* One more tile, of parts (r, c). */
static void add(listing *l, int64_t r, int64_t c, int64_t row, int64_t rows, int64_t col, int64_t cols)
{
    if (l->count < l->room) {
        const ashi_storage s = ashi_layout_storage(l->layout, r, c);
        const bool by_col = l->layout->order == ASHLAR_COL_MAJOR;
        const ashlar_tile tile = {.row = row, .col = col, .rows = rows, .cols = cols,
                                  .order = l->layout->order,
                                  .ld = by_col ? s.col_stride : s.row_stride,
                                  .offset = rows > 0 && cols > 0 ? ashlar_layout_offset(l->layout, row, col) : 0};
        ashi_structure_give(&tile, sizeof tile, l->tiles + (size_t)l->count * l->size, l->size);
    }
    l->count++;
}

static void list_tiles(listing *l)
{
    const ashi_dim *row = &l->layout->row, *col = &l->layout->col;
    for (int64_t r = 0; r < row->parts; r++)
        for (int64_t c = 0; c < col->parts; c++)
            if (l->layout->owner[r * col->parts + c] == l->rank)
                add(l, r, c, row->cuts[r], row->cuts[r + 1] - row->cuts[r], col->cuts[c],
                    col->cuts[c + 1] - col->cuts[c]);
}

/* A run of a dimension is a block, or the whole dimension if one process has all of it. */
static void list_blocks(listing *l, int64_t r, int64_t c)
{
    const ashi_dim *row = &l->layout->row, *col = &l->layout->col;
    for (int64_t i = 0, i_end; i < row->size; i = i_end) {
        i_end = ashi_dim_run_end(row, i);
        for (int64_t j = 0, j_end; ashi_dim_part(row, i) == r && j < col->size; j = j_end) {
            j_end = ashi_dim_run_end(col, j);
            if (ashi_dim_part(col, j) == c)
                add(l, r, c, i, i_end - i, j, j_end - j);
        }
    }
}

ashlar_status ashlar_layout_list_tiles_sized(const ashlar_layout *layout, int rank, int64_t room, ashlar_tile *tiles,
                                             size_t size, int64_t *count, ashlar_error *err)
{
    if (!layout || !count || (!tiles && room > 0))
        return ashi_fail(err, ASHLAR_ERR_ARG, "ashlar_layout_list_tiles: %s is NULL",
                         !layout ? "layout" : count ? "tiles" : "count");
    if (rank < 0 || room < 0)
        return ashi_fail(err, ASHLAR_ERR_ARG, "ashlar_layout_list_tiles: rank = %d, room = %" PRId64
                         ", wanted at least 0", rank, room);
    listing l = {.layout = layout, .rank = rank, .room = room, .tiles = (unsigned char *)tiles, .size = size};
    const int64_t pairs = layout->row.parts * layout->col.parts;
    if (layout->row.cuts)
        list_tiles(&l);
    for (int64_t i = 0; !layout->row.cuts && i < pairs; i++)
        if (layout->owner[i] == rank)
            list_blocks(&l, i / layout->col.parts, i % layout->col.parts);
    *count = l.count;
    return ASHLAR_OK;
}
