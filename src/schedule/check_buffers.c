/* Buffers are acquired, filled, used and released in turn, and nothing overlaps in them. */
#include "schedule/check_state.h"

#include "base/checked.h"
#include "base/error.h"

#include <stdlib.h>

static bool slot_exists(const ashi_checker *c, const ashi_op *op)
{
    return op->slot >= 0 && op->slot < c->schedule->window && op->slot < ASHI_WINDOW_MAX;
}

static bool held(const ashi_check_slot *slot)
{
    return slot->held[ASHLAR_A] || slot->held[ASHLAR_B] || slot->held[ASHLAR_C];
}

static ashlar_status hold(ashi_checker *c, const ashi_op *op, ashlar_error *err)
{
    if (!ashi_add(c->held_words, op->words, &c->held_words))
        return ashi_check_fail(c, op, err, "so many words do not fit in 64 bits");
    c->held_peak = ashi_max(c->held_peak, c->held_words);
    return ASHLAR_OK;
}

static ashlar_status acquire_sums(ashi_checker *c, const ashi_op *op, ashlar_error *err)
{
    if (c->c_held || c->phases_seen > 0)
        return ashi_check_fail(c, op, err, "the buffer of partial sums is acquired once, before the first phase");
    c->c_held = true;
    c->c_words = op->words;
    return hold(c, op, err);
}

ashlar_status ashi_check_acquire(ashi_checker *c, const ashi_op *op, ashlar_error *err)
{
    if (op->words < 0 || op->operand < ASHLAR_A || op->operand > ASHLAR_C)
        return ashi_check_fail(c, op, err, "acquires no such buffer");
    if (op->slot == ASHI_NO_SLOT && op->operand == ASHLAR_C)
        return acquire_sums(c, op, err);
    if (!slot_exists(c, op))
        return ashi_check_fail(c, op, err, "there is no such slot");
    ashi_check_slot *slot = &c->slot[op->slot];
    const bool sums = op->operand == ASHLAR_C;
    if (slot->held[op->operand] || slot->held[ASHLAR_C] || (sums && held(slot)) || slot->arrived)
        return ashi_check_fail(c, op, err, "the slot is in use");
    if (c->schedule->pooled && !sums && (op->slot != 0 || (c->pool.used && !held(slot))))
        return ashi_check_fail(c, op, err, "panels that stay have their buffers once, in slot 0");
    c->pool.used = c->pool.used || !sums;
    if (c->phases_seen == 0 || (c->phase_used && sums != c->summing))
        return ashi_check_fail(c, op, err, "the buffers have another meaning in this phase");
    c->phase_used = true;
    c->summing = c->summing || sums;
    slot->held[op->operand] = true;
    slot->words[op->operand] = op->words;
    return hold(c, op, err);
}

bool ashi_check_is_pool(const ashi_checker *c, int slot)
{
    return c->schedule->pooled && slot == 0 && c->slot[0].held[ASHLAR_A] && c->slot[0].held[ASHLAR_B];
}

/* Where one rank writes into another's buffers, all wait together: rank 0's are noted, the others' compared. */
static ashlar_status check_fence(ashi_checker *c, const ashi_op *op, ashlar_error *err)
{
    const ashi_check_fence *seen = c->fences.data;
    if (!c->schedule->one_sided)
        return ASHLAR_OK;
    if (c->rank == 0) {
        ashi_check_fence *fence = ashi_check_add(&c->fences, sizeof *fence);
        if (!fence)
            return ashi_fail_memory(err, "checker", c->fences.count * (int64_t)sizeof *fence);
        *fence = (ashi_check_fence){c->step, op->slot};
    } else if (c->fences_seen >= c->fences.count || seen[c->fences_seen].step != c->step ||
               seen[c->fences_seen].slot != op->slot) {
        return ashi_check_fail(c, op, err, "rank 0 does not wait here");
    }
    c->fences_seen++;
    return ASHLAR_OK;
}

ashlar_status ashi_check_arrive(ashi_checker *c, const ashi_op *op, ashlar_error *err)
{
    const ashlar_status status = check_fence(c, op, err);
    if (status != ASHLAR_OK)
        return status;
    if (!slot_exists(c, op))
        return ashi_check_fail(c, op, err, "there is no such slot");
    if (ashi_check_is_pool(c, op->slot))
        return ashi_check_pool_arrive(c, op, err);
    ashi_check_slot *slot = &c->slot[op->slot];
    const bool whole = slot->held[ASHLAR_C] || (slot->held[ASHLAR_A] && slot->held[ASHLAR_B]);
    if (!whole || slot->arrived)
        return ashi_check_fail(c, op, err, whole ? "waits a second time" : "waits before the slot is acquired");
    slot->arrived = true;
    return ASHLAR_OK;
}

static int by_place(const void *a, const void *b)
{
    const ashi_check_region *x = a, *y = b;
    if (x->operand != y->operand)
        return x->operand < y->operand ? -1 : 1;
    return (x->lo > y->lo) - (x->lo < y->lo);
}

