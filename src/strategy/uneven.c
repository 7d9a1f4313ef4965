/* Uneven: boxes of equal volume but different shape, so that every rank works whatever their number.
 *
 * Ours; no paper. Where p has factors that suit the sizes, COSMA's grid of equal boxes is as good or better and is what
 * is proposed here too; where p is a prime or near one, the best grid of all ranks moves several times the bound's
 * words, and one that is near the bound leaves ranks idle. docs/THEORY.md has how near the bound this comes. */
#include "strategy/uneven.h"

#include "base/checked.h"
#include "base/error.h"
#include "model/bounds.h"
#include "strategy/boxes.h"
#include "strategy/cosma_query.h"
#include "strategy/grids.h"
#include "strategy/own_layout.h"
#include "strategy/uneven_cut.h"
#include "strategy/uneven_figures.h"

#include <inttypes.h>
#include <stdlib.h>

/* A limit of so many times the least that any boxes need, and so many of each side's elements, is enough to choose. */
static const double ENOUGH = 1.15, ROUNDED = 4;

/* On more ranks than these layouts take seconds to make. */
enum { COMPARED_MOST = 1 << 16 };

/* Words are at least this part of what is estimated. */
static const double NEARLY = 0.99;

static bool in_own_layouts(const ashi_problem *q)
{
    return !q->layout[0] && !q->layout[1] && !q->layout[2];
}

ashi_uneven_room ashi_uneven_room_of(const ashi_problem *q)
{
    const ashi_uneven_room least = {ASHI_UNEVEN_LEAST, q->window};
    ashi_uneven_cut cut;
    if (q->memory_words == 0 || !in_own_layouts(q))
        return (ashi_uneven_room){0, q->window};
    ashi_uneven_search(q->size, q->ranks, &least, &cut);
    const double rounded = (double)(q->size[0] + q->size[1] + q->size[2]); /* shares are, and thin slabs */
    const double enough = ENOUGH * cut.need + ROUNDED * rounded;
    return (ashi_uneven_room){(double)q->memory_words < enough ? least.words : q->memory_words, q->window};
}

/* *words: about what the busiest rank receives, its faces less a share. */
static ashlar_status cut_unevenly(const ashi_problem *q, const ashi_uneven_room *room, ashi_bricks *out,
                                  double *thinness, double *words, ashlar_error *err)
{
    ashi_uneven_cut cut;
    ashi_uneven_search(q->size, q->ranks, room, &cut);
    ashi_cuboid *box = malloc((size_t)cut.ranks * sizeof *box);
    if (!box)
        return ashi_fail_memory(err, "plan", cut.ranks * (int64_t)sizeof *box);
    ashi_uneven_boxes(&cut, box);
    *thinness = cut.thinness;
    *words = cut.words - ashi_problem_share(q);
    const ashlar_status status = ashi_bricks_of(box, NULL, cut.ranks, out, err);
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
    if (!q->weighed)
        query.idle = 0;
    query.least_words = true;
    return ashi_cosma_search(&query, out, err);
}

/* Whether a grid moves no more than these words of boxes, each in layouts of its own and thin slabs counted as more
 * unless the planner wants the fewest words. */
static bool is_grid_better(const ashi_problem *q, const ashi_grid_choice *grid, double words, double thinness)
{
    const double margin = q->weighed && !q->least_words ? 1 + MARGIN : 1;
    const bool as_they_are = q->weighed && q->least_words;
    const double of_grid = as_they_are ? 1 : thinness_of(q, grid), of_boxes = as_they_are ? 1 : margin * thinness;
    return (double)grid->words_max * of_grid <= words * of_boxes;
}

static ashlar_status decline(const ashi_problem *q, const ashi_grid_choice *grid, ashlar_error *err)
{
    return ashi_fail(err, ASHLAR_ERR_UNSUPPORTED,
                     "a grid moves no more words: cosma's, of %" PRId64 " of the %" PRId64 " ranks", grid->ranks_used,
                     q->ranks);
}

/* To be compared with grids: what the boxes move is first bounded, then estimated, and counted only if that leaves a
 * chance, so that planning stays quick. */
