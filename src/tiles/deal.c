/* Dealing the tiles of a product's result to processes by the work that they are. */
#include "base/checked.h"
#include "base/error.h"
#include "choose/sparse_plan.h"
#include "exec/mpi.h"
#include "tiles/asked.h"

#include <limits.h>
#include <stdlib.h>

static const char *const who = "ashlar_tiles_deal_by_work";

/* What is asked for, and the maps. */
typedef struct dealing {
    const ashlar_context *context;
    const ashlar_tiles *x[2];
    ashlar_op op[2];
    ashlar_tiles *c;          /* without tiles: its cuts, its symmetry and its grid */
    ashi_pattern pattern[2];  /* on rank 0: all stored tiles of A and B */
    int *map;                 /* of C's rows, then of its columns */
    double left;              /* work of the busiest process over the mean */
} dealing;

/* ---- what C looks like ---- */

/* Row x of C is cut as op(A)'s rows are, column as op(B)'s columns. */
static const ashi_cuts *side(const dealing *d, int x)
{
    const bool turned = d->op[x] != ASHLAR_OP_N;
    return (x == 0) == turned ? &d->x[x]->col : &d->x[x]->row;
}

static int64_t *sizes_of(const ashi_cuts *cuts)
{
    int64_t *size = malloc(((size_t)cuts->tiles + 1) * sizeof *size);
    for (int64_t t = 0; size && t < cuts->tiles; t++)
        size[t] = ashi_cuts_size(cuts, t);
    return size;
}

/* Collective. */
static ashlar_status describe_c(dealing *d, const ashlar_tiles_description *given, ashlar_error *err)
{
    const ashi_cuts *row = side(d, 0), *col = side(d, 1);
    int64_t *rows = sizes_of(row), *cols = sizes_of(col);
    const ashlar_tiles_description c = {.type = d->x[0]->type, .symmetry = given->symmetry, .tile_rows = row->tiles,
                                        .tile_cols = col->tiles, .row_sizes = rows, .col_sizes = cols,
                                        .grid_rows = given->grid_rows, .grid_cols = given->grid_cols};
    ashlar_status status =
        rows && cols ? ASHLAR_OK : ashi_fail_memory(err, who, (row->tiles + col->tiles) * (int64_t)sizeof *rows);
    status = ashi_agree_named(d->context, status, err);
    if (status == ASHLAR_OK)
        status = ashlar_tiles_create((ashlar_context *)(uintptr_t)d->context, &c, &d->c, err);
    free(rows);
    free(cols);
    return status;
}

/* That the product can be made. Collective. */
static ashlar_status check_product(const dealing *d, ashlar_error *err)
{
    const ashlar_tiles_term term = {NULL, d->op[0], d->op[1], d->x[0], d->x[1]};
    ashi_tiles_asked asked = {.who = who, .context = d->context, .terms = 1, .term = &term, .shapes = true, .c = d->c};
    const ashlar_status status = ashi_tiles_take_options(&asked, NULL, err);
    return ashi_tiles_ask(&asked, status, err);
}

/* ---- which tiles there are ---- */

static ashi_tile_at *list_own(const ashlar_tiles *x)
{
    ashi_tile_at *list = malloc(((size_t)x->held.pattern.tiles + 1) * sizeof *list);
    for (ashi_held_walk w = {.number = -1}; list && ashi_held_next(&x->held, &w);)
        list[w.number] = w.at;
    return list;
}

/* Tiles of the ranks, and where each rank's begin, in numbers. Rank 0 has room for all. */
typedef struct gathering {
    ashi_tile_at *own, *all;
    int *count, *start;
    int64_t tiles;
} gathering;

