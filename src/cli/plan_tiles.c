/* `ashlar plan` and `ashlar simulate` of matrices of tiles, in files or described. */
#include "cli/plan_tiles.h"

#include "base/checked.h"
#include "base/error.h"
#include "base/type.h"
#include "choose/sparse_play.h"
#include "cli/complain.h"
#include "cli/described_tiles.h"
#include "cli/grid_text.h"
#include "cli/progress.h"
#include "cli/report.h"
#include "store/tile_file.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* ---- files ---- */

/* The pattern of a file, from where its rows start and the columns of its tiles. */
static ashlar_status read_pattern(ashi_tile_file *file, ashi_pattern *out, ashlar_error *err)
{
    const ashi_tile_head *head = ashi_tile_file_head(file);
    const int64_t *starts = ashi_tile_file_starts(file);
    int64_t rows = 0, x = 0;
    for (int64_t r = 0; r < head->row.tiles; r++)
        rows += starts[r + 1] > starts[r];
    ashlar_status status = ashi_pattern_reserve(rows, head->tiles, out, err);
    for (int64_t r = 0; r < head->row.tiles && status == ASHLAR_OK; r++)
        if (starts[r + 1] > starts[r]) {
            out->row[x] = r;
            out->start[x++] = starts[r];
        }
    if (status != ASHLAR_OK)
        return status;
    out->start[rows] = head->tiles;
    return ashi_tile_file_read(file, ASHI_TILE_COLUMNS, 0, head->tiles, out->col, err);
}

/* The ranks of its tiles, if it has any. */
static ashlar_status read_ranks(ashi_tile_file *file, ashi_tiles_factor *x, ashlar_error *err)
{
    const ashi_tile_head *head = ashi_tile_file_head(file);
    if (!head->low)
        return ASHLAR_OK;
    x->rank = malloc(((size_t)head->tiles + 1) * sizeof *x->rank);
    if (!x->rank)
        return ashi_fail_memory(err, "plan", head->tiles * (int64_t)sizeof *x->rank);
    const ashlar_status status = ashi_tile_file_read(file, ASHI_TILE_RANKS, 0, head->tiles, x->rank, err);
    for (int64_t t = 0; t < head->tiles && status == ASHLAR_OK; t++)
        x->low_tiles += x->rank[t] >= 0;
    return status;
}

static ashlar_status read_factor(const char *place, ashi_tiles_factor *x, ashlar_type *type, ashlar_error *err)
{
    ashi_tile_file *file = NULL;
    ashlar_status status = ashi_tile_file_open(place, &file, err);
    if (status == ASHLAR_OK) {
        const ashi_tile_head *head = ashi_tile_file_head(file);
        *type = head->type;
        x->symmetry = head->symmetry;
        status = ashi_cuts_copy(&head->row, &x->row, err);
        if (status == ASHLAR_OK)
            status = ashi_cuts_copy(&head->col, &x->col, err);
    }
    if (status == ASHLAR_OK)
        status = read_pattern(file, &x->pattern, err);
    if (status == ASHLAR_OK)
        status = read_ranks(file, x, err);
    ashi_tile_file_close(&file, NULL);
    return status;
}

static ashlar_status read_files(ashi_tiles_case *c, ashi_problem_line *line, char *const places[3], ashlar_error *err)
{
    ashlar_type type[2] = {ASHLAR_TYPE_D, ASHLAR_TYPE_D};
    ashlar_status status = ASHLAR_OK;
    for (int i = 0; i < 2 && status == ASHLAR_OK; i++)
        status = read_factor(places[i], &c->x[i], &type[i], err);
    if (status == ASHLAR_OK && type[0] != type[1])
        status = ashi_fail(err, ASHLAR_ERR_ARG, "A is of type %c and B of type %c, wanted one type",
                           ashi_type_of(type[0])->letter, ashi_type_of(type[1])->letter);
    line->type = (int)type[0];
    return status;
}

/* ---- described ---- */

/* m is cut by the seed, k by the one after it, n by the next: as `ashlar generate` cuts A with the seed and B with the
 * one after it. */
