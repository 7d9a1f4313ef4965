/* A product of matrices of tiles that is planned one way: C is summed up where it is, or from partial sums. */
#include "tiles/planned.h"

#include "base/checked.h"
#include "exec/mpi.h"
#include "tiles/multiply.h"

/* The grid of the sums: with it on some ranks alone these would meet more often than the others. Collective. */
static ashlar_status make_grid(const ashi_tiles_asked *q, ashlar_status mine, ashi_tiles_planned *w, ashlar_error *err)
{
    if (mine == ASHLAR_OK)
        mine = ashi_tiles_grid_make(&w->product, &w->way, &w->grid, err);
    const ashlar_status status = ashi_agree_named(q->context, mine, err);
    if (status == ASHLAR_OK)
        ashi_tiles_product_part(&w->product, w->grid.sums, &w->grid.layers);
    return status;
}

ashlar_status ashi_tiles_planned_make(const ashi_tiles_asked *q, const ashi_tile_way *way, ashlar_status mine,
                                      ashi_tiles_planned *w, ashlar_error *err)
{
    ashi_tiles_product *p = &w->product;
    *w = (ashi_tiles_planned){.way = *way};
    ashlar_status status = ashi_tiles_product_begin(q, q->kept != NULL, p, mine == ASHLAR_OK ? err : NULL);
    status = mine == ASHLAR_OK ? status : mine;
    if (way->stays == ASHLAR_C && way->layers == 1 && !q->c->deal.owner)
        return ashi_tiles_product_make(p, status, err);
    status = make_grid(q, status, w, err);
    return status == ASHLAR_OK ? ashi_tiles_product_make(p, status, err) : status;
}

void ashi_tiles_planned_clear(ashi_tiles_planned *w)
{
    ashi_tiles_product_free(&w->product);
    ashi_tiles_grid_free(&w->grid);
}

void ashi_tiles_add_came(const ashi_tiles_came *came, ashlar_tiles_result *result)
{
    result->words += came->words;
    result->predicted_words += came->predicted;
    result->messages += came->messages;
}

ashlar_status ashi_tiles_go_on(const ashi_tiles_asked *q, ashlar_status mine, ashlar_error *err)
{
    return ashi_agree(q->context, mine, err);
}

/* Form the sums, which are looked at for C as it is now. Collective. */
static ashlar_status form_sums(ashi_tiles_planned *w, const ashi_tiles_asked *q, ashlar_tiles_result *result,
                               ashlar_error *err)
{
    ashi_tiles_product *p = &w->product;
    const ashlar_tiles *whole = p->whole;
    ashi_tiles_asked of_sums = *q;
    of_sums.c = w->grid.sums;
    p->whole = q->c;
    const ashlar_status status = ashi_tiles_product_run(p, &of_sums, result, err);
    p->whole = whole;
    if (!p->kept)
        ashi_tiles_product_free(p);
    return ashi_tiles_go_on(q, status, err);
}

/* Nothing of C is looked at before all sums are there. Collective. */
static ashlar_status run_sums(ashi_tiles_planned *w, const ashi_tiles_asked *q, ashlar_tiles_result *result,
                              ashlar_error *err)
{
    ashi_held *sums = &w->grid.sums->held;
    const ashi_screen screen = w->product.adding;
    const bool kept = w->product.kept;
    ashi_tiles_came came = {0};
    ashlar_status status = form_sums(w, q, result, err);
    const double began = MPI_Wtime();
    if (status == ASHLAR_OK)
        status = ashi_tiles_add_sums(q, w->grid.sums, &screen, &came, err);
    const int64_t beside = kept ? result->workspace_words : 0;
    result->memory_words = ashi_max(result->memory_words,
                                    result->memory_words - result->workspace_words + beside + came.held);
    ashi_tiles_add_came(&came, result);
    result->error_bound += came.bound;
    result->dropped = came.dropped;
    result->workspace_words += ashi_held_words(sums);
    result->seconds += MPI_Wtime() - began;
    result->stays = ASHLAR_STAYS_A + (int)w->way.stays;
    result->layers = w->grid.layers.count;
    ashi_held_free(sums);
    return status;
}

ashlar_status ashi_tiles_planned_run(ashi_tiles_planned *w, const ashi_tiles_asked *q, ashlar_tiles_result *result,
                                     ashlar_error *err)
{
    return w->grid.sums ? run_sums(w, q, result, err) : ashi_tiles_product_run(&w->product, q, result, err);
}
