/* The process grids on which products of matrices of tiles are formed, if not on C's own. */
#include "choose/tile_ways.h"

#include "base/checked.h"
#include "base/error.h"
#include "choose/tile_grid.h"

#include <stdlib.h>

/* The process grid of op(A) or op(B): `outer` is the side that C has too, m or n, `inner` is k. */
typedef struct side {
    const ashi_deal *deal;
    bool rows_are_outer;
    int64_t outer, inner; /* parts */
} side;

static side side_of(const ashi_way_problem *p, int64_t q, int x)
{
    const ashi_way_factor *f = &p->term[q].x[x];
    const ashi_deal *d = f->deal;
    const bool rows = (x == ASHLAR_A) != f->turned;
    return (side){d, rows, rows ? d->grid_rows : d->grid_cols, rows ? d->grid_cols : d->grid_rows};
}

static int outer_part(const side *s, int64_t tile)
{
    return s->rows_are_outer ? ashi_deal_row_part(s->deal, tile) : ashi_deal_col_part(s->deal, tile);
}

static int inner_part(const side *s, int64_t tile)
{
    return s->rows_are_outer ? ashi_deal_col_part(s->deal, tile) : ashi_deal_row_part(s->deal, tile);
}

static int rank_of(const side *s, int64_t outer, int64_t inner)
{
    return s->deal->grid_rank[s->rows_are_outer ? outer * s->deal->grid_cols + inner
                                                : inner * s->deal->grid_cols + outer];
}

/* Whether two terms' matrices are on one grid, with the same parts of m or n. */
static bool same_side(const side *a, const side *b, int64_t tiles)
{
    bool same = a->outer == b->outer && a->inner == b->inner;
    for (int64_t i = 0; same && i < a->outer * a->inner; i++)
        same = rank_of(a, i / a->inner, i % a->inner) == rank_of(b, i / a->inner, i % a->inner);
    for (int64_t i = 0; same && i < tiles; i++)
        same = outer_part(a, i) == outer_part(b, i);
    return same;
}

const char *ashi_way_refuses(const ashi_way_problem *p, int x)
{
    const int64_t tiles = p->term[0].cuts[x]->tiles;
    for (int64_t q = 0; q < p->terms; q++)
        if (p->term[q].x[x].deal->owner)
            return "its tiles are dealt out by a function";
    for (int64_t q = 1; q < p->terms; q++) {
        const side a = side_of(p, 0, x), b = side_of(p, q, x);
        if (!same_side(&a, &b, tiles))
            return "the terms have it on different process grids";
    }
    return NULL;
}

/* ---- grids ---- */

/* All three lists are the deal's. */
static ashlar_status make_lists(const ashi_way_problem *p, ashi_way_grid *g, int64_t rows, int64_t cols,
                                ashlar_error *err)
{
    ashi_deal *d = &g->deal;
    const int64_t m = p->term[0].cuts[0]->tiles, n = p->term[0].cuts[1]->tiles;
    const int64_t processes = g->layers.count * rows * cols;
    int64_t k = 0;
    for (int64_t q = 0; q < p->terms; q++)
        k += p->term[q].cuts[2]->tiles;
    *d = (ashi_deal){.grid_rows = g->layers.count * rows, .grid_cols = cols,
                     .grid_rank = malloc((size_t)processes * sizeof *d->grid_rank),
                     .row_part = calloc((size_t)m + 1, sizeof *d->row_part),
                     .col_part = calloc((size_t)n + 1, sizeof *d->col_part)};
    g->layer_of = calloc((size_t)k + 1, sizeof *g->layer_of);
    g->layers.rows = rows;
    g->layers.of = g->layer_of;
    if (d->grid_rank && d->row_part && d->col_part && g->layer_of)
        return ASHLAR_OK;
    return ashi_fail_memory(err, "a process grid", (processes + m + n + k) * (int64_t)sizeof *d->row_part);
}

/* Layer l has the process row or column l of C's rows and columns, whatever is the other matrix. */
static ashlar_status keep_factor(const ashi_way_problem *p, int x, ashi_way_grid *g, ashlar_error *err)
{
    const side first = side_of(p, 0, x);
    int64_t at = 0;
    g->layers.count = first.inner;
    const ashlar_status status = make_lists(p, g, x == ASHLAR_A ? first.outer : 1, x == ASHLAR_A ? 1 : first.outer,
                                            err);
    if (status != ASHLAR_OK)
        return status;
    ashi_deal *d = &g->deal;
    for (int64_t l = 0; l < first.inner; l++)
        for (int64_t o = 0; o < first.outer; o++)
            d->grid_rank[l * first.outer + o] = rank_of(&first, o, l);
    for (int64_t i = 0; i < p->term[0].cuts[x]->tiles; i++)
        (x == ASHLAR_A ? d->row_part : d->col_part)[i] = outer_part(&first, i);
    for (int64_t q = 0; q < p->terms; q++) {
        const side s = side_of(p, q, x);
        for (int64_t k = 0; k < p->term[q].cuts[2]->tiles; k++)
            g->layer_of[at++] = inner_part(&s, k);
    }
    return ASHLAR_OK;
}

