/* Every partial sum reaches the owner of its element exactly once. */
#include "schedule/check_state.h"

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

static bool lies_packed(const ashi_checker *c, const ashi_op *op)
{
    const ashi_view *view = &c->schedule->view[ASHLAR_C];
    const ashi_home home = c->schedule->home(c->schedule, c->rank);
    packed_sums p = {&home, &op->box, 0, true};
    if (!ashi_home_is_packed(&home, view, op->owner, &op->box, op->chunk, &p.offset))
        return false;
    ashi_view_blocks(view, op->owner, &op->box, op->chunk, check_packed, &p);
    return p.sound;
}

static ashlar_status deliver(ashi_checker *c, const ashi_op *op, ashlar_error *err)
{
    ashi_check_delivery *d = ashi_check_add(&c->deliveries, sizeof *d);
    if (!d)
        return ashi_fail_memory(err, "checker", c->deliveries.count * (int64_t)sizeof *d);
    *d = (ashi_check_delivery){op->owner, op->chunk.number, op->words};
    return ASHLAR_OK;
}

/* This rank's own sums go to another rank, with those that it passes on. */
static ashlar_status contribute(ashi_checker *c, ashi_check_slot *slot, const ashi_op *op, ashlar_error *err)
{
    if (!ashi_check_same_box(&op->box, &c->domain))
        return ashi_check_fail(c, op, err, "contributes to another box than the rank's");
    const bool packs = op->pack_offset >= 0;
    if (!packs && (op->pack_offset != -1 || ashi_lower_contributions(c->schedule, c->rank, op) > 0 ||
                   !lies_packed(c, op)))
        return ashi_check_fail(c, op, err, "is sent from where it lies, but does not lie there packed");
    const ashlar_status status =
        packs ? ashi_check_use(c, slot, ASHLAR_C, op->pack_offset, op->words, err) : ASHLAR_OK;
    return status == ASHLAR_OK ? deliver(c, op, err) : status;
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
    for (int64_t i = 0; i < slot->entries.count; i++) {
        const ashi_op *r = &e[i].op;
        if (r->kind == ASHI_REDUCE && !e[i].added && r->owner == op->owner && ashi_check_same_box(&r->box, &op->box) &&
            r->chunk.number == op->chunk.number && r->chunk.chunks == op->chunk.chunks && r->words == op->words &&
            r->offset == op->offset && e[i].members == members)
            return &e[i];
    }
    return NULL;
}

/* Whether a part of the rank's box is one matrix that BLAS can write. */
typedef struct one_block {
    int64_t blocks;
    bool strided;
} one_block;

static void see_block(void *context, const ashi_block *b)
{
    one_block *o = context;
    o->blocks++;
    o->strided = b->minor_stride != 1 && b->major_stride != 1;
}

ashlar_status ashi_check_home(ashi_checker *c, ashlar_error *err)
{
    const ashi_home home = c->schedule->home(c->schedule, c->rank);
    ashi_home_part part[3];
    const int parts = ashi_home_parts(&home, &c->domain, part);
    int64_t words = 0;
    c->in_place = 0;
    for (int i = 0; i < parts; i++) {
        words += ashi_box_words(&part[i].box);
        if (!part[i].own)
            continue;
        one_block block = {0, false};
        const int64_t own = ashi_check_count(c, ASHLAR_C, &part[i].box, ashi_whole)->words[c->rank];
        ashi_view_blocks(&c->schedule->view[ASHLAR_C], c->rank, &part[i].box, ashi_whole, see_block, &block);
        if (own != ashi_box_words(&part[i].box) || block.blocks != 1 || block.strided)
            return ashi_check_fail(c, NULL, err, "sums are to stay where the rank has no matrix of its own");
        c->in_place += own;
    }
    const int64_t own = ashi_check_count(c, ASHLAR_C, &c->domain, ashi_whole)->words[c->rank];
    if (words != ashi_box_words(&c->domain) || (c->in_place != 0 && c->in_place != own))
        return ashi_check_fail(c, NULL, err, "the places of partial sums do not fill the rank's box");
    return ASHLAR_OK;
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
    const bool own = ashi_check_same_box(&op->box, &c->domain) && ashi_check_is_member(op, c->rank);
    return own && c->in_place == 0 ? deliver(c, op, err) : ASHLAR_OK;
}

static int by_owner(const void *a, const void *b)
{
    const ashi_check_delivery *x = a, *y = b;
    if (x->owner != y->owner)
        return x->owner < y->owner ? -1 : 1;
    return (x->chunk > y->chunk) - (x->chunk < y->chunk);
}

/* Pieces of different owners, and chunks of one piece, have no word in common: if none comes twice and they have as
 * many words as the box, they are the box. */
ashlar_status ashi_check_handed_over(ashi_checker *c, ashlar_error *err)
{
    int64_t words = c->in_place;
    const ashi_home home = c->schedule->home(c->schedule, c->rank);
    if (c->c_words < ashi_home_buffer_words(&home, &c->domain))
        return ashi_check_fail(c, NULL, err, "the buffer of partial sums is too small");
    ashi_check_delivery *d = c->deliveries.data;
    if (c->deliveries.count > 1)
        qsort(d, (size_t)c->deliveries.count, sizeof *d, by_owner);
    for (int64_t i = 0; i < c->deliveries.count; i++) {
        if (i > 0 && by_owner(&d[i - 1], &d[i]) == 0)
            return ashi_check_fail(c, NULL, err, "partial sums are handed over twice");
        words += d[i].words;
    }
    if (words != ashi_box_words(&c->domain))
        return ashi_check_fail(c, NULL, err, "partial sums are not handed over");
    return ASHLAR_OK;
}
