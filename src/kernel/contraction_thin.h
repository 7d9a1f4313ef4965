/* Contractions that have rows only: products of a matrix and a vector, transpositions, products of elements. Elements
 * are used once or a few times, so nothing is packed. */
#ifndef ASHI_CONTRACTION_THIN_H
#define ASHI_CONTRACTION_THIN_H

#include "kernel/contraction.h"

/* The same as ashi_contraction_run for a plan that is thin. */
void ashi_contraction_thin(const ashi_contraction_plan *plan, const void *alpha, const void *a, const void *b,
                           const void *beta, void *c, int part, int parts, void *workspace);

/* The same where nothing is summed: indices change their order, or elements are multiplied one by one. */
bool ashi_contraction_is_order(const ashi_contraction *product);
void ashi_contraction_order(const ashi_contraction_plan *plan, const void *alpha, const void *a, const void *b,
                            const void *beta, void *c, int part, int parts);

/* target <- source + beta target: an index of the group has stride[0] in the source and stride[2] in the target. */
void ashi_contraction_copy(ashlar_type type, const ashi_stride_group *group, const void *source, const void *beta,
                           void *target);

/* Bytes of workspace for blocks of `rows` and `depth`. */
int64_t ashi_contraction_thin_bytes(ashlar_type type, int64_t rows, int64_t depth);

#endif