static ashlar_status describe(ashi_tiles_case *c, ashlar_error *err)
{
    const ashi_tiles_wish *w = c->wish;
    const int64_t *size = c->problem.size, sides[2][2] = {{size[0], size[2]}, {size[2], size[1]}};
    ashi_tiling tiling;
    ashlar_status status = ashi_tiling_read(w->tiling, &tiling, err);
    if (status == ASHLAR_OK && (c->problem.op[0] != ASHLAR_OP_N || c->problem.op[1] != ASHLAR_OP_N))
        return ashi_fail(err, ASHLAR_ERR_ARG, "--transa and --transb are for files: what --tiling describes is op(A) "
                                              "and op(B)");
    if (status == ASHLAR_OK && tiling.file)
        return ashi_fail(err, ASHLAR_ERR_ARG, "--tiling %.60s: a plan takes random: and even:; 'ashlar generate' makes "
                         "a file of other tilings, which a plan reads", w->tiling);
    for (int i = 0; i < 2 && status == ASHLAR_OK; i++) {
        const uint64_t seed = (uint64_t)w->seed + (uint64_t)i;
        ashi_tiles_factor *x = &c->x[i];
        status = ashi_tiling_cut(&tiling, sides[i][0], seed, "the rows", &x->row, err);
        if (status == ASHLAR_OK)
            status = ashi_tiling_cut(&tiling, sides[i][1], seed + 1, "the columns", &x->col, err);
        if (status == ASHLAR_OK) {
            const ashi_described matrix = ashi_described_of(x->row.tiles, x->col.tiles, seed, w->density, w->decay);
            status = ashi_described_pattern(&matrix, 0, x->row.tiles, &x->pattern, err);
        }
    }
    return status;
}

/* ---- the product ---- */

static void measure(ashi_tiles_factor *x)
{
    const ashi_pattern *p = &x->pattern;
    const double all = (double)ashi_cuts_all(&x->row) * (double)ashi_cuts_all(&x->col);
    double elements = 0;
    x->words = 0;
    for (int64_t r = 0; r < p->rows; r++)
        for (int64_t t = p->start[r]; t < p->start[r + 1]; t++) {
            const bool mirrored = x->symmetry != ASHLAR_GENERAL && p->row[r] != p->col[t];
            const int64_t rows = ashi_cuts_size(&x->row, p->row[r]), cols = ashi_cuts_size(&x->col, p->col[t]);
            elements += (mirrored ? 2.0 : 1.0) * (double)rows * (double)cols;
            x->words += ashi_factor_words(&x->factor, t, rows, cols);
        }
    x->density = all > 0 ? elements / all : 0;
}

/* m, n and k, from what op(A) and op(B) have. */
static ashlar_status take_cuts(ashi_tiles_case *c, const ashlar_op op[2], ashlar_error *err)
{
    const bool turned[2] = {op[0] != ASHLAR_OP_N, op[1] != ASHLAR_OP_N};
    const ashi_tiles_factor *a = &c->x[0], *b = &c->x[1];
    const ashi_cuts *inner = turned[1] ? &b->col : &b->row;
    c->cuts[0] = turned[0] ? a->col : a->row;
    c->cuts[1] = turned[1] ? b->row : b->col;
    c->cuts[2] = turned[0] ? a->row : a->col;
    if (ashi_cuts_all(&c->cuts[2]) != ashi_cuts_all(inner))
        return ashi_fail(err, ASHLAR_ERR_ARG, "inner dimensions differ: op(A) has %" PRId64 " columns, op(B) %" PRId64
                         " rows", ashi_cuts_all(&c->cuts[2]), ashi_cuts_all(inner));
    const int64_t tile = ashi_cuts_differ(&c->cuts[2], inner);
    return tile < 0 ? ASHLAR_OK
                    : ashi_fail(err, ASHLAR_ERR_ARG, "op(A)'s columns and op(B)'s rows are cut differently, first in "
                                "tile %" PRId64, tile);
}

/* The problem of the command line, whose grid is for tiles and has two numbers. */
static int take_problem(ashi_tiles_case *c, ashi_problem_line *line, char *const size[3], int64_t grid[2])
{
    const char *text = line->grid;
    int64_t three[3] = {0, 0, 1};
    ashlar_error err;
    line->grid = NULL;
    const int status = ashi_problem_line_read(c->wish->command, line, size, 0, &c->problem);
    line->grid = text;
    if (status >= 0 || !text)
        return status;
    if ((!ashi_grid_text_read(text, 2, three) && !ashi_grid_text_read(text, 3, three)) || three[2] != 1) {
        ashi_fail(&err, ASHLAR_ERR_ARG, "--grid is '%.64s', wanted PMxPN, two numbers of at least 1: C stays, and k is "
                                        "not cut for matrices of tiles", text);
        return ashi_complain(c->wish->command, &err);
    }
    grid[0] = three[0];
    grid[1] = three[1];
    return -1;
}

