/* What a MULTIPLY reads is there: the rank's own, or arrived from the rank that owns it. */
#include "schedule/check_state.h"

#include "base/error.h"

/* Whether a packed piece, put at an offset, lies as the panel of its box does. */
typedef struct landing {
    const ashi_box *box;
    int64_t offset;
    bool sound;
} landing;

static void check_landing(void *context, const ashi_block *b)
{
    landing *l = context;
    const int64_t width = l->box->minor_hi - l->box->minor_lo;
    const int64_t panel = b->minor_at - l->box->minor_lo + (b->major_at - l->box->major_lo) * width;
    l->sound = l->sound && l->offset + b->packed == panel && (b->packed_ld == width || b->major_count == 1);
}

/* The panel of a slot, in which the multiplication reads the box, is at the beginning of the buffer. */
static ashlar_status need_panel(ashi_checker *c, ashi_check_slot *slot, const ashi_op *op, ashlar_operand x,
                                const ashi_box *box, ashlar_error *err)
{
    if (slot->has_panel[x])
        return ashi_check_same_box(&slot->panel[x], box)
                   ? ASHLAR_OK
                   : ashi_check_fail(c, op, err, "the slot's panel is of another box");
    slot->has_panel[x] = true;
    slot->panel[x] = *box;
    return ashi_check_use(c, slot, x, 0, ashi_box_words(box), err);
}

static const ashi_check_entry *find_piece(const ashi_check_slot *slot, ashlar_operand x, int64_t owner)
{
    const ashi_check_entry *e = slot->entries.data;
    for (int64_t i = 0; i < slot->entries.count; i++)
        if (e[i].op.kind == ASHI_MULTICAST && e[i].op.operand == x && e[i].op.owner == owner)
            return &e[i];
    return NULL;
}

ashlar_status ashi_check_lands(ashi_checker *c, const ashi_op *op, int64_t offset, ashlar_error *err)
{
    landing l = {&op->box, offset, true};
    ashi_view_blocks(&c->schedule->view[op->operand], op->owner, &op->box, ashi_whole, check_landing, &l);
    return l.sound ? ASHLAR_OK : ashi_check_fail(c, op, err, "does not land where it is read");
}

static ashlar_status receive(ashi_checker *c, ashi_check_slot *slot, const ashi_op *op, ashlar_error *err)
{
    if (find_piece(slot, op->operand, op->owner))
        return ashi_check_fail(c, op, err, "the owner's piece was received before");
    ashlar_status status = need_panel(c, slot, op, op->operand, &op->box, err);
    if (status == ASHLAR_OK)
        status = ashi_check_enter(slot, op, err);
    if (status != ASHLAR_OK)
        return status;
    if (op->panel != 0)
        return ashi_check_fail(c, op, err, "the panel is at the beginning of its buffer, not elsewhere");
    if (!op->lands)
        return ashi_check_use(c, slot, op->operand, op->offset, op->words, err);
    return ashi_check_lands(c, op, op->offset, err);
}

/* The owner's piece in its own panel: nothing of it may be multiplied elsewhere. */
static ashlar_status join(ashi_checker *c, ashi_check_slot *slot, const ashi_op *op, ashlar_error *err)
{
    const ashlar_status status = need_panel(c, slot, op, op->operand, &op->box, err);
    if (status != ASHLAR_OK)
        return status;
    if (ashi_view_in_place(&c->schedule->view[op->operand], c->rank, &op->box, ashi_view_least_in_place(&op->box)))
        return ashi_check_fail(c, op, err, "joins the panel, but is multiplied in place");
    return ashi_check_lands(c, op, op->pack_offset, err);
}

static ashlar_status send(ashi_checker *c, ashi_check_slot *slot, const ashi_op *op, ashlar_error *err)
{
    ashi_block block;
    if (op->joins_panel)
        return join(c, slot, op, err);
    if (op->pack_offset >= 0)
        return ashi_check_use(c, slot, op->operand, op->pack_offset, op->words, err);
    if (op->pack_offset != -1 || !ashi_view_is_packed(&c->schedule->view[op->operand], c->rank, &op->box, ashi_whole,
                                                      &block))
        return ashi_check_fail(c, op, err, "is sent from where it lies, but does not lie there packed");
    return ASHLAR_OK;
}

