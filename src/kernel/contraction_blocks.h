/* Products of strided operands in blocks that stay in caches, or matrix by matrix by the BLAS if they are small. */
#ifndef ASHI_CONTRACTION_BLOCKS_H
#define ASHI_CONTRACTION_BLOCKS_H

#include "kernel/contraction.h"

/* The same as ashi_contraction_run for a plan that has no copies and is not thin. */
void ashi_contraction_in_blocks(const ashi_contraction_plan *plan, const void *alpha, const void *a, const void *b,
                                const void *beta, void *c, int part, int parts, void *workspace);

/* Bytes of its workspace with blocks of plan->mc, plan->nc and plan->kc. */
int64_t ashi_contraction_in_blocks_bytes(const ashi_contraction_plan *plan);

/* For how many products at a time blocks of A are packed: for one if elements of neither A nor C interleave. */
int64_t ashi_contraction_blocks_of_a(const ashi_contraction_plan *plan);

#endif
