/* The ways to make a product of matrices of tiles: C is summed up where it is, or somewhere else. */
#include "tiles/multiply_ways.h"

#include "base/error.h"
#include "exec/mpi.h"
#include "tiles/add_sums.h"
#include "tiles/low_rank_product.h"
#include "tiles/multiply_panels.h"
#include "tiles/totals.h"

#include <stdlib.h>

/* ---- a copy of C ---- */

/* C gets the tiles of the copy, which were multiplied. Collective. */
static ashlar_status replace_tiles(ashlar_tiles *c, const ashlar_tiles *copy, ashlar_tiles_result *result,
                                   ashlar_error *err)
{
    ashi_tiles_came came = {0};
    ashlar_tiles *after = NULL;
    ashlar_status status = ashi_agree_named(c->context, ashi_tiles_like(c, &after, err), err);
    if (status == ASHLAR_OK)
        status = ashi_tiles_copy_to(copy, after, &came, err);
    if (status == ASHLAR_OK) {
        ashi_tiles_take(c, &after->held);
        ashi_tiles_take_counts(c, after);
    }
    ashi_tiles_add_came(&came, result);
    ashlar_tiles_free(&after);
    return status;
}

/* Collective. */
static ashlar_status multiply_planned(const ashi_tiles_asked *q, const ashi_tile_way *way,
                                      ashlar_tiles_result *result, ashlar_error *err)
{
    const double began = MPI_Wtime();
    ashi_tiles_planned w;
    ashlar_status status = ashi_tiles_planned_make(q, way, ASHLAR_OK, &w, err);
    const double planning = MPI_Wtime() - began;
    if (status == ASHLAR_OK)
        status = ashi_tiles_planned_run(&w, q, result, err);
    result->planning_seconds = planning;
    ashi_tiles_planned_clear(&w);
    return status;
}

/* Where a function deals C's tiles out, and C's tiles are needed before products are formed: C goes to a process grid
 * and back. */
static ashlar_status multiply_copy(const ashi_tiles_asked *q, ashlar_tiles_result *result, ashlar_error *err)
{
    const ashi_tile_way way = {ASHLAR_C, 1};
    ashi_tiles_grid grid = {0};
    ashi_tiles_product p;
    ashi_tiles_came came = {0};
    ashi_tiles_asked of_copy = *q;
    ashlar_status status = ashi_tiles_product_begin(q, q->kept != NULL, &p, err);
    if (status == ASHLAR_OK)
        status = ashi_tiles_grid_make(&p, &way, &grid, err);
    status = ashi_agree_named(q->context, status, err);
    if (status == ASHLAR_OK)
        status = ashi_tiles_go_on(q, ashi_tiles_copy_to(q->c, grid.sums, &came, err), err);
    of_copy.c = grid.sums;
    if (status == ASHLAR_OK)
        status = ashi_tiles_go_on(q, multiply_planned(&of_copy, &way, result, err), err);
    if (status == ASHLAR_OK) {
        ashi_tiles_add_came(&came, result);
        result->workspace_words += ashi_held_words(&grid.sums->held);
        status = replace_tiles(q->c, grid.sums, result, err);
    }
    ashi_tiles_product_free(&p);
    ashi_tiles_grid_free(&grid);
    return status;
}

/* ---- which way ---- */

ashlar_status ashi_tiles_check_way(const ashi_tiles_asked *q, ashlar_error *err)
{
    const ashlar_tiles_options *o = &q->options;
    const bool factor = o->stays == ASHLAR_STAYS_A || o->stays == ASHLAR_STAYS_B, sums = factor || o->layers > 1;
    const bool apart = q->c->deal.owner != NULL;
    if (o->layers > q->context->ranks)
        return ashi_fail(err, ASHLAR_ERR_ARG, "%s: layers = %d, there are %d ranks", q->who, o->layers,
                         q->context->ranks);
    if (factor && o->layers > 0)
        return ashi_fail(err, ASHLAR_ERR_ARG, "%s: layers = %d, wanted 0 if A or B stays", q->who, o->layers);
    if (sums && o->budget > 0)
        return ashi_fail(err, ASHLAR_ERR_UNSUPPORTED, "%s: with a budget C stays, in one layer", q->who);
    if (apart && o->budget > 0 && o->memory_words > 0)
        return ashi_fail(err, ASHLAR_ERR_UNSUPPORTED,
                         "%s: a budget and memory_words, and C's tiles are dealt out by a function", q->who);
    if ((sums || apart) && ashi_tiles_involve_low(q))
        return ashi_fail(err, ASHLAR_ERR_UNSUPPORTED,
                         "%s: with tiles of low rank or a tolerance, C stays on a process grid, in one layer", q->who);
    return ASHLAR_OK;
}

