/* A cut in layers, columns and boxes, brought to whole numbers. */
#ifndef ASHI_UNEVEN_FIT_H
#define ASHI_UNEVEN_FIT_H

#include "strategy/uneven_cut.h"

/* Fill in thickness, width, volume, words, thinness and need of a cut whose other members are set, with the smallest
 * largest box. No more layers, columns in a layer and boxes in a column than there are elements. */
void ashi_uneven_fit(ashi_uneven_cut *cut);

/* The columns of one kind of layer: how many, and the boxes in each; more: those with one more, or the others. */
int64_t ashi_uneven_columns(const ashi_uneven_kind *kind, bool more);
int64_t ashi_uneven_stack(const ashi_uneven_kind *kind, bool more);

#endif
