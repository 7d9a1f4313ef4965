/* A planned product of matrices of tiles as the problem that a program is made for. */
#include "choose/sparse_problem.h"

#include "base/checked.h"
#include "base/error.h"
#include "choose/tile_iterations.h"
#include "engine/tile_needs.h"
#include "schedule/program.h"

#include <stdlib.h>

/* What is gone through takes seconds: each rank goes through all tiles once, and products of tiles are looked at. */
#define TILES_MOST 3e8
#define PRODUCTS_MOST 2e7

/* All tiles of a factor, row by row, and the ranks of those that are stored as U V^T. */
static ashlar_status list_tiles(const ashi_factor *factor, ashi_pattern *out, int64_t **rank, ashlar_error *err)
{
    ashi_pattern_maker maker = {.row_room = 0};
    bool added = true;
    int64_t tiles = 0;
    for (int64_t x = 0; x < factor->rows && factor->rank; x++)
        tiles += ashi_factor_tiles(factor, x);
    *rank = factor->rank ? malloc(((size_t)tiles + 1) * sizeof **rank) : NULL;
    if (factor->rank && !*rank)
        return ashi_fail_memory(err, "plan", tiles * (int64_t)sizeof **rank);
    tiles = 0;
    for (int64_t x = 0; x < factor->rows; x++) {
        ashi_factor_run run[2];
        const int runs = ashi_factor_runs(factor, x, run);
        for (int r = 0; r < runs; r++)
            for (int64_t t = 0; t < run[r].count && added; t++) {
                added = ashi_pattern_add(&maker, factor->row[x], run[r].col[t]);
                if (*rank)
                    (*rank)[tiles++] = factor->rank[ashi_run_tile(&run[r], t)];
            }
    }
    return ashi_pattern_finish(&maker, added, out, err);
}

bool ashi_sparse_is_too_much(const ashi_sparse_request *q, const ashi_sparse_plan *plan)
{
    const ashi_sparse_product *p = q->product;
    double products = 0;
    for (int64_t x = 0; x < q->a_columns->rows; x++) {
        const int64_t y = ashi_factor_find(p->b, q->a_columns->row[x]);
        products += y < 0 ? 0 : (double)ashi_factor_tiles(q->a_columns, x) * (double)ashi_factor_tiles(p->b, y);
    }
    const double tiles = 2 * (double)(p->a->stored->tiles + p->b->stored->tiles) +
                         (double)plan->of[ASHI_DEALT_BY_TURNS].totals.c_tiles;
    return products > PRODUCTS_MOST || tiles * (double)q->ranks > TILES_MOST;
}

static ashi_tile_operand operand(const ashi_pattern *pattern, const ashi_deal *deal, const ashi_factor *factor,
                                 bool turned)
{
    const bool half = factor->stored->tiles > 0 && factor->turned.tiles > 0 &&
                      factor->turned.tiles != factor->stored->tiles;
    return (ashi_tile_operand){.pattern = pattern, .deal = deal, .turned = turned, .half = half};
}

/* What is stored of A or B. */
static int64_t words_of(const ashi_sparse_request *q, int x)
{
    const ashi_sparse_product *p = q->product;
    const ashi_factor *f = x == ASHLAR_A ? p->a : p->b;
    const ashi_cuts *cuts[2] = {x == ASHLAR_A ? p->rows : p->inner, x == ASHLAR_A ? p->inner : p->cols};
    const ashi_cuts *rows = cuts[q->turned[x]], *cols = cuts[!q->turned[x]];
    int64_t words = 0;
    for (int64_t r = 0; r < f->stored->rows; r++)
        for (int64_t t = f->stored->start[r]; t < f->stored->start[r + 1]; t++)
            words += ashi_factor_words(f, t, ashi_cuts_size(rows, f->stored->row[r]),
                                       ashi_cuts_size(cols, f->stored->col[t]));
    return words;
}

static void cut_as_run(const ashi_sparse_request *q, int64_t depth, ashi_sparse_problem *y)
{
    const ashi_sparse_product *p = q->product;
    const ashi_iterations_term term = {
        .x = {{&y->deals.a, q->turned[0], q->half[0], words_of(q, ASHLAR_A)},
              {&y->deals.b, q->turned[1], q->half[1], words_of(q, ASHLAR_B)}}, .k = p->inner, .hi = p->inner->tiles};
    const ashi_iterations_request request = {
        .term = &term, .terms = 1, .cuts = {p->rows, p->cols, p->inner}, .c = &y->deals.c, .layers = 1,
        .ranks = q->ranks, .depth = depth, .window = q->window > 0 ? (int)q->window : ASHI_ITERATIONS_WINDOW};
    y->problem.iterations = ashi_iterations_cut(&request, ashi_iterations_inner_most(&request), y->first);
}

static ashlar_status cut_iterations(const ashi_sparse_request *q, int64_t depth, ashi_sparse_problem *y,
                                    ashlar_error *err)
{
    const int64_t inner = q->product->inner->tiles;
    y->first = malloc(((size_t)inner + 1) * sizeof *y->first);
    if (!y->first)
        return ashi_fail_memory(err, "plan", inner * (int64_t)sizeof *y->first);
    y->problem.first = y->first;
    y->problem.iterations = inner;
    for (int64_t k = 0; k <= inner; k++)
        y->first[k] = k;
    if (depth > 0)
        cut_as_run(q, depth, y);
    return ASHLAR_OK;
}

ashlar_status ashi_sparse_problem_make(const ashi_sparse_request *q, const ashi_sparse_plan *plan, int64_t depth,
                                       ashi_sparse_problem *y, ashlar_error *err)
{
    const ashi_sparse_product *p = q->product;
    *y = (ashi_sparse_problem){.first = NULL};
    ashlar_status status = list_tiles(p->a, &y->pattern[0], &y->rank[0], err);
    if (status == ASHLAR_OK)
        status = list_tiles(p->b, &y->pattern[1], &y->rank[1], err);
    if (status == ASHLAR_OK)
        status = ashi_symbolic_make(p, &y->symbolic, err);
    if (status == ASHLAR_OK)
        status = ashi_tile_deal(q, plan->grid, ASHI_DEALT_BY_TURNS, &y->deals, err);
    y->problem = (ashi_tile_problem){
        .ranks = q->ranks, .cuts = {p->rows, p->cols, p->inner}, .needs = &y->needs,
        .operand = {operand(&y->pattern[0], &y->deals.a, p->a, q->turned[0]),
                    operand(&y->pattern[1], &y->deals.b, p->b, q->turned[1]),
                    {.pattern = &y->symbolic.c, .deal = &y->deals.c}},
        .window = (int)ashi_max(1, ashi_min(plan->window, ASHI_WINDOW_MAX)), .tree = true};
    for (int x = 0; x < 2; x++)
        y->problem.operand[x].rank = y->rank[x];
    if (status == ASHLAR_OK)
        status = cut_iterations(q, depth, y, err);
    if (status == ASHLAR_OK)
        status = ashi_tile_needs_make(&y->problem, &y->needs, err);
    if (status == ASHLAR_OK)
        ashi_tile_needs_note(&y->problem, &y->needs);
    return status;
}

void ashi_sparse_problem_free(ashi_sparse_problem *y)
{
    for (int x = 0; x < 2; x++) {
        ashi_pattern_free(&y->pattern[x]);
        free(y->rank[x]);
    }
    ashi_symbolic_free(&y->symbolic);
    ashi_tile_deals_free(&y->deals);
    ashi_tile_needs_free(&y->needs);
    free(y->first);
}
