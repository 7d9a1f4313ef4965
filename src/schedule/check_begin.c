/* Every element of a rank's C is multiplied by beta exactly once, before the first sum is added to it. */
#include "schedule/check_state.h"

/* The words that the rank owns of C. */
static int64_t share(const ashi_checker *c)
{
    return ashlar_layout_words(c->schedule->view[ASHLAR_C].layout, (int)c->rank);
}

ashlar_status ashi_check_scale(ashi_checker *c, const ashi_op *op, ashlar_error *err)
{
    if (op->operand != ASHLAR_C || op->words != share(c))
        return ashi_check_fail(c, op, err, "scales something else than all that the rank owns of C");
    if (c->in_place != 0)
        return ashi_check_fail(c, op, err, "scales what is summed up in place");
    if (c->scaled || c->begun > 0)
        return ashi_check_fail(c, op, err, "scales C a second time");
    c->scaled = true;
    return ASHLAR_OK;
}

ashlar_status ashi_check_begins(ashi_checker *c, const ashi_op *op, bool own, ashlar_error *err)
{
    if (own && c->in_place != 0) /* the multiplication has begun them */
        return ASHLAR_OK;
    c->begun += op->begins ? op->words : 0;
    if (op->begins && c->scaled)
        return ashi_check_fail(c, op, err, "scales C a second time");
    if (!op->begins && !c->scaled && c->in_place != share(c))
        return ashi_check_fail(c, op, err, "adds to what was not scaled");
    return ASHLAR_OK;
}

/* All that a rank owns is in some box, and what begins an element begins all that the rank owns of that box: if that is
 * as many words as the rank has of C, each is begun once. */
ashlar_status ashi_check_begun(ashi_checker *c, ashlar_error *err)
{
    return c->scaled || c->begun + c->in_place == share(c)
               ? ASHLAR_OK
               : ashi_check_fail(c, NULL, err, "not all of the rank's C is scaled once");
}
