/* CARMA: halve the longest dimension of the box, and the ranks with it, until each rank has a box of its own.
 *
 * Source: Demmel, Eliahu, Fox, Kamil, Lipshitz, Schwartz and Spillinger, "Communication-optimal parallel recursive
 * rectangular matrix multiplication", IPDPS 2013. Where memory is short the paper takes halves one after the other;
 * here k passes in rounds, which moves less. Wins where ranks and sizes are powers of two that make the boxes cubes, as
 * COSMA's grid is then; its boxes have sides within a factor of two of each other for any sizes.
 *
 * For other counts of ranks, ours: p ranks are halved into floor(p/2) and ceil(p/2), the longest side in proportion, so
 * that the boxes have nearly equal volume but different shapes. docs/THEORY.md compares them with COSMA's grid. */
#include "base/checked.h"
#include "base/error.h"
#include "model/bounds.h"
#include "strategy/boxes.h"
#include "strategy/cosma_query.h"
#include "strategy/grids.h"

#include <inttypes.h>
#include <math.h>
#include <stdlib.h>

/* Uneven boxes are as good but for the rounding of edges, which few ranks can tell. */
enum { COMPARED_MOST = 64 };

static bool is_power_of_two(int64_t ranks)
{
    return (ranks & (ranks - 1)) == 0;
}

/* Of equals m, then n: halves of k leave sums to be added. */
static int longest_of(const int64_t size[3])
{
    int longest = 0;
    for (int d = 1; d < 3; d++)
        longest = size[d] > size[longest] ? d : longest;
    return longest;
}

static ashlar_status fail_to_halve(const ashi_problem *q, ashlar_error *err)
{
    return ashi_fail(err, ASHLAR_ERR_UNSUPPORTED,
                     "carma: boxes of %" PRId64 " x %" PRId64 " x %" PRId64 " cannot be halved for %" PRId64 " ranks",
                     q->size[0], q->size[1], q->size[2], q->ranks);
}

/* Halve a box of this size for so many ranks, a power of two. False where there are fewer products than ranks. */
static bool halve(const int64_t size[3], int64_t ranks, int64_t grid[3])
{
    int64_t left[3] = {size[0], size[1], size[2]};
    for (int d = 0; d < 3; d++)
        grid[d] = 1;
    for (; ranks > 1; ranks /= 2) {
        const int longest = longest_of(left);
        if (left[longest] < 2)
            return false;
        left[longest] = ashi_ceil_div(left[longest], 2);
        grid[longest] *= 2;
    }
    for (int d = 0; d < 3; d++)
        if (grid[d] > size[d])
            return false;
    return true;
}

static bool is_kind(const ashi_problem *q, const int64_t grid[3])
{
    int64_t own[3];
    return halve(q->size, q->ranks, own) && grid[0] == own[0] && grid[1] == own[1] && grid[2] == own[2];
}

static ashlar_status foresee(const ashi_problem *q, int most, ashi_grid_choice *out, int *count, ashlar_error *err);

static const ashi_grids grids = {.name = "carma", .kind = "one grid for these sizes and ranks",
                                 .origin = "the longest dimension halved", .is_kind = is_kind, .foresee = foresee};

static ashlar_status foresee(const ashi_problem *q, int most, ashi_grid_choice *out, int *count, ashlar_error *err)
{
    int64_t grid[1][3];
    ashi_cosma_query query = ashi_cosma_grids_query(q);
    query.strategy = grids.name;
    *count = 0;
    if (!is_power_of_two(q->ranks))
        return ashi_fail(err, ASHLAR_ERR_UNSUPPORTED,
                         "carma on %" PRId64 " ranks, no power of two, has no closed form: it is counted if asked for",
                         q->ranks);
    if (!halve(q->size, q->ranks, grid[0]))
        return fail_to_halve(q, err);
    const ashlar_status status = ashi_grids_check(&grids, q, err);
    return status == ASHLAR_OK ? ashi_cosma_best_of(&query, grid, 1, most, out, count, err) : status;
}

