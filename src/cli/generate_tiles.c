/* Generated matrices of tiles: each rank makes some rows of tiles and writes them. */
#include "cli/generate_tiles.h"

#include "base/array.h"
#include "base/checked.h"
#include "base/error.h"
#include "base/number.h"
#include "cli/complain.h"
#include "cli/cuts_text.h"
#include "cli/on_ranks.h"
#include "exec/kernels.h"
#include "exec/tile_kernels.h"
#include "layout/random_tiles.h"
#include "tiles/file_output.h"

#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

static const char random_prefix[] = "random:", file_prefix[] = "file:";

/* A tile whose elements are multiplied by less than this is absent: beside those of the diagonal it is rounding. */
static const double least_factor = 0x1p-52;

/* ---- the tiling ---- */

typedef struct tiling {
    const char *file; /* NULL: random */
    int64_t mean;
    double spread;
} tiling;

static bool parse_random(const char *text, tiling *out)
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

static ashlar_status parse(const char *text, tiling *out, ashlar_error *err)
{
    *out = (tiling){0};
    if (strncmp(text, file_prefix, sizeof file_prefix - 1) == 0 && text[sizeof file_prefix - 1]) {
        out->file = text + sizeof file_prefix - 1;
        return ASHLAR_OK;
    }
    if (strncmp(text, random_prefix, sizeof random_prefix - 1) == 0 &&
        parse_random(text + sizeof random_prefix - 1, out))
        return ASHLAR_OK;
    return ashi_fail(err, ASHLAR_ERR_ARG, "--tiling '%.60s', wanted random:MEAN, random:MEAN:SPREAD (MEAN at least 1, "
                                          "SPREAD 1 to %d) or file:CUTS", text, ASHI_SPREAD_MOST);
}

ashlar_status ashi_tiling_check(const char *text, ashlar_error *err)
{
    tiling ignored;
    return parse(text, &ignored, err);
}

static ashlar_status check_side(const char *path, const char *what, int64_t wanted, const ashi_cuts *cuts,
                                ashlar_error *err)
{
    return ashi_cuts_all(cuts) == wanted
               ? ASHLAR_OK
               : ashi_fail(err, ASHLAR_ERR_ARG, "%.200s has tiles of %" PRId64 " %s in sum, wanted %" PRId64, path,
                           ashi_cuts_all(cuts), what, wanted);
}

/* Columns are cut by the next seed: a matrix of seed 1 and one of seed 2 have the side between them cut alike. */
static ashlar_status make_cuts(const ashlar_context *context, const ashi_generated_tiles *wish, ashi_cuts *row,
                               ashi_cuts *col, ashlar_error *err)
{
    tiling t;
    ashlar_status status = parse(wish->tiling, &t, err);
    if (status == ASHLAR_OK && t.file) {
        status = ashi_cuts_text_read(context, t.file, row, col, err);
        if (status == ASHLAR_OK)
            status = check_side(t.file, "rows", wish->rows, row, err);
        return status == ASHLAR_OK ? check_side(t.file, "columns", wish->cols, col, err) : status;
    }
    if (status == ASHLAR_OK)
        status = ashi_random_cuts(wish->rows, t.mean, t.spread, wish->values.seed, "the rows", row, err);
    if (status == ASHLAR_OK)
        status = ashi_random_cuts(wish->cols, t.mean, t.spread, wish->values.seed + 1, "the columns", col, err);
    return ashi_agree(context, status, err);
}

/* ---- a rank's rows ---- */

typedef struct generator {
    const ashi_generated_tiles *wish;
    ashi_cuts row, col;
    ashi_random_pattern near;    /* how values fall off */
    int64_t reach;               /* tiles further away are absent */
    int64_t first, end;          /* rows of tiles of this rank */
    ashi_tile_at *tile;
    int64_t tiles, room;
    ashi_pattern pattern;
    ashi_tile_output out;
} generator;

/* How far from the diagonal values still count. */
static int64_t find_reach(const ashi_random_pattern *near)
{
    const double reach = near->decay > 0 ? -log(least_factor) / near->decay : INFINITY;
    return reach < (double)near->cols ? (int64_t)reach : near->cols;
}

/* The tiles of a row that are near enough, each present or not by itself. */
static ashlar_status list_row(generator *g, const ashi_random_pattern *present, int64_t row, ashlar_error *err)
{
    ashi_random_row tiles = ashi_random_row_begin(present, row);
    tiles.col = tiles.block_end = ashi_max(tiles.col, tiles.diagonal - g->reach);
    tiles.end = ashi_min(tiles.end, tiles.diagonal + g->reach + 1);
    for (int64_t col; (col = ashi_random_row_next(&tiles)) >= 0;) {
        ashi_tile_at *larger = ashi_array_room(g->tile, &g->room, g->tiles + 1, sizeof *larger);
        if (!larger)
            return ashi_fail_memory(err, "generate", g->tiles * (int64_t)sizeof *larger);
        g->tile = larger;
        g->tile[g->tiles++] = (ashi_tile_at){row, col};
    }
    return ASHLAR_OK;
}

