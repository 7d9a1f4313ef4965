/* What a product of matrices of tiles takes on some number of ranks, for several ways to deal tiles out. */
#include "choose/sparse_plan.h"

#include "base/checked.h"
#include "base/error.h"
#include "base/hash.h"
#include "choose/tile_grid.h"
#include "search/deal_work.h"
#include "simulate/simulate.h"
#include "simulate/sparse_window.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

static const char *const names[ASHI_TILE_DEALINGS] = {"by turns", "at random", "by work"};

const char *ashi_tile_dealing_name(ashi_tile_dealing dealing)
{
    return names[dealing];
}

/* ---- work ---- */

/* The indices of a row's tiles. */
static int64_t width_of(const ashi_factor *factor, int64_t x, const ashi_cuts *cuts)
{
    ashi_factor_run run[2];
    const int runs = ashi_factor_runs(factor, x, run);
    int64_t width = 0;
    for (int r = 0; r < runs; r++)
        for (int64_t t = 0; t < run[r].count; t++)
            width += ashi_cuts_size(cuts, run[r].col[t]);
    return width;
}

/* The work of each row of tiles of C (by op(A)'s rows and the widths of op(B)'s), or of each column (by op(B)'s
 * columns and the heights of op(A)'s). */
typedef struct line_work {
    const ashi_factor *own, *other; /* row by row of k */
    const ashi_cuts *line, *across; /* cuts of C's side, and of the other one */
} line_work;

/* Each tile (k, line) adds its work with all of the other's tiles of k. */
static void add_lines(const line_work *w, const ashi_cuts *inner, double *work)
{
    for (int64_t x = 0; x < w->own->rows; x++) {
        const int64_t k = w->own->row[x], y = ashi_factor_find(w->other, k);
        if (y < 0)
            continue;
        const double each = (double)width_of(w->other, y, w->across) * (double)ashi_cuts_size(inner, k);
        ashi_factor_run run[2];
        const int runs = ashi_factor_runs(w->own, x, run);
        for (int r = 0; r < runs; r++)
            for (int64_t t = 0; t < run[r].count; t++)
                work[run[r].col[t]] += each * (double)ashi_cuts_size(w->line, run[r].col[t]);
    }
}

/* Lines dealt to parts by their own work alone. */
static ashlar_status deal_lines(const line_work *w, const ashi_cuts *inner, int64_t parts, int *part, double *imbalance,
                                ashlar_error *err)
{
    const int64_t lines = w->line->tiles;
    double *work = calloc((size_t)lines + 1, sizeof *work);
    if (!work)
        return ashi_fail_memory(err, "dealing tiles by work", lines * (int64_t)sizeof *work);
    add_lines(w, inner, work);
    const ashlar_status status = ashi_deal_lines(work, lines, parts, part, imbalance, err);
    free(work);
    return status;
}

static ashlar_status deal_sides(const ashi_sparse_request *q, const int64_t grid[2], ashi_tile_deals *d,
                                ashlar_error *err)
{
    const ashi_sparse_product *p = q->product;
    const line_work rows = {q->a_columns, p->b, p->rows, p->cols}, cols = {p->b, q->a_columns, p->cols, p->rows};
    double imbalance[2] = {1, 1};
    ashlar_status status = deal_lines(&rows, p->inner, grid[0], d->row, &imbalance[0], err);
    if (status == ASHLAR_OK)
        status = deal_lines(&cols, p->inner, grid[1], d->col, &imbalance[1], err);
    d->left = imbalance[0] * imbalance[1];
    return status;
}

static ashlar_status deal_tiles(const ashi_sparse_request *q, const int64_t grid[2], ashi_tile_deals *d,
                                ashlar_error *err)
{
    ashi_symbolic symbolic = {0};
    double *work = NULL;
    ashlar_status status = ashi_symbolic_make(q->product, &symbolic, err);
    if (status == ASHLAR_OK) {
        work = malloc(((size_t)symbolic.c.tiles + 1) * sizeof *work);
        if (!work)
            status = ashi_fail_memory(err, "dealing tiles by work", symbolic.c.tiles * (int64_t)sizeof *work);
    }
    if (status == ASHLAR_OK) {
        ashi_symbolic_work(q->product, &symbolic, work);
        const ashi_tile_work all = {q->product->rows->tiles, q->product->cols->tiles, &symbolic.c, work};
        status = ashi_deal_by_work(&all, grid[0], grid[1], d->row, d->col, &d->left, err);
    }
    free(work);
    ashi_symbolic_free(&symbolic);
    return status;
}

double ashi_sparse_products(const ashi_sparse_request *q)
{
    double products = 0;
    for (int64_t x = 0; x < q->a_columns->rows; x++) {
        const int64_t y = ashi_factor_find(q->product->b, q->a_columns->row[x]);
        if (y >= 0)
            products += (double)ashi_factor_tiles(q->a_columns, x) * (double)ashi_factor_tiles(q->product->b, y);
    }
    return products;
}

