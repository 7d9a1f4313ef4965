/* Opening and closing the axes and views of a problem. */
#include "strategy/sight.h"

enum { KEPT_RUNS_MOST = 1 << 16 }; /* of a kept sight's axes: up to 10 MB */

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

/* A sight that is to be kept shares most of its axes with others that are: then their views are copied. */
static ashlar_status copy_or_build(const ashi_problem *q, ashlar_operand x, ashi_sight *s, ashlar_error *err)
{
    const int minor = ashi_dims_of[x][0], major = ashi_dims_of[x][1];
    for (int i = 0; i < 6; i++) {
        const ashi_sight *other = &q->sights->at[i / 2][i % 2];
        if (other->view[x].layout && ashi_axis_same(&other->axis[minor], &s->axis[minor]) &&
            ashi_axis_same(&other->axis[major], &s->axis[major]))
            return ashi_view_copy(&other->view[x], &s->view[x], err);
    }
    return ashi_grid_view(q->layout, q->op, s->axis, q->ranks, x, &s->view[x], err);
}

static ashlar_status open_beside_others(const ashi_problem *q, ashi_lead lead, ashi_sight *out, ashlar_error *err)
{
    *out = (ashi_sight){0};
    ashlar_status status = ashi_grid_axes(q->layout, q->op, q->size, lead, out->axis, err);
    for (int x = 0; x < 3 && status == ASHLAR_OK; x++)
        status = copy_or_build(q, (ashlar_operand)x, out, err);
    if (status != ASHLAR_OK)
        ashi_sight_close(out);
    return status;
}

static int64_t runs_of(const ashi_sight *s)
{
    return s->axis[0].runs + s->axis[1].runs + s->axis[2].runs;
}

const ashi_sight *ashi_sight_kept(const ashi_problem *q, ashi_lead lead)
{
    return q->sights && !lead.k ? q->sights->found[lead.operand][lead.alone] : NULL;
}

/* A kept one that another lead has made; NULL if there is none. */
static const ashi_sight *made_by_another(const ashi_problem *q, ashi_lead lead)
{
    for (int i = 0; i < 6; i++) {
        const ashi_sight *other = q->sights->found[i / 2][i % 2];
        const ashi_lead its = {.operand = (ashlar_operand)(i / 2), .alone = i % 2 == 1};
        if (other && ashi_grid_same_axes(q->layout, q->op, its, lead))
            return other;
    }
    return NULL;
}

ashlar_status ashi_sight_find(const ashi_problem *q, ashi_lead lead, ashi_sight *own, const ashi_sight **out,
                              ashlar_error *err)
{
    const bool keeps = q->sights && !lead.k;
    const ashi_sight **found = keeps ? &q->sights->found[lead.operand][lead.alone] : NULL;
    *own = (ashi_sight){0};
    if (keeps && !*found)
        *found = made_by_another(q, lead);
    *out = keeps && *found ? *found : own;
    if (*out != own)
        return ASHLAR_OK;
    const ashlar_status status = keeps ? open_beside_others(q, lead, own, err)
                                       : ashi_sight_open(q, q->layout, lead, own, err);
    if (status == ASHLAR_OK && keeps && runs_of(own) <= KEPT_RUNS_MOST) {
        ashi_sight *kept = &q->sights->at[lead.operand][lead.alone];
        *kept = *own;
        *own = (ashi_sight){0};
        *found = *out = kept;
    }
    return status;
}

void ashi_sights_close(ashi_sights *sights)
{
    for (int x = 0; x < 3; x++)
        for (int alone = 0; alone < 2; alone++)
            ashi_sight_close(&sights->at[x][alone]);
}

bool ashi_sight_same_axes(const ashi_problem *q, const ashi_lead *x, const ashi_lead *y)
{
    ashi_sight own[2] = {{.axis = {{0}}}};
    const ashi_sight *a = NULL, *b = NULL;
    if (x->operand == y->operand && x->alone == y->alone && !x->k && !y->k)
        return true;
    bool same = ashi_sight_find(q, *x, &own[0], &a, NULL) == ASHLAR_OK &&
                ashi_sight_find(q, *y, &own[1], &b, NULL) == ASHLAR_OK;
    for (int d = 0; d < 3 && same && a != b; d++)
        same = ashi_axis_same(&a->axis[d], &b->axis[d]);
    ashi_sight_close(&own[0]);
    ashi_sight_close(&own[1]);
    return same;
}

bool ashi_one_part_each(const ashi_view *view)
{
    for (int64_t r = 0; r < view->ranks; r++)
        if (view->start[r + 1] - view->start[r] > 1)
            return false;
    return true;
}
