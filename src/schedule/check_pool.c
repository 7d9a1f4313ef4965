/* Buffers whose panels stay from round to round: nothing is overwritten that is under way, or that is needed. */
#include "schedule/check_state.h"

#include "base/checked.h"
#include "base/error.h"

#include <stdlib.h>
#include <string.h>

void ashi_check_pool_begin(ashi_checker *c)
{
    ashi_check_pool *p = &c->pool;
    p->used = false;
    p->epoch = p->sents = p->receiving = p->sending = 0;
    p->extent[0].count = p->extent[1].count = p->pieces.count = 0;
}

/* The first extent that ends beyond a place. */
static int64_t first_beyond(const ashi_check_list *list, int64_t place)
{
    const ashi_check_extent *e = list->data;
    int64_t lo = 0, hi = list->count;
    while (lo < hi) {
        const int64_t mid = lo + (hi - lo) / 2;
        if (e[mid].hi > place)
            hi = mid;
        else
            lo = mid + 1;
    }
    return lo;
}

ashi_check_extent *ashi_check_find(ashi_checker *c, ashlar_operand x, int64_t lo)
{
    ashi_check_extent *e = c->pool.extent[x].data;
    const int64_t i = first_beyond(&c->pool.extent[x], lo);
    return i < c->pool.extent[x].count && e[i].lo == lo && e[i].kind != ASHI_CHECK_GONE ? &e[i] : NULL;
}

/* What a new extent leaves of an old one, if that was used in this epoch: the use is still to be known. */
static int64_t leave(const ashi_checker *c, const ashi_check_extent *old, int64_t lo, int64_t hi,
                     ashi_check_extent *out)
{
    if (lo >= hi || old->touched < c->pool.epoch)
        return 0;
    *out = (ashi_check_extent){.kind = ASHI_CHECK_GONE, .lo = lo, .hi = hi, .arriving = -1, .leaving = -1,
                               .touched = old->touched, .before = -1};
    return 1;
}

/* Put n extents in the place of those from first to last - 1. */
static bool splice(ashi_check_list *list, int64_t first, int64_t last, const ashi_check_extent *put, int64_t n)
{
    const int64_t after = list->count - last;
    while (list->count - after < first + n)
        if (!ashi_check_add(list, sizeof *put))
            return false;
    ashi_check_extent *e = list->data;
    memmove(&e[first + n], &e[last], (size_t)after * sizeof *e);
    memcpy(&e[first], put, (size_t)n * sizeof *e);
    list->count = first + n + after;
    return true;
}

/* Whether what is there may be overwritten; `before` learns when the rank itself used it last. */
static ashlar_status check_free(ashi_checker *c, const ashi_op *op, const ashi_check_extent *old, int64_t *before,
                                ashlar_error *err)
{
    const ashi_check_pool *p = &c->pool;
    if (old->arriving == p->epoch)
        return ashi_check_fail(c, op, err, "takes a place to which something is still on its way");
    if (old->leaving == p->sents)
        return ashi_check_fail(c, op, err, "takes a place from which something is still being sent");
    *before = ashi_max(*before, old->touched);
    return ASHLAR_OK;
}

ashlar_status ashi_check_take(ashi_checker *c, const ashi_op *op, const ashi_check_extent *fresh, bool remote,
                              ashi_check_extent **out, ashlar_error *err)
{
    const ashlar_operand x = op->operand == ASHLAR_B ? ASHLAR_B : ASHLAR_A;
    ashi_check_list *list = &c->pool.extent[x];
    if (fresh->lo < 0 || fresh->hi > c->slot[0].words[x])
        return ashi_check_fail(c, op, err, "the buffer is too small for what is put in it");
    const int64_t first = first_beyond(list, fresh->lo);
    const ashi_check_extent *old = list->data;
    int64_t last = first, before = -1, n = 0;
    for (; last < list->count && old[last].lo < fresh->hi; last++) {
        const ashlar_status status = check_free(c, op, &old[last], &before, err);
        if (status != ASHLAR_OK)
            return status;
    }
    if (remote && c->schedule->one_sided && before >= c->pool.epoch)
        return ashi_check_fail(c, op, err, "others write where this rank reads or writes before they wait for it");
    ashi_check_extent put[3];
    if (last > first)
        n += leave(c, &old[first], old[first].lo, fresh->lo, &put[n]);
    const int64_t at = first + n;
    put[n] = *fresh;
    put[n].opened = c->pool.epoch;
    put[n].step = c->step;
    put[n++].before = before;
    if (last > first)
        n += leave(c, &old[last - 1], fresh->hi, old[last - 1].hi, &put[n]);
    if (!splice(list, first, last, put, n))
        return ashi_fail_memory(err, "checker", list->count * (int64_t)sizeof *fresh);
    *out = (ashi_check_extent *)list->data + at;
    return ASHLAR_OK;
}

static int by_panel(const void *a, const void *b)
{
    const ashi_check_part_of *x = a, *y = b;
    if (x->operand != y->operand)
        return x->operand < y->operand ? -1 : 1;
    if (x->at != y->at)
        return x->at < y->at ? -1 : 1;
    return (x->owner > y->owner) - (x->owner < y->owner);
}

/* No owner's piece of a panel came twice. */
static ashlar_status check_pieces(ashi_checker *c, const ashi_op *op, ashlar_error *err)
{
    ashi_check_part_of *p = c->pool.pieces.data;
    const int64_t n = c->pool.pieces.count;
    c->pool.pieces.count = 0;
    if (n > 1)
        qsort(p, (size_t)n, sizeof *p, by_panel);
    for (int64_t i = 1; i < n; i++)
        if (by_panel(&p[i - 1], &p[i]) == 0) {
            ashi_op where = *op;
            where.operand = p[i].operand;
            where.box = p[i].box;
            return ashi_check_fail(c, &where, err, "an owner's piece of the box came twice");
        }
    return ASHLAR_OK;
}

ashlar_status ashi_check_pool_arrive(ashi_checker *c, const ashi_op *op, ashlar_error *err)
{
    c->pool.epoch++;
    c->pool.receiving = 0;
    return check_pieces(c, op, err);
}

ashlar_status ashi_check_sent(ashi_checker *c, const ashi_op *op, ashlar_error *err)
{
    if (!ashi_check_is_pool(c, op->slot))
        return ashi_check_fail(c, op, err, "waits for sends from no buffer in which panels stay");
    c->pool.sents++;
    c->pool.sending = 0;
    return ASHLAR_OK;
}

ashlar_status ashi_check_pool_release(ashi_checker *c, const ashi_op *op, ashlar_error *err)
{
    if (c->pool.receiving || c->pool.sending)
        return ashi_check_fail(c, op, err, "releases a slot before what it waits for has arrived, or was sent");
    return check_pieces(c, op, err);
}