/* ---- deals ---- */

/* By turns after a permutation, the same on every machine. */
static void shuffle(int *part, int64_t lines, int64_t parts, uint64_t key)
{
    for (int64_t i = 0; i < lines; i++)
        part[i] = (int)(i % parts);
    for (int64_t i = lines - 1; i > 0; i--) {
        const int64_t other = (int64_t)(ashi_hash(key, i) % (uint64_t)(i + 1));
        const int kept = part[i];
        part[i] = part[other];
        part[other] = kept;
    }
}

static ashlar_status make_maps(const ashi_sparse_request *q, const int64_t grid[2], ashi_tile_dealing dealing,
                               ashi_tile_deals *d, ashlar_error *err)
{
    const int64_t rows = q->product->rows->tiles, cols = q->product->cols->tiles;
    if (dealing == ASHI_DEALT_BY_TURNS)
        return ASHLAR_OK;
    d->row = malloc(((size_t)rows + 1) * sizeof *d->row);
    d->col = malloc(((size_t)cols + 1) * sizeof *d->col);
    if (!d->row || !d->col)
        return ashi_fail_memory(err, "dealing tiles", (rows + cols) * (int64_t)sizeof *d->row);
    if (dealing == ASHI_DEALT_BY_WORK)
        return (ashi_sparse_products(q) <= ASHI_DEAL_PRODUCTS ? deal_tiles : deal_sides)(q, grid, d, err);
    shuffle(d->row, rows, grid[0], 1);
    shuffle(d->col, cols, grid[1], 2);
    return ASHLAR_OK;
}

ashlar_status ashi_tile_deal(const ashi_sparse_request *q, const int64_t grid[2], ashi_tile_dealing dealing,
                             ashi_tile_deals *out, ashlar_error *err)
{
    const int64_t rows = grid[0], cols = grid[1];
    *out = (ashi_tile_deals){.left = 1};
    for (int i = 0; i < 2; i++)
        out->rank[i] = malloc((size_t)(rows * cols) * sizeof *out->rank[i]);
    if (!out->rank[0] || !out->rank[1])
        return ashi_fail_memory(err, "dealing tiles", 2 * rows * cols * (int64_t)sizeof *out->rank[0]);
    for (int64_t r = 0; r < rows; r++)
        for (int64_t c = 0; c < cols; c++)
            out->rank[0][r * cols + c] = out->rank[1][c * rows + r] = (int)(r * cols + c);
    const ashlar_status status = make_maps(q, grid, dealing, out, err);
    const ashi_deal plain = {.grid_rows = rows, .grid_cols = cols, .grid_rank = out->rank[0]};
    const ashi_deal turned = {.grid_rows = cols, .grid_cols = rows, .grid_rank = out->rank[1]};
    out->c = plain;
    out->c.row_part = out->row;
    out->c.col_part = out->col;
    out->a = q->turned[0] ? turned : plain;
    out->b = q->turned[1] ? turned : plain;
    *(q->turned[0] ? &out->a.col_part : &out->a.row_part) = out->row;
    *(q->turned[1] ? &out->b.row_part : &out->b.col_part) = out->col;
    return status;
}

void ashi_tile_deals_free(ashi_tile_deals *deals)
{
    free(deals->rank[0]);
    free(deals->rank[1]);
    free(deals->row);
    free(deals->col);
}

/* ---- figures ---- */

static ashi_sparse_summa summa_of(const ashi_sparse_request *q, const ashi_tile_deals *d)
{
    return (ashi_sparse_summa){q->product, q->a_columns, &d->a, &d->b, &d->c};
}

static double seconds_of(const ashi_sparse_request *q, const ashi_sparse_totals *t, const ashi_deal *grid)
{
    const double mean = (double)t->multiplies / (double)(grid->grid_rows * grid->grid_cols);
    const ashi_totals totals = {.words_max = t->received_most, .words_total = t->received,
                                .messages_max = t->messages_most, .messages_total = t->messages,
                                .products_max = (int64_t)(t->imbalance * mean), .products_total = t->multiplies};
    const ashi_pace pace = {.machine = q->machine, .bytes = q->bytes, .ranks = q->ranks, .flops = q->flops};
    return ashi_predict_seconds(&totals, &pace);
}

static ashlar_status count(const ashi_sparse_request *q, const ashi_tile_deals *d, int64_t window,
                           ashi_sparse_need *need, ashi_sparse_figures *out, ashlar_error *err)
{
    const ashi_sparse_summa summa = summa_of(q, d);
    const ashlar_status status = ashi_sparse_count(&summa, window, q->ranks, need, &out->totals, err);
    if (status == ASHLAR_OK)
        out->seconds = seconds_of(q, &out->totals, &d->c);
    return status;
}

