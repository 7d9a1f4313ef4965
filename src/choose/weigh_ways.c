/* Which matrix stays in a planned product of matrices of tiles, and why: words counted from the patterns. */
#include "choose/weigh_ways.h"

#include "base/checked.h"
#include "base/error.h"

#include <stdlib.h>

/* Products of tiles, and tiles of sums that are noted at once, above which ways are not counted. */
#define PRODUCTS_MOST 2e11
#define NOTED_MOST 5e7

typedef struct weighing {
    const ashi_sparse_request *q;
    ashi_tile_deals deals;
    ashi_way_term term;
    ashi_way_problem problem;
    double words[2]; /* of A and B as they are stored */
} weighing;

/* ---- the problem ---- */

static void measure(const ashi_factor *factor, const ashi_cuts *rows, const ashi_cuts *cols, bool half,
                    double words[2])
{
    const ashi_pattern *p = factor->stored;
    words[0] = words[1] = 0;
    for (int64_t r = 0; r < p->rows; r++)
        for (int64_t t = p->start[r]; t < p->start[r + 1]; t++) {
            const double size = (double)ashi_factor_words(factor, t, ashi_cuts_size(rows, p->row[r]),
                                                          ashi_cuts_size(cols, p->col[t]));
            words[0] += size;
            words[1] += half && p->row[r] != p->col[t] ? 2 * size : size;
        }
}

static ashlar_status begin(weighing *w, const ashi_sparse_plan *plan, ashlar_error *err)
{
    const ashi_sparse_request *q = w->q;
    const ashi_sparse_product *p = q->product;
    const ashi_factor *const factor[2] = {p->a, p->b};
    const ashi_cuts *const side[2][2] = {{p->rows, p->inner}, {p->inner, p->cols}};
    const ashlar_status status = ashi_tile_deal(q, plan->grid, ASHI_DEALT_BY_TURNS, &w->deals, err);
    for (int x = 0; x < 2; x++) {
        double words[2];
        measure(factor[x], side[x][q->turned[x]], side[x][!q->turned[x]], q->half[x], words);
        w->words[x] = words[0];
        w->term.x[x] = (ashi_way_factor){x == 0 ? &w->deals.a : &w->deals.b, q->turned[x], q->half[x], words[1]};
    }
    w->term.cuts[0] = p->rows;
    w->term.cuts[1] = p->cols;
    w->term.cuts[2] = p->inner;
    w->problem = (ashi_way_problem){.term = &w->term, .terms = 1, .c = &w->deals.c, .half = p->half,
                                    .end = {p->rows->tiles, p->cols->tiles, p->inner->tiles}, .ranks = q->ranks};
    return status;
}

/* ---- counting ---- */

/* The process grid of one layer. */
static ashi_deal layer_deal(const ashi_way_grid *grid, int64_t layer)
{
    ashi_deal deal = grid->deal;
    deal.grid_rows = grid->layers.rows;
    deal.grid_rank += layer * grid->layers.rows * deal.grid_cols;
    return deal;
}

/* A way that is counted. */
typedef struct way_count {
    int64_t *work, *sums; /* of each rank */
    int64_t words;        /* that travel to all ranks */
    int64_t arrives_most; /* words of A and B that come to a rank for one tile of k */
} way_count;

/* What arrives of A and B, and the work of each rank, in one layer. */
static ashlar_status count_layer(const weighing *w, const ashi_way_grid *grid, int64_t layer, way_count *out,
                                 ashlar_error *err)
{
    const ashi_factor *k = w->q->a_columns;
    const ashi_deal deal = layer_deal(grid, layer);
    const ashi_sparse_summa summa = {w->q->product, k, &w->deals.a, &w->deals.b, &deal};
    ashi_sparse_iteration it;
    ashlar_status status = ashi_sparse_iteration_begin(&summa, &it, err);
    for (int64_t x = 0; x < k->rows && status == ASHLAR_OK; x++) {
        if (grid->layer_of[k->row[x]] != layer)
            continue;
        if (!ashi_sparse_iteration_at(&it, x))
            status = ashi_fail_memory(err, "counting iterations", 2 * it.event_room * (int64_t)sizeof *it.event);
        for (int64_t e = 0; e < it.events && status == ASHLAR_OK; e++) {
            out->words += it.event[e].words;
            out->arrives_most = ashi_max(out->arrives_most, it.event[e].words);
            out->work[deal.grid_rank[it.event[e].process]] += it.event[e].multiplies;
        }
    }
    ashi_sparse_iteration_free(&it);
    return status;
}

