/* The files of `ashlar multiply` if matrices of tiles are multiplied: described, compared and loaded. */
#include "base/checked.h"
#include "base/error.h"
#include "cli/grid_text.h"
#include "cli/multiply_tiles.h"
#include "exec/mpi.h"
#include "kernel/kernels.h"
#include "store/tile_file.h"

#include <ashlar/tiles_file.h>

#include <float.h>
#include <inttypes.h>
#include <stdlib.h>

static const char *const names[3] = {"A", "B", "C0"};

ashlar_status ashi_multiply_find_tiles(const ashlar_context *context, const ashi_multiply_wishes *wish, bool tiled[3],
                                       ashlar_error *err)
{
    int found[3] = {0, 0, 0};
    for (int x = 0; x < 3 && context->rank == 0; x++)
        found[x] = wish->input[x] && ashi_tile_file_is_meant(wish->input[x]);
    const ashlar_status status = ashi_mpi(MPI_Bcast(found, 3, MPI_INT, 0, context->comm), "MPI_Bcast", err);
    for (int x = 0; x < 3; x++)
        tiled[x] = found[x] != 0;
    return ashi_agree(context, status, err);
}

/* ---- what the files say ---- */

static ashlar_status describe_tiles(ashi_tiles_job *job, int x, ashlar_error *err)
{
    ashi_tile_file *file = NULL;
    ashlar_status status = ashi_tile_file_open(job->wish->input[x], &file, err);
    if (status == ASHLAR_OK) {
        const ashi_tile_head *head = ashi_tile_file_head(file);
        job->info[x] = (ashlar_file_info){.type = head->type, .rows = ashi_cuts_all(&head->row),
                                          .cols = ashi_cuts_all(&head->col)};
        status = ashi_cuts_copy(&head->row, &job->stored[x][0], err);
        if (status == ASHLAR_OK)
            status = ashi_cuts_copy(&head->col, &job->stored[x][1], err);
    }
    ashi_tile_file_close(&file, NULL);
    return ashi_agree_named(job->context, status, err);
}

static ashlar_status describe_dense(ashi_tiles_job *job, int x, ashlar_error *err)
{
    ashlar_file *file = NULL;
    ashlar_status status = ashlar_file_open(job->context, job->wish->input[x], &file, err);
    if (status == ASHLAR_OK)
        status = ashlar_file_describe(file, &job->info[x], err);
    ashlar_file_close(&file);
    return status;
}

/* Which of m, n and k a stored matrix has as its rows (0) or columns (1). */
static int side_of(const ashi_tiles_job *job, int x, int which)
{
    static const int side[3][2] = {{0, 2}, {2, 1}, {0, 1}}; /* of op(A), op(B) and C0 */
    const bool turned = x < 2 && job->wish->op[x] != ASHLAR_OP_N;
    return side[x][turned ? 1 - which : which];
}

static const char *line_name(int which)
{
    return which == 0 ? "rows" : "columns";
}

/* The mean size of the tiles of the first matrix that has some, for what no file cuts. */
static int64_t mean_tile(const ashi_tiles_job *job)
{
    for (int x = 0; x < 3; x++) {
        const ashi_cuts *row = &job->stored[x][0], *col = &job->stored[x][1];
        if (job->tiled[x] && row->tiles + col->tiles > 0)
            return ashi_max(1, (ashi_cuts_all(row) + ashi_cuts_all(col)) / (row->tiles + col->tiles));
    }
    return 1;
}

/* The cuts of m, n or k: those of the first file that has any; the others are the same. */
static ashlar_status cut_side(ashi_tiles_job *job, int side, ashlar_error *err)
{
    int first = -1, first_which = 0;
    for (int i = 0; i < 6; i++) {
        const int x = i / 2, which = i % 2;
        if (!job->tiled[x] || side_of(job, x, which) != side)
            continue;
        const ashi_cuts *cuts = &job->stored[x][which];
        const int64_t tile = first < 0 ? -1 : ashi_cuts_differ(&job->stored[first][first_which], cuts);
        if (tile >= 0)
            return ashi_fail(err, ASHLAR_ERR_ARG, "%s's %s and %s's %s are cut differently, first in tile %" PRId64
                             ": ashlar show --cuts, untile and tile cut one as the other", names[first],
                             line_name(first_which), names[x], line_name(which), tile);
        if (first < 0) {
            first = x;
            first_which = which;
        }
    }
    return first >= 0 ? ashi_cuts_copy(&job->stored[first][first_which], &job->cuts[side], err)
                      : ashi_cuts_even(job->size[side], mean_tile(job), &job->cuts[side], err);
}

