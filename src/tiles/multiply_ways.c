/* The ways to make a product of matrices of tiles: C is summed up where it is, or somewhere else. */
#include "tiles/multiply_ways.h"

#include "base/error.h"
#include "exec/mpi.h"
#include "tiles/add_sums.h"

/* ---- where C is ---- */

static ashlar_status multiply_at_c(const ashi_tiles_asked *q, ashlar_tiles_result *found, ashlar_error *err)
{
    const double began = MPI_Wtime();
    ashi_tiles_product p;
    ashlar_status status = ashi_tiles_product_make(&p, ashi_tiles_product_begin(q, false, &p, err), err);
    const double planning = MPI_Wtime() - began;
    if (status == ASHLAR_OK)
        status = ashi_tiles_product_run(&p, q, found, err);
    found->planning_seconds = planning;
    ashi_tiles_product_free(&p);
    return status;
}

/* ---- partial sums ---- */

static void add_came(const ashi_tiles_came *came, ashlar_tiles_result *result)
{
    result->words += came->words;
    result->predicted_words += came->predicted;
    result->messages += came->messages;
}

/* Form the sums; the product is described as one of C. Collective, `mine` is what this rank comes with. */
static ashlar_status form_sums(const ashi_tiles_asked *q, const ashi_tiles_grid *grid, ashi_tiles_product *p,
                               ashlar_status mine, ashlar_tiles_result *result, ashlar_error *err)
{
    const double began = MPI_Wtime();
    ashi_tiles_asked of_sums = *q;
    of_sums.c = grid->sums;
    if (mine == ASHLAR_OK) {
        p->c = p->from_c = grid->sums;
        p->layers = &grid->layers;
    }
    ashlar_status status = ashi_tiles_product_make(p, mine, err);
    const double planning = MPI_Wtime() - began;
    if (status == ASHLAR_OK)
        status = ashi_tiles_product_run(p, &of_sums, result, err);
    result->planning_seconds = planning;
    ashi_tiles_product_free(p);
    return status;
}

/* On another process grid than C's. Nothing of C is looked at before all sums are there. */
static ashlar_status multiply_sums(const ashi_tiles_asked *q, const ashi_tiles_way *way, ashlar_tiles_result *result,
                                   ashlar_error *err)
{
    ashi_tiles_grid grid = {0};
    ashi_tiles_product p;
    ashi_tiles_came came = {0};
    ashlar_status status = ashi_tiles_product_begin(q, false, &p, err);
    if (status == ASHLAR_OK)
        status = ashi_tiles_grid_make(&p, way, &grid, err);
    status = form_sums(q, &grid, &p, status, result, err);
    const double began = MPI_Wtime();
    if (status == ASHLAR_OK)
        status = ashi_tiles_add_sums(q, grid.sums, &came, err);
    if (status == ASHLAR_OK)
        result->workspace_words += ashi_held_words(&grid.sums->held);
    add_came(&came, result);
    result->seconds += MPI_Wtime() - began;
    result->stays = (int)way->stays;
    result->layers = grid.layers.count;
    ashi_tiles_grid_free(&grid);
    return status;
}

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
        c->all_tiles = after->all_tiles;
        c->all_words = after->all_words;
        c->all_mirrored = after->all_mirrored;
    }
    add_came(&came, result);
    ashlar_tiles_free(&after);
    return status;
}

/* Where a function deals C's tiles out, and C's tiles are needed before products are formed: C goes to a process grid
 * and back. */
static ashlar_status multiply_copy(const ashi_tiles_asked *q, ashlar_tiles_result *result, ashlar_error *err)
{
    const ashi_tiles_way way = {ASHLAR_STAYS_C, 1};
    ashi_tiles_grid grid = {0};
    ashi_tiles_product p;
    ashi_tiles_came came = {0};
    ashi_tiles_asked of_copy = *q;
    ashlar_status status = ashi_tiles_product_begin(q, false, &p, err);
    if (status == ASHLAR_OK)
        status = ashi_tiles_grid_make(&p, &way, &grid, err);
    status = ashi_agree_named(q->context, status, err);
    if (status == ASHLAR_OK)
        status = ashi_tiles_copy_to(q->c, grid.sums, &came, err);
    of_copy.c = grid.sums;
    if (status == ASHLAR_OK)
        status = multiply_at_c(&of_copy, result, err);
    if (status == ASHLAR_OK) {
        add_came(&came, result);
        result->workspace_words += ashi_held_words(&grid.sums->held);
        status = replace_tiles(q->c, grid.sums, result, err);
    }
    ashi_tiles_product_free(&p);
    ashi_tiles_grid_free(&grid);
    return status;
}

/* ---- which way ---- */

/* Whether sums can be formed without a look at C. */
static bool sums_alone(const ashlar_tiles_options *o)
{
    return !o->retain && !(o->threshold > 0) && !(o->budget > 0) && !o->bound;
}

/* The same on all ranks. */
static ashlar_status check_way(const ashi_tiles_asked *q, ashlar_error *err)
{
    const ashlar_tiles_options *o = &q->options;
    const bool factor = o->stays == ASHLAR_STAYS_A || o->stays == ASHLAR_STAYS_B;
    if (o->layers > q->context->ranks)
        return ashi_fail(err, ASHLAR_ERR_ARG, "%s: layers = %d, there are %d ranks", q->who, o->layers,
                         q->context->ranks);
    if (factor && o->layers > 0)
        return ashi_fail(err, ASHLAR_ERR_ARG, "%s: layers = %d, wanted 0 if A or B stays", q->who, o->layers);
    if ((factor || o->layers > 1) && !sums_alone(o))
        return ashi_fail(err, ASHLAR_ERR_UNSUPPORTED,
                         "%s: with retain, threshold, budget or bound C stays, in one layer", q->who);
    return ASHLAR_OK;
}

static ashlar_status refuse_factor(const ashi_tiles_asked *q, int x, ashlar_error *err)
{
    ashi_tiles_product p;
    ashlar_status status = ashi_tiles_product_begin(q, false, &p, err);
    const char *why = status == ASHLAR_OK ? ashi_tiles_grid_refuses(&p, x) : NULL;
    if (why)
        status = ashi_fail(err, ASHLAR_ERR_UNSUPPORTED, "%s: %c cannot stay: %s", q->who, "AB"[x], why);
    ashi_tiles_product_free(&p);
    return ashi_agree_named(q->context, status, err);
}

ashlar_status ashi_tiles_multiply_once(const ashi_tiles_asked *q, ashlar_tiles_result *result, ashlar_error *err)
{
    const ashlar_tiles_options *o = &q->options;
    const ashi_tiles_way way = {o->stays ? (ashlar_stays)o->stays : ASHLAR_STAYS_C, o->layers > 0 ? o->layers : 1};
    ashlar_status status = check_way(q, err);
    if (status == ASHLAR_OK && way.stays != ASHLAR_STAYS_C)
        status = refuse_factor(q, way.stays == ASHLAR_STAYS_A ? ASHLAR_A : ASHLAR_B, err);
    if (status != ASHLAR_OK)
        return status;
    if (way.stays != ASHLAR_STAYS_C || way.layers > 1)
        return multiply_sums(q, &way, result, err);
    if (!q->c->deal.owner)
        return multiply_at_c(q, result, err);
    return sums_alone(o) ? multiply_sums(q, &way, result, err) : multiply_copy(q, result, err);
}
