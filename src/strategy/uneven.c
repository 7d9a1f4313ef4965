/* Uneven: boxes of equal volume but different shape, so that every rank works whatever their number.
 *
 * Ours; no paper. Where p has factors that suit the sizes, COSMA's grid of equal boxes is as good or better and is what
 * is proposed here too; where p is a prime or near one, the best grid of all ranks moves several times the bound's
 * words, and one that is near the bound leaves ranks idle. docs/THEORY.md has how near the bound this comes. */
#include "base/checked.h"
#include "base/error.h"
#include "model/bounds.h"
#include "strategy/boxes.h"
#include "strategy/buffers.h"
#include "strategy/cosma_query.h"
#include "strategy/grids.h"
#include "strategy/own_layout.h"
#include "strategy/uneven_cut.h"
#include "strategy/uneven_figures.h"

#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

/* If memory is limited CUTS_MOST cuts are tried on at most CLOSELY_MOST ranks, and two on more. */
enum { CUTS_MOST = 14, CLOSELY_MOST = 128 };

/* Where time counts a limit of ENOUGH times the least that any boxes need, and some words for rounding, is enough to
 * choose. */
static const double ENOUGH = 1.2, ROUNDED = 32;

/* Slabs in flight that shares leave room for, if words are all that counts: what is in flight depends on which matrix
 * stays and how the others are cut, and what leaves too little room does not fit. */
static const double SLABS[] = {1, 2.5, 0.4};

/* A rank's own part of the matrix that stays is held twice, which takes fewer products, if about this part of the
 * memory does for that. */
static const double AMPLE = 0.9;

/* On more ranks layouts take seconds to make. */
enum { COMPARED_MOST = 1 << 16 };

/* Words are at least this part of what is estimated. */
static const double NEARLY = 0.99;

/* The best grid, or why there is none. */
typedef struct rival {
    ashi_grid_choice grid;
    ashlar_status status;
    ashlar_error why;
} rival;

static bool in_own_layouts(const ashi_problem *q)
{
    return !q->layout[0] && !q->layout[1] && !q->layout[2];
}

/* The sizes of the problem in which the matrix that stays is C: its two dimensions, and the one that rounds cut. */
static void deal(const ashi_problem *q, ashi_stays stays, int64_t size[3])
{
    const int *dims = ashi_dims_of[ashi_stationary(stays)];
    for (int d = 0; d < 3; d++)
        size[d] = q->size[dims[d]];
}

/* A box of that problem in the problem as it is. */
static ashi_cuboid deal_back(const ashi_cuboid *box, ashi_stays stays)
{
    const int *dims = ashi_dims_of[ashi_stationary(stays)];
    ashi_cuboid out;
    for (int d = 0; d < 3; d++) {
        out.lo[dims[d]] = box->lo[d];
        out.hi[dims[d]] = box->hi[d];
    }
    return out;
}

/* If the memory may not do for a second copy of what a rank owns of the matrix that stays. */
static bool is_tight(const ashi_problem *q, const ashi_uneven_cut *cut, ashi_stays stays)
{
    int64_t size[3];
    deal(q, stays, size);
    const double own = (double)size[0] * (double)size[1] / (double)q->ranks;
    return cut->need + own > AMPLE * (double)q->memory_words;
}

/* Whether shares are shifted as far as memory allows, and nothing but words counts. */
static bool shifts_shares(const ashi_problem *q)
{
    return q->memory_words > 0 && in_own_layouts(q) && q->least_words;
}

/* Make the bricks of a proposal whose `stays` is set. *words: about what the busiest rank receives, its faces less a
 * share; if shares are shifted until all receive alike, what each receives then. */
static ashlar_status cut_unevenly(const ashi_problem *q, const ashi_uneven_cut *cut, ashi_proposal *p,
                                  double *thinness, double *words, ashlar_error *err)
{
    ashi_cuboid *box = malloc((size_t)cut->ranks * sizeof *box);
    if (!box)
        return ashi_fail_memory(err, "plan", cut->ranks * (int64_t)sizeof *box);
    ashi_uneven_boxes(cut, box);
    for (int64_t i = 0; i < cut->ranks; i++)
        box[i] = deal_back(&box[i], p->stays);
    *thinness = cut->thinness;
    *words = (shifts_shares(q) ? cut->mean : cut->words) - ashi_problem_share(q);
    p->once = cut->room.once && is_tight(q, cut, p->stays);
    const ashlar_status status = ashi_bricks_of(box, NULL, cut->ranks, &p->bricks, err);
    free(box);
    return status;
}