static ashlar_status take_scalars(ashi_tiles_job *job, ashlar_error *err)
{
    const ashlar_status status = ashi_scalar_text_element(&job->wish->alpha, job->info[0].type, job->alpha, err);
    return status == ASHLAR_OK ? ashi_scalar_text_element(&job->wish->beta, job->info[0].type, job->beta, err) : status;
}

ashlar_status ashi_tiles_job_describe(ashi_tiles_job *job, ashlar_error *err)
{
    ashlar_status status = ASHLAR_OK;
    for (int x = 0; x < 3 && status == ASHLAR_OK; x++)
        if (job->wish->input[x])
            status = job->tiled[x] ? describe_tiles(job, x, err) : describe_dense(job, x, err);
    if (status == ASHLAR_OK)
        status = ashi_multiply_check_types(job->wish, job->info, err);
    if (status == ASHLAR_OK)
        status = take_scalars(job, err);
    if (status == ASHLAR_OK)
        status = ashi_multiply_check_shapes(job->wish, job->info, job->size, err);
    for (int side = 0; side < 3 && status == ASHLAR_OK; side++)
        status = cut_side(job, side, err);
    return ashi_agree(job->context, status, err);
}

/* ---- the tiles ---- */

static ashlar_status read_dense(ashi_tiles_job *job, int x, const ashlar_layout *layout, ashlar_tiles *tiles,
                                ashlar_error *err)
{
    ashlar_file *file = NULL;
    const int64_t words = ashlar_layout_words(layout, job->context->rank);
    void *data = malloc((size_t)(words + 1) * ashlar_type_bytes(job->info[x].type));
    ashlar_status status = data ? ASHLAR_OK : ashi_fail_memory(err, "multiply", words);
    status = ashi_agree_named(job->context, status, err);
    if (status == ASHLAR_OK)
        status = ashlar_file_open(job->context, job->wish->input[x], &file, err);
    if (status == ASHLAR_OK)
        status = ashlar_file_read(file, layout, data, err);
    if (status == ASHLAR_OK) /* which drops tiles of zeros, as ashlar tile does */
        status = ashlar_tiles_from_dense(tiles, layout, data, DBL_TRUE_MIN, err);
    ashlar_file_close(&file);
    free(data);
    return status;
}

/* Each rank reads some rows. */
static ashlar_status load_dense(ashi_tiles_job *job, int x, ashlar_tiles *tiles, ashlar_error *err)
{
    const int64_t rows = job->info[x].rows, cols = job->info[x].cols;
    ashlar_layout *layout = NULL;
    ashlar_status status = ashlar_layout_block_cyclic(
        rows, cols, ashi_max(1, ashi_ceil_div(rows, job->context->ranks)), ashi_max(1, cols), job->context->ranks, 1, 0,
        0, NULL, ASHLAR_ROW_MAJOR, 0, &layout, err);
    status = ashi_agree_named(job->context, status, err);
    if (status == ASHLAR_OK)
        status = read_dense(job, x, layout, tiles, err);
    ashlar_layout_free(&layout);
    return status;
}

static int64_t *sizes_of(const ashi_cuts *cuts)
{
    int64_t *size = malloc(((size_t)cuts->tiles + 1) * sizeof *size);
    for (int64_t t = 0; size && t < cuts->tiles; t++)
        size[t] = ashi_cuts_size(cuts, t);
    return size;
}