/* The sums of one row of tiles of C. Arrays are of each layer and column, and one column more. */
typedef struct row_sums {
    int64_t cols;
    int64_t *last;  /* the last row in which the layer has this tile, -1: none */
    int64_t *from;  /* how many columns from this one on op(B) has in the layer */
    int64_t *met;   /* of each layer: columns of the row at hand */
} row_sums;

static ashlar_status begin_sums(const weighing *w, const ashi_way_grid *grid, row_sums *s, ashlar_error *err)
{
    const ashi_factor *b = w->q->product->b;
    const int64_t layers = grid->layers.count, each = w->q->product->cols->tiles + 1;
    *s = (row_sums){each, malloc((size_t)(layers * each) * sizeof *s->last),
                    calloc((size_t)(layers * each), sizeof *s->from), malloc((size_t)layers * sizeof *s->met)};
    if (!s->last || !s->from || !s->met)
        return ashi_fail_memory(err, "the sums of C", 2 * layers * each * (int64_t)sizeof *s->last);
    for (int64_t x = 0; x < b->rows; x++) {
        int64_t *from = s->from + grid->layer_of[b->row[x]] * each;
        ashi_factor_run run[2];
        const int runs = ashi_factor_runs(b, x, run);
        for (int r = 0; r < runs; r++)
            for (int64_t t = 0; t < run[r].count; t++)
                from[run[r].col[t]] = 1;
    }
    for (int64_t at = layers * each - 1; at >= 0; at--) {
        s->last[at] = -1;
        s->from[at] += (at + 1) % each == 0 ? 0 : s->from[at + 1];
    }
    return ASHLAR_OK;
}

static void free_sums(row_sums *s)
{
    free(s->last);
    free(s->from);
    free(s->met);
}

/* A sum of a tile of C, in a layer. */
static void add_sum(const weighing *w, const ashi_way_grid *grid, int64_t layer, const ashi_tile_at *at,
                    way_count *out)
{
    const ashi_deal *d = &grid->deal;
    const ashi_sparse_product *p = w->q->product;
    const int64_t size = ashi_cuts_size(p->rows, at->row) * ashi_cuts_size(p->cols, at->col);
    const int64_t row = layer * grid->layers.rows + ashi_deal_row_part(d, at->row);
    const int rank = d->grid_rank[row * d->grid_cols + ashi_deal_col_part(d, at->col)];
    out->sums[rank] += size;
    if (rank != ashi_deal_owner(&w->deals.c, at->row, at->col))
        out->words += size;
}

/* Row x of op(A). A layer that has all columns that it can have is not looked at any more: rows of full matrices are
 * complete after one k of each layer. */
static void add_row(const weighing *w, const ashi_way_grid *grid, int64_t x, row_sums *s, way_count *out)
{
    const ashi_sparse_product *p = w->q->product;
    const int64_t row = p->a->row[x], least = p->half ? row : 0;
    for (int64_t l = 0; l < grid->layers.count; l++)
        s->met[l] = 0;
    ashi_candidates walk = ashi_candidates_begin(p->a, x, p->b, least);
    while (ashi_candidates_next_k(&walk)) {
        const int64_t layer = grid->layer_of[walk.now.k], first = layer * s->cols;
        const int64_t all = least < s->cols ? s->from[first + least] : 0;
        for (int r = 0; r < walk.b_runs; r++)
            for (int64_t t = ashi_candidates_first(&walk.b_run[r], least);
                 t < walk.b_run[r].count && s->met[layer] < all; t++) {
                const int64_t col = walk.b_run[r].col[t];
                if (s->last[first + col] == row)
                    continue;
                s->last[first + col] = row;
                s->met[layer]++;
                add_sum(w, grid, layer, &(ashi_tile_at){row, col}, out);
            }
    }
}

static ashlar_status count_sums(const weighing *w, const ashi_way_grid *grid, way_count *out, ashlar_error *err)
{
    row_sums sums;
    const ashlar_status status = begin_sums(w, grid, &sums, err);
    for (int64_t x = 0; x < w->q->product->a->rows && status == ASHLAR_OK; x++)
        add_row(w, grid, x, &sums, out);
    free_sums(&sums);
    return status;
}

static double imbalance_of(const int64_t *work, int64_t ranks)
{
    double all = 0, most = 0;
    for (int64_t r = 0; r < ranks; r++) {
        all += (double)work[r];
        most = (double)work[r] > most ? (double)work[r] : most;
    }
    return all > 0 ? most * (double)ranks / all : 1;
}

