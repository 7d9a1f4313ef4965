/* Whether A or B is sent with k contiguous, as its owners hold it. */
#ifndef ASHI_TURNED_H
#define ASHI_TURNED_H

#include "engine/grid_own.h"

/* How many owners a face of A or B has along k in a round, at most, if it is to be turned: its owners then send what
 * they have without transposing it, and each of their stretches is a panel of its own. 0: it is not, because m or n is
 * contiguous in its layout, or owners have several intervals of k in a round, or stretches would be thinner than
 * `thinnest` on the average. */
int64_t ashi_turned_stretches(const ashi_grid_own *g, const ashi_view *view, ashlar_operand x, int64_t thinnest);

#endif
