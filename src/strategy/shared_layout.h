/* The layout of a matrix in which ranks own equal shares of it, each within what the rank's box needs. */
#ifndef ASHI_SHARED_LAYOUT_H
#define ASHI_SHARED_LAYOUT_H

#include "strategy/grid_schedule.h"

/* For boxes that fill the space, where faces on a matrix may overlap partly. The minor side is cut at the edges of all
 * faces; along the major side of each strip the ranks follow one another, those first whose faces end first, until each
 * has its share. Shares are equal but for the rounding of their ends. */
ashlar_status ashi_shared_layout(const ashi_bricks *bricks, const ashlar_op op[2], ashlar_operand operand,
                                 ashlar_layout **out, ashlar_error *err);

/* Words that each of so many ranks receives where the layouts are of tiles: of its box's faces on op(A) and op(B) what
 * others own, and for what it owns of C a word for every other box over it. */
void ashi_shared_words(const ashi_bricks *bricks, const ashlar_op op[2], const ashlar_layout *const layout[3],
                       int64_t ranks, int64_t *words);

#endif
