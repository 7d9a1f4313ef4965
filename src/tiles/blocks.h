/* A matrix of tiles cut into blocks of whole tiles, each of bounded size, by rows. */
#ifndef ASHI_TILES_BLOCKS_H
#define ASHI_TILES_BLOCKS_H

#include "layout/cuts.h"

/* Rows row .. row_end - 1 and columns col .. col_end - 1 of tiles. */
typedef struct ashi_tile_block {
    int64_t row, row_end, col, col_end;
} ashi_tile_block;

typedef struct ashi_tile_blocks {
    const ashi_cuts *rows, *cols;
    int64_t end, most;
    int64_t row, col; /* where the next block begins */
} ashi_tile_blocks;

/* The blocks of the rows of tiles from `first` to `end` - 1: as many whole rows as have at most `most` elements, or a
 * part of one row if that alone has more; one tile at least. So tiles are met in the order of rows, then columns. */
ashi_tile_blocks ashi_tile_blocks_of(const ashi_cuts *rows, const ashi_cuts *cols, int64_t first, int64_t end,
                                     int64_t most);

/* False after the last. A matrix without columns of tiles has no blocks. */
bool ashi_tile_blocks_next(ashi_tile_blocks *blocks, ashi_tile_block *out);

/* Elements of the largest block to come; INT64_MAX if they are more than that. */
int64_t ashi_tile_blocks_most(ashi_tile_blocks blocks);

/* Rows and columns of elements of a block. */
static inline int64_t ashi_tile_block_rows(const ashi_tile_blocks *of, const ashi_tile_block *b)
{
    return of->rows->at[b->row_end] - of->rows->at[b->row];
}

static inline int64_t ashi_tile_block_cols(const ashi_tile_blocks *of, const ashi_tile_block *b)
{
    return of->cols->at[b->col_end] - of->cols->at[b->col];
}

#endif
