/* The ways to make a product of matrices of tiles: C is summed up where it is, or somewhere else. */
#include "tiles/multiply_ways.h"

#include "base/error.h"
#include "exec/mpi.h"
#include "tiles/add_sums.h"
#include "tiles/choose_way.h"
#include "tiles/low_rank_product.h"
#include "tiles/multiply.h"
#include "tiles/multiply_panels.h"
#include "tiles/totals.h"

/* BETTER: the part of the words below which another way than C in one layer is taken. EVEN: how much less even its work
 * may be. */
static const double BETTER = 0.8, EVEN = 1.1;

/* ---- partial sums, or C itself ---- */

/* A product that is planned one way. */
typedef struct planned {
    ashi_tiles_way way;
    ashi_tiles_product product;
    ashi_tiles_grid grid; /* `sums` NULL: C is summed up where it is */
} planned;

static void forget(planned *w)
{
    ashi_tiles_product_free(&w->product);
    ashi_tiles_grid_free(&w->grid);
}

/* Nothing of C is looked at before all sums are there. Collective, `mine` is what this rank comes with. Freed by
 * forget, also after a failure. */
static ashlar_status plan_way(const ashi_tiles_asked *q, const ashi_tiles_way *way, ashlar_status mine, planned *w,
                              ashlar_error *err)
{
    ashi_tiles_product *p = &w->product;
    *w = (planned){.way = *way};
    ashlar_status status = ashi_tiles_product_begin(q, false, p, mine == ASHLAR_OK ? err : NULL);
    status = mine == ASHLAR_OK ? status : mine;
    if (status == ASHLAR_OK && (way->stays != ASHLAR_STAYS_C || way->layers > 1 || q->c->deal.owner)) {
        status = ashi_tiles_grid_make(p, way, &w->grid, err);
        if (status == ASHLAR_OK) {
            p->c = p->from_c = w->grid.sums;
            p->layers = &w->grid.layers;
        }
    }
    return ashi_tiles_product_make(p, status, err);
}

static void add_came(const ashi_tiles_came *came, ashlar_tiles_result *result)
{
    result->words += came->words;
    result->predicted_words += came->predicted;
    result->messages += came->messages;
}

/* The end of a step that concludes by itself: if MPI failed in its last agreement, one rank alone has that. */
static ashlar_status go_on(const ashi_tiles_asked *q, ashlar_status mine, ashlar_error *err)
{
    return ashi_agree(q->context, mine, err);
}

/* Collective. */
static ashlar_status run_sums(const ashi_tiles_asked *q, planned *w, ashlar_tiles_result *result, ashlar_error *err)
{
    ashi_tiles_asked of_sums = *q;
    ashi_tiles_came came = {0};
    of_sums.c = w->grid.sums;
    ashlar_status status = go_on(q, ashi_tiles_product_run(&w->product, &of_sums, result, err), err);
    ashi_tiles_product_free(&w->product);
    if (status != ASHLAR_OK)
        return status;
    const double began = MPI_Wtime();
    status = ashi_tiles_add_sums(q, w->grid.sums, &came, err);
    add_came(&came, result);
    result->workspace_words += ashi_held_words(&w->grid.sums->held);
    result->seconds += MPI_Wtime() - began;
    result->stays = (int)w->way.stays;
    result->layers = w->grid.layers.count;
    return status;
}

static ashlar_status run_way(const ashi_tiles_asked *q, planned *w, ashlar_tiles_result *result, ashlar_error *err)
{
    return w->grid.sums ? run_sums(q, w, result, err) : ashi_tiles_product_run(&w->product, q, result, err);
}

static ashlar_status multiply_planned(const ashi_tiles_asked *q, const ashi_tiles_way *way, ashlar_status mine,
                                      ashlar_tiles_result *result, ashlar_error *err)
{
    const double began = MPI_Wtime();
    planned w;
    ashlar_status status = plan_way(q, way, mine, &w, err);
    const double planning = MPI_Wtime() - began;
    if (status == ASHLAR_OK)
        status = run_way(q, &w, result, err);
    result->planning_seconds = planning;
    forget(&w);
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
        status = go_on(q, ashi_tiles_copy_to(q->c, grid.sums, &came, err), err);
    of_copy.c = grid.sums;
    if (status == ASHLAR_OK)
        status = go_on(q, multiply_planned(&of_copy, &way, ASHLAR_OK, result, err), err);
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
    return !o->retain && !(o->threshold > 0) && !(o->budget > 0) && !o->bound && o->memory_words == 0;
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
                         "%s: with retain, threshold, budget, bound or memory_words C stays, in one layer", q->who);
    if (q->c->deal.owner && o->memory_words > 0)
        return ashi_fail(err, ASHLAR_ERR_UNSUPPORTED, "%s: memory_words, and C's tiles are dealt out by a function",
                         q->who);
    if ((factor || o->layers > 1 || q->c->deal.owner) && ashi_tiles_involve_low(q))
        return ashi_fail(err, ASHLAR_ERR_UNSUPPORTED,
                         "%s: with tiles of low rank or a tolerance, C stays on a process grid, in one layer", q->who);
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

