/* Opening and closing the axes and views of a problem. */
#include "strategy/sight.h"

void ashi_sight_close(ashi_sight *sight)
{
    for (int i = 0; i < 3; i++) {
        ashi_axis_free(&sight->axis[i]);
        ashi_view_free(&sight->view[i]);
    }
}

ashlar_status ashi_sight_open(const ashi_problem *q, const ashlar_layout *const layout[3], ashi_lead lead,
                              ashi_sight *out, ashlar_error *err)
{
    *out = (ashi_sight){0};
    ashlar_status status = ashi_grid_axes(layout, q->op, q->size, lead, out->axis, err);
    if (status == ASHLAR_OK)
        status = ashi_grid_views(layout, q->op, out->axis, q->ranks, out->view, err);
    if (status != ASHLAR_OK)
        ashi_sight_close(out);
    return status;
}

bool ashi_one_part_each(const ashi_view *view)
{
    for (int64_t r = 0; r < view->ranks; r++)
        if (view->start[r + 1] - view->start[r] > 1)
            return false;
    return true;
}
