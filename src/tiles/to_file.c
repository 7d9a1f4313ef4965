/* A matrix of tiles in a file made dense, in another file, block by block. */
#include "tiles/to_file.h"

#include "base/checked.h"
#include "base/error.h"
#include "base/ordering.h"
#include "kernel/tile_kernels.h"
#include "plan/files.h"
#include "store/strided.h"
#include "store/tile_file.h"
#include "tiles/blocks.h"
#include "tiles/file_output.h"
#include "tiles/held.h"

#include <stdlib.h>
#include <string.h>

/* Elements that are written at a time take so much. */
#define BLOCK_BYTES (INT64_C(64) << 20)

typedef struct expander {
    ashlar_context *context;
    ashi_tile_file *from;
    const ashi_tile_head *head;
    ashlar_file *to;
    ashi_tile_blocks blocks; /* this rank's */
    const ashi_tile_kernels *kernels;
    ashi_mirror mirror;      /* of a matrix with a symmetry */
    int64_t *columns, *ranks; /* of all tiles; no ranks if all are dense */
    int64_t bytes;           /* of an element */
    char *data, *read;       /* a block in the file's order, and tiles that go into it */
    char *expanded;          /* if there are ranks: room for a tile */
} expander;

/* The ranks of several nodes may see different files under one name. Collective. */
static ashlar_status open_on_all(expander *e, const char *place, ashlar_error *err)
{
    ashlar_status status = ashi_tile_file_open(place, &e->from, err);
    status = ashi_agree_named(e->context, status, err);
    if (status != ASHLAR_OK)
        return status;
    e->head = ashi_tile_file_head(e->from);
    const ashi_shared values[] = {{"rows", ashi_cuts_all(&e->head->row)}, {"columns", ashi_cuts_all(&e->head->col)},
                                  {"the type", (int64_t)e->head->type}, {"tiles", e->head->tiles},
                                  {"words", e->head->words}};
    return ashi_same(e->context, place, values, (int)(sizeof values / sizeof values[0]), err);
}

static ashlar_status allocate(expander *e, ashlar_error *err)
{
    const int64_t most = ashi_mul_most(ashi_tile_blocks_most(e->blocks), e->bytes);
    const int64_t columns = (e->head->tiles + 1) * (int64_t)sizeof *e->columns;
    const bool low = e->head->low;
    if (most > INT64_MAX / 4)
        return ashi_fail(err, ASHLAR_ERR_OVERFLOW, "tiles: a tile of more than 2^63 - 1 bytes");
    e->data = malloc((size_t)most + 1);
    e->read = malloc((size_t)most + 1);
    e->columns = malloc((size_t)columns);
    e->expanded = low ? malloc((size_t)most + 1) : NULL;
    e->ranks = low ? malloc((size_t)columns) : NULL;
    if (!e->data || !e->read || !e->columns || (low && (!e->expanded || !e->ranks)))
        return ashi_fail_memory(err, "tiles", (2 + low) * most + (1 + low) * columns);
    const ashlar_status status = ashi_tile_file_read(e->from, ASHI_TILE_COLUMNS, 0, e->head->tiles, e->columns, err);
    return status == ASHLAR_OK && low
               ? ashi_tile_file_read(e->from, ASHI_TILE_RANKS, 0, e->head->tiles, e->ranks, err)
               : status;
}

/* ---- a block ---- */

/* Where elements of the block go. */
typedef struct target {
    int64_t row, col, row_stride, col_stride; /* row, col: of its first element, in the matrix */
} target;

static target target_of(const expander *e, const ashi_tile_block *b)
{
    const bool by_row = ashi_store_order(e->to->store) == ASHLAR_ROW_MAJOR;
    return (target){e->head->row.at[b->row], e->head->col.at[b->col],
                    by_row ? ashi_tile_block_cols(&e->blocks, b) : 1, by_row ? 1 : ashi_tile_block_rows(&e->blocks, b)};
}

/* A tile that was read, in columns, to its place. */
static void place_tile(const expander *e, const target *t, int64_t row, int64_t col, const char *tile)
{
    const int64_t rows = ashi_cuts_size(&e->head->row, row), cols = ashi_cuts_size(&e->head->col, col);
    const int64_t down = e->head->row.at[row] - t->row, across = e->head->col.at[col] - t->col;
    const int64_t at = down * t->row_stride + across * t->col_stride;
    ashi_copy_strided((size_t)e->bytes, rows, cols, tile, 1, rows, e->data + at * e->bytes, t->row_stride,
                      t->col_stride);
}

/* The mirror image of such a tile to its place. The tile is spent. */
static void place_mirrored(const expander *e, const target *t, int64_t row, int64_t col, char *tile)
{
    const int64_t rows = ashi_cuts_size(&e->head->row, row), cols = ashi_cuts_size(&e->head->col, col);
    const int64_t down = e->head->col.at[col] - t->row, across = e->head->row.at[row] - t->col;
    const int64_t at = down * t->row_stride + across * t->col_stride;
    e->kernels->reflect(rows, cols, &e->mirror, tile, 1, rows, tile);
    ashi_copy_strided((size_t)e->bytes, rows, cols, tile, 1, rows, e->data + at * e->bytes, t->col_stride,
                      t->row_stride);
}

static int64_t stored_words(const expander *e, int64_t row, int64_t tile)
{
    return ashi_tile_head_words(e->head, row, e->columns[tile], e->ranks ? e->ranks[tile] : -1);
}

