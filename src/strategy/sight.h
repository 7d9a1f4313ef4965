/* A problem's matrices along its axes, for strategies that look where words lie. */
#ifndef ASHI_SIGHT_H
#define ASHI_SIGHT_H

#include "strategy/strategy.h"

/* Axes and views of one set of layouts. */
typedef struct ashi_sight {
    ashi_axis axis[3];
    ashi_view view[3];
} ashi_sight;

ashlar_status ashi_sight_open(const ashi_problem *problem, const ashlar_layout *const layout[3], ashi_lead lead,
                              ashi_sight *out, ashlar_error *err);
void ashi_sight_close(ashi_sight *sight);

/* Sights of the caller's layouts, led by A, B or C, alone or not. A choice keeps them, because every strategy and every
 * proposal asks for the same few. */
struct ashi_sights {
    ashi_sight at[3][2];
    const ashi_sight *found[3][2]; /* of leads that make the same axes the same one */
};

/* The sight of the caller's layouts: a kept one if the problem keeps sights, the lead has no order of its own for k and
 * the sight is small; else *own, which is opened. The caller closes *own in either case. */
ashlar_status ashi_sight_find(const ashi_problem *problem, ashi_lead lead, ashi_sight *own, const ashi_sight **out,
                              ashlar_error *err);

/* The same if it is kept already; else NULL. */
const ashi_sight *ashi_sight_kept(const ashi_problem *problem, ashi_lead lead);

void ashi_sights_close(ashi_sights *sights);

/* Whether two leads make the same axes of the caller's layouts. Without memory to see: no. */
bool ashi_sight_same_axes(const ashi_problem *problem, const ashi_lead *x, const ashi_lead *y);

/* Whether no rank has more than one part of the matrix. */
bool ashi_one_part_each(const ashi_view *view);

#endif