/* Collective; the same on all ranks. */
static ashlar_status refuse_factor(const ashi_tiles_asked *q, int x, ashlar_error *err)
{
    ashi_tiles_product p;
    ashlar_status status = ashi_tiles_product_begin(q, q->kept != NULL, &p, err);
    const char *why = NULL;
    if (status == ASHLAR_OK)
        status = ashi_tiles_grid_refuses(&p, x, &why, err);
    if (why)
        status = ashi_fail(err, ASHLAR_ERR_UNSUPPORTED, "%s: %c cannot stay: %s", q->who, "AB"[x], why);
    ashi_tiles_product_free(&p);
    return ashi_agree_named(q->context, status, err);
}

/* What a planned way takes, the same on all ranks. */
typedef struct weighed {
    bool fits; /* within the limit of memory */
    ashi_way_figures figures;
} weighed;

/* Collective. */
static ashlar_status count_words(const ashi_tiles_asked *q, const ashi_tiles_planned *w, ashi_way_figures *out,
                                 ashlar_error *err)
{
    const ashi_pattern *sums = &w->product.symbolic.c;
    ashi_figures figures = {.sum = {ashi_tile_program_words(&w->product.program)}};
    for (int64_t r = 0; w->grid.sums && r < sums->rows; r++)
        for (int64_t t = sums->start[r]; t < sums->start[r + 1]; t++) {
            const int64_t size = ashi_tiles_words(q->c, sums->row[r], sums->col[t]);
            figures.sum[1] += size;
            figures.sum[0] += ashi_deal_owner(&q->c->deal, sums->row[r], sums->col[t]) != q->context->rank ? size : 0;
        }
    figures.greatest[0] = figures.sum[1];
    const ashlar_status status = ashi_agree_figures_first(q->context, ASHLAR_OK, &figures, err);
    out->words = figures.sum[0];
    out->sums = figures.sum[1];
    out->sums_most = figures.greatest[0];
    return status;
}

/* Plan a way and weigh it. A way that does not fit in memory is no failure. Collective. */
static ashlar_status weigh(const ashi_tiles_asked *q, const ashi_tile_way *way, ashi_tiles_planned *w, weighed *out,
                           ashlar_error *err)
{
    *out = (weighed){.fits = false};
    ashlar_status status = ashi_tiles_planned_make(q, way, ASHLAR_OK, w, err);
    if (status == ASHLAR_ERR_LIMIT && q->options.memory_words > 0)
        return ASHLAR_OK;
    out->fits = status == ASHLAR_OK;
    out->figures.imbalance = w->product.imbalance;
    return status == ASHLAR_OK ? count_words(q, w, &out->figures, err) : status;
}

/* A way that does not fit is not taken. */
static bool is_better(const ashi_tiles_asked *q, const weighed *at_c, const weighed *other)
{
    int64_t matrices = q->c->all_words;
    for (int64_t t = 0; t < q->terms; t++)
        matrices += q->term[t].a->all_words + q->term[t].b->all_words;
    if (!at_c->fits || !other->fits)
        return other->fits;
    return ashi_way_is_better(&other->figures, &at_c->figures, q->options.memory_words > 0, matrices);
}

/* Both ways are planned, and the words that their patterns need are counted. With a limit of memory there is one plan
 * at a time. w[0] is kept. Collective. */
static ashlar_status plan_better(const ashi_tiles_asked *q, const ashi_tile_way *other, ashi_tiles_planned *w[2],
                                 ashlar_error *err)
{
    const ashi_tile_way at_c = {ASHLAR_C, 1};
    const bool limited = q->options.memory_words > 0;
    weighed found[2];
    ashlar_status status = weigh(q, &at_c, w[0], &found[0], err);
    if (limited)
        ashi_tiles_planned_clear(w[0]);
    if (status == ASHLAR_OK)
        status = weigh(q, other, w[1], &found[1], err);
    if (status != ASHLAR_OK)
        return status;
    if (is_better(q, &found[0], &found[1])) {
        ashi_tiles_planned *better = w[1];
        w[1] = w[0];
        w[0] = better;
    } else if (limited) {
        ashi_tiles_planned_clear(w[1]);
        return ashi_tiles_planned_make(q, &at_c, ASHLAR_OK, w[0], err);
    }
    return ASHLAR_OK;
}