/* The boxes of so many ranks, one after the other in `box`. False where several ranks are left with one product. */
static bool halve_unevenly(const ashi_cuboid *space, int64_t ranks, ashi_cuboid *box)
{
    if (ranks == 1) {
        *box = *space;
        return true;
    }
    const int64_t few = ranks / 2;
    const int64_t size[3] = {space->hi[0] - space->lo[0], space->hi[1] - space->lo[1], space->hi[2] - space->lo[2]};
    const int d = longest_of(size);
    if (size[d] < 2)
        return false;
    const int64_t wanted = size[d] / ranks * few + (size[d] % ranks * few + few) / ranks;
    ashi_cuboid first = *space, second = *space;
    first.hi[d] = second.lo[d] = space->lo[d] + wanted;
    return halve_unevenly(&first, few, box) && halve_unevenly(&second, ranks - few, box + few);
}

static ashlar_status cut(const ashi_problem *q, ashi_bricks *out, ashlar_error *err)
{
    const ashi_cuboid space = {.hi = {q->size[0], q->size[1], q->size[2]}};
    int64_t bytes;
    if (!ashi_mul(q->ranks, (int64_t)sizeof(ashi_cuboid), &bytes))
        bytes = INT64_MAX;
    ashi_cuboid *box = malloc((size_t)bytes);
    if (!box)
        return ashi_fail_memory(err, "plan", bytes);
    const ashlar_status status = halve_unevenly(&space, q->ranks, box)
                                     ? ashi_bricks_of(box, NULL, q->ranks, out, err) : fail_to_halve(q, err);
    free(box);
    return status;
}

static bool is_worth_comparing(const ashi_problem *q)
{
    return q->least_words && q->memory_words == 0 && q->ranks <= COMPARED_MOST;
}

/* Rounds are left to be found. */
static ashlar_status propose_uneven(const ashi_problem *q, ashi_proposals *out, ashlar_error *err)
{
    ashi_proposal p = {.origin = "the longest dimension halved, unevenly", .window = q->window};
    ashlar_status status = ashi_boxes_check("carma", q, err);
    if (status == ASHLAR_OK && q->compared && !is_worth_comparing(q))
        return ashi_fail(err, ASHLAR_ERR_UNSUPPORTED,
                         "carma on %" PRId64 " ranks, no power of two, is not compared here: uneven serves better",
                         q->ranks);
    if (status == ASHLAR_OK)
        status = cut(q, &p.bricks, err);
    return status == ASHLAR_OK ? ashi_boxes_add(q, &p, out, err) : status;
}

static ashlar_status propose(const ashi_problem *q, ashi_proposals *out, ashlar_error *err)
{
    return is_power_of_two(q->ranks) ? ashi_grids_propose(&grids, q, out, err) : propose_uneven(q, out, err);
}

static ashi_formula formula(const ashi_problem *q, const ashi_proposal *p)
{
    ashi_table3_row row[4];
    if (!is_power_of_two(q->ranks))
        return (ashi_formula){NAN, NULL, NULL};
    const int64_t used = ashi_grid_cells(p->bricks.grid);
    ashi_table3(q->size[0], q->size[1], q->size[2], used, q->memory_words, row);
    return ashi_grids_formula(q, used, row[2].words,
                              "2 max(sqrt(3)mnk/(p sqrt S), (mnk/p)^(2/3)) + (mnk/p)^(2/3) - share",
                              "Kwasniewski et al., SC 2019 (COSMA), Table 3, recursive, with its misprint mended");
}

const ashi_strategy ashi_strategy_carma = {
    .name = "carma",
    .summary = "the box halved along its longest side, and the ranks with it, until each has one",
    .propose = propose, .schedule = ashi_grids_schedule, .formula = formula, .foresee = foresee};
