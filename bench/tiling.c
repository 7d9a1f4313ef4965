/* Tilings of a side for measuring, and matrices of tiles that are cut so. */
#include "tiling.h"

#include "die.h"

#include "layout/random_tiles.h"

#include <math.h>
#include <mpi.h>
#include <stdlib.h>
#include <string.h>

static void require(ashlar_status status, const ashlar_error *err)
{
    if (status != ASHLAR_OK)
        ashi_die("%s", err->text);
}

/* splitmix64 (Steele, Lea and Flood, OOPSLA 2014) */
uint64_t ashi_tiling_next(ashi_tiling *t)
{
    uint64_t z = (t->state += 0x9E3779B97F4A7C15u);
    z = (z ^ (z >> 30)) * 0xBF58476D1CE4E5B9u;
    z = (z ^ (z >> 27)) * 0x94D049BB133111EBu;
    return z ^ (z >> 31);
}

static void cut_randomly(ashi_tiling *t, const char *mean)
{
    ashi_cuts cuts;
    ashlar_error err;
    require(ashi_random_cuts(t->n, atoll(mean), 1, t->state, "a side", &cuts, &err), &err);
    for (; t->tiles < cuts.tiles; t->tiles++)
        t->size[t->tiles] = ashi_cuts_size(&cuts, t->tiles);
    ashi_cuts_free(&cuts);
}

void ashi_tiling_cut(ashi_tiling *t, const char *sizes)
{
    static const char random[] = "random:";
    int64_t list[64], count = 0, all = 0;
    const bool range = strchr(sizes, '-') != NULL;
    t->size = ashi_need(t->n, (long long)sizeof *t->size);
    if (strncmp(sizes, random, sizeof random - 1) == 0) {
        cut_randomly(t, sizes + sizeof random - 1);
        return;
    }
    for (const char *at = sizes; *at != '\0' && count < 64;) {
        char *end = NULL;
        list[count++] = strtoll(at, &end, 10);
        if (end == at || list[count - 1] < 1)
            ashi_die("'%s', wanted sizes of tiles", sizes);
        at = *end == '\0' ? end : end + 1;
    }
    if (range && (count != 2 || list[0] > list[1]))
        ashi_die("'%s', wanted the smallest and the largest size", sizes);
    for (; all < t->n; all += t->size[t->tiles++]) {
        const int64_t wanted = range ? list[0] + (int64_t)(ashi_tiling_next(t) % (uint64_t)(list[1] - list[0] + 1))
                                     : list[t->tiles % count];
        t->size[t->tiles] = wanted < t->n - all ? wanted : t->n - all;
    }
}

ashlar_tiles *ashi_tiling_make(const ashi_tiling *rows, const ashi_tiling *cols, ashlar_context *context)
{
    const ashlar_tiles_description d = {.size = sizeof d, .type = ASHLAR_TYPE_D, .tile_rows = rows->tiles,
                                        .tile_cols = cols->tiles, .row_sizes = rows->size, .col_sizes = cols->size,
                                        .grid_rows = rows->grid[0], .grid_cols = rows->grid[1],
                                        .row_map = rows->owner, .col_map = cols->owner};
    ashlar_tiles *tiles = NULL;
    ashlar_error err;
    require(ashlar_tiles_create(context, &d, &tiles, &err), &err);
    return tiles;
}

static double fallen(double decay, int64_t i, int64_t j)
{
    return exp(-decay * fabs((double)(i - j)));
}

/* Each rank asks for its own tiles. */
static void reserve(ashi_tiling *rows, const ashi_tiling *cols, ashlar_tiles *tiles, int percent, double decay)
{
    ashlar_error err;
    int rank = 0;
    if (MPI_Comm_rank(MPI_COMM_WORLD, &rank) != MPI_SUCCESS)
        ashi_die("MPI_Comm_rank failed");
    for (int64_t i = 0; i < rows->tiles; i++)
        for (int64_t j = 0; j < cols->tiles; j++)
            if ((int)(ashi_tiling_next(rows) % 100) < percent && fallen(decay, i, j) >= 1e-14 &&
                ashlar_tiles_owner(tiles, i, j) == rank)
                require(ashlar_tiles_reserve(tiles, 1, &i, &j, &err), &err);
    require(ashlar_tiles_finish(tiles, &err), &err);
}

/* Each rank draws the elements of its own tiles. */
ashlar_tiles *ashi_tiling_draw(ashi_tiling *rows, const ashi_tiling *cols, ashlar_context *context, int percent,
                               double decay)
{
    ashlar_tiles *tiles = ashi_tiling_make(rows, cols, context);
    ashlar_tiles_info info;
    ashlar_error err;
    int rank = 0;
    if (MPI_Comm_rank(MPI_COMM_WORLD, &rank) != MPI_SUCCESS)
        ashi_die("MPI_Comm_rank failed");
    reserve(rows, cols, tiles, percent, decay);
    require(ashlar_tiles_inspect(tiles, &info, &err), &err);
    ashi_tiling own = {.state = rows->state + (uint64_t)rank};
    for (int64_t i = 0; i < info.local_tiles; i++) {
        ashlar_stored_tile tile;
        require(ashlar_tiles_local(tiles, i, &tile, &err), &err);
        const double scale = 0x1p-63 * fallen(decay, tile.row, tile.col);
        for (int64_t e = 0; e < tile.rows * tile.cols; e++)
            ((double *)tile.data)[e] = scale * (double)(int64_t)ashi_tiling_next(&own);
    }
    return tiles;
}