/* The way that about needs the fewest words, if the options leave it open. Local. */
static ashlar_status find_way(const ashi_tiles_asked *q, ashi_tile_way *way, bool *open, ashlar_error *err)
{
    const ashlar_tiles_options *o = &q->options;
    ashi_tiles_product p;
    *way = (ashi_tile_way){o->stays ? (ashlar_operand)(o->stays - ASHLAR_STAYS_A) : ASHLAR_C,
                           o->layers > 0 ? o->layers : 1};
    *open = o->layers == 0 && way->stays == ASHLAR_C && !(o->budget > 0) && q->context->ranks > 1 &&
            !ashi_tiles_involve_low(q);
    if (!*open)
        return ASHLAR_OK;
    ashlar_status status = ashi_tiles_product_begin(q, q->kept != NULL, &p, err);
    if (status == ASHLAR_OK)
        status = ashi_tiles_promising_way(&p, o->stays == ASHLAR_STAYS_CHOSEN, way, err);
    ashi_tiles_product_free(&p);
    return status;
}

void ashi_tiles_planned_free(ashi_tiles_planned **w)
{
    if (*w)
        ashi_tiles_planned_clear(*w);
    free(*w);
    *w = NULL;
}

/* Collective. */
static ashlar_status plan_best(const ashi_tiles_asked *q, ashi_tiles_planned *w[2], ashlar_error *err)
{
    const ashlar_tiles_options *o = &q->options;
    ashi_tile_way way;
    bool open;
    ashlar_status status = ASHLAR_OK;
    if (o->stays == ASHLAR_STAYS_A || o->stays == ASHLAR_STAYS_B)
        status = refuse_factor(q, o->stays == ASHLAR_STAYS_A ? ASHLAR_A : ASHLAR_B, err);
    if (status != ASHLAR_OK)
        return status;
    status = ashi_agree_named(q->context, find_way(q, &way, &open, err), err);
    if (status != ASHLAR_OK)
        return status;
    if (!open || (way.stays == ASHLAR_C && way.layers == 1))
        return ashi_tiles_planned_make(q, &way, ASHLAR_OK, w[0], err);
    return plan_better(q, &way, w, err);
}

ashlar_status ashi_tiles_plan_best(const ashi_tiles_asked *q, ashi_tiles_planned **out, ashlar_error *err)
{
    ashi_tiles_planned *w[2] = {calloc(1, sizeof *w[0]), calloc(1, sizeof *w[1])};
    ashlar_status status = w[0] && w[1] ? ASHLAR_OK : ashi_fail_memory(err, q->who, 2 * (int64_t)sizeof *w[0]);
    status = ashi_agree_named(q->context, status, err);
    if (status == ASHLAR_OK)
        status = plan_best(q, w, err);
    ashi_tiles_planned_free(&w[1]);
    if (status != ASHLAR_OK)
        ashi_tiles_planned_free(&w[0]);
    *out = w[0];
    return status;
}

ashlar_status ashi_tiles_multiply_once(const ashi_tiles_asked *q, ashlar_tiles_result *result, ashlar_error *err)
{
    const double began = MPI_Wtime();
    ashi_tiles_planned *w;
    ashlar_status status = ashi_tiles_check_way(q, err);
    if (status != ASHLAR_OK)
        return status;
    if (ashi_tiles_wants_panels(q))
        return ashi_tiles_multiply_panels(q, result, err);
    if (q->c->deal.owner && q->options.budget > 0)
        return multiply_copy(q, result, err);
    status = ashi_tiles_plan_best(q, &w, err);
    const double planning = MPI_Wtime() - began;
    if (status == ASHLAR_OK)
        status = ashi_tiles_planned_run(w, q, result, err);
    result->planning_seconds = planning;
    ashi_tiles_planned_free(&w);
    return status;
}
