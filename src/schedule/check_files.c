/* Where the matrices are in files: what a MULTIPLY reads was read, and a tile of C is written once it is whole. */
#include "schedule/check_state.h"

#include "base/checked.h"

/* The box lies in the matrix, and the words counted are its own. */
static ashlar_status check_box(ashi_checker *c, const ashi_op *op, ashlar_error *err)
{
    const ashi_schedule *s = c->schedule;
    const ashi_box *b = &op->box;
    if (op->operand < ASHLAR_A || op->operand > ASHLAR_C)
        return ashi_check_fail(c, op, err, "names no matrix");
    const int64_t minor = op->operand == ASHLAR_B ? s->n : s->m, major = op->operand == ASHLAR_C ? s->n : s->k;
    if (b->minor_lo < 0 || b->minor_lo >= b->minor_hi || b->minor_hi > minor || b->major_lo < 0 ||
        b->major_lo >= b->major_hi || b->major_hi > major)
        return ashi_check_fail(c, op, err, "the box is empty, or not inside the matrix");
    if (op->words != ashi_box_words(b))
        return ashi_check_fail(c, op, err, "the words counted are not those of the box");
    return ASHLAR_OK;
}

/* The buffer of C is free, and large enough for this tile of the rank's part. */
static ashlar_status open_tile(ashi_checker *c, const ashi_op *op, ashlar_error *err)
{
    const ashi_box *b = &op->box, *d = &c->domain;
    if (c->tile.open)
        return ashi_check_fail(c, op, err, "begins a tile before the last one is written");
    if (!c->c_held || ashi_box_words(b) > c->c_words)
        return ashi_check_fail(c, op, err, "the buffer of C is not acquired, or too small");
    if (b->minor_lo < d->minor_lo || b->minor_hi > d->minor_hi || b->major_lo < d->major_lo ||
        b->major_hi > d->major_hi)
        return ashi_check_fail(c, op, err, "the tile is not the rank's");
    c->tile = (ashi_check_tile){true, *b, 0};
    return ASHLAR_OK;
}

/* The tile that a MULTIPLY or a WRITE is about: one that READ has begun, or where C0 is not added a new one. */
static ashlar_status find_tile(ashi_checker *c, const ashi_op *op, ashlar_error *err)
{
    if (c->tile.open)
        return ashi_check_same_box(&c->tile.box, &op->box)
                   ? ASHLAR_OK
                   : ashi_check_fail(c, op, err, "the buffer of C holds another tile");
    if (c->schedule->adds)
        return ashi_check_fail(c, op, err, "C0 was not read");
    return open_tile(c, op, err);
}

static ashlar_status read_c(ashi_checker *c, const ashi_op *op, ashlar_error *err)
{
    if (!c->schedule->adds || op->slot != ASHI_NO_SLOT)
        return ashi_check_fail(c, op, err, "C0 is not to be read, or not into this buffer");
    return open_tile(c, op, err);
}

static ashlar_status read_slab(ashi_checker *c, const ashi_op *op, ashlar_error *err)
{
    const bool exists = op->slot >= 0 && op->slot < c->schedule->window;
    ashi_check_slot *slot = exists ? &c->slot[op->slot] : NULL;
    if (!slot || !slot->held[op->operand] || slot->words[op->operand] < op->words)
        return ashi_check_fail(c, op, err, "the buffer is not acquired, or too small");
    if (slot->has_panel[op->operand])
        return ashi_check_fail(c, op, err, "the buffer holds another slab");
    slot->has_panel[op->operand] = true;
    slot->panel[op->operand] = op->box;
    return ASHLAR_OK;
}

ashlar_status ashi_check_read(ashi_checker *c, const ashi_op *op, ashlar_error *err)
{
    ashlar_status status = check_box(c, op, err);
    if (status == ASHLAR_OK)
        status = op->operand == ASHLAR_C ? read_c(c, op, err) : read_slab(c, op, err);
    c->read += op->words;
    c->report->read += op->words;
    return status;
}

ashlar_status ashi_check_multiply_read(ashi_checker *c, const ashi_op *op, ashlar_error *err)
{
    const ashi_box a = {op->box.minor_lo, op->box.minor_hi, op->k_lo, op->k_hi};
    const ashi_box b = {op->box.major_lo, op->box.major_hi, op->k_lo, op->k_hi};
    if (op->k_lo < 0 || op->k_lo >= op->k_hi || op->k_hi > c->schedule->k)
        return ashi_check_fail(c, op, err, "multiplies nothing, or outside the range of k");
    if (op->slot < 0 || op->slot >= c->schedule->window)
        return ashi_check_fail(c, op, err, "there is no such slot");
    const ashi_check_slot *slot = &c->slot[op->slot];
    if (!slot->has_panel[0] || !slot->has_panel[1] || !ashi_check_same_box(&slot->panel[0], &a) ||
        !ashi_check_same_box(&slot->panel[1], &b))
        return ashi_check_fail(c, op, err, "a slab of A or of B was not read");
    const ashlar_status status = find_tile(c, op, err);
    c->tile.formed += op->k_hi - op->k_lo;
    c->rank_products += ashi_box_words(&op->box) * (op->k_hi - op->k_lo);
    return status == ASHLAR_OK ? ashi_check_note(c, &c->products, op, err) : status;
}

ashlar_status ashi_check_write(ashi_checker *c, const ashi_op *op, ashlar_error *err)
{
    ashi_op whole = *op;
    whole.k_lo = 0;
    whole.k_hi = 1;
    ashlar_status status = check_box(c, op, err);
    if (status == ASHLAR_OK && (op->operand != ASHLAR_C || op->slot != ASHI_NO_SLOT))
        status = ashi_check_fail(c, op, err, "only C is written, and from its own buffer");
    if (status == ASHLAR_OK)
        status = find_tile(c, op, err);
    if (status == ASHLAR_OK && c->tile.formed != c->schedule->k)
        status = ashi_check_fail(c, op, err, "the tile does not have all its products");
    if (status != ASHLAR_OK)
        return status;
    c->tile.open = false;
    c->written += op->words;
    c->report->written += op->words;
    return ashi_check_note(c, &c->writes, &whole, err);
}

ashlar_status ashi_check_written(ashi_checker *c, ashlar_error *err)
{
    return c->tile.open ? ashi_check_fail(c, NULL, err, "the stream ends with a tile that is not written") : ASHLAR_OK;
}
