/* Panels that stay: they come from owners or from other ranks, are handed on and multiplied only while they are
 * whole. */
#include "schedule/check_state.h"

#include "base/checked.h"
#include "base/error.h"

/* The operation is on a buffer in which panels stay, with a box of A or B that lies in the matrix. */
static ashlar_status check_place(ashi_checker *c, const ashi_op *op, ashlar_error *err)
{
    if ((op->operand != ASHLAR_A && op->operand != ASHLAR_B) || !ashi_check_is_pool(c, op->slot))
        return ashi_check_fail(c, op, err, "has no buffer of A or B in which panels stay");
    if (!ashi_check_inside(&op->box, &c->schedule->view[op->operand]))
        return ashi_check_fail(c, op, err, "is not inside the matrix");
    return ASHLAR_OK;
}

static ashlar_status take(ashi_checker *c, const ashi_op *op, ashi_check_use_kind kind, int64_t lo, int64_t words,
                          bool remote, ashi_check_extent **out, ashlar_error *err)
{
    ashi_check_extent fresh = {.kind = kind, .lo = lo, .arriving = remote ? c->pool.epoch : -1, .leaving = -1,
                               .touched = -1, .box = op->box};
    if (!ashi_add(lo, words, &fresh.hi))
        return ashi_check_fail(c, op, err, "a place in a buffer does not fit in 64 bits");
    return ashi_check_take(c, op, &fresh, remote, out, err);
}

/* Whether a panel has all its words, and none is on its way. */
static bool is_whole(const ashi_checker *c, const ashi_check_extent *e, const ashi_box *box)
{
    return e && e->kind == ASHI_CHECK_PANEL && ashi_check_same_box(&e->box, box) && e->have == ashi_box_words(box) &&
           e->arriving < c->pool.epoch;
}

/* The panel to which a piece belongs: begun in this epoch, or begun by it. `remote`: others write there. */
static ashlar_status join(ashi_checker *c, const ashi_op *op, int64_t lo, bool remote, ashi_check_extent **out,
                          ashlar_error *err)
{
    ashi_check_extent *e = ashi_check_find(c, op->operand, lo);
    const bool there = e && e->kind == ASHI_CHECK_PANEL && e->opened == c->pool.epoch && !e->handed &&
                       ashi_check_same_box(&e->box, &op->box);
    if (!there)
        return take(c, op, ASHI_CHECK_PANEL, lo, ashi_box_words(&op->box), remote, out, err);
    *out = e;
    if (remote && c->schedule->one_sided && e->before >= c->pool.epoch)
        return ashi_check_fail(c, op, err, "others write where this rank reads or writes before they wait for it");
    if (e->leaving == c->pool.sents)
        return ashi_check_fail(c, op, err, "changes a panel that is being sent");
    return ASHLAR_OK;
}

static ashlar_status add_piece(ashi_checker *c, const ashi_op *op, ashi_check_extent *panel, int64_t owner,
                               ashlar_error *err)
{
    ashi_check_part_of *piece = ashi_check_add(&c->pool.pieces, sizeof *piece);
    if (!piece)
        return ashi_fail_memory(err, "checker", c->pool.pieces.count * (int64_t)sizeof *piece);
    *piece = (ashi_check_part_of){op->operand, panel->lo, owner, op->box};
    panel->have += op->words;
    return ASHLAR_OK;
}

/* A piece that is unpacked lies beside its panel; that is done in the next epoch. */
static ashlar_status receive_piece(ashi_checker *c, const ashi_op *op, ashlar_error *err)
{
    const int64_t epoch = c->pool.epoch;
    ashi_check_extent *stage = NULL, *panel = NULL;
    ashlar_status status = ASHLAR_OK;
    if (!op->lands)
        status = take(c, op, ASHI_CHECK_STAGE, op->offset, op->words, true, &stage, err);
    if (stage)
        stage->touched = epoch + 1;
    if (status == ASHLAR_OK)
        status = join(c, op, op->panel, op->lands, &panel, err);
    if (status == ASHLAR_OK)
        status = op->lands ? ashi_check_lands(c, op, op->offset - op->panel, err) : ASHLAR_OK;
    if (status != ASHLAR_OK)
        return status;
    panel->arriving = epoch;
    panel->touched = ashi_max(panel->touched, op->lands ? -1 : epoch + 1);
    c->pool.receiving++;
    return add_piece(c, op, panel, op->owner, err);
}

static ashlar_status send_piece(ashi_checker *c, const ashi_op *op, ashlar_error *err)
{
    ashi_check_extent *pack = NULL;
    ashi_block block;
    if (op->joins_panel)
        return ashi_check_fail(c, op, err, "joins a panel where panels stay: it is copied there instead");
    if (op->pack_offset == -1)
        return ashi_view_is_packed(&c->schedule->view[op->operand], c->rank, &op->box, ashi_whole, &block)
                   ? ASHLAR_OK
                   : ashi_check_fail(c, op, err, "is sent from where it lies, but does not lie there packed");
    const ashlar_status status = take(c, op, ASHI_CHECK_PACK, op->pack_offset, op->words, false, &pack, err);
    if (status != ASHLAR_OK)
        return status;
    pack->leaving = c->pool.sents;
    pack->touched = c->pool.epoch;
    return ASHLAR_OK;
}