static ashlar_status make_room(const dealing *d, const ashlar_tiles *x, gathering *g, ashlar_error *err)
{
    const int ranks = d->context->ranks;
    const bool first = d->context->rank == 0;
    *g = (gathering){.own = list_own(x), .count = calloc((size_t)ranks, sizeof *g->count),
                     .start = calloc((size_t)ranks, sizeof *g->start), .tiles = x->all_tiles};
    g->all = malloc(((size_t)(first ? g->tiles : 0) + 1) * sizeof *g->all);
    if (2 * g->tiles > INT_MAX)
        return ashi_fail(err, ASHLAR_ERR_OVERFLOW, "%s: more than 2^30 tiles", who);
    return g->own && g->count && g->start && g->all
               ? ASHLAR_OK : ashi_fail_memory(err, who, 2 * g->tiles * (int64_t)sizeof *g->all);
}

/* All stored tiles of A or B, on rank 0. Collective. */
static ashlar_status gather(dealing *d, int x, ashlar_error *err)
{
    const ashlar_context *context = d->context;
    gathering g;
    const ashlar_status made = make_room(d, d->x[x], &g, err);
    ashlar_status status = ashi_agree_named(context, made, err);
    const int numbers = status == ASHLAR_OK ? (int)(2 * d->x[x]->held.pattern.tiles) : 0;
    if (status == ASHLAR_OK) {
        ashi_note(context, MPI_Gather(&numbers, 1, MPI_INT, g.count, 1, MPI_INT, 0, context->comm), "MPI_Gather");
        for (int r = 1; r < context->ranks; r++)
            g.start[r] = g.start[r - 1] + g.count[r - 1];
        status = ashi_agree(context, ASHLAR_OK, err);
    }
    if (status == ASHLAR_OK) {
        ashi_note(context, MPI_Gatherv(g.own, numbers, MPI_INT64_T, g.all, g.count, g.start, MPI_INT64_T, 0,
                                       context->comm), "MPI_Gatherv");
        status = ashi_agree(context, ASHLAR_OK, err);
    }
    if (status == ASHLAR_OK && context->rank == 0)
        status = ashi_pattern_make(g.all, g.tiles, &d->pattern[x], err);
    free(g.own);
    free(g.all);
    free(g.count);
    free(g.start);
    return ashi_agree_named(context, status, err);
}

/* ---- the maps ---- */

static ashlar_status deal(dealing *d, const ashi_sparse_product *product, const ashi_factor *a_columns,
                          ashlar_error *err)
{
    const ashi_sparse_request request = {.product = product, .a_columns = a_columns, .ranks = d->context->ranks};
    const int64_t grid[2] = {d->c->deal.grid_rows, d->c->deal.grid_cols}, rows = d->c->row.tiles;
    ashi_tile_deals deals;
    const ashlar_status status = ashi_tile_deal(&request, grid, ASHI_DEALT_BY_WORK, &deals, err);
    for (int64_t i = 0; i < rows && status == ASHLAR_OK; i++)
        d->map[i] = deals.row[i];
    for (int64_t j = 0; j < d->c->col.tiles && status == ASHLAR_OK; j++)
        d->map[rows + j] = deals.col[j];
    d->left = deals.left;
    ashi_tile_deals_free(&deals);
    return status;
}

/* On rank 0. */
static ashlar_status find_maps(dealing *d, ashlar_error *err)
{
    const ashlar_op other = d->op[0] == ASHLAR_OP_N ? ASHLAR_OP_T : ASHLAR_OP_N;
    ashi_factor a = {0}, b = {0}, a_columns = {0};
    ashlar_status status = ashi_factor_make(&d->pattern[0], d->x[0]->symmetry, d->op[0], &a, err);
    if (status == ASHLAR_OK)
        status = ashi_factor_make(&d->pattern[1], d->x[1]->symmetry, d->op[1], &b, err);
    if (status == ASHLAR_OK)
        status = ashi_factor_make(&d->pattern[0], d->x[0]->symmetry, other, &a_columns, err);
    const ashi_sparse_product product = {.a = &a, .b = &b, .rows = &d->c->row, .cols = &d->c->col,
                                         .inner = d->op[1] != ASHLAR_OP_N ? &d->x[1]->col : &d->x[1]->row,
                                         .half = d->c->symmetry != ASHLAR_GENERAL};
    if (status == ASHLAR_OK)
        status = deal(d, &product, &a_columns, err);
    ashi_factor_free(&a);
    ashi_factor_free(&b);
    ashi_factor_free(&a_columns);
    return status;
}