/* A matrix that lies as `deal` says, with the cuts of the sides that it has. */
static ashlar_status create(ashi_tiles_job *job, int x, ashlar_tiles_description *deal, ashlar_tiles **out,
                            ashlar_error *err)
{
    const ashi_cuts *row = &job->cuts[side_of(job, x, 0)], *col = &job->cuts[side_of(job, x, 1)];
    int64_t *rows = sizes_of(row), *cols = sizes_of(col);
    deal->type = job->info[0].type;
    deal->tile_rows = row->tiles;
    deal->tile_cols = col->tiles;
    deal->row_sizes = rows;
    deal->col_sizes = cols;
    ashlar_status status =
        rows && cols ? ASHLAR_OK : ashi_fail_memory(err, "multiply", (row->tiles + col->tiles) * (int64_t)sizeof *rows);
    status = ashi_agree_named(job->context, status, err);
    if (status == ASHLAR_OK)
        status = ashlar_tiles_create(job->context, deal, out, err);
    free(rows);
    free(cols);
    return status;
}

/* C0 counts if it is multiplied by something, or if C keeps its tiles. */
static bool reads_c0(const ashi_tiles_job *job)
{
    return job->wish->input[2] &&
           (job->wish->retain || !ashi_kernels_of(job->info[0].type)->is_zero(job->beta));
}

static ashlar_status load(ashi_tiles_job *job, int x, ashlar_tiles_description *deal, ashlar_tiles **out,
                          ashlar_error *err)
{
    const bool reads = x < 2 || reads_c0(job);
    if (reads && job->tiled[x])
        return ashlar_tiles_load(job->context, job->wish->input[x], deal, out, err);
    const ashlar_status status = create(job, x, deal, out, err);
    return status == ASHLAR_OK && reads ? load_dense(job, x, *out, err) : status;
}

/* The ranks of the transpose of C's grid. NULL: memory lacks. */
static int *turned_ranks(const ashi_tiles_job *job)
{
    const int64_t rows = job->grid[0], cols = job->grid[1];
    int *rank = malloc((size_t)(rows * cols) * sizeof *rank);
    for (int64_t r = 0; rank && r < rows; r++)
        for (int64_t c = 0; c < cols; c++)
            rank[c * rows + r] = (int)(r * cols + c);
    return rank;
}

/* A and B on C's grid; of a matrix that is transposed rows and columns of the grid change places, so that tile (i, k)
 * of op(A) is in C's process row of i. */
static ashlar_status load_factors(ashi_tiles_job *job, ashlar_error *err)
{
    const int64_t rows = job->grid[0], cols = job->grid[1];
    int *rank = turned_ranks(job);
    ashlar_status status = rank ? ASHLAR_OK : ashi_fail_memory(err, "multiply", rows * cols * (int64_t)sizeof *rank);
    status = ashi_agree_named(job->context, status, err);
    for (int x = 0; x < 2 && status == ASHLAR_OK; x++) {
        const bool turned = job->wish->op[x] != ASHLAR_OP_N;
        ashlar_tiles_description deal = {.size = sizeof deal, .grid_rows = turned ? cols : rows,
                                         .grid_cols = turned ? rows : cols, .grid_ranks = turned ? rank : NULL};
        status = load(job, x, &deal, &job->x[x], err);
    }
    free(rank);
    return status;
}

/* ---- dealing by work ---- */

/* The matrix dealt out as `deal` says. */
static ashlar_status redeal(ashi_tiles_job *job, int x, ashlar_tiles_description *deal, ashlar_tiles **tiles,
                            ashlar_error *err)
{
    ashlar_tiles *dealt = NULL;
    ashlar_tiles_info info;
    ashlar_status status = ashlar_tiles_inspect(*tiles, &info, err);
    deal->symmetry = info.symmetry;
    if (status == ASHLAR_OK)
        status = create(job, x, deal, &dealt, err);
    if (status == ASHLAR_OK)
        status = ashlar_tiles_move(ASHLAR_OP_N, *tiles, dealt, err);
    if (status != ASHLAR_OK) {
        ashlar_tiles_free(&dealt);
        return status;
    }
    ashlar_tiles_free(tiles);
    *tiles = dealt;
    return ASHLAR_OK;
}

