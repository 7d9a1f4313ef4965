/* Dealing the tiles of a product's result to processes by the work that they are. */
#include "base/checked.h"
#include "base/error.h"
#include "exec/mpi.h"
#include "tiles/asked.h"
#include "tiles/deal_sums.h"
#include "tiles/product_parts.h"

#include <limits.h>
#include <stdlib.h>

static const char *const who = "ashlar_tiles_deal_by_work";

/* What is asked for, and the maps. */
typedef struct dealing {
    const ashlar_context *context;
    const ashlar_tiles *x[2];
    ashlar_op op[2];
    ashlar_tiles *c;          /* without tiles: its cuts, its symmetry and its grid */
    ashi_tiles_product product; /* the tiles of A and B that this rank needs */
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

/* ---- the maps ---- */

/* By the work of each tile of C. Collective. */
static ashlar_status deal_tiles(dealing *d, ashlar_error *err)
{
    const int64_t lines[2] = {d->c->row.tiles, d->c->col.tiles}, grid[2] = {d->c->deal.grid_rows, d->c->deal.grid_cols};
    ashi_deal_sums sums;
    ashi_dealing *dealt = NULL;
    ashlar_status status = ashi_deal_sums_find(&d->product, &sums, err);
    if (status == ASHLAR_OK)
        status = ashi_dealing_make(lines, grid, &dealt, err);
    status = ashi_agree_named(d->context, status, err);
    if (status == ASHLAR_OK)
        ashi_dealing_run(dealt, &(ashi_line_sums){ashi_deal_sums_add, &sums}, d->map, d->map + lines[0], &d->left);
    ashi_dealing_free(&dealt);
    ashi_deal_sums_free(&sums);
    return status;
}

/* By the work of each row and each column of tiles. Collective. */
static ashlar_status deal_lines(dealing *d, ashlar_error *err)
{
    const int64_t rows = d->c->row.tiles, cols = d->c->col.tiles;
    double *work = malloc(((size_t)(rows + cols) + 1) * sizeof *work), left[2] = {1, 1};
    ashlar_status status = work ? ASHLAR_OK : ashi_fail_memory(err, who, (rows + cols) * (int64_t)sizeof *work);
    status = ashi_deal_line_work(&d->product, status, work, err);
    if (status == ASHLAR_OK)
        status = ashi_deal_lines(work, rows, d->c->deal.grid_rows, d->map, &left[0], err);
    if (status == ASHLAR_OK)
        status = ashi_deal_lines(work + rows, cols, d->c->deal.grid_cols, d->map + rows, &left[1], err);
    d->left = left[0] * left[1];
    free(work);
    return ashi_agree_named(d->context, status, err);
}

/* The tiles of A and B that each rank would need if C were dealt out by turns. Collective. */
static ashlar_status find_needed(dealing *d, ashlar_error *err)
{
    const ashlar_tiles_term term = {NULL, d->op[0], d->op[1], d->x[0], d->x[1]};
    const ashi_tiles_asked q = {.who = who, .context = d->context, .terms = 1, .term = &term, .shapes = true,
                                .c = d->c};
    const int64_t lines = d->c->row.tiles + d->c->col.tiles;
    ashlar_status status = ashi_tiles_product_begin(&q, true, &d->product, err);
    d->map = malloc(((size_t)lines + 1) * sizeof *d->map);
    if (status == ASHLAR_OK && !d->map)
        status = ashi_fail_memory(err, who, lines * (int64_t)sizeof *d->map);
    if (status == ASHLAR_OK && lines > INT_MAX)
        status = ashi_fail(err, ASHLAR_ERR_OVERFLOW, "%s: more than 2^31 - 1 rows and columns of tiles", who);
    if (status == ASHLAR_OK)
        status = ashi_product_join_inner(&d->product, err);
    status = ashi_product_find_needed(&d->product, ASHLAR_A, status, err);
    status = ashi_product_find_needed(&d->product, ASHLAR_B, status, err);
    return ashi_agree_named(d->context, status, err);
}

/* All ranks make the maps from the same sums. The first one's are taken: machines may round differently. Collective. */
static ashlar_status deal_all(dealing *d, ashlar_error *err)
{
    const ashlar_context *context = d->context;
    ashlar_status status = find_needed(d, err);
    if (status != ASHLAR_OK)
        return status;
    double products = ashi_deal_products(&d->product);
    ashi_note(context, MPI_Allreduce(MPI_IN_PLACE, &products, 1, MPI_DOUBLE, MPI_SUM, context->comm),
              "MPI_Allreduce");
    status = ashi_agree(context, ASHLAR_OK, err);
    if (status == ASHLAR_OK)
        status = products <= ASHI_DEAL_PRODUCTS ? deal_tiles(d, err) : deal_lines(d, err);
    if (status != ASHLAR_OK)
        return status;
    ashi_note(context, MPI_Bcast(d->map, (int)(d->c->row.tiles + d->c->col.tiles), MPI_INT, 0, context->comm),
              "MPI_Bcast");
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
    ashi_tiles_product_free(&d.product);
    free(d.map);
    return status;
}
