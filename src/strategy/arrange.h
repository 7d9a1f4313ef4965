/* Boxes that suit layouts the caller already has: who should compute what, so that little has to move. */
#ifndef ASHI_ARRANGE_H
#define ASHI_ARRANGE_H

#include "strategy/strategy.h"

/* Append grids whose faces on one of the matrices are made of whole parts of its layout, computed by their owners. Only
 * where every matrix has a layout, and each rank at most one part of that matrix; and grids of which `is_kind` is true,
 * if it is not NULL. They are to be settled and estimated
 * (strategy/estimate.h). */
ashlar_status ashi_arrange_aligned(const ashi_problem *problem,
                                   bool (*is_kind)(const ashi_problem *problem, const int64_t grid[3]),
                                   ashi_proposals *out, ashlar_error *err);

/* The layouts a proposal works with: the caller's, or its own. */
void ashi_proposal_layouts(const ashi_problem *problem, const ashi_proposal *proposal, const ashlar_layout *layout[3]);

#endif