/* Those of a grid. */
static ashlar_status add_layouts(const ashi_problem *q, ashi_proposal *p, ashlar_error *err)
{
    const ashi_own_cut cut = {p->stays, p->rounds, p->once};
    const ashi_own_orders orders = ashi_own_orders_of(q, p->bricks.grid);
    ashlar_status status = ASHLAR_OK;
    for (int x = 0; x < 3 && status == ASHLAR_OK; x++)
        if (!q->layout[x])
            status = ashi_own_layout(&p->bricks, q->op, (ashlar_operand)x, cut, orders, &p->own[x], err);
    return status;
}

/* Where time counts, a few words less are not worth the messages that boxes of many shapes cost: this part has to be
 * saved. */
static const double MARGIN = 0.03;

/* How many times its words a grid's choice is worth in the memory of a rank. */
static double thinness_of(const ashi_problem *q, const ashi_grid_choice *grid)
{
    const double side = (double)ashi_ceil_div(q->size[2], grid->grid[2]);
    return q->memory_words > 0 ? ashi_uneven_thin(side / (double)grid->rounds, side) : 1;
}

/* The grid of the fewest words. One that leaves ranks idle counts where strategies are compared. */
static ashlar_status best_grid(const ashi_problem *q, ashi_grid_choice *out, ashlar_error *err)
{
    ashi_cosma_query query = ashi_cosma_query_of(q);
    if (!in_own_layouts(q))
        query.memory_words = 0;
    if (!q->compared)
        query.idle = 0;
    query.least_words = true;
    return ashi_cosma_search(&query, out, err);
}

static rival find_rival(const ashi_problem *q)
{
    rival r = {0};
    r.status = best_grid(q, &r.grid, &r.why);
    return r;
}

/* Whether a grid moves no more than these words of boxes, each in layouts of its own and thin slabs counted as more
 * unless the planner wants the fewest words. */
static bool is_grid_better(const ashi_problem *q, const ashi_grid_choice *grid, double words, double thinness)
{
    const double margin = q->compared && !q->least_words ? 1 + MARGIN : 1;
    const bool as_they_are = q->compared && q->least_words;
    const double of_grid = as_they_are ? 1 : thinness_of(q, grid), of_boxes = as_they_are ? 1 : margin * thinness;
    return (double)grid->words_max * of_grid <= words * of_boxes;
}

static ashlar_status decline(const ashi_problem *q, const ashi_grid_choice *grid, ashlar_error *err)
{
    return ashi_fail(err, ASHLAR_ERR_UNSUPPORTED,
                     "a grid moves no more words: cosma's, of %" PRId64 " of the %" PRId64 " ranks", grid->ranks_used,
                     q->ranks);
}

/* The dimension along which its boxes are layers. */
static int layer_of(const ashi_uneven_cut *cut, ashi_stays stays)
{
    return ashi_dims_of[ashi_stationary(stays)][cut->axis[0]];
}

/* To be compared with grids: what the boxes move is first bounded, then estimated, and counted only if that leaves a
 * chance, so that planning stays quick. ASHLAR_ERR_LIMIT if no grid fits, with the least memory that one needs. */
static ashlar_status make_to_compare(const ashi_problem *q, const ashi_uneven_cut *cut, const ashi_uneven_way *way,
                                     const rival *r, ashi_proposal *p, bool *ample, int64_t *memory_least,
                                     ashlar_error *err)
{
    double thinness = 1, words = ashi_bound_words(q->size[0], q->size[1], q->size[2], q->ranks, 0).words;
    if (r->status == ASHLAR_ERR_LIMIT)
        *memory_least = r->grid.memory_words;
    if (r->status != ASHLAR_OK)
        return ashi_fail(err, r->status, "%s", r->why.text);
    if (is_grid_better(q, &r->grid, words, 1))
        return decline(q, &r->grid, err);
    ashlar_status status = cut_unevenly(q, cut, p, &thinness, &words, err);
    if (status == ASHLAR_OK && is_grid_better(q, &r->grid, NEARLY * words, thinness))
        return decline(q, &r->grid, err);
    if (status == ASHLAR_OK)
        status = ashi_uneven_foresee(q, way, p, ample, err);
    if (status == ASHLAR_OK && is_grid_better(q, &r->grid, (double)p->totals.words_max, thinness))
        return decline(q, &r->grid, err);
    return status;
}

