/* Generated matrices of tiles: each rank makes some rows of tiles and writes them. */
#include "cli/generate_tiles.h"

#include "base/checked.h"
#include "base/error.h"
#include "cli/complain.h"
#include "cli/cuts_text.h"
#include "cli/described_tiles.h"
#include "cli/on_ranks.h"
#include "kernel/kernels.h"
#include "kernel/tile_kernels.h"
#include "tiles/file_output.h"

#include <inttypes.h>
#include <stdlib.h>

/* ---- the tiling ---- */

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
    ashi_tiling t;
    ashlar_status status = ashi_tiling_read(wish->tiling, &t, err);
    if (status == ASHLAR_OK && t.file) {
        status = ashi_cuts_text_read(context, t.file, row, col, err);
        if (status == ASHLAR_OK)
            status = check_side(t.file, "rows", wish->rows, row, err);
        return status == ASHLAR_OK ? check_side(t.file, "columns", wish->cols, col, err) : status;
    }
    if (status == ASHLAR_OK)
        status = ashi_tiling_cut(&t, wish->rows, wish->values.seed, "the rows", row, err);
    if (status == ASHLAR_OK)
        status = ashi_tiling_cut(&t, wish->cols, wish->values.seed + 1, "the columns", col, err);
    return ashi_agree(context, status, err);
}

/* ---- a rank's rows ---- */

typedef struct generator {
    const ashi_generated_tiles *wish;
    ashi_cuts row, col;
    ashi_described matrix;
    int64_t first, end;          /* rows of tiles of this rank */
    ashi_pattern pattern;        /* of these */
    ashi_tile_output out;
} generator;

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
    const ashi_pattern *p = &g->pattern;
    int64_t most = 0, bytes = 0;
    for (int64_t x = 0; x < p->rows; x++)
        for (int64_t t = p->start[x]; t < p->start[x + 1]; t++)
            most = ashi_max(most, ashi_mul_most(ashi_cuts_size(&g->row, p->row[x]),
                                                ashi_cuts_size(&g->col, p->col[t])));
    if (!ashi_mul(most + (most == 0), (int64_t)ashlar_type_bytes(g->wish->values.type), &bytes))
        return ashi_fail(err, ASHLAR_ERR_OVERFLOW, "generate: a tile of more than 2^63 - 1 bytes");
    *out = malloc((size_t)bytes);
    return *out ? ASHLAR_OK : ashi_fail_memory(err, "generate", bytes);
}

static ashlar_status write_tile(generator *g, ashi_tile_at at, int64_t tile, int64_t *word, void *data,
                                ashlar_error *err)
{
    const ashi_values *values = &g->wish->values;
    const int64_t rows = ashi_cuts_size(&g->row, at.row), cols = ashi_cuts_size(&g->col, at.col);
    ashi_values_fill(values, g->row.at[at.row], rows, g->col.at[at.col], cols, data, 1, rows);
    const double factor = ashi_random_factor(&g->matrix.near, at.row, at.col);
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
    const ashi_pattern *p = &g->pattern;
    void *data = NULL;
    int64_t word = g->out.word;
    ashlar_status status = allocate(g, &data, err);
    for (int64_t x = 0; x < p->rows; x++)
        for (int64_t t = p->start[x]; t < p->start[x + 1] && status == ASHLAR_OK; t++)
            status = write_tile(g, (ashi_tile_at){p->row[x], p->col[t]}, t, &word, data, err);
    free(data);
    return status;
}

/* ---- the call ---- */

static ashlar_status generate(generator *g, const ashlar_context *context, ashlar_error *err)
{
    const uint64_t seed = g->wish->values.seed;
    g->matrix = ashi_described_of(g->row.tiles, g->col.tiles, seed, g->wish->density, g->wish->decay);
    ashi_tile_rows_of(&g->row, context->rank, context->ranks, &g->first, &g->end);
    ashlar_status status = ashi_described_pattern(&g->matrix, g->first, g->end, &g->pattern, err);
    status = ashi_agree_named(context, status, err);
    if (status != ASHLAR_OK)
        return status;
    const ashi_tile_head head = {g->wish->values.type, ASHLAR_GENERAL, g->row, g->col, 0, 0, false};
    status = ashi_tile_output_begin(context, g->wish->output, &head, g->first, g->end, &g->pattern, NULL, &g->out,
                                    err);
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
    return status;
}

int ashi_generate_tiles(const ashi_generated_tiles *wish)
{
    ashi_generated_tiles own = *wish;
    return ashi_on_ranks_run("generate", work, &own);
}