/* Words that travel to all ranks, and words of sums. Collective; the same on all ranks. */
static ashlar_status count_words(const ashi_tiles_asked *q, const planned *w, ashlar_status mine, int64_t words[2],
                                 ashlar_error *err)
{
    words[0] = words[1] = 0;
    if (mine == ASHLAR_OK)
        words[0] = ashi_tile_program_words(&w->product.program);
    const ashi_pattern *sums = &w->product.symbolic.c;
    for (int64_t r = 0; mine == ASHLAR_OK && w->grid.sums && r < sums->rows; r++)
        for (int64_t t = sums->start[r]; t < sums->start[r + 1]; t++) {
            const int64_t size = ashi_tiles_words(q->c, sums->row[r], sums->col[t]);
            words[1] += size;
            words[0] += ashi_deal_owner(&q->c->deal, sums->row[r], sums->col[t]) != q->context->rank ? size : 0;
        }
    return ashi_totals_count(q->context, mine, words, 2, err);
}

/* Both ways are planned, and the words that their patterns need are counted. Another way than C in one layer is taken
 * if it needs fewer, its work is about as even, and its sums take no more memory than the matrices. */
static ashlar_status multiply_better(const ashi_tiles_asked *q, const ashi_tiles_way *other,
                                     ashlar_tiles_result *result, ashlar_error *err)
{
    const ashi_tiles_way at_c = {ASHLAR_STAYS_C, 1};
    const double began = MPI_Wtime();
    planned w[2] = {{.way = at_c}, {.way = at_c}};
    int64_t words[2][2] = {{0}}, matrices = 0;
    ashlar_status status = plan_way(q, &at_c, ASHLAR_OK, &w[0], err);
    if (status == ASHLAR_OK)
        status = plan_way(q, other, ASHLAR_OK, &w[1], err);
    for (int i = 0; i < 2 && status == ASHLAR_OK; i++)
        status = count_words(q, &w[i], status, words[i], err);
    for (int64_t t = 0; t < q->terms; t++)
        matrices += q->term[t].a->all_words + q->term[t].b->all_words;
    const bool better = (double)words[1][0] < BETTER * (double)words[0][0] &&
                        w[1].product.imbalance <= EVEN * w[0].product.imbalance &&
                        words[1][1] <= matrices + q->c->all_words;
    const double planning = MPI_Wtime() - began;
    forget(&w[better ? 0 : 1]);
    if (status == ASHLAR_OK)
        status = run_way(q, &w[better], result, err);
    result->planning_seconds = planning;
    forget(&w[better]);
    return status;
}

/* The way that about needs the fewest words, if the options leave it open. Local. */
static ashlar_status find_way(const ashi_tiles_asked *q, ashi_tiles_way *way, bool *open, ashlar_error *err)
{
    const ashlar_tiles_options *o = &q->options;
    ashi_tiles_product p;
    *way = (ashi_tiles_way){o->stays ? (ashlar_stays)o->stays : ASHLAR_STAYS_C, o->layers > 0 ? o->layers : 1};
    *open = o->layers == 0 && way->stays == ASHLAR_STAYS_C && sums_alone(o) && q->context->ranks > 1 &&
            !ashi_tiles_involve_low(q);
    if (!*open)
        return ASHLAR_OK;
    ashlar_status status = ashi_tiles_product_begin(q, false, &p, err);
    if (status == ASHLAR_OK)
        status = ashi_tiles_choose_way(&p, o, way, err);
    ashi_tiles_product_free(&p);
    return status;
}

ashlar_status ashi_tiles_multiply_once(const ashi_tiles_asked *q, ashlar_tiles_result *result, ashlar_error *err)
{
    ashi_tiles_way way;
    bool open;
    ashlar_status status = check_way(q, err);
    if (status == ASHLAR_OK && (q->options.stays == ASHLAR_STAYS_A || q->options.stays == ASHLAR_STAYS_B))
        status = refuse_factor(q, q->options.stays == ASHLAR_STAYS_A ? ASHLAR_A : ASHLAR_B, err);
    if (status != ASHLAR_OK)
        return status;
    if (ashi_tiles_wants_panels(q))
        return ashi_tiles_multiply_panels(q, result, err);
    if (q->c->deal.owner && !sums_alone(&q->options))
        return multiply_copy(q, result, err);
    status = find_way(q, &way, &open, err);
    const bool at_c = way.stays == ASHLAR_STAYS_C && way.layers == 1;
    if (status != ASHLAR_OK || !open || at_c || q->c->deal.owner)
        return multiply_planned(q, &way, status, result, err);
    return multiply_better(q, &way, result, err);
}
