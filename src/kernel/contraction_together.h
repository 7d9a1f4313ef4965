/* Batches of products whose elements interleave in some matrices: which of them are packed together. */
#ifndef ASHI_CONTRACTION_TOGETHER_H
#define ASHI_CONTRACTION_TOGETHER_H

#include "kernel/cache_blocks.h"
#include "kernel/contraction.h"

/* Whether products of a batch are packed together. Then plan->lanes is the index that they are values of, and
 * plan->product lacks it; plan->together says how many. */
bool ashi_contraction_together_find(ashi_contraction_plan *plan);

/* Blocks for such products. */
ashi_cache_blocks ashi_contraction_together_blocks(const ashi_contraction_plan *plan);

#endif
