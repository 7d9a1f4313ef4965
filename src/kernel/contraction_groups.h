/* Groups of indices of a product: their order, and which of them run fastest. */
#ifndef ASHI_CONTRACTION_GROUPS_H
#define ASHI_CONTRACTION_GROUPS_H

#include "kernel/contraction.h"

/* Order a group by its strides in the matrix `first` (0 for A, 1 for B, 2 for C), then in `second`. Indices that a
 * matrix lacks run last. */
void ashi_group_order(ashi_stride_group *group, int first, int second);

/* Move indices that run fast in `matrix` to `to` and the places after it, until they have `enough` values together.
 * Returns how many indices there are then in front. */
int ashi_group_move_fast(ashi_stride_group *group, int matrix, int to, int64_t enough);

/* Leave out indices of one value, and make one of two that lie as one would. */
void ashi_group_join(ashi_stride_group *group);

/* The number of the index whose values are neighbours in a matrix; -1 if there is none. */
int ashi_group_neighbours(const ashi_stride_group *group, int matrix);

/* The least stride in a matrix of the indices that have several values; INT64_MAX if there are none. */
int64_t ashi_group_least_stride(const ashi_stride_group *group, int matrix);

/* A and B change places: C's columns become rows. */
void ashi_contraction_turn(ashi_contraction *p);

#endif
