/* Random cuts and random patterns of tiles, for generated problems and for tests. */
#ifndef ASHI_RANDOM_TILES_H
#define ASHI_RANDOM_TILES_H

#include "layout/cuts.h"
#include "layout/pattern.h"

/* One side of n indices in ceil(n / mean) tiles. As in section 4.1 of the task-based SUMMA paper each index is given to
 * a random tile; each tile has at least one index (TiledArray does that too), and n = 0 makes no tile. `spread` >= 1 is
 * the ratio between the largest size that is expected and the smallest: with 1 all tiles are equally likely, which
 * gives nearly equal sizes; with s a tile's chance is drawn evenly between 1 and s, so that sizes are about evenly
 * spread between 2 mean / (1 + s) and 2 mean s / (1 + s). A seed gives the same cuts on every machine. `name` as in
 * ashi_cuts_make; ASHLAR_ERR_ARG: n < 0, mean < 1, or spread not from 1 to ASHI_SPREAD_MOST. */
enum { ASHI_SPREAD_MOST = 1000000 };
ashlar_status ashi_random_cuts(int64_t n, int64_t mean, double spread, uint64_t seed, const char *name, ashi_cuts *out,
                               ashlar_error *err);

/* Which tiles of a matrix of rows x cols tiles are present, decided for each tile by itself: the probability is density
 * * exp(-decay * distance). The distance is the number of tiles, along the row, between a tile and the diagonal, which
 * runs from the first tile to the last (ashi_random_distance). A seed gives the same pattern on every machine. */
typedef struct ashi_random_pattern {
    int64_t rows, cols; /* tiles */
    uint64_t seed;
    double density;     /* 0 to 1 */
    double decay;       /* at least 0; 0: the distance does not matter */
} ashi_random_pattern;

/* ASHLAR_ERR_ARG if a member is out of its range. */
ashlar_status ashi_random_check(const ashi_random_pattern *pattern, ashlar_error *err);

int64_t ashi_random_distance(const ashi_random_pattern *pattern, int64_t row, int64_t col);

/* exp(-decay * distance): what the elements of a tile are multiplied by, if values are to fall off too. */
double ashi_random_factor(const ashi_random_pattern *pattern, int64_t row, int64_t col);

/* The present tiles of one row, in ascending order, without any memory:
 *
 *     ashi_random_row tiles = ashi_random_row_begin(&pattern, row);
 *     for (int64_t col; (col = ashi_random_row_next(&tiles)) >= 0;)
 *
 * The work is proportional to the tiles that are present. */
typedef struct ashi_random_row {
    const ashi_random_pattern *of;
    double fall;        /* exp(-decay) */
    int64_t diagonal;   /* the column of the row's tile on the diagonal */
    int64_t col, end;   /* the columns that are not decided yet */
    int64_t block, block_end; /* columns of a block, and the end of the block of `col` */
    double likely;      /* the probability of the block's likeliest tile */
    uint64_t key;
    int64_t drawn;
} ashi_random_row;

ashi_random_row ashi_random_row_begin(const ashi_random_pattern *pattern, int64_t row);
int64_t ashi_random_row_next(ashi_random_row *tiles);

/* The present tiles of the rows from `first` to `end` - 1. `out` is freed by ashi_pattern_free, also after a failure.
 * ASHLAR_ERR_ARG as ashi_random_check; ASHLAR_ERR_MEMORY. */
ashlar_status ashi_random_pattern_make(const ashi_random_pattern *pattern, int64_t first, int64_t end,
                                       ashi_pattern *out, ashlar_error *err);

#endif
