/* The norms of the tiles of a matrix in a file: read, or found from the elements. */
#include "tiles/file_norms.h"

#include "base/array.h"
#include "base/checked.h"
#include "base/error.h"
#include "kernel/tile_kernels.h"
#include "tiles/held.h"

#include <stdlib.h>

/* Tiles whose columns are read at a time. */
enum { AT_ONCE = 1 << 14 };

/* Tiles on their way, and a tile's elements. */
typedef struct norming {
    int64_t row, word; /* of the next tile: its row, and its first element */
    int64_t columns[AT_ONCE], ranks[AT_ONCE];
    char *data, *expanded;
    int64_t room, expanded_room; /* bytes */
} norming;

static bool make_room(char **data, int64_t *room, int64_t bytes)
{
    char *const larger = ashi_array_room(*data, room, bytes + 1, 1);
    *data = larger ? larger : *data;
    return larger != NULL;
}

static ashlar_status add_norm(ashi_tile_file *file, norming *n, int64_t at, double *norm, ashlar_error *err)
{
    const ashi_tile_head *h = ashi_tile_file_head(file);
    const ashi_held_size size = {&h->row, &h->col, ashlar_type_bytes(h->type), ashi_kernels_of(h->type)};
    const ashi_tile_at tile = {n->row, n->columns[at]};
    const int64_t rank = n->ranks[at], stored = ashi_tile_head_words(h, tile.row, tile.col, rank);
    const int64_t words = ashi_tile_head_words(h, tile.row, tile.col, -1);
    const int64_t element = (int64_t)size.bytes;
    if (!make_room(&n->data, &n->room, stored * element) ||
        (rank >= 0 && !make_room(&n->expanded, &n->expanded_room, words * element)))
        return ashi_fail_memory(err, "tiles", words * element);
    const ashlar_status status = ashi_tile_file_read(file, ASHI_TILE_ELEMENTS, n->word, stored, n->data, err);
    if (status == ASHLAR_OK && rank >= 0)
        ashi_held_expand(&size, tile, rank, n->data, n->expanded);
    if (status == ASHLAR_OK)
        *norm = ashi_square_root(ashi_tile_kernels_of(h->type)->square(words, rank >= 0 ? n->expanded : n->data));
    n->word += stored;
    return status;
}

static ashlar_status read_listed(ashi_tile_file *file, int64_t first, int64_t count, norming *n, ashlar_error *err)
{
    for (int64_t i = 0; i < count; i++)
        n->ranks[i] = -1;
    const ashlar_status status = ashi_tile_file_read(file, ASHI_TILE_COLUMNS, first, count, n->columns, err);
    return status == ASHLAR_OK && ashi_tile_file_head(file)->low
               ? ashi_tile_file_read(file, ASHI_TILE_RANKS, first, count, n->ranks, err)
               : status;
}

static ashlar_status find_norms(ashi_tile_file *file, norming *n, double *norms, ashlar_error *err)
{
    const int64_t tiles = ashi_tile_file_head(file)->tiles, *starts = ashi_tile_file_starts(file);
    ashlar_status status = ASHLAR_OK;
    for (int64_t tile = 0; tile < tiles && status == ASHLAR_OK; tile++) {
        const int64_t at = tile % AT_ONCE;
        if (at == 0)
            status = read_listed(file, tile, ashi_min(AT_ONCE, tiles - tile), n, err);
        if (status != ASHLAR_OK)
            return status;
        while (starts[n->row + 1] <= tile)
            n->row++;
        status = add_norm(file, n, at, &norms[tile], err);
    }
    return status;
}

ashlar_status ashi_tile_file_norms(ashi_tile_file *file, double *norms, ashlar_error *err)
{
    if (ashi_tile_file_has_norms(file))
        return ashi_tile_file_read(file, ASHI_TILE_NORMS, 0, ashi_tile_file_head(file)->tiles, norms, err);
    norming *n = calloc(1, sizeof *n);
    if (!n)
        return ashi_fail_memory(err, "tiles", (int64_t)sizeof *n);
    const ashlar_status status = find_norms(file, n, norms, err);
    free(n->data);
    free(n->expanded);
    free(n);
    return status;
}