/* Which layer has which tile of k: by turns, or as A's process columns (x is ASHLAR_A) or B's process rows have them if
 * there are `parts` of these: then the tiles of that matrix are in the layer already. */
static void deal_inner(const ashi_way_problem *p, int x, int64_t parts, ashi_way_grid *g)
{
    int64_t at = 0;
    for (int64_t q = 0; q < p->terms; q++) {
        const side s = side_of(p, q, x);
        const bool follows = !s.deal->owner && s.inner == parts;
        for (int64_t k = 0; k < p->term[q].cuts[2]->tiles; k++)
            g->layer_of[at++] = (int)((follows ? inner_part(&s, k) : k) % g->layers.count);
    }
}

/* Parts of C's rows and columns in each layer: `every` of its own lie together. */
static void deal_outer(const ashi_way_problem *p, int64_t every_row, int64_t every_col, ashi_way_grid *g)
{
    for (int64_t i = 0; i < p->term[0].cuts[0]->tiles; i++)
        g->deal.row_part[i] = (int)(ashi_deal_row_part(p->c, i) / every_row);
    for (int64_t j = 0; j < p->term[0].cuts[1]->tiles; j++)
        g->deal.col_part[j] = (int)(ashi_deal_col_part(p->c, j) / every_col);
}

/* Each layer has every L-th of C's process columns, or rows. */
static ashlar_status share_grid(const ashi_way_problem *p, bool by_cols, ashi_way_grid *g, ashlar_error *err)
{
    const ashi_deal *c = p->c;
    const int64_t layers = g->layers.count, every_row = by_cols ? 1 : layers, every_col = by_cols ? layers : 1;
    const int64_t rows = c->grid_rows / every_row, cols = c->grid_cols / every_col;
    const ashlar_status status = make_lists(p, g, rows, cols, err);
    if (status != ASHLAR_OK)
        return status;
    for (int64_t i = 0; i < layers * rows * cols; i++) {
        const int64_t layer = i / (rows * cols), row = i / cols % rows, col = i % cols;
        const int64_t of_row = by_cols ? row : row * layers + layer, of_col = by_cols ? col * layers + layer : col;
        g->deal.grid_rank[i] = c->grid_rank[of_row * c->grid_cols + of_col];
    }
    deal_outer(p, every_row, every_col, g);
    deal_inner(p, by_cols ? ASHLAR_A : ASHLAR_B, by_cols ? c->grid_cols : c->grid_rows, g);
    return ASHLAR_OK;
}

/* Each layer has the next ranks. */
static ashlar_status new_grid(const ashi_way_problem *p, ashi_way_grid *g, ashlar_error *err)
{
    int64_t grid[2];
    ashi_tile_grid(p->term[0].cuts[0], p->term[0].cuts[1], p->ranks / g->layers.count, grid);
    const ashlar_status status = make_lists(p, g, grid[0], grid[1], err);
    if (status != ASHLAR_OK)
        return status;
    ashi_deal *d = &g->deal;
    for (int64_t i = 0; i < g->layers.count * grid[0] * grid[1]; i++)
        d->grid_rank[i] = (int)i;
    for (int64_t i = 0; i < p->term[0].cuts[0]->tiles; i++)
        d->row_part[i] = (int)(i % grid[0]);
    for (int64_t j = 0; j < p->term[0].cuts[1]->tiles; j++)
        d->col_part[j] = (int)(j % grid[1]);
    deal_inner(p, ASHLAR_A, 0, g);
    return ASHLAR_OK;
}

static ashlar_status keep_c(const ashi_way_problem *p, ashi_way_grid *g, ashlar_error *err)
{
    const ashi_deal *c = p->c;
    const bool cols = !c->owner && c->grid_cols % g->layers.count == 0;
    const bool rows = !c->owner && c->grid_rows % g->layers.count == 0;
    if (!cols && !rows)
        return new_grid(p, g, err);
    return share_grid(p, cols && (!rows || c->grid_cols >= c->grid_rows), g, err);
}

ashlar_status ashi_way_grid_make(const ashi_way_problem *p, const ashi_tile_way *way, ashi_way_grid *out,
                                 ashlar_error *err)
{
    *out = (ashi_way_grid){.layers.count = way->layers};
    return way->stays == ASHLAR_C ? keep_c(p, out, err) : keep_factor(p, (int)way->stays, out, err);
}

void ashi_way_grid_free(ashi_way_grid *grid)
{
    free(grid->deal.grid_rank);
    free(grid->deal.row_part);
    free(grid->deal.col_part);
    free(grid->layer_of);
    *grid = (ashi_way_grid){0};
}
