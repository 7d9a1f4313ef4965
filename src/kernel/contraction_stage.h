/* Batches of small products whose index runs fastest in memory: some of them at a time are copied to where each is a
 * matrix of its own, and multiplied there. */
#ifndef ASHI_CONTRACTION_STAGE_H
#define ASHI_CONTRACTION_STAGE_H

#include "kernel/contraction.h"

/* Whether copies pay; out is then how they are made, and *inner the products of the copies. */
bool ashi_contraction_stage_find(const ashi_contraction *whole, ashi_contraction_stage *out, ashi_contraction *inner);

/* The same as ashi_contraction_run for a plan that has copies. */
void ashi_contraction_staged(const ashi_contraction_plan *plan, const void *alpha, const void *a, const void *b,
                             const void *beta, void *c, int part, int parts, void *workspace);

#endif