static ashi_way_figures figures_of(const way_count *c, int64_t ranks)
{
    ashi_way_figures out = {.words = c->words, .imbalance = imbalance_of(c->work, ranks)};
    for (int64_t r = 0; r < ranks; r++) {
        out.sums += c->sums[r];
        out.sums_most = ashi_max(out.sums_most, c->sums[r]);
    }
    return out;
}

/* A way with partial sums. */
static ashlar_status count_way(const weighing *w, const ashi_tile_way *way, ashi_way_figures *out,
                               int64_t *arrives_most, ashlar_error *err)
{
    const int64_t ranks = w->q->ranks;
    ashi_way_grid grid = {.layer_of = NULL};
    way_count c = {.work = calloc((size_t)ranks, sizeof *c.work), .sums = calloc((size_t)ranks, sizeof *c.sums)};
    ashlar_status status = c.work && c.sums
                               ? ASHLAR_OK
                               : ashi_fail_memory(err, "counting ways", 2 * ranks * (int64_t)sizeof *c.work);
    if (status == ASHLAR_OK)
        status = ashi_way_grid_make(&w->problem, way, &grid, err);
    for (int64_t l = 0; l < grid.layers.count && status == ASHLAR_OK; l++)
        status = count_layer(w, &grid, l, &c, err);
    if (status == ASHLAR_OK)
        status = count_sums(w, &grid, &c, err);
    if (status == ASHLAR_OK)
        *out = figures_of(&c, ranks);
    *arrives_most = c.arrives_most;
    ashi_way_grid_free(&grid);
    free(c.work);
    free(c.sums);
    return status;
}

/* ---- choosing ---- */

/* C in one layer, as it was planned. */
static ashi_way_figures planned(const weighing *w, const ashi_sparse_plan *plan)
{
    const ashi_sparse_totals *t = &plan->of[ASHI_DEALT_BY_TURNS].totals;
    const double processes = (double)(plan->grid[0] * plan->grid[1]);
    const double idle = t->multiplies > 0 ? (double)w->q->ranks / processes : 1;
    return (ashi_way_figures){.words = t->received, .imbalance = t->imbalance * idle};
}

/* Whether the fullest rank could have the most sums, and what comes for one tile of k. */
static bool fits(const weighing *w, const ashi_sparse_plan *plan, const ashi_way_figures *f, int64_t arrives_most)
{
    const int64_t share = plan->of[ASHI_DEALT_BY_TURNS].totals.share_most;
    return w->q->memory_words == 0 || f->sums_most + arrives_most <= w->q->memory_words - share;
}

static ashlar_status choose(const weighing *w, const ashi_sparse_plan *plan, ashi_ways_weighed *out, ashlar_error *err)
{
    const int other = ashi_ways_promising(&w->problem, out->way, out->count);
    out->reason = ASHI_WAY_USUAL;
    if (other == 0)
        return ASHLAR_OK;
    if (ashi_sparse_products(w->q) > PRODUCTS_MOST ||
        (double)out->way[other].way.layers * (double)w->q->product->cols->tiles > NOTED_MOST) {
        out->reason = ASHI_WAY_MANY;
        return ASHLAR_OK;
    }
    int64_t arrives_most;
    const ashlar_status status = count_way(w, &out->way[other].way, &out->figures[other], &arrives_most, err);
    if (status != ASHLAR_OK)
        return status;
    out->counted[other] = true;
    const bool better = fits(w, plan, &out->figures[other], arrives_most) &&
                        ashi_way_is_better(&out->figures[other], &out->figures[0], w->q->memory_words > 0,
                                           (int64_t)(w->words[0] + w->words[1]));
    out->chosen = better ? other : 0;
    out->reason = better ? ASHI_WAY_BETTER : ASHI_WAY_COUNTED;
    return ASHLAR_OK;
}

ashlar_status ashi_ways_weigh(const ashi_sparse_request *q, const ashi_sparse_plan *plan, ashi_ways_weighed *out,
                              ashlar_error *err)
{
    weighing w = {.q = q};
    *out = (ashi_ways_weighed){.reason = ASHI_WAY_ALONE};
    ashlar_status status = begin(&w, plan, err);
    if (status == ASHLAR_OK)
        status = ashi_ways_list(&w.problem, true, out->way, &out->count, err);
    out->figures[0] = planned(&w, plan);
    out->counted[0] = true;
    if (q->product->a->rank || q->product->b->rank) {
        out->count = 1;
        out->reason = ASHI_WAY_LOW;
    } else if (status == ASHLAR_OK && q->ranks > 1) {
        status = choose(&w, plan, out, err);
    }
    ashi_tile_deals_free(&w.deals);
    return status;
}
