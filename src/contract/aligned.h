/* Whether tensors are dealt out so that each rank can contract its own parts. */
#ifndef ASHI_CONTRACT_ALIGNED_H
#define ASHI_CONTRACT_ALIGNED_H

#include "contract/plan.h"

/* True if each index whose values are on different ranks is in all tensors, is cut alike in them, and the same rank has
 * the same values of it: parts of the operands then make parts of the result. All tensors are in memory, in blocks.
 * Own layouts count as if they were made so. Local; the same on all ranks. */
bool ashi_contract_is_aligned(const ashlar_contraction_plan *plan);

/* Make the plan's own layouts so, where other tensors do not say how: batch indices are dealt out. */
ashlar_status ashi_contract_align(ashlar_contraction_plan *plan, ashlar_error *err);

#endif
