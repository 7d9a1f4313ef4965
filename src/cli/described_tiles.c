/* Matrices of tiles that are described and not read: how they are cut, and which tiles are present. */
#include "cli/described_tiles.h"

#include "base/checked.h"
#include "base/error.h"
#include "base/number.h"

#include <math.h>
#include <string.h>

static const char random_prefix[] = "random:", even_prefix[] = "even:", file_prefix[] = "file:";

/* A tile whose elements are multiplied by less than this is absent: beside those of the diagonal it is rounding. */
static const double least_factor = 0x1p-52;

/* ---- the tiling ---- */

static bool parse_random(const char *text, ashi_tiling *out)
{
    char mean[32];
    const char *colon = strchr(text, ':');
    const size_t length = colon ? (size_t)(colon - text) : strlen(text);
    if (length >= sizeof mean)
        return false;
    memcpy(mean, text, length);
    mean[length] = '\0';
    out->spread = 1;
    return ashi_number_count(mean, &out->mean) && out->mean >= 1 &&
           (!colon || ashi_number_real(colon + 1, &out->spread)) && out->spread >= 1 && out->spread <= ASHI_SPREAD_MOST;
}

ashlar_status ashi_tiling_read(const char *text, ashi_tiling *out, ashlar_error *err)
{
    *out = (ashi_tiling){.spread = 1};
    if (strncmp(text, file_prefix, sizeof file_prefix - 1) == 0 && text[sizeof file_prefix - 1]) {
        out->file = text + sizeof file_prefix - 1;
        return ASHLAR_OK;
    }
    if (strncmp(text, even_prefix, sizeof even_prefix - 1) == 0) {
        out->even = true;
        if (ashi_number_count(text + sizeof even_prefix - 1, &out->mean) && out->mean >= 1)
            return ASHLAR_OK;
    }
    if (strncmp(text, random_prefix, sizeof random_prefix - 1) == 0 &&
        parse_random(text + sizeof random_prefix - 1, out))
        return ASHLAR_OK;
    return ashi_fail(err, ASHLAR_ERR_ARG, "--tiling '%.60s', wanted random:MEAN, random:MEAN:SPREAD, even:MEAN (MEAN "
                                          "at least 1, SPREAD 1 to %d) or file:CUTS", text, ASHI_SPREAD_MOST);
}

ashlar_status ashi_tiling_cut(const ashi_tiling *tiling, int64_t size, uint64_t seed, const char *name, ashi_cuts *out,
                              ashlar_error *err)
{
    return tiling->even ? ashi_cuts_even(size, tiling->mean, out, err)
                        : ashi_random_cuts(size, tiling->mean, tiling->spread, seed, name, out, err);
}

/* ---- the tiles ---- */

/* How far from the diagonal values still count. */
static int64_t find_reach(const ashi_random_pattern *near)
{
    const double reach = near->decay > 0 ? -log(least_factor) / near->decay : INFINITY;
    return reach < (double)near->cols ? (int64_t)reach : near->cols;
}

ashi_described ashi_described_of(int64_t tile_rows, int64_t tile_cols, uint64_t seed, double density, double decay)
{
    ashi_described matrix = {.present = {tile_rows, tile_cols, seed, density, 0},
                             .near = {tile_rows, tile_cols, 0, 1, decay}};
    matrix.reach = find_reach(&matrix.near);
    return matrix;
}

/* The tiles of a row that are near enough, each present or not by itself. False if memory lacks. */
static bool add_row(const ashi_described *matrix, int64_t row, ashi_pattern_maker *maker)
{
    bool added = true;
    ashi_random_row tiles = ashi_random_row_begin(&matrix->present, row);
    tiles.col = tiles.block_end = ashi_max(tiles.col, tiles.diagonal - matrix->reach);
    tiles.end = ashi_min(tiles.end, tiles.diagonal + matrix->reach + 1);
    for (int64_t col; added && (col = ashi_random_row_next(&tiles)) >= 0;)
        added = ashi_pattern_add(maker, row, col);
    return added;
}

ashlar_status ashi_described_pattern(const ashi_described *matrix, int64_t first, int64_t end, ashi_pattern *out,
                                     ashlar_error *err)
{
    ashi_pattern_maker maker = {.row_room = 0};
    bool added = true;
    for (int64_t row = first; row < end && added; row++)
        added = add_row(matrix, row, &maker);
    return ashi_pattern_finish(&maker, added, out, err);
}
