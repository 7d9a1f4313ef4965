/* Between the caller's A or B and panels: copying, packing, unpacking. */
#include "exec/run.h"

char *ashi_run_buffer(const ashi_executor *x, ashlar_operand operand, int slot)
{
    return x->workspace + (size_t)ashi_need_place(&x->need, slot, operand) * x->bytes;
}

char *ashi_part_address(const ashi_part *part, const ashi_block *block, size_t bytes)
{
    if (part->tile)
        return (char *)(uintptr_t)part->tile[block->tile] + (size_t)block->offset * bytes;
    return (char *)(uintptr_t)part->base + (size_t)(block->start + block->offset) * bytes;
}

char *ashi_run_address(const ashi_executor *x, ashlar_operand operand, const ashi_block *block)
{
    return ashi_part_address(&x->part[operand], block, x->bytes);
}

/* Where a block of a box lies in its panel. */
static char *place_of(const ashi_executor *x, const ashi_box *box, const ashi_block *b, char *panel)
{
    const int64_t width = box->minor_hi - box->minor_lo;
    return panel + (size_t)(b->minor_at - box->minor_lo + (b->major_at - box->major_lo) * width) * x->bytes;
}

void ashi_run_copy_block(const ashi_executor *x, ashlar_operand operand, const ashi_box *box, const ashi_block *b,
                         char *panel)
{
    const ashi_matrix from = {ashi_run_address(x, operand, b), b->minor_stride, b->major_stride};
    x->kernels->axpby(b->minor_count, b->major_count, x->kernels->one, &from, x->schedule->view[operand].conjugate,
                      x->kernels->zero, place_of(x, box, b, panel), 1, box->minor_hi - box->minor_lo);
}

typedef struct packing {
    const ashi_executor *x;
    const ashi_op *op;
    char *packed, *panel;
} packing;

static void copy_block(void *context, const ashi_block *b)
{
    const packing *p = context;
    ashi_run_copy_block(p->x, p->op->operand, &p->op->box, b, p->panel);
}

void ashi_run_copy(const ashi_executor *x, const ashi_op *op)
{
    packing p = {x, op, NULL, ashi_run_buffer(x, op->operand, op->slot) + (size_t)op->offset * x->bytes};
    const double begin = ashi_trace_begin(x->trace);
    ashi_view_blocks(&x->schedule->view[op->operand], x->rank, &op->box, ashi_whole, copy_block, &p);
    ashi_run_note(x, "copy", begin, op->words);
}

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
    const double begin = ashi_trace_begin(x->trace);
    ashi_view_blocks(&x->schedule->view[op->operand], x->rank, &op->box, op->chunk, pack_block, &p);
    ashi_run_note(x, "pack", begin, op->words);
}

static void unpack_block(void *context, const ashi_block *b)
{
    const packing *p = context;
    const ashi_executor *x = p->x;
    const ashi_box *box = &p->op->box;
    const ashi_matrix from = {p->packed + (size_t)b->packed * x->bytes, 1, b->packed_ld};
    x->kernels->axpby(b->minor_count, b->major_count, x->kernels->one, &from, false, x->kernels->zero,
                      place_of(x, box, b, p->panel), 1, box->minor_hi - box->minor_lo);
}

void ashi_run_unpack(ashi_executor *x, int slot)
{
    ashi_slot *s = &x->slot[slot];
    for (int64_t i = 0; i < s->pendings; i++) {
        const ashi_op *op = &s->pending[i].op;
        if (op->kind != ASHI_MULTICAST || op->owner == x->rank || op->lands)
            continue;
        char *buffer = ashi_run_buffer(x, op->operand, slot);
        packing p = {x, op, buffer + (size_t)op->offset * x->bytes, buffer + (size_t)op->panel * x->bytes};
        const double begin = ashi_trace_begin(x->trace);
        ashi_view_blocks(&x->schedule->view[op->operand], op->owner, &op->box, op->chunk, unpack_block, &p);
        ashi_run_note(x, "unpack", begin, op->words);
    }
    s->pendings = s->members = 0;
}
