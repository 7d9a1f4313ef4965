/* A matrix of tiles cut into blocks of whole tiles, by rows. */
#include "tiles/blocks.h"

#include "base/checked.h"

ashi_tile_blocks ashi_tile_blocks_of(const ashi_cuts *rows, const ashi_cuts *cols, int64_t first, int64_t end,
                                     int64_t most)
{
    return (ashi_tile_blocks){rows, cols, end, most, first, 0};
}

/* Where tiles that begin with `tile` end, if they are to have at most `most` indices: after one tile at least. */
static int64_t end_of(const ashi_cuts *cuts, int64_t tile, int64_t end, int64_t most)
{
    int64_t to = tile + 1;
    while (to < end && cuts->at[to + 1] - cuts->at[tile] <= most)
        to++;
    return to;
}

bool ashi_tile_blocks_next(ashi_tile_blocks *b, ashi_tile_block *out)
{
    const int64_t cols = b->cols->tiles, width = ashi_cuts_all(b->cols);
    if (b->row >= b->end || cols == 0)
        return false;
    const int64_t height = ashi_cuts_size(b->rows, b->row);
    if (b->col == 0 && ashi_mul_most(height, width) <= b->most) {
        const int64_t end = end_of(b->rows, b->row, b->end, b->most / ashi_max(1, width));
        *out = (ashi_tile_block){b->row, end, 0, cols};
        b->row = end;
        return true;
    }
    const int64_t end = end_of(b->cols, b->col, cols, b->most / ashi_max(1, height));
    *out = (ashi_tile_block){b->row, b->row + 1, b->col, end};
    b->row += end == cols;
    b->col = end % cols;
    return true;
}

int64_t ashi_tile_blocks_most(ashi_tile_blocks blocks)
{
    int64_t most = 0;
    for (ashi_tile_block b; ashi_tile_blocks_next(&blocks, &b);)
        most = ashi_max(most, ashi_mul_most(ashi_tile_block_rows(&blocks, &b), ashi_tile_block_cols(&blocks, &b)));
    return most;
}
