/* Every partial sum reaches the owner of its element exactly once. */
#include "schedule/check_state.h"

#include "base/checked.h"
#include "base/error.h"

#include <stdlib.h>

/* Whether an owner's piece of the rank's box lies in the buffer of partial sums, from `offset` on, as it is sent. */
typedef struct packed_sums {
    const ashi_home *home;
    const ashi_box *box;
    int64_t offset;
    bool sound;
} packed_sums;

static void check_packed(void *context, const ashi_block *b)
{
    packed_sums *p = context;
    const int64_t at = ashi_home_offset(p->home, p->box, b->minor_at, b->major_at);
    p->sound = p->sound && at == p->offset + b->packed &&
               (b->major_count == 1 || b->packed_ld == ashi_home_ld(p->home, p->box));
}

static bool lies_packed(const ashi_checker *c, const ashi_check_sum *part, const ashi_op *op)
{
    const ashi_view *view = &c->schedule->view[ASHLAR_C];
    packed_sums p = {&part->home, &op->box, 0, true};
    if (!ashi_home_is_packed(&part->home, view, op->owner, &op->box, op->chunk, &p.offset))
        return false;
    ashi_view_blocks(view, op->owner, &op->box, op->chunk, check_packed, &p);
    return p.sound;
}

static ashlar_status deliver(ashi_checker *c, const ashi_op *op, ashlar_error *err)
{
    ashi_check_delivery *d = ashi_check_add(&c->deliveries, sizeof *d);
    if (!d)
        return ashi_fail_memory(err, "checker", c->deliveries.count * (int64_t)sizeof *d);
    *d = (ashi_check_delivery){op->part, op->owner, op->chunk.number, op->words};
    return ASHLAR_OK;
}

/* This rank's own sums go to another rank, with those that it passes on. */
static ashlar_status contribute(ashi_checker *c, ashi_check_slot *slot, const ashi_op *op, ashlar_error *err)
{
    const ashi_check_sum *part = ashi_check_part(c, op);
    const bool packs = op->pack_offset >= 0;
    if (!packs && (op->pack_offset != -1 || ashi_lower_contributions(c->schedule, c->rank, op) > 0 ||
                   !lies_packed(c, part, op)))
        return ashi_check_fail(c, op, err, "is sent from where it lies, but does not lie there packed");
    const ashlar_status status =
        packs ? ashi_check_use(c, slot, ASHLAR_C, op->pack_offset, op->words, err) : ASHLAR_OK;
    return status == ASHLAR_OK ? deliver(c, op, err) : status;
}

/* What a rank contributes is one part's sums, and only a member contributes. */
static ashlar_status check_part(ashi_checker *c, const ashi_op *op, ashlar_error *err)
{
    const bool sound = op->rank_at >= 0 ? ashi_check_part(c, op) != NULL : op->part == -1;
    return sound ? ASHLAR_OK : ashi_check_fail(c, op, err, "contributes to another box than the part's");
}

ashlar_status ashi_check_reduce(ashi_checker *c, const ashi_op *op, ashlar_error *err)
{
    ashlar_status status = ASHLAR_OK;
    if (op->operand != ASHLAR_C)
        return ashi_check_fail(c, op, err, "only sums are reduced");
    ashi_check_slot *slot = ashi_check_open_slot(c, op, &status, err);
    if (!slot)
        return status;
    status = ashi_check_group(c, op, err);
    if (status == ASHLAR_OK && op->chunk.chunks != c->schedule->reduce_rounds)
        status = ashi_check_fail(c, op, err, "is cut into another number of chunks than the schedule");
    if (status == ASHLAR_OK)
        status = check_part(c, op, err);
    if (status == ASHLAR_OK && op->owner != c->rank)
        status = contribute(c, slot, op, err);
    if (status == ASHLAR_OK)
        status = ashi_check_enter(slot, op, err);
    return status == ASHLAR_OK ? ashi_check_lower(c, slot, op, err) : status;
}

