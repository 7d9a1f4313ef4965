/* Tilings of a side for measuring, and matrices of tiles that are cut so. */
#ifndef ASHI_BENCH_TILING_H
#define ASHI_BENCH_TILING_H

#include <ashlar/ashlar.h>

typedef struct ashi_tiling {
    int64_t n, tiles;
    int64_t *size;
    int grid[2];    /* of processes, on which tiles are dealt out */
    int *owner;     /* the row or column of the grid that each tile is in; NULL: cyclically */
    uint64_t state; /* of random numbers, the same on all ranks */
} ashi_tiling;

/* What `sizes` may be, for a program's help. */
#define ASHI_TILING_HELP                                                                                               \
    "SIZES are a size (23), a range that is drawn from (128-384), a list that is repeated (1,5,9,13,14), or\n"         \
    "random:256, sizes about a mean as in section 4.1 of the task-based SUMMA paper."

/* Fill in `tiles` and `size`, to be freed, from the other members. Ends the program if `sizes` is none of these. */
void ashi_tiling_cut(ashi_tiling *t, const char *sizes);

/* Without tiles; ends the program if that fails. The grid is that of `rows`. Collective. */
ashlar_tiles *ashi_tiling_make(const ashi_tiling *rows, const ashi_tiling *cols, ashlar_context *context);

/* With random elements in `percent` of a hundred tiles, the same tiles on any number of ranks. The elements fall off by
 * exp(-decay |i - j|) in tile (i, j), and tiles in which that is below 1e-14 are absent. */
ashlar_tiles *ashi_tiling_draw(ashi_tiling *rows, const ashi_tiling *cols, ashlar_context *context, int percent,
                               double decay);

/* The next random number. */
uint64_t ashi_tiling_next(ashi_tiling *t);

#endif