static ashlar_status make_product(ashi_tiles_case *c, const ashi_problem_line *line, const int64_t grid[2],
                                  ashlar_error *err)
{
    const ashlar_op *op = c->problem.op;
    const ashlar_op other = op[0] == ASHLAR_OP_N ? ASHLAR_OP_T : ASHLAR_OP_N;
    ashlar_status status = ASHLAR_OK;
    for (int i = 0; i < 2 && status == ASHLAR_OK; i++) {
        status = ashi_factor_make(&c->x[i].pattern, c->x[i].symmetry, op[i], &c->x[i].factor, err);
        c->x[i].factor.rank = c->x[i].rank;
        measure(&c->x[i]);
    }
    if (status == ASHLAR_OK)
        status = ashi_factor_make(&c->x[0].pattern, c->x[0].symmetry, other, &c->a_columns, err);
    c->a_columns.rank = c->x[0].rank;
    c->product = (ashi_sparse_product){.a = &c->x[0].factor, .b = &c->x[1].factor, .rows = &c->cuts[0],
                                       .inner = &c->cuts[2], .cols = &c->cuts[1]};
    c->request = (ashi_sparse_request){
        .product = &c->product, .a_columns = &c->a_columns, .turned = {op[0] != ASHLAR_OP_N, op[1] != ASHLAR_OP_N},
        .half = {c->x[0].symmetry != ASHLAR_GENERAL, c->x[1].symmetry != ASHLAR_GENERAL},
        .ranks = c->problem.ranks, .grid = {grid[0], grid[1]}, .window = line->window_given ? line->window : 0,
        .memory_words = c->problem.memory_words, .machine = &c->problem.machine,
        .bytes = (int64_t)ashi_type_of(c->problem.type)->bytes, .flops = ashi_type_of(c->problem.type)->flops};
    return status;
}

/* Both kinds of command line end with sizes, cuts and a problem. -1: go on. */
static int prepare(ashi_tiles_case *c, ashi_problem_line *line, char *const places[3], int64_t grid[2])
{
    char text[3][32];
    char *const size[3] = {text[0], text[1], text[2]};
    const ashlar_op op[2] = {(ashlar_op)line->op[0], (ashlar_op)line->op[1]};
    ashlar_error err;
    ashlar_status status = ASHLAR_OK;
    int code = -1;
    if (c->wish->tiling) {
        code = take_problem(c, line, places, grid);
        if (code >= 0)
            return code;
        status = describe(c, &err);
    } else {
        status = read_files(c, line, places, &err);
    }
    if (status == ASHLAR_OK)
        status = take_cuts(c, op, &err);
    if (status != ASHLAR_OK)
        return ashi_complain(c->wish->command, &err);
    for (int i = 0; i < 3; i++)
        snprintf(text[i], sizeof text[i], "%" PRId64, ashi_cuts_all(&c->cuts[i]));
    return c->wish->tiling ? -1 : take_problem(c, line, size, grid);
}

static ashlar_status plan(ashi_tiles_case *c, const ashi_problem_line *line, const int64_t grid[2], ashlar_error *err)
{
    ashlar_status status = make_product(c, line, grid, err);
    if (status == ASHLAR_OK)
        status = ashi_sparse_plan_make(&c->request, &c->plan, err);
    if (status == ASHLAR_OK)
        status = ashi_ways_weigh(&c->request, &c->plan, &c->ways, err);
    if (status == ASHLAR_OK)
        status = ashi_plan_tiles_device(c, err);
    if (status == ASHLAR_OK && c->wish->plays) {
        status = ashi_sparse_play(&c->request, &c->plan, &c->play, err);
        c->unplayed = !c->play.played;
    }
    return status;
}

static void free_case(ashi_tiles_case *c)
{
    for (int i = 0; i < 2; i++) {
        ashi_cuts_free(&c->x[i].row);
        ashi_cuts_free(&c->x[i].col);
        ashi_pattern_free(&c->x[i].pattern);
        ashi_factor_free(&c->x[i].factor);
        free(c->x[i].rank);
    }
    ashi_factor_free(&c->a_columns);
}

int ashi_plan_tiles(const ashi_tiles_wish *wish, ashi_problem_line *line, char *const places[3])
{
    ashi_tiles_case c = {.wish = wish};
    ashlar_error err = {0};
    int64_t grid[2] = {0, 0};
    ashi_progress_clock_start("planning", !wish->quiet);
    int code = prepare(&c, line, places, grid);
    ashlar_status status = ASHLAR_OK;
    if (code < 0)
        status = plan(&c, line, grid, &err);
    ashi_progress_clock_end();
    if (status != ASHLAR_OK)
        code = ashi_complain(wish->command, &err);
    if (code < 0 && wish->json) {
        code = ashi_json_print(wish->command, ashi_plan_tiles_json(&c));
    } else if (code < 0) {
        ashi_plan_tiles_print(&c);
        code = ASHI_EXIT_DONE;
    }
    free_case(&c);
    return code;
}
