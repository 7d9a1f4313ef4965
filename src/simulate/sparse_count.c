/* What each rank receives, multiplies and holds in SUMMA over tiles of which many are absent. */
#include "simulate/sparse_count.h"
#include "base/checked.h"
#include "base/error.h"
#include "simulate/sparse_window.h"

#include <stdlib.h>

static ashlar_status count_iterations(const ashi_sparse_summa *summa, ashi_sparse_need *need, ashlar_error *err)
{
    ashi_sparse_iteration it;
    ashlar_status status = ashi_sparse_iteration_begin(summa, &it, err);
    for (int64_t x = 0; x < summa->a_columns->rows && status == ASHLAR_OK; x++) {
        if (!ashi_sparse_iteration_at(&it, x))
            status = ashi_fail_memory(err, "counting iterations", 2 * it.event_room * (int64_t)sizeof *it.event);
        for (int64_t e = 0; e < it.events && status == ASHLAR_OK; e++) {
            ashi_sparse_need *n = &need[summa->c_deal->grid_rank[it.event[e].process]];
            n->received += it.event[e].words;
            n->messages += it.event[e].tiles;
            n->multiplies += it.event[e].multiplies;
        }
    }
    ashi_sparse_iteration_free(&it);
    return status;
}

/* The stored tiles of an operand: `lines` cuts the rows of the factor and `across` its columns. With a symmetry both
 * are cut alike; without one all tiles are turned or none is. */
static void add_operand(const ashi_factor *factor, const ashi_cuts *lines, const ashi_cuts *across,
                        const ashi_deal *deal,
                        ashi_sparse_need *need)
{
    const bool turned = factor->rows > 0 && factor->turned.tiles > 0 && factor->turned.tiles == factor->stored->tiles;
    const ashi_pattern *p = factor->stored;
    const ashi_cuts *rows = turned ? across : lines, *cols = turned ? lines : across;
    for (int64_t x = 0; x < p->rows; x++)
        for (int64_t t = p->start[x]; t < p->start[x + 1]; t++)
            need[ashi_deal_owner(deal, p->row[x], p->col[t])].share +=
                ashi_factor_words(factor, t, ashi_cuts_size(rows, p->row[x]), ashi_cuts_size(cols, p->col[t]));
}

/* ---- C, row by row ---- */

typedef struct columns {
    int64_t count;
    int64_t *row;   /* the last row in which a column was met, -1: none */
    int64_t *from;  /* [count + 1]: how many columns of op(B) from this one on have tiles */
    int64_t least;  /* the first column that is formed in the row at hand */
    int64_t met;    /* columns of op(B) from there on that were met */
    int64_t tiles, words; /* of C so far */
} columns;

static void add_tile(const ashi_sparse_summa *summa, columns *c, int64_t row, int64_t col, ashi_sparse_need *need)
{
    if (c->row[col] == row)
        return;
    c->row[col] = row;
    if (col >= c->least)
        c->met += c->from[col] - c->from[col + 1];
    const int64_t words = ashi_cuts_size(summa->product->rows, row) * ashi_cuts_size(summa->product->cols, col);
    need[ashi_deal_owner(summa->c_deal, row, col)].share += words;
    c->tiles++;
    c->words += words;
}

/* A row that has all columns is complete: rows of full matrices are after the first k. */
static void add_row(const ashi_sparse_summa *summa, columns *c, int64_t x, ashi_sparse_need *need)
{
    const ashi_sparse_product *product = summa->product;
    const int64_t row = product->a->row[x], all = c->least < c->count ? c->from[c->least] : 0;
    ashi_candidates walk = ashi_candidates_begin(product->a, x, product->b, c->least);
    while (c->met < all && ashi_candidates_next(&walk))
        add_tile(summa, c, row, walk.now.col, need);
}

/* The columns in which op(B) has tiles. */
static ashlar_status begin_columns(const ashi_sparse_product *product, columns *c, ashlar_error *err)
{
    const ashi_factor *b = product->b;
    *c = (columns){.count = product->cols->tiles};
    c->row = malloc(((size_t)c->count + 1) * sizeof *c->row);
    c->from = calloc((size_t)c->count + 1, sizeof *c->from);
    if (!c->row || !c->from)
        return ashi_fail_memory(err, "the columns of C", 2 * c->count * (int64_t)sizeof *c->row);
    for (int64_t x = 0; x < b->rows; x++) {
        ashi_factor_run run[2];
        const int runs = ashi_factor_runs(b, x, run);
        for (int r = 0; r < runs; r++)
            for (int64_t t = 0; t < run[r].count; t++)
                c->from[run[r].col[t]] = 1;
    }
    for (int64_t col = c->count - 1; col >= 0; col--) {
        c->from[col] += c->from[col + 1];
        c->row[col] = -1;
    }
    return ASHLAR_OK;
}

