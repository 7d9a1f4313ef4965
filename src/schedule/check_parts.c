/* A rank's parts: their boxes lie in C, and what is summed up in the rank's own C is its own, and no two parts'. */
#include "schedule/check_state.h"

#include "base/error.h"

#include <stdlib.h>

const ashi_check_sum *ashi_check_part(const ashi_checker *c, const ashi_op *op)
{
    const ashi_check_sum *part = c->parts.data;
    if (op->part < 0 || op->part >= c->parts.count || !ashi_check_same_box(&op->box, &part[op->part].box))
        return NULL;
    return &part[op->part];
}

bool ashi_check_in_part(const ashi_checker *c, const ashi_op *op)
{
    const ashi_check_sum *part = c->parts.data;
    if (op->part < 0 || op->part >= c->parts.count)
        return false;
    const ashi_box *in = &op->box, *all = &part[op->part].box;
    return in->minor_lo >= all->minor_lo && in->minor_lo <= in->minor_hi && in->minor_hi <= all->minor_hi &&
           in->major_lo >= all->major_lo && in->major_lo <= in->major_hi && in->major_hi <= all->major_hi;
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

/* One rectangle of a part that is summed up in place. */
static ashlar_status keep(ashi_checker *c, ashi_check_sum *part, const ashi_box *box, ashlar_error *err)
{
    one_block block = {0, false};
    const int64_t own = ashi_check_count(c, ASHLAR_C, box, ashi_whole)->words[c->rank];
    ashi_view_blocks(&c->schedule->view[ASHLAR_C], c->rank, box, ashi_whole, see_block, &block);
    if (own != ashi_box_words(box) || block.blocks != 1 || block.strided)
        return ashi_check_fail(c, NULL, err, "sums are to stay where the rank has no matrix of its own");
    ashi_box *kept = ashi_check_add(&c->kept, sizeof *kept);
    if (!kept)
        return ashi_fail_memory(err, "checker", c->kept.count * (int64_t)sizeof *kept);
    *kept = *box;
    part->in_place += own;
    c->in_place += own;
    return ASHLAR_OK;
}

static ashlar_status check_home(ashi_checker *c, ashi_check_sum *part, ashlar_error *err)
{
    ashi_home_part piece[3];
    const int pieces = ashi_home_parts(&part->home, &part->box, piece);
    int64_t words = 0;
    for (int i = 0; i < pieces; i++) {
        words += ashi_box_words(&piece[i].box);
        const ashlar_status status = piece[i].own ? keep(c, part, &piece[i].box, err) : ASHLAR_OK;
        if (status != ASHLAR_OK)
            return status;
    }
    const int64_t own = ashi_check_count(c, ASHLAR_C, &part->box, ashi_whole)->words[c->rank];
    if (words != ashi_box_words(&part->box) || (part->in_place != 0 && part->in_place != own))
        return ashi_check_fail(c, NULL, err, "the places of partial sums do not fill the part's box");
    return ASHLAR_OK;
}

static int by_minor(const void *a, const void *b)
{
    const ashi_box *x = a, *y = b;
    return (x->minor_lo > y->minor_lo) - (x->minor_lo < y->minor_lo);
}

static ashlar_status check_apart(ashi_checker *c, ashlar_error *err)
{
    ashi_box *b = c->kept.data;
    if (c->kept.count > 1)
        qsort(b, (size_t)c->kept.count, sizeof *b, by_minor);
    for (int64_t i = 0; i < c->kept.count; i++)
        for (int64_t j = i + 1; j < c->kept.count && b[j].minor_lo < b[i].minor_hi; j++)
            if (b[j].major_lo < b[i].major_hi && b[i].major_lo < b[j].major_hi)
                return ashi_check_fail(c, NULL, err, "two parts sum up in the same place of the rank's own C");
    return ASHLAR_OK;
}

static ashlar_status check_one(ashi_checker *c, int64_t number, ashlar_error *err)
{
    ashi_schedule *s = c->schedule;
    ashi_check_sum *part = ashi_check_add(&c->parts, sizeof *part);
    if (!part)
        return ashi_fail_memory(err, "checker", c->parts.count * (int64_t)sizeof *part);
    *part = (ashi_check_sum){.box = s->domain(s, c->rank, number)};
    const ashi_box *d = &part->box;
    if (d->minor_lo < 0 || d->minor_lo > d->minor_hi || d->minor_hi > s->m || d->major_lo < 0 ||
        d->major_lo > d->major_hi || d->major_hi > s->n)
        return ashi_check_fail(c, NULL, err, "a part's box is not inside C");
    if (number == 0)
        c->domain = part->box;
    part->home = s->home(s, c->rank, number);
    return check_home(c, part, err);
}

ashlar_status ashi_check_parts(ashi_checker *c, ashlar_error *err)
{
    const int64_t parts = c->schedule->parts(c->schedule, c->rank);
    ashlar_status status = ASHLAR_OK;
    c->parts.count = c->kept.count = 0;
    c->in_place = 0;
    if (parts < 1)
        return ashi_check_fail(c, NULL, err, "has no such number of parts");
    for (int64_t i = 0; i < parts && status == ASHLAR_OK; i++)
        status = check_one(c, i, err);
    return status == ASHLAR_OK ? check_apart(c, err) : status;
}
