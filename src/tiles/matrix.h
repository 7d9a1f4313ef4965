/* What a matrix of tiles is inside. */
#ifndef ASHI_TILES_MATRIX_H
#define ASHI_TILES_MATRIX_H

#include "kernel/kernels.h"
#include "kernel/tile_kernels.h"
#include "layout/cuts.h"
#include "layout/deal.h"
#include "plan/context.h"
#include "tiles/held.h"
#include "tiles/waiting.h"

#include <ashlar/tiles.h>

struct ashlar_tiles {
    ashlar_context *context; /* not owned */
    ashlar_type type;
    size_t bytes; /* of an element */
    const ashi_kernels *kernels;
    const ashi_tile_kernels *tile_kernels;
    ashlar_symmetry symmetry;
    ashi_cuts row, col;
    ashi_deal deal;           /* its arrays are owned */
    ashi_held held;           /* by this rank */
    int64_t all_tiles, all_words; /* of all ranks */
    int64_t all_elements;         /* of these tiles: more than words if some are stored as U V^T */
    int64_t all_mirrored;         /* elements of those tiles that stand for their mirror image, too */
    int64_t all_low;              /* tiles of all ranks that are stored as U V^T */
    ashi_waiting waiting;
};

/* A matrix with the same cuts, type, symmetry and deal, and without tiles. Local. `out` is freed by ashlar_tiles_free,
 * also after a failure. ASHLAR_ERR_MEMORY. */
ashlar_status ashi_tiles_like(const ashlar_tiles *of, ashlar_tiles **out, ashlar_error *err);

/* The same with another symmetry; from ASHLAR_GENERAL only if rows and columns are cut alike. */
ashlar_status ashi_tiles_like_with(const ashlar_tiles *of, ashlar_symmetry symmetry, ashlar_tiles **out,
                                   ashlar_error *err);

/* Whether there is such a tile; symmetry is not looked at. */
static inline bool ashi_tiles_has(const ashlar_tiles *tiles, int64_t row, int64_t col)
{
    return row >= 0 && row < tiles->row.tiles && col >= 0 && col < tiles->col.tiles;
}

/* Whether a tile is stored as its mirror image. */
static inline bool ashi_tiles_turns(const ashlar_tiles *tiles, int64_t row, int64_t col)
{
    return tiles->symmetry != ASHLAR_GENERAL && row > col;
}

static inline int64_t ashi_tiles_words(const ashlar_tiles *tiles, int64_t row, int64_t col)
{
    return ashi_cuts_size(&tiles->row, row) * ashi_cuts_size(&tiles->col, col);
}

/* What an element below the diagonal is to the one above. */
ashi_mirror ashi_tiles_mirror(const ashlar_tiles *tiles);

/* The size of the tiles that `held` has. */
ashi_held_size ashi_tiles_held_size(const ashlar_tiles *tiles);

/* The elements of a stored tile, only to be read: ashi_held_view. */
const char *ashi_tiles_view(const ashlar_tiles *tiles, int64_t number, ashi_tile_at at);

/* What this rank holds of it beside elements. */
int64_t ashi_tiles_bytes(const ashlar_tiles *tiles);

/* Take over what all ranks have of a matrix that has the same tiles. */
void ashi_tiles_take_counts(ashlar_tiles *tiles, const ashlar_tiles *of);

/* Count what all ranks have, after this rank's tiles have changed. Collective; a failure is noted. */
void ashi_tiles_count(ashlar_tiles *tiles);

/* Take over other tiles, and free those that were there. */
void ashi_tiles_take(ashlar_tiles *tiles, ashi_held *held);

/* The end of a call that has made other tiles, if nothing has failed on any rank: take them over and count. Collective;
 * else the matrix is as it was. */
ashlar_status ashi_tiles_settle(ashlar_tiles *tiles, ashi_held *held, ashlar_error *err);

#endif
