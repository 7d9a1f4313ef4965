/* Between the caller's matrices and buffers: packing, unpacking, adding. */
#include "exec/run.h"

char *ashi_run_c_buffer(const ashi_executor *x)
{
    return x->workspace;
}

char *ashi_run_buffer(const ashi_executor *x, ashlar_operand operand, int slot)
{
    const int64_t at = x->need.c_words + slot * x->need.slot_words + (operand == ASHLAR_B ? x->need.a_words : 0);
    return x->workspace + (size_t)at * x->bytes;
}

char *ashi_run_address(const ashi_executor *x, ashlar_operand operand, const ashi_block *block)
{
    const ashi_part *part = &x->part[operand];
    if (part->tile)
        return (char *)(uintptr_t)part->tile[block->tile] + (size_t)block->offset * x->bytes;
    return (char *)(uintptr_t)part->base + (size_t)(block->start + block->offset) * x->bytes;
}

typedef struct packing {
    const ashi_executor *x;
    const ashi_op *op;
    char *packed;
    const void *beta;
} packing;

static void pack_block(void *context, const ashi_block *b)
{
    const packing *p = context;
    const ashi_executor *x = p->x;
    const ashi_matrix from = {ashi_run_address(x, p->op->operand, b), b->minor_stride, b->major_stride};
    x->kernels->axpby(b->minor_count, b->major_count, x->kernels->one, &from,
                      x->schedule->view[p->op->operand].conjugate, x->kernels->zero,
                      p->packed + (size_t)b->packed * x->bytes, 1, b->packed_ld);
}

void ashi_run_pack(const ashi_executor *x, const ashi_op *op, char *to)
{
    packing p = {x, op, to, NULL};
    ashi_view_blocks(&x->schedule->view[op->operand], x->rank, &op->box, op->chunk, pack_block, &p);
}

static void unpack_block(void *context, const ashi_block *b)
{
    const packing *p = context;
    const ashi_executor *x = p->x;
    const ashi_box *box = &p->op->box;
    const int64_t width = box->minor_hi - box->minor_lo;
    const int64_t at = b->minor_at - box->minor_lo + (b->major_at - box->major_lo) * width;
    const ashi_matrix from = {p->packed + (size_t)b->packed * x->bytes, 1, b->packed_ld};
    char *panel = ashi_run_buffer(x, p->op->operand, p->op->slot);
    x->kernels->axpby(b->minor_count, b->major_count, x->kernels->one, &from, false, x->kernels->zero,
                      panel + (size_t)at * x->bytes, 1, width);
}

void ashi_run_unpack(const ashi_executor *x, int slot)
{
    const ashi_slot *s = &x->slot[slot];
    for (int64_t i = 0; i < s->pendings; i++) {
        const ashi_op *op = &s->pending[i].op;
        if (op->owner == x->rank || op->lands)
            continue;
        packing p = {x, op, ashi_run_buffer(x, op->operand, slot) + (size_t)op->offset * x->bytes, NULL};
        ashi_view_blocks(&x->schedule->view[op->operand], op->owner, &op->box, op->chunk, unpack_block, &p);
    }
}

/* A block of the rank's own sums, in the C buffer. */
static ashi_matrix sums_of(const ashi_executor *x, const ashi_block *b)
{
    const int64_t at = ashi_home_offset(&x->home, &x->box, b->minor_at, b->major_at);
    return (ashi_matrix){ashi_run_c_buffer(x) + (size_t)at * x->bytes, 1, ashi_home_ld(&x->home, &x->box)};
}

static void pack_sums_block(void *context, const ashi_block *b)
{
    const packing *p = context;
    const ashi_matrix from = sums_of(p->x, b);
    p->x->kernels->axpby(b->minor_count, b->major_count, p->x->kernels->one, &from, false, p->x->kernels->zero,
                         p->packed + (size_t)b->packed * p->x->bytes, 1, b->packed_ld);
}

void ashi_run_pack_sums(const ashi_executor *x, const ashi_op *op, char *to)
{
    packing p = {x, op, to, NULL};
    ashi_view_blocks(&x->schedule->view[ASHLAR_C], op->owner, &op->box, op->chunk, pack_sums_block, &p);
}

static void add_block(void *context, const ashi_block *b)
{
    const packing *p = context;
    const ashi_executor *x = p->x;
    ashi_matrix from = {p->packed, 1, b->packed_ld};
    if (p->packed)
        from.data = p->packed + (size_t)b->packed * x->bytes;
    else
        from = sums_of(x, b);
    x->kernels->axpby(b->minor_count, b->major_count, x->kernels->one, &from, false, p->beta,
                      ashi_run_address(x, ASHLAR_C, b), b->minor_stride, b->major_stride);
}

/* Add one contribution: the packed one at `from`, or the rank's own sums where that is NULL. */
static void add(const ashi_executor *x, const ashi_op *op, char *from, const void *beta)
{
    packing p = {x, op, from, beta};
    ashi_view_blocks(&x->schedule->view[ASHLAR_C], x->rank, &op->box, op->chunk, add_block, &p);
}

static bool same_box(const ashi_box *a, const ashi_box *b)
{
    return a->minor_lo == b->minor_lo && a->minor_hi == b->minor_hi && a->major_lo == b->major_lo &&
           a->major_hi == b->major_hi;
}

void ashi_run_add(const ashi_executor *x, const ashi_op *op)
{
    const void *beta = x->beta;
    if (same_box(&x->box, &op->box)) {
        if (x->home.kind == ASHI_HOME_BUFFER)
            add(x, op, NULL, beta);
        beta = x->kernels->one;
    }
    const int64_t count = ashi_lower_contributions(x->schedule, x->rank, op);
    char *from = ashi_run_buffer(x, ASHLAR_C, op->slot) + (size_t)op->offset * x->bytes;
    for (int64_t i = 0; i < count; i++, from += (size_t)op->words * x->bytes) {
        add(x, op, from, beta);
        beta = x->kernels->one;
    }
}