ashlar_status ashi_check_multicast(ashi_checker *c, const ashi_op *op, ashlar_error *err)
{
    ashlar_status status = ASHLAR_OK;
    if (op->operand != ASHLAR_A && op->operand != ASHLAR_B)
        return ashi_check_fail(c, op, err, "only pieces of A and B are multicast");
    ashi_check_slot *slot = ashi_check_open_slot(c, op, &status, err);
    if (!slot)
        return status;
    status = ashi_check_group(c, op, err);
    if (status == ASHLAR_OK && op->chunk.chunks != 1)
        status = ashi_check_fail(c, op, err, "pieces of A and B are multicast whole");
    if (status == ASHLAR_OK && ashi_check_is_pool(c, op->slot))
        return ashi_check_pool_multicast(c, op, err);
    if (status == ASHLAR_OK)
        status = op->owner == c->rank ? send(c, slot, op, err) : receive(c, slot, op, err);
    return status == ASHLAR_OK ? ashi_check_lower(c, slot, op, err) : status;
}

bool ashi_check_all_in_place(const ashi_checker *c, ashlar_operand x, const ashi_box *box)
{
    const int64_t length = box->major_hi - box->major_lo, least = ashi_view_least_in_place(box);
    return ashi_view_in_place(&c->schedule->view[x], c->rank, box, least) == length;
}

/* One operand of a MULTIPLY. */
static ashlar_status check_present(ashi_checker *c, ashi_check_slot *slot, const ashi_op *op, ashlar_operand x,
                                   const ashi_box *box, ashlar_error *err)
{
    const ashi_check_tally *t = ashi_check_count(c, x, box, ashi_whole);
    if (op->whole[x] || op->at[x] != 0)
        return ashi_check_fail(c, op, err, "the panel is at the beginning of its buffer, beside what is read in place");
    for (int64_t i = 0; i < t->owners; i++) {
        if (t->owner[i] == c->rank)
            continue;
        const ashi_check_entry *piece = find_piece(slot, x, t->owner[i]);
        if (!piece || !ashi_check_same_box(&piece->op.box, box))
            return ashi_check_fail(c, op, err, x == ASHLAR_A ? "a piece of A has not arrived"
                                                             : "a piece of B has not arrived");
    }
    if (ashi_check_all_in_place(c, x, box))
        return ASHLAR_OK;
    return need_panel(c, slot, op, x, box, err);
}

ashlar_status ashi_check_multiply(ashi_checker *c, const ashi_op *op, ashlar_error *err)
{
    if (op->k_lo < 0 || op->k_hi > c->schedule->k || op->k_lo > op->k_hi)
        return ashi_check_fail(c, op, err, "multiplies outside the range of k");
    if (!ashi_check_in_part(c, op))
        return ashi_check_fail(c, op, err, "multiplies into a box that is not in the part's");
    if (!c->c_held || c->summing)
        return ashi_check_fail(c, op, err, "the buffer of partial sums is not there, or sums are moving already");
    const bool pool = ashi_check_is_pool(c, op->slot);
    if (op->slot < 0 || op->slot >= c->schedule->window || (!pool && !c->slot[op->slot].arrived))
        return ashi_check_fail(c, op, err, "multiplies before its panels have arrived");
    if (ashi_box_words(&op->box) == 0 || op->k_lo == op->k_hi)
        return ASHLAR_OK;
    const ashi_box a = {op->box.minor_lo, op->box.minor_hi, op->k_lo, op->k_hi};
    const ashi_box b = {op->box.major_lo, op->box.major_hi, op->k_lo, op->k_hi};
    ashi_check_slot *slot = &c->slot[op->slot];
    ashlar_status status = pool ? ashi_check_pool_operand(c, op, ASHLAR_A, &a, err)
                                : check_present(c, slot, op, ASHLAR_A, &a, err);
    if (status == ASHLAR_OK)
        status = pool ? ashi_check_pool_operand(c, op, ASHLAR_B, &b, err)
                      : check_present(c, slot, op, ASHLAR_B, &b, err);
    c->rank_products += ashi_box_words(&op->box) * (op->k_hi - op->k_lo);
    return status == ASHLAR_OK ? ashi_check_note(c, op, err) : status;
}