ashlar_status ashi_check_pool_multicast(ashi_checker *c, const ashi_op *op, ashlar_error *err)
{
    const bool owner = op->owner == c->rank;
    const int64_t sent = c->sent_messages;
    ashlar_status status = owner ? send_piece(c, op, err) : receive_piece(c, op, err);
    if (status == ASHLAR_OK)
        status = ashi_check_lower(c, &c->slot[0], op, err);
    if (status != ASHLAR_OK || c->sent_messages == sent)
        return status;
    ashi_check_extent *passed_on = owner ? NULL : ashi_check_find(c, op->operand, op->lands ? op->panel : op->offset);
    if (passed_on)
        passed_on->leaving = c->pool.sents;
    c->pool.sending++;
    return ASHLAR_OK;
}

ashlar_status ashi_check_copy(ashi_checker *c, const ashi_op *op, ashlar_error *err)
{
    ashi_check_extent *panel = NULL;
    ashlar_status status = check_place(c, op, err);
    if (status != ASHLAR_OK)
        return status;
    if (op->words < 1 || ashi_check_count(c, op->operand, &op->box, ashi_whole)->words[c->rank] != op->words)
        return ashi_check_fail(c, op, err, "the rank has another number of words of the box");
    status = join(c, op, op->offset, false, &panel, err);
    if (status != ASHLAR_OK)
        return status;
    panel->touched = ashi_max(panel->touched, c->pool.epoch);
    return add_piece(c, op, panel, c->rank, err);
}

static ashlar_status check_whole_box(ashi_checker *c, const ashi_op *op, ashlar_error *err)
{
    const ashlar_status status = check_place(c, op, err);
    if (status != ASHLAR_OK)
        return status;
    return op->words > 0 && op->words == ashi_box_words(&op->box)
               ? ASHLAR_OK
               : ashi_check_fail(c, op, err, "the words counted are not those of the box");
}

ashlar_status ashi_check_receive(ashi_checker *c, const ashi_op *op, ashlar_error *err)
{
    ashi_check_extent *panel = NULL;
    ashlar_status status = check_whole_box(c, op, err);
    if (status == ASHLAR_OK)
        status = take(c, op, ASHI_CHECK_PANEL, op->offset, op->words, true, &panel, err);
    if (status != ASHLAR_OK)
        return status;
    panel->have = op->words;
    panel->handed = true;
    c->pool.receiving++;
    return ashi_check_handing(c, op, err);
}

/* All of the box is the rank's own, and lies in its part of the matrix as it is sent. */
static bool own_packed(ashi_checker *c, const ashi_op *op)
{
    ashi_block block;
    return ashi_check_count(c, op->operand, &op->box, ashi_whole)->words[c->rank] == op->words &&
           ashi_view_is_packed(&c->schedule->view[op->operand], c->rank, &op->box, ashi_whole, &block);
}

ashlar_status ashi_check_send(ashi_checker *c, const ashi_op *op, ashlar_error *err)
{
    ashlar_status status = check_whole_box(c, op, err);
    if (status != ASHLAR_OK)
        return status;
    ashi_check_extent *panel = op->own ? NULL : ashi_check_find(c, op->operand, op->offset);
    if (op->own && !own_packed(c, op))
        return ashi_check_fail(c, op, err, "is sent from where it lies, but does not lie there packed");
    if (!op->own && (!is_whole(c, panel, &op->box) || panel->step == c->step))
        return ashi_check_fail(c, op, err, "no whole panel of the box was there before this step");
    if (panel) {
        panel->leaving = c->pool.sents;
        panel->touched = ashi_max(panel->touched, c->pool.epoch);
    }
    c->pool.sending++;
    return ashi_check_handing(c, op, err);
}

/* Where not all is in a panel: what others have is, and the rank adds its own unless that is read in place. */
static ashlar_status beside_own(ashi_checker *c, const ashi_op *op, ashlar_operand x, const ashi_box *box,
                                ashlar_error *err)
{
    const int64_t others = ashi_box_words(box) - ashi_check_count(c, x, box, ashi_whole)->words[c->rank];
    if (ashi_check_all_in_place(c, x, box))
        return ASHLAR_OK;
    ashi_op where = *op;
    where.operand = x;
    where.box = *box;
    ashi_check_extent *panel = ashi_check_find(c, x, op->at[x]);
    ashlar_status status = ASHLAR_OK;
    if (others == 0 && !(panel && panel->kind == ASHI_CHECK_PANEL && ashi_check_same_box(&panel->box, box)))
        status = take(c, &where, ASHI_CHECK_PANEL, op->at[x], ashi_box_words(box), false, &panel, err);
    if (status != ASHLAR_OK)
        return status;
    if (!panel || panel->kind != ASHI_CHECK_PANEL || !ashi_check_same_box(&panel->box, box) || panel->have < others ||
        panel->arriving >= c->pool.epoch)
        return ashi_check_fail(c, &where, err, "has not arrived where it is multiplied");
    if (panel->leaving == c->pool.sents)
        return ashi_check_fail(c, &where, err, "changes a panel that is being sent");
    panel->touched = ashi_max(panel->touched, c->pool.epoch);
    return ASHLAR_OK;
}

ashlar_status ashi_check_pool_operand(ashi_checker *c, const ashi_op *op, ashlar_operand x, const ashi_box *box,
                                      ashlar_error *err)
{
    if (!op->whole[x])
        return beside_own(c, op, x, box, err);
    ashi_check_extent *panel = ashi_check_find(c, x, op->at[x]);
    if (!is_whole(c, panel, box))
        return ashi_check_fail(c, op, err, x == ASHLAR_A ? "a panel of A has not arrived, or is gone"
                                                         : "a panel of B has not arrived, or is gone");
    panel->touched = ashi_max(panel->touched, c->pool.epoch);
    return ASHLAR_OK;
}
