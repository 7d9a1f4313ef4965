/* Plans a product, with as much memory as is due to it. */
#ifndef ASHI_PLANNING_H
#define ASHI_PLANNING_H

#include "pblas/gemm_call.h"

/**
 * With ASHLAR_MEMORY under that limit. Else the best plan of all; but if it takes more than ashi_memory_allowed the one
 * that does not, if that moves no more words or a process's part of the node's memory is less than four times what the
 * best plan holds. Nothing here changes during a run: identical runs get identical plans.
 *
 * @param grid  of A, B and C
 * @return as ashlar_plan_create, with a text of limit.h if ASHLAR_MEMORY is too little. Collective over the grid of A.
 */
ashlar_status ashi_planning(const ashi_gemm_call *call, ashi_grid *const grid[3], ashlar_plan **out, ashlar_error *err);

#endif