static ashlar_status add_result(const ashi_sparse_summa *summa, ashi_sparse_need *need, ashi_sparse_totals *totals,
                                ashlar_error *err)
{
    const ashi_sparse_product *product = summa->product;
    const ashi_pattern *c = product->c;
    const int64_t a_rows = product->retain ? 0 : product->a->rows, c_rows = c ? c->rows : 0;
    columns met;
    const ashlar_status status = begin_columns(product, &met, err);
    for (int64_t x = 0, y = 0; status == ASHLAR_OK && (x < a_rows || y < c_rows);) {
        const bool in_a = x < a_rows && (y == c_rows || product->a->row[x] <= c->row[y]);
        const bool in_c = y < c_rows && (x == a_rows || c->row[y] <= product->a->row[x]);
        met.met = 0;
        met.least = in_a && product->half ? product->a->row[x] : 0;
        for (int64_t t = in_c ? c->start[y] : 0; t < (in_c ? c->start[y + 1] : 0); t++)
            add_tile(summa, &met, c->row[y], c->col[t], need);
        if (in_a)
            add_row(summa, &met, x, need);
        x += in_a;
        y += in_c;
    }
    totals->c_tiles = met.tiles;
    totals->c_words = met.words;
    free(met.row);
    free(met.from);
    return status;
}

/* ---- all ---- */

static ashlar_status count_window(const ashi_sparse_summa *summa, int64_t window, ashi_sparse_need *need,
                                  int64_t *iterations, ashlar_error *err)
{
    const int64_t processes = summa->c_deal->grid_rows * summa->c_deal->grid_cols;
    int64_t *most = malloc((size_t)processes * sizeof *most);
    if (!most)
        return ashi_fail_memory(err, "iterations in flight", processes * (int64_t)sizeof *most);
    const ashlar_status status = ashi_sparse_window_words(summa, window, most, iterations, err);
    for (int64_t p = 0; p < processes && status == ASHLAR_OK; p++)
        need[summa->c_deal->grid_rank[p]].in_flight = most[p];
    free(most);
    return status;
}

static void sum_up(const ashi_sparse_need *need, int64_t ranks, const ashi_deal *grid, ashi_sparse_totals *t)
{
    const int64_t processes = grid->grid_rows * grid->grid_cols;
    int64_t busiest = 0;
    t->share_least = INT64_MAX;
    for (int64_t p = 0; p < processes; p++)
        t->share_least = ashi_min(t->share_least, need[grid->grid_rank[p]].share);
    for (int64_t r = 0; r < ranks; r++) {
        t->received_most = ashi_max(t->received_most, need[r].received);
        t->messages_most = ashi_max(t->messages_most, need[r].messages);
        t->share_most = ashi_max(t->share_most, need[r].share);
        t->in_flight_most = ashi_max(t->in_flight_most, need[r].in_flight);
        t->peak_most = ashi_max(t->peak_most, need[r].share + need[r].in_flight);
        busiest = ashi_max(busiest, need[r].multiplies);
        t->received += need[r].received;
        t->messages += need[r].messages;
        t->multiplies += need[r].multiplies;
    }
    t->received_mean = (double)t->received / (double)ranks;
    t->imbalance = t->multiplies > 0 ? (double)busiest * (double)processes / (double)t->multiplies : 1;
}

ashlar_status ashi_sparse_count(const ashi_sparse_summa *summa, int64_t window, int64_t ranks, ashi_sparse_need *need,
                                ashi_sparse_totals *totals, ashlar_error *err)
{
    const ashi_sparse_product *product = summa->product;
    *totals = (ashi_sparse_totals){0};
    for (int64_t r = 0; r < ranks; r++)
        need[r] = (ashi_sparse_need){0};
    ashlar_status status = count_iterations(summa, need, err);
    if (status == ASHLAR_OK)
        status = count_window(summa, window, need, &totals->iterations, err);
    if (status != ASHLAR_OK)
        return status;
    add_operand(product->a, product->rows, product->inner, summa->a_deal, need);
    add_operand(product->b, product->inner, product->cols, summa->b_deal, need);
    status = add_result(summa, need, totals, err);
    totals->window = ashi_min(window, totals->iterations);
    sum_up(need, ranks, summa->c_deal, totals);
    return status;
}