/* One rank makes the maps for all: machines may round differently. Collective. */
static ashlar_status deal_all(dealing *d, ashlar_error *err)
{
    const ashlar_context *context = d->context;
    const int64_t lines = d->c->row.tiles + d->c->col.tiles;
    ashlar_status status = ASHLAR_OK;
    for (int x = 0; x < 2 && status == ASHLAR_OK; x++)
        status = gather(d, x, err);
    if (status != ASHLAR_OK)
        return status;
    d->map = malloc(((size_t)lines + 1) * sizeof *d->map);
    if (!d->map)
        status = ashi_fail_memory(err, who, lines * (int64_t)sizeof *d->map);
    else if (lines > INT_MAX)
        status = ashi_fail(err, ASHLAR_ERR_OVERFLOW, "%s: more than 2^31 - 1 rows and columns of tiles", who);
    else if (context->rank == 0)
        status = find_maps(d, err);
    status = ashi_agree_named(context, status, err);
    if (status != ASHLAR_OK)
        return status;
    ashi_note(context, MPI_Bcast(d->map, (int)lines, MPI_INT, 0, context->comm), "MPI_Bcast");
    ashi_note(context, MPI_Bcast(&d->left, 1, MPI_DOUBLE, 0, context->comm), "MPI_Bcast");
    return ashi_conclude(context, ASHLAR_OK, err);
}

/* ---- the call ---- */

static ashlar_status check(const dealing *d, const ashlar_tiles_description *c, const int *row_map, const int *col_map,
                           ashlar_error *err)
{
    const char *missing = !d->x[1] ? "b" : !c ? "c" : !row_map ? "row_map" : !col_map ? "col_map" : NULL;
    if (missing)
        return ashi_fail(err, ASHLAR_ERR_ARG, "%s: %s is NULL", who, missing);
    for (int x = 0; x < 2; x++)
        if ((int)d->op[x] < ASHLAR_OP_N || (int)d->op[x] > ASHLAR_OP_C)
            return ashi_fail(err, ASHLAR_ERR_ARG, "%s: op_%c = %d is none", who, "ab"[x], (int)d->op[x]);
    return ASHLAR_OK;
}

ashlar_status ashlar_tiles_deal_by_work(ashlar_op op_a, const ashlar_tiles *a, ashlar_op op_b, const ashlar_tiles *b,
                                        const ashlar_tiles_description *c, int *row_map, int *col_map, double *left,
                                        ashlar_error *err)
{
    dealing d = {.x = {a, b}, .op = {op_a, op_b}};
    ashlar_error own = {0};
    err = err ? err : &own;
    if (!a)
        return ashi_fail(err, ASHLAR_ERR_ARG, "%s: a is NULL", who);
    d.context = a->context;
    ashlar_status status = ashi_agree_named(d.context, check(&d, c, row_map, col_map, err), err);
    if (status == ASHLAR_OK)
        status = describe_c(&d, c, err);
    if (status == ASHLAR_OK)
        status = check_product(&d, err);
    if (status == ASHLAR_OK)
        status = deal_all(&d, err);
    for (int64_t i = 0; status == ASHLAR_OK && i < d.c->row.tiles; i++)
        row_map[i] = d.map[i];
    for (int64_t j = 0; status == ASHLAR_OK && j < d.c->col.tiles; j++)
        col_map[j] = d.map[d.c->row.tiles + j];
    if (status == ASHLAR_OK && left)
        *left = d.left;
    ashlar_tiles_free(&d.c);
    ashi_pattern_free(&d.pattern[0]);
    ashi_pattern_free(&d.pattern[1]);
    free(d.map);
    return status;
}