/* Rows of op(A) and C go by one map, columns of op(B) and C by the other. `turned`: the ranks of the grid's
 * transpose. */
static ashlar_status redeal_all(ashi_tiles_job *job, const int *row_map, const int *col_map, const int *turned,
                                ashlar_error *err)
{
    ashlar_status status = ASHLAR_OK;
    for (int x = 0; x < 3 && status == ASHLAR_OK; x++) {
        const bool turns = x < 2 && job->wish->op[x] != ASHLAR_OP_N;
        const int *const map[2] = {x == 1 ? NULL : row_map, x == 0 ? NULL : col_map};
        ashlar_tiles_description deal = {.size = sizeof deal, .grid_rows = job->grid[turns],
                                         .grid_cols = job->grid[!turns], .grid_ranks = turns ? turned : NULL,
                                         .row_map = map[turns], .col_map = map[!turns]};
        status = redeal(job, x, &deal, x < 2 ? &job->x[x] : &job->c, err);
    }
    return status;
}

static ashlar_status deal_by_work(ashi_tiles_job *job, ashlar_error *err)
{
    const int64_t rows = job->cuts[0].tiles, cols = job->cuts[1].tiles;
    const ashlar_tiles_description c = {.size = sizeof c, .grid_rows = job->grid[0], .grid_cols = job->grid[1]};
    int *map = malloc(((size_t)(rows + cols) + 1) * sizeof *map), *turned = turned_ranks(job);
    ashlar_status status = map && turned ? ASHLAR_OK
                                         : ashi_fail_memory(err, "multiply", (rows + cols) * (int64_t)sizeof *map);
    status = ashi_agree_named(job->context, status, err);
    if (status == ASHLAR_OK)
        status = ashlar_tiles_deal_by_work(job->wish->op[0], job->x[0], job->wish->op[1], job->x[1], &c, map,
                                           map + rows, NULL, err);
    if (status == ASHLAR_OK)
        status = redeal_all(job, map, map + rows, turned, err);
    free(map);
    free(turned);
    return status;
}

static ashlar_status take_grid(const ashi_tiles_job *job, int64_t grid[2], ashlar_error *err)
{
    const char *text = job->wish->grid;
    int64_t cells = 0, three[3] = {0, 0, 1};
    grid[0] = grid[1] = 0;
    if (!text)
        return ASHLAR_OK;
    if ((!ashi_grid_text_read(text, 2, three) && !ashi_grid_text_read(text, 3, three)) || three[2] != 1)
        return ashi_fail(err, ASHLAR_ERR_ARG, "--grid is '%.64s', wanted PMxPN, two numbers of at least 1: C stays, "
                                              "and k is not cut for matrices of tiles", text);
    if (!ashi_mul(three[0], three[1], &cells) || cells > job->context->ranks)
        return ashi_fail(err, ASHLAR_ERR_ARG, "--grid=%.64s needs more than %d rank%s", text, job->context->ranks,
                         job->context->ranks == 1 ? "" : "s");
    grid[0] = three[0];
    grid[1] = three[1];
    return ASHLAR_OK;
}

ashlar_status ashi_tiles_job_load(ashi_tiles_job *job, ashlar_error *err)
{
    ashlar_tiles_info info;
    ashlar_tiles_description deal = {.size = sizeof deal};
    ashlar_status status = take_grid(job, job->grid, err);
    deal.grid_rows = job->grid[0];
    deal.grid_cols = job->grid[1];
    if (status == ASHLAR_OK)
        status = load(job, 2, &deal, &job->c, err);
    if (status == ASHLAR_OK)
        status = ashlar_tiles_inspect(job->c, &info, err);
    if (status != ASHLAR_OK)
        return status;
    job->grid[0] = info.grid_rows;
    job->grid[1] = info.grid_cols;
    status = load_factors(job, err);
    if (status == ASHLAR_OK && job->wish->deal)
        status = deal_by_work(job, err);
    if (status == ASHLAR_OK && job->wish->check && !ashi_kernels_of(info.type)->is_zero(job->beta))
        status = ashlar_tiles_copy(job->c, &job->c0, err);
    return status;
}
