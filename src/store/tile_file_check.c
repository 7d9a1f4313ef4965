/* Matrices of tiles in HDF5 files: what their lists say of each tile is checked, before anything relies on it. */
#include "store/tile_lists.h"

#include "base/checked.h"
#include "base/error.h"

#include <inttypes.h>
#include <stdlib.h>

/* Tiles whose numbers are checked at a time. */
enum { CHECKED_AT_ONCE = 1 << 14 };

/* Some tiles on their way through the check, from the first to the last. */
typedef struct checking {
    int64_t row;    /* of the next tile */
    int64_t column; /* of the tile before it in its row, -1 if there is none */
    int64_t words;  /* of all tiles before it */
    int64_t columns[CHECKED_AT_ONCE], offsets[CHECKED_AT_ONCE], ranks[CHECKED_AT_ONCE];
    double norms[CHECKED_AT_ONCE];
} checking;

/* -1: a dense tile. Of a matrix with a symmetry those on the diagonal are dense. */
static bool rank_is_good(const ashi_tile_head *h, int64_t row, int64_t col, int64_t rank)
{
    if (rank < 0 || (h->symmetry != ASHLAR_GENERAL && row == col))
        return rank == -1;
    return ashi_tile_head_words(h, row, col, rank) < ashi_tile_head_words(h, row, col, -1);
}

static ashlar_status check_tile(const ashi_tile_file *file, checking *c, int64_t tile, int64_t at, ashlar_error *err)
{
    const ashi_tile_head *h = &file->head;
    const int64_t column = c->columns[at];
    while (tile == file->starts[c->row + 1]) {
        c->row++;
        c->column = -1;
    }
    if (column < 0 || column >= h->col.tiles)
        return ashi_tile_file_fail(file, err, "tile %" PRId64 " is in column %" PRId64 ", of %" PRId64 " columns", tile,
                                   column, h->col.tiles);
    if (column <= c->column)
        return ashi_tile_file_fail(file, err, "columns %" PRId64 " and %" PRId64 " of row %" PRId64
                                   " do not ascend", c->column, column, c->row);
    if (h->symmetry != ASHLAR_GENERAL && column < c->row)
        return ashi_tile_file_fail(file, err, "tile (%" PRId64 ", %" PRId64 ") is below the diagonal, but the matrix "
                                   "is %s", c->row, column, ashi_symmetry_name(h->symmetry));
    if (c->offsets[at] != c->words)
        return ashi_tile_file_fail(file, err, "tile (%" PRId64 ", %" PRId64 ") begins at element %" PRId64
                                   ", wanted %" PRId64, c->row, column, c->offsets[at], c->words);
    if (!rank_is_good(h, c->row, column, c->ranks[at]))
        return ashi_tile_file_fail(file, err, "tile (%" PRId64 ", %" PRId64 ") has rank %" PRId64
                                   ", wanted -1, or one whose U and V take less than its elements", c->row, column,
                                   c->ranks[at]);
    if (!ashi_add(c->words, ashi_tile_head_words(h, c->row, column, c->ranks[at]), &c->words) || c->words > h->words)
        return ashi_tile_file_fail(file, err, "tile (%" PRId64 ", %" PRId64 ") ends beyond the %" PRId64 " elements",
                                   c->row, column, h->words);
    if (file->norms && c->norms[at] < 0)
        return ashi_tile_file_fail(file, err, "the norm of tile (%" PRId64 ", %" PRId64 ") is %g", c->row, column,
                                   c->norms[at]);
    c->column = column;
    return ASHLAR_OK;
}

static ashlar_status check_some(const ashi_tile_file *file, checking *c, int64_t first, int64_t count,
                                ashlar_error *err)
{
    ashlar_status status = ashi_tile_list_numbers(file, ASHI_TILE_COLUMNS, first, count, c->columns, err);
    if (status == ASHLAR_OK)
        status = ashi_tile_list_numbers(file, ASHI_TILE_OFFSETS, first, count, c->offsets, err);
    if (status == ASHLAR_OK && file->norms)
        status = ashi_tile_list_numbers(file, ASHI_TILE_NORMS, first, count, c->norms, err);
    for (int64_t t = 0; t < count; t++)
        c->ranks[t] = -1;
    if (status == ASHLAR_OK && file->head.low)
        status = ashi_tile_list_numbers(file, ASHI_TILE_RANKS, first, count, c->ranks, err);
    for (int64_t t = 0; t < count && status == ASHLAR_OK; t++)
        status = check_tile(file, c, first + t, t, err);
    return status;
}

ashlar_status ashi_tile_file_check(const ashi_tile_file *file, ashlar_error *err)
{
    const ashi_tile_head *h = &file->head;
    int64_t end = 0;
    ashlar_status status = ashi_tile_list_numbers(file, ASHI_TILE_OFFSETS, h->tiles, 1, &end, err);
    if (status != ASHLAR_OK)
        return status;
    checking *c = malloc(sizeof *c);
    if (!c)
        return ashi_fail_memory(err, "store", (int64_t)sizeof *c);
    c->row = c->words = 0;
    c->column = -1;
    for (int64_t t = 0; t < h->tiles && status == ASHLAR_OK; t += CHECKED_AT_ONCE)
        status = check_some(file, c, t, ashi_min(CHECKED_AT_ONCE, h->tiles - t), err);
    if (status == ASHLAR_OK && (c->words != h->words || end != h->words))
        status = ashi_tile_file_fail(file, err, "the tiles have %" PRId64 " elements and offsets ends with %" PRId64
                                     ", but there are %" PRId64, c->words, end, h->words);
    free(c);
    return status;
}