/* The largest window that fits, from the shares in `need`, which are those of a window of 1. */
static ashlar_status fit_window(const ashi_sparse_request *q, const ashi_tile_deals *d, const ashi_sparse_need *need,
                                const ashi_sparse_totals *least, ashi_sparse_plan *plan, ashlar_error *err)
{
    const int64_t processes = plan->grid[0] * plan->grid[1];
    const ashi_sparse_summa summa = summa_of(q, d);
    if (least->peak_most > q->memory_words)
        return ashi_fail(err, ASHLAR_ERR_LIMIT, "a rank may hold %" PRId64 " words, but its tiles of A, B and C and "
                         "one iteration take %" PRId64 ": %" PRId64 " would do", q->memory_words, least->peak_most,
                         least->peak_most);
    int64_t *room = malloc((size_t)processes * sizeof *room);
    if (!room)
        return ashi_fail_memory(err, "plan", processes * (int64_t)sizeof *room);
    for (int64_t p = 0; p < processes; p++)
        room[p] = q->memory_words - need[d->c.grid_rank[p]].share;
    const ashlar_status status =
        ashi_sparse_window_fit(&summa, room, ashi_max(1, plan->window), &plan->window, err);
    plan->fitted = true;
    free(room);
    return status;
}

static ashlar_status check_window(const ashi_sparse_request *q, const ashi_sparse_totals *t, ashlar_error *err)
{
    if (q->memory_words == 0 || q->window == 0 || t->peak_most <= q->memory_words)
        return ASHLAR_OK;
    return ashi_fail(err, ASHLAR_ERR_LIMIT, "a rank may hold %" PRId64 " words, but with a window of %" PRId64
                     " it holds %" PRId64 " at once: as many would do, or a smaller window", q->memory_words, q->window,
                     t->peak_most);
}

static ashlar_status count_by_turns(const ashi_sparse_request *q, ashi_sparse_need *need, ashi_sparse_plan *plan,
                                    ashlar_error *err)
{
    ashi_tile_deals d;
    ashi_sparse_figures *out = &plan->of[ASHI_DEALT_BY_TURNS];
    ashlar_status status = ashi_tile_deal(q, plan->grid, ASHI_DEALT_BY_TURNS, &d, err);
    if (status == ASHLAR_OK && q->memory_words > 0 && q->window == 0) {
        plan->window = q->product->inner->tiles;
        status = count(q, &d, 1, need, out, err);
        if (status == ASHLAR_OK)
            status = fit_window(q, &d, need, &out->totals, plan, err);
    }
    if (status == ASHLAR_OK)
        status = count(q, &d, plan->window, need, out, err);
    if (status == ASHLAR_OK)
        status = check_window(q, &out->totals, err);
    ashi_tile_deals_free(&d);
    return status;
}

static ashlar_status count_all(const ashi_sparse_request *q, ashi_sparse_need *need, ashi_sparse_plan *plan,
                               ashlar_error *err)
{
    ashlar_status status = count_by_turns(q, need, plan, err);
    for (ashi_tile_dealing how = ASHI_DEALT_AT_RANDOM; how < ASHI_TILE_DEALINGS && status == ASHLAR_OK; how++) {
        ashi_tile_deals d;
        status = ashi_tile_deal(q, plan->grid, how, &d, err);
        if (status == ASHLAR_OK)
            status = count(q, &d, plan->window, need, &plan->of[how], err);
        ashi_tile_deals_free(&d);
    }
    return status;
}

ashlar_status ashi_sparse_plan_make(const ashi_sparse_request *q, ashi_sparse_plan *out, ashlar_error *err)
{
    const ashi_sparse_product *p = q->product;
    *out = (ashi_sparse_plan){.grid = {q->grid[0], q->grid[1]}};
    if (q->grid[0] == 0)
        ashi_tile_grid(p->rows, p->cols, q->ranks, out->grid);
    if (ashi_mul_most(out->grid[0], out->grid[1]) > q->ranks)
        return ashi_fail(err, ASHLAR_ERR_ARG, "a grid of %" PRId64 "x%" PRId64 " needs more than %" PRId64 " rank%s",
                         out->grid[0], out->grid[1], q->ranks, q->ranks == 1 ? "" : "s");
    const int64_t inner = p->inner->tiles;
    out->paper_window = ashi_in_flight(out->grid[0], out->grid[1], inner);
    out->paper = ashi_words_in_flight(ashi_cuts_all(p->rows), ashi_cuts_all(p->cols), ashi_cuts_all(p->inner), inner,
                                      out->grid[0], out->grid[1]);
    out->window = q->window > 0 ? q->window : out->paper_window;
    ashi_sparse_need *need = malloc((size_t)q->ranks * sizeof *need);
    if (!need)
        return ashi_fail_memory(err, "plan", q->ranks * (int64_t)sizeof *need);
    const ashlar_status status = count_all(q, need, out, err);
    free(need);
    return status;
}