static ashlar_status make_to_compare(const ashi_problem *q, const ashi_uneven_room *room, ashi_proposal *p,
                                     ashlar_error *err)
{
    ashi_grid_choice grid;
    double thinness = 1, words = ashi_bound_words(q->size[0], q->size[1], q->size[2], q->ranks, 0).words;
    if (q->ranks > COMPARED_MOST)
        return ashi_fail(err, ASHLAR_ERR_UNSUPPORTED,
                         "uneven boxes are compared with grids on at most %d ranks: on more there is a grid near the "
                         "bound", (int)COMPARED_MOST);
    ashlar_status status = best_grid(q, &grid, err);
    if (status == ASHLAR_OK && is_grid_better(q, &grid, words, 1))
        return decline(q, &grid, err);
    if (status == ASHLAR_OK)
        status = cut_unevenly(q, room, &p->bricks, &thinness, &words, err);
    if (status == ASHLAR_OK && is_grid_better(q, &grid, NEARLY * words, thinness))
        return decline(q, &grid, err);
    if (status == ASHLAR_OK)
        status = ashi_uneven_foresee(q, p, err);
    if (status == ASHLAR_OK && is_grid_better(q, &grid, (double)p->totals.words_max, thinness))
        return decline(q, &grid, err);
    return status;
}

/* By itself: a grid's boxes if those are as good. Of the least memory there are no others. */
static ashlar_status make_alone(const ashi_problem *q, const ashi_uneven_room *room, ashi_proposal *p,
                                ashlar_error *err)
{
    ashi_grid_choice grid;
    double thinness, words;
    ashlar_status status = cut_unevenly(q, room, &p->bricks, &thinness, &words, err);
    if (status == ASHLAR_OK)
        status = ashi_uneven_foresee(q, p, err);
    if (status != ASHLAR_OK || room->words == ASHI_UNEVEN_LEAST)
        return status;
    status = best_grid(q, &grid, err);
    if (status == ASHLAR_ERR_LIMIT)
        return ASHLAR_OK;
    if (status != ASHLAR_OK || grid.ranks_used < p->bricks.count ||
        !is_grid_better(q, &grid, (double)p->totals.words_max, thinness))
        return status;
    ashi_proposal_free(p);
    *p = (ashi_proposal){.origin = p->origin, .window = q->window, .exact = p->exact};
    status = ashi_bricks_even(grid.grid, q->size, &p->bricks, err);
    return status == ASHLAR_OK ? add_layouts(q, p, err) : status;
}

static ashlar_status propose_within(const ashi_problem *q, const ashi_uneven_room *room, ashi_proposals *out,
                                    ashlar_error *err)
{
    const bool first = !q->weighed && room->words > 0; /* of two: if it fits, the other, of more words, is not walked */
    ashi_proposal p = {.origin = "boxes of equal volume for all ranks", .window = q->window, .exact = first};
    if (q->weighed && in_own_layouts(q)) /* else it is not proposed */
        p.origin = "boxes of equal volume for all ranks: fewer words than any grid";
    const ashlar_status status = q->weighed ? make_to_compare(q, room, &p, err) : make_alone(q, room, &p, err);
    if (status == ASHLAR_OK)
        return ashi_boxes_add(q, &p, out, err);
    ashi_proposal_free(&p);
    return status;
}

/* Beside a cut that should fit the one that needs the least: what a limit can do, a higher one can. */
static ashlar_status propose(const ashi_problem *q, ashi_proposals *out, ashlar_error *err)
{
    const ashlar_status serves = ashi_boxes_check("uneven", q, err);
    if (serves != ASHLAR_OK)
        return serves;
    const ashi_uneven_room room = ashi_uneven_room_of(q), least = {ASHI_UNEVEN_LEAST, q->window};
    const ashlar_status status = propose_within(q, &room, out, err);
    if (status != ASHLAR_OK || q->weighed || room.words <= 0)
        return status;
    return propose_within(q, &least, out, err);
}

const ashi_strategy ashi_strategy_uneven = {
    .name = "uneven",
    .summary = "one box a rank of equal volume but different shape, so that all work whatever their number",
    .propose = propose, .schedule = ashi_grids_schedule};