/* By itself: a grid's boxes if those are as good. Of the least memory there are no others. */
static ashlar_status make_alone(const ashi_problem *q, const ashi_uneven_cut *cut, const ashi_uneven_way *way,
                                const rival *r, ashi_proposal *p, bool *ample, ashlar_error *err)
{
    double thinness, words;
    ashlar_status status = cut_unevenly(q, cut, p, &thinness, &words, err);
    if (status == ASHLAR_OK)
        status = ashi_uneven_foresee(q, way, p, ample, err);
    if (status != ASHLAR_OK || cut->room.words == ASHI_UNEVEN_LEAST)
        return status;
    if (r->status == ASHLAR_ERR_LIMIT)
        return ASHLAR_OK;
    if (r->status != ASHLAR_OK)
        return ashi_fail(err, r->status, "%s", r->why.text);
    if (r->grid.ranks_used < p->bricks.count || !is_grid_better(q, &r->grid, (double)p->totals.words_max, thinness))
        return status;
    if (p->stays != ASHI_STAYS_C || way->other || (q->least_words && way->slabs != SLABS[0]))
        return decline(q, &r->grid, err); /* the grid is proposed once */
    ashi_proposal_free(p);
    *p = (ashi_proposal){.origin = p->origin, .window = q->window, .exact = p->exact};
    status = ashi_bricks_even(r->grid.grid, q->size, &p->bricks, err);
    return status == ASHLAR_OK ? add_layouts(q, p, err) : status;
}

static ashlar_status propose_way(const ashi_problem *q, const ashi_uneven_cut *cut, ashi_stays stays,
                                 const ashi_uneven_way *way, const rival *r, bool *ample, ashi_proposals *out,
                                 ashlar_error *err)
{
    /* Of several those of fewer words come first, and if one fits the others are not measured. */
    ashi_proposal p = {.origin = "boxes of equal volume for all ranks", .window = q->window, .stays = stays,
                       .exact = cut->room.words != 0 && (!q->compared || q->least_words)};
    *ample = true;
    if (q->compared && in_own_layouts(q)) /* else it is not proposed */
        p.origin = "boxes of equal volume for all ranks: fewer words than any grid";
    const ashlar_status status = q->compared ? make_to_compare(q, cut, way, r, &p, ample, &out->memory_least, err)
                                            : make_alone(q, cut, way, r, &p, ample, err);
    if (status == ASHLAR_OK)
        return ashi_boxes_add(q, &p, out, err);
    ashi_proposal_free(&p);
    return status;
}

/* Whether another way or cut may still be proposed. */
static bool goes_on(ashlar_status status)
{
    return status == ASHLAR_OK || status == ASHLAR_ERR_UNSUPPORTED;
}

static bool same_cut(const ashi_uneven_cut *x, const ashi_uneven_cut *y)
{
    return memcmp(x->axis, y->axis, sizeof x->axis) == 0 && memcmp(x->kind, y->kind, sizeof x->kind) == 0;
}

/* The cuts that are tried for a matrix that stays. */
typedef struct cuts {
    ashi_stays stays;
    int64_t size[3]; /* dealt */
    bool least_only; /* the memory is not certainly enough to choose */
    int count;
    ashi_uneven_cut at[CUTS_MOST];
} cuts;

/* Search one more, for this memory (0: without a limit), and keep it unless it is there already. */
static void add_cut(const ashi_problem *q, int64_t words, cuts *c)
{
    const ashi_uneven_room room = {words, q->window, words != 0 && q->ranks <= ASHI_MEASURED_MOST};
    ashi_uneven_search(c->size, q->ranks, &room, &c->at[c->count]);
    for (int i = 0; i < c->count; i++)
        if (same_cut(&c->at[i], &c->at[c->count]))
            return;
    c->count++;
}

