/* The norms of the tiles of a matrix in a file: read, or found from the elements. */
#include "tiles/file_norms.h"

#include "base/array.h"
#include "base/checked.h"
#include "base/error.h"
#include "exec/tile_kernels.h"

#include <stdlib.h>

/* Tiles whose columns are read at a time. */
enum { AT_ONCE = 1 << 14 };

/* Tiles on their way, and a tile's elements. */
typedef struct norming {
    int64_t row, word; /* of the next tile: its row, and its first element */
    int64_t columns[AT_ONCE];
    char *data;
    int64_t room; /* bytes */
} norming;

static ashlar_status add_norm(ashi_tile_file *file, norming *n, int64_t col, double *norm, ashlar_error *err)
{
    const ashi_tile_head *h = ashi_tile_file_head(file);
    const int64_t words = ashi_cuts_size(&h->row, n->row) * ashi_cuts_size(&h->col, col);
    const int64_t bytes = words * (int64_t)ashlar_type_bytes(h->type);
    char *data = ashi_array_room(n->data, &n->room, bytes + 1, 1);
    if (!data)
        return ashi_fail_memory(err, "tiles", bytes);
    n->data = data;
    const ashlar_status status = ashi_tile_file_read(file, ASHI_TILE_ELEMENTS, n->word, words, data, err);
    if (status == ASHLAR_OK)
        *norm = ashi_square_root(ashi_tile_kernels_of(h->type)->square(words, data));
    n->word += words;
    return status;
}

static ashlar_status find_norms(ashi_tile_file *file, norming *n, double *norms, ashlar_error *err)
{
    const int64_t tiles = ashi_tile_file_head(file)->tiles, *starts = ashi_tile_file_starts(file);
    ashlar_status status = ASHLAR_OK;
    for (int64_t tile = 0; tile < tiles && status == ASHLAR_OK; tile++) {
        const int64_t at = tile % AT_ONCE, some = ashi_min(AT_ONCE, tiles - tile);
        if (at == 0)
            status = ashi_tile_file_read(file, ASHI_TILE_COLUMNS, tile, some, n->columns, err);
        if (status != ASHLAR_OK)
            return status;
        while (starts[n->row + 1] <= tile)
            n->row++;
        status = add_norm(file, n, n->columns[at], &norms[tile], err);
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
    free(n);
    return status;
}
