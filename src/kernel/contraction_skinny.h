/* Contractions with few columns: the matrix of many rows is read where it lies. */
#ifndef ASHI_CONTRACTION_SKINNY_H
#define ASHI_CONTRACTION_SKINNY_H

#include "kernel/contraction.h"

/* Where there are at least so many times as many rows as columns, there are many rows; below that, about as many. */
enum { ASHI_SKINNY_RATIO = 2 };

/* Whether a product that has more rows than columns is done faster so; *kind is then the width of registers, see
 * ashi_skinny_all. */
ashi_skinny_way ashi_contraction_skinny_find(const ashi_contraction *p, int *kind);

/* Choose the blocks of a plan whose product is done so, and find the bytes of workspace that blocks take. */
void ashi_contraction_skinny_choose(ashi_contraction_plan *plan);
int64_t ashi_contraction_skinny_bytes(const ashi_contraction_plan *plan);

/* The same as ashi_contraction_run for such a plan. */
void ashi_contraction_skinny(const ashi_contraction_plan *plan, const void *alpha, const void *a, const void *b,
                             const void *beta, void *c, int part, int parts, void *workspace);

#endif