/* With so much memory there is a choice, since the cut of the least need certainly fits: beside that there is room for
 * about one slab of a single index of each side. */
static double enough_for(const ashi_problem *q, const ashi_uneven_cut *cut)
{
    return q->least_words ? cut->need + sqrt(3 * cut->words) + ROUNDED : ENOUGH * cut->need + ROUNDED;
}

/* Beside the cut that needs the least, so that what a limit can do, a higher one can. What a cut takes is only about
 * known: so some are for a little more memory and some for less, if the limit is enough for a choice. */
static void add_wider(const ashi_problem *q, double least, cuts *c)
{
    static const double of_limit[CUTS_MOST - 1] = {1.2,  1.15, 1.1,  1.07, 1.04, 1,  0.98,
                                                     0.95, 0.92, 0.89, 0.86, 0.83, 0.8};
    const bool closely = q->ranks <= CLOSELY_MOST;
    c->least_only = (double)q->memory_words < least;
    for (int i = 0; i < CUTS_MOST - 1 && !c->least_only; i++)
        if (closely || of_limit[i] == 1)
            add_cut(q, (int64_t)(of_limit[i] * (double)q->memory_words), c);
}

/* Propose a cut, in all the ways that may do if words are all that counts. On many ranks those would take long. */
static ashlar_status propose_cut(const ashi_problem *q, const cuts *c, int n, const rival *r, ashi_proposals *out,
                                 ashlar_error *err)
{
    const bool all = shifts_shares(q) && q->ranks <= CLOSELY_MOST && !c->least_only;
    const ashi_uneven_cut *cut = &c->at[n];
    const double thick = 2 * q->window * ASHI_THINNEST_SLAB;
    const int ways = all ? 2 : 1, slabs = all ? (int)(sizeof SLABS / sizeof *SLABS) : 1;
    ashlar_status status = ASHLAR_OK;
    for (int other = 0; other < ways && goes_on(status); other++) {
        bool ample = false;
        for (int i = 0; i < slabs && !ample && goes_on(status); i++) {
            const ashi_uneven_way way = {.layered = layer_of(cut, c->stays), .other = other == 1, .either = !all,
                                         .equal = c->least_only, .slabs = q->least_words ? SLABS[i] : thick};
            status = propose_way(q, cut, c->stays, &way, r, &ample, out, err);
        }
    }
    return status;
}

/* With little memory any matrix may stay. On many ranks, where schedules are not measured, only C does, and its closed
 * form holds a rank's own part twice. */
static ashlar_status propose(const ashi_problem *q, ashi_proposals *out, ashlar_error *err)
{
    const bool limited = q->memory_words > 0 && in_own_layouts(q);
    const int stays = limited && q->ranks <= ASHI_MEASURED_MOST ? 3 : 1;
    const int64_t before = out->count;
    double least = INFINITY;
    cuts c[3];
    ashlar_status status = ashi_boxes_check("uneven", q, err);
    if (status != ASHLAR_OK)
        return status;
    if (q->compared && q->ranks > COMPARED_MOST)
        return ashi_fail(err, ASHLAR_ERR_UNSUPPORTED,
                         "uneven boxes are compared with grids on at most %d ranks: on more there is a grid near the "
                         "bound", (int)COMPARED_MOST);
    for (int i = 0; i < stays; i++) {
        c[i] = (cuts){.stays = (ashi_stays)i};
        deal(q, c[i].stays, c[i].size);
        add_cut(q, limited ? ASHI_UNEVEN_LEAST : 0, &c[i]);
        least = fmin(least, enough_for(q, &c[i].at[0]));
    }
    const rival r = find_rival(q);
    for (int i = 0; i < stays; i++) {
        if (limited)
            add_wider(q, least, &c[i]);
        for (int n = 1; n <= c[i].count && goes_on(status); n++) /* the least need last: others are tried before it */
            status = propose_cut(q, &c[i], n % c[i].count, &r, out, err);
    }
    return status == ASHLAR_ERR_UNSUPPORTED && out->count > before ? ASHLAR_OK : status;
}

const ashi_strategy ashi_strategy_uneven = {
    .name = "uneven",
    .summary = "one box a rank of equal volume but different shape, so that all work whatever their number",
    .propose = propose, .schedule = ashi_grids_schedule};
