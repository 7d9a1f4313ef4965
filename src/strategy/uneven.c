/* Uneven: boxes of equal volume but different shape, so that every rank works whatever their number.
 *
 * Ours; no paper. Where p has factors that suit the sizes, COSMA's grid of equal boxes is as good or better and is what
 * is proposed here too; where p is a prime or near one, the best grid of all ranks moves several times the bound's
 * words, and one that is near the bound leaves ranks idle. docs/THEORY.md has how near the bound this comes. */
#include "base/checked.h"
#include "base/error.h"
#include "strategy/boxes.h"
#include "strategy/cosma.h"
#include "strategy/grids.h"
#include "strategy/own_layout.h"
#include "strategy/shared_layout.h"
#include "strategy/uneven_cut.h"

#include <inttypes.h>
#include <stdlib.h>

static ashlar_status cut_unevenly(const ashi_problem *q, ashi_bricks *out, ashlar_error *err)
{
    ashi_uneven_cut cut;
    ashi_uneven_search(q->size, q->ranks, &cut);
    ashi_cuboid *box = malloc((size_t)cut.ranks * sizeof *box);
    if (!box)
        return ashi_fail_memory(err, "plan", cut.ranks * (int64_t)sizeof *box);
    ashi_uneven_boxes(&cut, box);
    const ashlar_status status = ashi_bricks_of(box, NULL, cut.ranks, out, err);
    free(box);
    return status;
}

/* Those of a grid. */
static ashlar_status add_layouts(const ashi_problem *q, ashi_proposal *p, const int64_t c_cut[2], ashlar_error *err)
{
    ashlar_status status = ASHLAR_OK;
    for (int x = 0; x < 3 && status == ASHLAR_OK; x++)
        if (!q->layout[x])
            status = ashi_own_layout(&p->bricks, q->op, (ashlar_operand)x, c_cut, &p->own[x], err);
    return status;
}

/* Words of the busiest rank of uneven boxes in layouts of their own. */
static ashlar_status own_words(const ashi_problem *q, const ashi_bricks *bricks, int64_t *out, ashlar_error *err)
{
    ashlar_layout *own[3] = {NULL, NULL, NULL};
    int64_t *words = malloc((size_t)q->ranks * sizeof *words);
    ashlar_status status = words ? ASHLAR_OK : ashi_fail_memory(err, "plan", q->ranks * (int64_t)sizeof *words);
    for (int x = 0; x < 3 && status == ASHLAR_OK; x++)
        status = ashi_shared_layout(bricks, q->op, (ashlar_operand)x, &own[x], err);
    *out = 0;
    if (status == ASHLAR_OK) {
        const ashlar_layout *const layout[3] = {own[0], own[1], own[2]};
        ashi_shared_words(bricks, q->op, layout, q->ranks, words);
        for (int64_t r = 0; r < q->ranks; r++)
            *out = ashi_max(*out, words[r]);
    }
    for (int x = 0; x < 3; x++)
        ashlar_layout_free(&own[x]);
    free(words);
    return status;
}

/* Where time counts, a few words less are not worth the messages that boxes of many shapes cost: this part has to be
 * saved. */
static const double MARGIN = 0.03;

/* Whether a grid moves no more words, each in layouts of its own; then *grid is it. One that leaves ranks idle counts
 * where it is weighed too, and then none does that has not the memory for a grid. */
static ashlar_status compare_with_grid(const ashi_problem *q, const ashi_bricks *bricks, ashi_cosma_choice *grid,
                                       bool *better, ashlar_error *err)
{
    ashi_cosma_query query = ashi_cosma_query_of(q);
    int64_t words = 0;
    if (!q->weighed || q->layout[0] || q->layout[1] || q->layout[2])
        query.memory_words = 0;
    if (!q->weighed)
        query.idle = 0;
    const bool least_words = query.least_words;
    query.least_words = true;
    ashlar_status status = ashi_cosma_search(&query, grid, err);
    if (status == ASHLAR_OK)
        status = own_words(q, bricks, &words, err);
    const double margin = q->weighed && !least_words ? 1 + MARGIN : 1;
    *better = status == ASHLAR_OK && (q->weighed || grid->ranks_used >= bricks->count) &&
              (double)grid->words_max <= margin * (double)words;
    return status;
}

static ashlar_status make(const ashi_problem *q, ashi_proposal *p, ashlar_error *err)
{
    ashi_cosma_choice grid;
    bool better = false;
    ashlar_status status = cut_unevenly(q, &p->bricks, err);
    if (status == ASHLAR_OK)
        status = compare_with_grid(q, &p->bricks, &grid, &better, err);
    if (status == ASHLAR_OK && better && q->weighed)
        return ashi_fail(err, ASHLAR_ERR_UNSUPPORTED,
                         "a grid moves no more words: cosma's, of %" PRId64 " of the %" PRId64 " ranks", grid.ranks_used,
                         q->ranks);
    if (status == ASHLAR_OK && better) {
        ashi_bricks_free(&p->bricks);
        status = ashi_bricks_even(grid.grid, q->size, &p->bricks, err);
        if (status == ASHLAR_OK)
            status = add_layouts(q, p, grid.c_cut, err);
    }
    return status;
}

static ashlar_status propose(const ashi_problem *q, ashi_proposals *out, ashlar_error *err)
{
    ashi_proposal p = {.origin = "boxes of equal volume for all ranks", .window = q->window};
    if (q->weighed && !q->layout[0] && !q->layout[1] && !q->layout[2]) /* else it is not proposed */
        p.origin = "boxes of equal volume for all ranks: fewer words than any grid";
    ashlar_status status = ashi_boxes_check("uneven", q, err);
    if (status == ASHLAR_OK)
        status = make(q, &p, err);
    if (status == ASHLAR_OK)
        return ashi_boxes_add(q, &p, out, err);
    ashi_proposal_free(&p);
    return status;
}

const ashi_strategy ashi_strategy_uneven = {
    .name = "uneven",
    .summary = "one box a rank of equal volume but different shape, so that all work whatever their number",
    .propose = propose, .schedule = ashi_grids_schedule};
