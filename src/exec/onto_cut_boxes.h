/* Boxes of a contraction on a device: what the files of exec/onto_cut*.c share. */
#ifndef ASHI_ONTO_CUT_BOXES_H
#define ASHI_ONTO_CUT_BOXES_H

#include "exec/onto_cut.h"

/* How many boxes of a matrix the device's memory has room for, and the words of the boxes of all matrices there. */
int64_t ashi_cut_places(const ashi_onto_cut *cut, int matrix);
int64_t ashi_cut_held(const ashi_onto_cut *cut);

/* All positions of a group. */
ashi_group_cut ashi_cut_whole(const ashi_contraction *product, int group);

/* The next fewer positions: the index is cut into one piece more, or into an eighth more; false if there is one. */
bool ashi_cut_shorten(const ashi_contraction *product, int group, ashi_group_cut *cut);

/* Pieces of about equal size of at most `most` >= 1 positions. */
ashi_group_cut ashi_cut_fit(const ashi_contraction *product, int group, int64_t most);

/* The longest boxes of the sum that fit beside those of rows and columns, of one value of the batch; false if none
 * do. */
bool ashi_cut_fit_sum(int64_t memory_words, ashi_onto_cut *cut);

#endif
