/* The layouts in which a grid of boxes needs nothing moved first (COSMA, section 7.6). */
#ifndef ASHI_OWN_LAYOUT_H
#define ASHI_OWN_LAYOUT_H

#include "engine/grid_schedule.h"

/* Each box's faces are cut among the ranks that need them: A's among a fibre along n, B's along m, both cut in k; C's
 * along k, cut c_cut[0] times in m and c_cut[1] times in n. A and B lie with k as the outer side, so that pieces are
 * sent from where they lie. */
ashlar_status ashi_own_layout(const ashi_bricks *bricks, const ashlar_op op[2], ashlar_operand operand,
                              const int64_t c_cut[2], ashlar_layout **out, ashlar_error *err);

#endif