static ashlar_status check_regions(ashi_checker *c, ashi_check_slot *slot, const ashi_op *op, ashlar_error *err)
{
    ashi_check_region *r = slot->regions.data;
    if (slot->regions.count > 1)
        qsort(r, (size_t)slot->regions.count, sizeof *r, by_place);
    for (int64_t i = 0; i < slot->regions.count; i++) {
        ashi_op where = *op;
        where.operand = r[i].operand;
        if (r[i].lo < 0 || r[i].hi > slot->words[r[i].operand])
            return ashi_check_fail(c, &where, err, "the buffer is too small for what is put in it");
        if (i > 0 && r[i - 1].operand == r[i].operand && r[i].lo < r[i - 1].hi)
            return ashi_check_fail(c, &where, err, "two things overlap in the buffer");
    }
    return ASHLAR_OK;
}

static bool all_added(const ashi_check_slot *slot, int64_t rank)
{
    const ashi_check_entry *e = slot->entries.data;
    for (int64_t i = 0; i < slot->entries.count; i++)
        if (e[i].op.kind == ASHI_REDUCE && e[i].op.owner == rank && !e[i].added)
            return false;
    return true;
}

ashlar_status ashi_check_release(ashi_checker *c, const ashi_op *op, ashlar_error *err)
{
    if (!slot_exists(c, op))
        return ashi_check_fail(c, op, err, "there is no such slot");
    ashi_check_slot *slot = &c->slot[op->slot];
    if (ashi_check_is_pool(c, op->slot)) {
        const ashlar_status idle = ashi_check_pool_release(c, op, err);
        if (idle != ASHLAR_OK)
            return idle;
        slot->arrived = true;
    }
    if (!slot->arrived)
        return ashi_check_fail(c, op, err, "releases a slot before what it waits for has arrived");
    if (!all_added(slot, c->rank))
        return ashi_check_fail(c, op, err, "releases a slot with sums that were not added");
    const ashlar_status status = check_regions(c, slot, op, err);
    for (int x = 0; x < 3; x++) {
        c->held_words -= slot->held[x] ? slot->words[x] : 0;
        slot->held[x] = false;
    }
    slot->arrived = slot->has_panel[0] = slot->has_panel[1] = false;
    slot->regions.count = slot->entries.count = slot->next = 0;
    return status;
}

/* All ranks have their phases in the same steps: rank 0's are noted, the others' compared. */
ashlar_status ashi_check_phase(ashi_checker *c, const ashi_op *op, ashlar_error *err)
{
    for (int i = 0; i < ASHI_WINDOW_MAX; i++)
        if (held(&c->slot[i]))
            return ashi_check_fail(c, op, err, "begins while a slot is in use");
    if (c->phases_seen > 0 && !c->phase_used)
        return ashi_check_fail(c, op, err, "follows another with nothing between them");
    c->phase_used = false;
    if (c->rank == 0) {
        int64_t *step = ashi_check_add(&c->phases, sizeof *step);
        if (!step)
            return ashi_fail_memory(err, "checker", c->phases.count * 8);
        *step = c->step;
    } else if (c->phases_seen >= c->phases.count || ((int64_t *)c->phases.data)[c->phases_seen] != c->step) {
        return ashi_check_fail(c, op, err, "rank 0 has no phase here");
    }
    c->phases_seen++;
    return ASHLAR_OK;
}

ashi_check_slot *ashi_check_open_slot(ashi_checker *c, const ashi_op *op, ashlar_status *status, ashlar_error *err)
{
    ashi_check_slot *slot = slot_exists(c, op) ? &c->slot[op->slot] : NULL;
    if (slot && slot->held[op->operand] && !slot->arrived)
        return slot;
    *status = ashi_check_fail(c, op, err, "its buffer is not acquired, or was waited for already");
    return NULL;
}

ashlar_status ashi_check_use(ashi_checker *c, ashi_check_slot *slot, ashlar_operand x, int64_t lo, int64_t words,
                             ashlar_error *err)
{
    int64_t hi = 0;
    if (words == 0)
        return ASHLAR_OK;
    if (!ashi_add(lo, words, &hi))
        return ashi_check_fail(c, NULL, err, "a place in a buffer does not fit in 64 bits");
    ashi_check_region *r = ashi_check_add(&slot->regions, sizeof *r);
    if (!r)
        return ashi_fail_memory(err, "checker", slot->regions.count * (int64_t)sizeof *r);
    *r = (ashi_check_region){x, lo, hi};
    return ASHLAR_OK;
}

ashlar_status ashi_check_enter(ashi_check_slot *slot, const ashi_op *op, ashlar_error *err)
{
    ashi_check_entry *e = ashi_check_add(&slot->entries, sizeof *e);
    if (!e)
        return ashi_fail_memory(err, "checker", slot->entries.count * (int64_t)sizeof *e);
    *e = (ashi_check_entry){.op = *op, .members = ashi_check_digest(op)};
    e->op.member = NULL;
    return ASHLAR_OK;
}
