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

/* Whether no rank has more than one part of the matrix. */
bool ashi_one_part_each(const ashi_view *view);

#endif
