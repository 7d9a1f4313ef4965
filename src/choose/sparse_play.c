/* The program of a planned product of matrices of tiles, of all ranks, played against lanes. */
#include "choose/sparse_play.h"

#include "base/checked.h"
#include "base/error.h"
#include "engine/tile_program.h"

#include <stdlib.h>

/* What is played takes seconds: each rank goes through all tiles once, and products of tiles are looked at. */
#define TILES_MOST 3e8
#define PRODUCTS_MOST 2e7

typedef struct playing {
    ashi_tile_problem problem;
    ashi_pattern pattern[2]; /* of op(A) and op(B) */
    int64_t *rank[2];        /* of their tiles; NULL: all are dense */
    ashi_symbolic symbolic;
    ashi_tile_deals deals;
    ashi_tile_needs needs;
    int64_t *first;          /* of each iteration */
} playing;

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
        return ashi_fail_memory(err, "play", tiles * (int64_t)sizeof **rank);
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

static bool is_too_much(const ashi_sparse_request *q, const ashi_sparse_plan *plan)
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

static ashlar_status describe(const ashi_sparse_request *q, const ashi_sparse_plan *plan, playing *y, ashlar_error *err)
{
    const ashi_sparse_product *p = q->product;
    const int64_t inner = p->inner->tiles;
    y->first = malloc(((size_t)inner + 1) * sizeof *y->first);
    if (!y->first)
        return ashi_fail_memory(err, "play", inner * (int64_t)sizeof *y->first);
    for (int64_t k = 0; k <= inner; k++)
        y->first[k] = k;
    ashlar_status status = list_tiles(p->a, &y->pattern[0], &y->rank[0], err);
    if (status == ASHLAR_OK)
        status = list_tiles(p->b, &y->pattern[1], &y->rank[1], err);
    if (status == ASHLAR_OK)
        status = ashi_symbolic_make(p, &y->symbolic, err);
    if (status == ASHLAR_OK)
        status = ashi_tile_deal(q, plan->grid, ASHI_DEALT_BY_TURNS, &y->deals, err);
    y->problem = (ashi_tile_problem){
        .ranks = q->ranks, .cuts = {p->rows, p->cols, p->inner}, .needs = &y->needs, .iterations = inner,
        .operand = {operand(&y->pattern[0], &y->deals.a, p->a, q->turned[0]),
                    operand(&y->pattern[1], &y->deals.b, p->b, q->turned[1]),
                    {.pattern = &y->symbolic.c, .deal = &y->deals.c}},
        .first = y->first, .window = (int)ashi_max(1, ashi_min(plan->window, ASHI_WINDOW_MAX)), .tree = true};
    for (int x = 0; x < 2; x++)
        y->problem.operand[x].rank = y->rank[x];
    if (status == ASHLAR_OK)
        status = ashi_tile_needs_make(&y->problem, &y->needs, err);
    if (status == ASHLAR_OK)
        ashi_tile_needs_note(&y->problem, &y->needs);
    return status;
}

static ashlar_status make_program(void *context, ashi_program *out, ashlar_error *err)
{
    const playing *y = context;
    return ashi_tile_program_of(&y->problem, out, err);
}

ashlar_status ashi_sparse_play(const ashi_sparse_request *q, const ashi_sparse_plan *plan, ashi_joint_play *out,
                             ashlar_error *err)
{
    playing y = {.first = NULL};
    *out = (ashi_joint_play){.played = false};
    if (is_too_much(q, plan))
        return ASHLAR_OK;
    const ashi_joint_request joint = {.program = make_program, .context = &y, .machine = q->machine, .bytes = q->bytes,
                                      .flops = q->flops};
    ashlar_status status = describe(q, plan, &y, err);
    if (status == ASHLAR_OK)
        status = ashi_joint_run(&joint, q->ranks, out, err);
    for (int x = 0; x < 2; x++) {
        ashi_pattern_free(&y.pattern[x]);
        free(y.rank[x]);
    }
    ashi_symbolic_free(&y.symbolic);
    ashi_tile_deals_free(&y.deals);
    ashi_tile_needs_free(&y.needs);
    free(y.first);
    return status;
}