/* The elements of a tile of which `stored` was read. */
static char *elements_of(const expander *e, int64_t row, int64_t tile, char *stored)
{
    const ashi_tile_head *h = e->head;
    const ashi_held_size size = {&h->row, &h->col, (size_t)e->bytes, ashi_kernels_of(h->type)};
    if (!e->ranks || e->ranks[tile] < 0)
        return stored;
    ashi_held_expand(&size, (ashi_tile_at){row, e->columns[tile]}, e->ranks[tile], stored, e->expanded);
    return e->expanded;
}

/* The stored tiles of a row that are in columns col .. col_end - 1: they lie one after the other. */
static ashlar_status fill_row(expander *e, const target *t, int64_t row, int64_t col, int64_t col_end, bool mirrored,
                              ashlar_error *err)
{
    const int64_t *starts = ashi_tile_file_starts(e->from);
    const int64_t first = ashi_first_from(e->columns, starts[row], starts[row + 1], col);
    const int64_t end = ashi_first_from(e->columns, first, starts[row + 1], col_end);
    int64_t word = 0, words = 0;
    if (first == end)
        return ASHLAR_OK;
    for (int64_t tile = first; tile < end; tile++)
        words += stored_words(e, row, tile);
    ashlar_status status = ashi_tile_file_read(e->from, ASHI_TILE_OFFSETS, first, 1, &word, err);
    if (status == ASHLAR_OK)
        status = ashi_tile_file_read(e->from, ASHI_TILE_ELEMENTS, word, words, e->read, err);
    char *read = e->read;
    for (int64_t tile = first; tile < end && status == ASHLAR_OK; tile++) {
        char *const data = elements_of(e, row, tile, read);
        if (e->head->symmetry != ASHLAR_GENERAL && e->columns[tile] == row)
            e->kernels->follow(ashi_cuts_size(&e->head->row, row), &e->mirror, data);
        if (mirrored)
            place_mirrored(e, t, row, e->columns[tile], data);
        else
            place_tile(e, t, row, e->columns[tile], data);
        read += stored_words(e, row, tile) * e->bytes;
    }
    return status;
}

/* What lies below the diagonal is the mirror image of stored tiles, whose rows are the block's columns. */
static ashlar_status fill_mirrored(expander *e, const target *t, const ashi_tile_block *b, ashlar_error *err)
{
    ashlar_status status = ASHLAR_OK;
    for (int64_t row = b->col; row < b->col_end && row < b->row_end && status == ASHLAR_OK; row++)
        status = fill_row(e, t, row, ashi_max(b->row, row + 1), b->row_end, true, err);
    return status;
}

static ashlar_status write_block(expander *e, const ashi_tile_block *b, ashlar_error *err)
{
    const target t = target_of(e, b);
    const int64_t rows = ashi_tile_block_rows(&e->blocks, b), cols = ashi_tile_block_cols(&e->blocks, b);
    ashlar_status status = ASHLAR_OK;
    memset(e->data, 0, (size_t)(rows * cols * e->bytes));
    for (int64_t row = b->row; row < b->row_end && status == ASHLAR_OK; row++)
        status = fill_row(e, &t, row, b->col, b->col_end, false, err);
    if (status == ASHLAR_OK && e->head->symmetry != ASHLAR_GENERAL)
        status = fill_mirrored(e, &t, b, err);
    return status == ASHLAR_OK ? ashi_store_write(e->to->store, t.row, rows, t.col, cols, e->data, t.row_stride,
                                                  t.col_stride, err)
                               : status;
}

/* ---- the call ---- */

/* Local. */
static ashlar_status write_rows(expander *e, ashlar_error *err)
{
    ashlar_status status = allocate(e, err);
    ashi_tile_blocks blocks = e->blocks;
    for (ashi_tile_block b; status == ASHLAR_OK && ashi_tile_blocks_next(&blocks, &b);)
        status = write_block(e, &b, err);
    return status;
}

static ashlar_status expand(expander *e, const char *to, ashlar_order order, ashlar_error *err)
{
    const ashi_tile_head *h = e->head;
    int64_t first = 0, end = 0;
    ashlar_status status = ashlar_file_create(e->context, to, h->type, ashi_cuts_all(&h->row), ashi_cuts_all(&h->col),
                                              order, &e->to, err);
    if (status != ASHLAR_OK)
        return status;
    ashi_tile_rows_of(&h->row, e->context->rank, e->context->ranks, &first, &end);
    e->bytes = (int64_t)ashlar_type_bytes(h->type);
    e->kernels = ashi_tile_kernels_of(h->type);
    e->mirror = (ashi_mirror){h->symmetry == ASHLAR_ANTISYMMETRIC || h->symmetry == ASHLAR_ANTIHERMITIAN,
                              h->symmetry == ASHLAR_HERMITIAN || h->symmetry == ASHLAR_ANTIHERMITIAN};
    e->blocks = ashi_tile_blocks_of(&h->row, &h->col, first, end, BLOCK_BYTES / e->bytes);
    status = ashi_agree_named(e->context, write_rows(e, err), err);
    return status == ASHLAR_OK ? ashlar_file_publish(e->to, err) : status;
}

ashlar_status ashi_tiles_expand_file(ashlar_context *context, const char *from, const char *to, ashlar_order order,
                                     ashlar_error *err)
{
    expander e = {.context = context};
    ashlar_status status = open_on_all(&e, from, err);
    if (status == ASHLAR_OK)
        status = expand(&e, to, order, err);
    ashi_tile_file_close(&e.from, NULL);
    ashlar_file_close(&e.to);
    free(e.data);
    free(e.read);
    free(e.columns);
    free(e.ranks);
    free(e.expanded);
    return status;
}
