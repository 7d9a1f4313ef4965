/* Sums of products of two arrays of which another index runs fastest in each: squares of both indices are taken one
 * after the other, so that a line of a cache that is fetched is used as a whole. */
#ifndef ASHI_CONTRACTION_INNER_H
#define ASHI_CONTRACTION_INNER_H

#include "kernel/contraction.h"
#include "kernel/contraction_sums.h"

/* Whether a product whose elements of C are summed one by one has two such indices. */
bool ashi_contraction_is_inner(const ashi_contraction *product);

/* sum += A B for a block of rows, whose places t has. */
void ashi_contraction_inner(const ashi_contraction_plan *plan, const ashi_thin *t, int64_t rows, const char *a,
                            const char *b, char *sum);

#endif
