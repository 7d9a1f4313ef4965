/* Other orders of an axis along which two matrices are dealt out differently. */
#ifndef ASHI_SKEW_H
#define ASHI_SKEW_H

#include "layout/axis.h"

/* How often the parts of one matrix are cut by those of the other: the largest number of classes in a part of `first`.
 * A class is what one part of each has; those of a part of `first` lie together. With 1 there is nothing to skew. */
int64_t ashi_skew_classes(const ashi_strip *first, const ashi_strip *second);

/* Rearrange so that an even cut of the axis takes something of each part of both matrices: first one class of each part
 * of `first`, then another of each, and so on. In the next part of `first` the classes begin `skew` further on: a
 * diagonal, where without skew equal classes meet. For example 4 parts of A in 2 of B, {0, 2} and {1, 3}: cut in two,
 * {0, 1} and {2, 3} without skew, {0, 3} and {1, 2} with skew 1. Freed by the caller with ashi_arrangement_free.
 * skew >= 0. */
ashlar_status ashi_skew_axis(const ashi_strip *first, const ashi_strip *second, int64_t skew, ashi_arrangement *out,
                             ashlar_error *err);

#endif