/* The REDUCE whose arrivals an ADD adds. */
static ashi_check_entry *find_reduce(ashi_check_slot *slot, const ashi_op *op)
{
    ashi_check_entry *e = slot->entries.data;
    const uint64_t members = ashi_check_digest(op);
    for (int64_t n = 0; n < slot->entries.count; n++) { /* mostly in the order of the REDUCEs */
        const int64_t i = (slot->next + n) % slot->entries.count;
        const ashi_op *r = &e[i].op;
        if (r->kind == ASHI_REDUCE && !e[i].added && r->owner == op->owner && ashi_check_same_box(&r->box, &op->box) &&
            r->chunk.number == op->chunk.number && r->chunk.chunks == op->chunk.chunks && r->words == op->words &&
            r->offset == op->offset && r->part == op->part && e[i].members == members) {
            slot->next = i + 1;
            return &e[i];
        }
    }
    return NULL;
}

ashlar_status ashi_check_add_sums(ashi_checker *c, const ashi_op *op, ashlar_error *err)
{
    if (op->slot < 0 || op->slot >= c->schedule->window || !c->slot[op->slot].arrived || op->operand != ASHLAR_C ||
        op->owner != c->rank)
        return ashi_check_fail(c, op, err, "adds what has not arrived, or to another rank's C");
    ashi_check_entry *reduce = find_reduce(&c->slot[op->slot], op);
    if (!reduce)
        return ashi_check_fail(c, op, err, "no REDUCE brought these sums, or they were added before");
    reduce->added = true;
    const ashi_check_sum *part = ashi_check_part(c, op);
    const bool kept = part && part->in_place != 0;
    const ashlar_status status = ashi_check_begins(c, op, kept, err);
    return status == ASHLAR_OK && part && !kept ? deliver(c, op, err) : status;
}

static int by_part(const void *a, const void *b)
{
    const ashi_check_delivery *x = a, *y = b;
    if (x->part != y->part)
        return x->part < y->part ? -1 : 1;
    if (x->owner != y->owner)
        return x->owner < y->owner ? -1 : 1;
    return (x->chunk > y->chunk) - (x->chunk < y->chunk);
}

/* The buffer holds all parts, one after the other. */
static ashlar_status check_room(ashi_checker *c, ashlar_error *err)
{
    const ashi_check_sum *part = c->parts.data;
    int64_t words = 0;
    for (int64_t i = 0; i < c->parts.count; i++)
        if (!ashi_add(words, ashi_home_buffer_words(&part[i].home, &part[i].box), &words))
            return ashi_check_fail(c, NULL, err, "so many partial sums do not fit in 64 bits");
    return c->c_words >= words ? ASHLAR_OK
                               : ashi_check_fail(c, NULL, err, "the buffer of partial sums is too small");
}

/* Pieces of different owners, and chunks of one piece, have no word in common: if none comes twice and they have as
 * many words as the box, they are the box. */
ashlar_status ashi_check_handed_over(ashi_checker *c, ashlar_error *err)
{
    const ashi_check_sum *part = c->parts.data;
    ashi_check_delivery *d = c->deliveries.data;
    const ashlar_status status = check_room(c, err);
    if (status != ASHLAR_OK)
        return status;
    if (c->deliveries.count > 1)
        qsort(d, (size_t)c->deliveries.count, sizeof *d, by_part);
    for (int64_t p = 0, i = 0; p < c->parts.count; p++) {
        int64_t words = part[p].in_place;
        for (; i < c->deliveries.count && d[i].part == p; i++) {
            if (i > 0 && by_part(&d[i - 1], &d[i]) == 0)
                return ashi_check_fail(c, NULL, err, "partial sums are handed over twice");
            words += d[i].words;
        }
        if (words != ashi_box_words(&part[p].box))
            return ashi_check_fail(c, NULL, err, "partial sums are not handed over");
    }
    return ASHLAR_OK;
}