static ashlar_status make_pattern(generator *g, ashlar_error *err)
{
    const ashi_random_pattern present = {g->row.tiles, g->col.tiles, g->wish->values.seed, g->wish->density, 0};
    ashlar_status status = ASHLAR_OK;
    for (int64_t row = g->first; row < g->end && status == ASHLAR_OK; row++)
        status = list_row(g, &present, row, err);
    return status == ASHLAR_OK ? ashi_pattern_make(g->tile, g->tiles, &g->pattern, err) : status;
}

/* ---- its elements ---- */

/* Numbers times a factor that is not 1. */
static void scale(ashlar_type type, int64_t words, double factor, void *data)
{
    const ashi_kernels *kernels = ashi_kernels_of(type);
    const ashi_matrix x = {data, 1, words};
    _Alignas(16) char number[16];
    ashi_tile_kernels_of(type)->element((ashi_number){factor, 0}, number);
    kernels->axpby(words, 1, number, &x, false, kernels->zero, data, 1, words);
}

/* Room for the largest tile. */
static ashlar_status allocate(const generator *g, void **out, ashlar_error *err)
{
    int64_t most = 0, bytes = 0;
    for (int64_t t = 0; t < g->tiles; t++)
        most = ashi_max(most, ashi_mul_most(ashi_cuts_size(&g->row, g->tile[t].row),
                                            ashi_cuts_size(&g->col, g->tile[t].col)));
    if (!ashi_mul(most + (most == 0), (int64_t)ashlar_type_bytes(g->wish->values.type), &bytes))
        return ashi_fail(err, ASHLAR_ERR_OVERFLOW, "generate: a tile of more than 2^63 - 1 bytes");
    *out = malloc((size_t)bytes);
    return *out ? ASHLAR_OK : ashi_fail_memory(err, "generate", bytes);
}

static ashlar_status write_tile(generator *g, int64_t tile, int64_t *word, void *data, ashlar_error *err)
{
    const ashi_values *values = &g->wish->values;
    const ashi_tile_at *at = &g->tile[tile];
    const int64_t rows = ashi_cuts_size(&g->row, at->row), cols = ashi_cuts_size(&g->col, at->col);
    ashi_values_fill(values, g->row.at[at->row], rows, g->col.at[at->col], cols, data, 1, rows);
    const double factor = ashi_random_factor(&g->near, at->row, at->col);
    if (factor < 1)
        scale(values->type, rows * cols, factor, data);
    const double norm = ashi_square_root(ashi_tile_kernels_of(values->type)->square(rows * cols, data));
    ashlar_status status = ashi_tile_file_write(g->out.file, ASHI_TILE_NORMS, g->out.tile + tile, 1, &norm, err);
    if (status == ASHLAR_OK)
        status = ashi_tile_file_write(g->out.file, ASHI_TILE_ELEMENTS, *word, rows * cols, data, err);
    *word += rows * cols;
    return status;
}

/* Local. */
static ashlar_status write_elements(generator *g, ashlar_error *err)
{
    void *data = NULL;
    int64_t word = g->out.word;
    ashlar_status status = allocate(g, &data, err);
    for (int64_t t = 0; t < g->tiles && status == ASHLAR_OK; t++)
        status = write_tile(g, t, &word, data, err);
    free(data);
    return status;
}

/* ---- the call ---- */

static ashlar_status generate(generator *g, const ashlar_context *context, ashlar_error *err)
{
    g->near = (ashi_random_pattern){g->row.tiles, g->col.tiles, 0, 1, g->wish->decay};
    g->reach = find_reach(&g->near);
    ashi_tile_rows_of(&g->row, context->rank, context->ranks, &g->first, &g->end);
    ashlar_status status = ashi_agree_named(context, make_pattern(g, err), err);
    if (status != ASHLAR_OK)
        return status;
    const ashi_tile_head head = {g->wish->values.type, ASHLAR_GENERAL, g->row, g->col, 0, 0};
    status = ashi_tile_output_begin(context, g->wish->output, &head, g->first, g->end, &g->pattern, &g->out, err);
    if (status == ASHLAR_OK)
        status = write_elements(g, err);
    return ashi_tile_output_end(&g->out, status, err);
}

static ashlar_status work(ashlar_context *context, void *wish, ashlar_error *err)
{
    generator g = {.wish = wish};
    ashlar_status status = make_cuts(context, g.wish, &g.row, &g.col, err);
    if (status == ASHLAR_OK)
        status = generate(&g, context, err);
    ashi_pattern_free(&g.pattern);
    ashi_cuts_free(&g.row);
    ashi_cuts_free(&g.col);
    free(g.tile);
    return status;
}

int ashi_generate_tiles(const ashi_generated_tiles *wish)
{
    ashi_generated_tiles own = *wish;
    return ashi_on_ranks_run("generate", work, &own);
}
