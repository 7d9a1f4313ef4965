/* COSMA: the grid of boxes that moves least, or ends soonest, for these sizes, ranks and memory.
 *
 * Source: Kwasniewski, Kabic, Besta, VandeVondele, Solca, Hoefler, "Red-Blue Pebbling Revisited: Near Optimal Parallel
 * Matrix-Matrix Multiplication", SC 2019, sections 6.3 and 7. Wins wherever words matter, at any shape. If the
 * caller's layouts are not its own, boxes that follow those layouts are compared with the best grid. */
#include "base/checked.h"
#include "model/bounds.h"
#include "strategy/at_home.h"
#include "strategy/cosma_query.h"
#include "strategy/estimate.h"
#include "strategy/grids.h"
#include "strategy/others_stay.h"

#include <math.h>

static ashlar_status foresee(const ashi_problem *q, int most, ashi_grid_choice *out, int *count, ashlar_error *err)
{
    const ashi_cosma_query query = ashi_cosma_grids_query(q);
    return ashi_cosma_search_many(&query, most, out, count, err);
}

static ashlar_status propose(const ashi_problem *q, ashi_proposals *out, ashlar_error *err)
{
    static const ashi_grids all = {.name = "cosma", .origin = "the best grid", .foresee = foresee};
    const int64_t first = out->count;
    ashlar_status status = ashi_grids_append(&all, q, out, err);
    if (status == ASHLAR_OK)
        status = ashi_at_home(q, out, err);
    const bool own = !q->layout[0] && !q->layout[1] && !q->layout[2];
    if (!own && status == ASHLAR_OK)
        status = ashi_estimate_proposals(q, first, out, err);
    return status == ASHLAR_OK ? ashi_others_stay(q, first, out, err) : status;
}

/* The paper's domain, a x a x b, may be longer than the matrices: then its figure is of no schedule. */
static ashi_formula formula(const ashi_problem *q, const ashi_proposal *p)
{
    static const char source[] = "Kwasniewski et al., SC 2019 (COSMA), Table 3 through eq. 32";
    const int64_t m = q->size[0], n = q->size[1], k = q->size[2], used = ashi_grid_cells(p->bricks.grid);
    const double shortest = (double)ashi_min(m, ashi_min(n, k)), longest = (double)ashi_max(m, ashi_max(n, k));
    double a, b;
    ashi_parallel_domain(m, n, k, used, q->memory_words, &a, &b);
    if (a > shortest || b > longest)
        return (ashi_formula){NAN, "none: the paper's domain is longer than the matrix", source};
    return ashi_grids_formula(q, used, 2 * a * b + a * a,
                              b > a ? "2mnk/(p sqrt S) + S - share" : "3(mnk/p)^(2/3) - share", source);
}

const ashi_strategy ashi_strategy_cosma = {
    .name = "cosma",
    .summary = "one box of the m x n x k space a rank; the grid that moves least or ends soonest",
    .propose = propose, .schedule = ashi_grids_schedule, .formula = formula, .foresee = foresee};
