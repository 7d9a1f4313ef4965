/* From boxes of any shape to a proposal. */
#include "strategy/boxes.h"

#include "base/error.h"
#include "strategy/estimate.h"
#include "strategy/settle.h"
#include "strategy/shared_layout.h"

ashlar_status ashi_boxes_check(const char *strategy, const ashi_problem *q, ashlar_error *err)
{
    if (q->size[0] < 1 || q->size[1] < 1 || q->size[2] < 1)
        return ashi_fail(err, ASHLAR_ERR_UNSUPPORTED, "%s has nothing to cut in an empty product", strategy);
    if (q->grid[0] > 0)
        return ashi_fail(err, ASHLAR_ERR_UNSUPPORTED, "%s boxes are no grid, but one is asked for", strategy);
    return ASHLAR_OK;
}

ashlar_status ashi_boxes_add(const ashi_problem *q, ashi_proposal *p, ashi_proposals *out, ashlar_error *err)
{
    ashlar_status status = ASHLAR_OK;
    ashi_burden burden;
    for (int x = 0; x < 3 && status == ASHLAR_OK; x++)
        if (!q->layout[x] && !p->own[x])
            status = ashi_shared_layout(&p->bricks, q->op, (ashlar_operand)x, (ashi_shared_cut){0}, &p->own[x], err);
    if (status == ASHLAR_OK)
        status = ashi_settle(q, &p->bricks, false, &burden, err);
    if (status != ASHLAR_OK) {
        ashi_proposal_free(p);
        return status;
    }
    const bool estimated = p->foreseen;
    status = ashi_proposals_add(out, p, err);
    return status == ASHLAR_OK && !estimated ? ashi_estimate_proposals(q, out->count - 1, out, err) : status;
}
