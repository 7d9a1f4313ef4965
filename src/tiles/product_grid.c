/* Where the products of tiles are formed: on C's process grid, or on another one, for partial sums of C. */
#include "tiles/product_grid.h"

#include "base/error.h"

#include <stdlib.h>

/* `term` is the problem's list, freed by the caller. */
static ashlar_status describe(const ashi_tiles_product *p, ashi_way_problem *out, ashi_way_term **term,
                              ashlar_error *err)
{
    *term = calloc((size_t)p->terms + 1, sizeof **term);
    if (!*term)
        return ashi_fail_memory(err, p->who, p->terms * (int64_t)sizeof **term);
    for (int64_t q = 0; q < p->terms; q++) {
        const ashi_tiles_factors *t = &p->term[q];
        for (int x = 0; x < 2; x++)
            (*term)[q].x[x] = (ashi_way_factor){&t->x[x]->deal, t->op[x] != ASHLAR_OP_N,
                                                t->x[x]->symmetry != ASHLAR_GENERAL,
                                                (double)t->x[x]->all_words + (double)t->x[x]->all_mirrored};
        for (int side = 0; side < 3; side++)
            (*term)[q].cuts[side] = ashi_tiles_factors_cuts(t, side);
    }
    *out = (ashi_way_problem){.term = *term, .terms = p->terms, .c = &p->c->deal,
                              .half = p->c->symmetry != ASHLAR_GENERAL, .retain = p->retain,
                              .c_words = (double)p->c->all_words, .ranks = p->c->context->ranks};
    for (int side = 0; side < 3; side++) {
        out->first[side] = p->ranges.given ? p->ranges.first[side] : 0;
        out->end[side] = p->ranges.given ? p->ranges.end[side] : INT64_MAX;
    }
    return ASHLAR_OK;
}

ashlar_status ashi_tiles_grid_refuses(const ashi_tiles_product *p, int x, const char **why, ashlar_error *err)
{
    ashi_way_problem problem;
    ashi_way_term *term;
    const ashlar_status status = describe(p, &problem, &term, err);
    *why = status == ASHLAR_OK ? ashi_way_refuses(&problem, x) : NULL;
    free(term);
    return status;
}

static void take_deal(ashi_way_grid *grid, ashlar_tiles *sums)
{
    free(sums->deal.grid_rank);
    free(sums->deal.row_part);
    free(sums->deal.col_part);
    sums->deal = grid->deal;
    grid->deal = (ashi_deal){0};
}

ashlar_status ashi_tiles_grid_make(const ashi_tiles_product *p, const ashi_tile_way *way, ashi_tiles_grid *out,
                                   ashlar_error *err)
{
    ashi_way_problem problem;
    ashi_way_term *term;
    ashi_way_grid grid = {.layer_of = NULL};
    *out = (ashi_tiles_grid){.sums = NULL};
    ashlar_status status = describe(p, &problem, &term, err);
    if (status == ASHLAR_OK)
        status = ashi_way_grid_make(&problem, way, &grid, err);
    if (status == ASHLAR_OK)
        status = ashi_tiles_like(p->c, &out->sums, err);
    if (status == ASHLAR_OK) {
        take_deal(&grid, out->sums);
        out->layers = grid.layers;
        out->layer_of = grid.layer_of;
        grid.layer_of = NULL;
    }
    ashi_way_grid_free(&grid);
    free(term);
    return status;
}

void ashi_tiles_grid_free(ashi_tiles_grid *grid)
{
    ashlar_tiles_free(&grid->sums);
    free(grid->layer_of);
    *grid = (ashi_tiles_grid){0};
}

ashlar_status ashi_tiles_promising_way(const ashi_tiles_product *p, bool any, ashi_tile_way *out, ashlar_error *err)
{
    ashi_way_problem problem;
    ashi_way_term *term;
    ashi_way_estimate way[ASHI_WAYS_MOST];
    int count;
    *out = (ashi_tile_way){ASHLAR_C, 1};
    ashlar_status status = describe(p, &problem, &term, err);
    if (status == ASHLAR_OK)
        status = ashi_ways_list(&problem, any, way, &count, err);
    if (status == ASHLAR_OK)
        *out = way[ashi_ways_promising(&problem, way, count)].way;
    free(term);
    return status;
}
