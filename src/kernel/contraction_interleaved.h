/* Batches of small products whose elements interleave in all three matrices (kernel/interleaved.h). */
#ifndef ASHI_CONTRACTION_INTERLEAVED_H
#define ASHI_CONTRACTION_INTERLEAVED_H

#include "kernel/contraction.h"

/* Whether a product is such a batch; out is then how it is done. */
bool ashi_contraction_interleaved_make(const ashi_contraction *product, ashi_contraction_plan *out);

/* The same as ashi_contraction_run for such a plan. */
void ashi_contraction_interleaved(const ashi_contraction_plan *plan, const void *alpha, const void *a, const void *b,
                                  const void *beta, void *c, int part, int parts, void *workspace);

#endif
