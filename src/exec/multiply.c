/* One round's product: complete the panels, then multiply interval by interval of k, where it lies what can be. */
#include "base/checked.h"
#include "base/error.h"
#include "exec/run.h"

#include <stdlib.h>

static ashlar_status append(ashi_stretches *list, const ashi_stretch *stretch, ashlar_error *err)
{
    if (list->count == list->capacity) {
        const int64_t capacity = ashi_max(8, 2 * list->capacity);
        ashi_stretch *at = realloc(list->at, (size_t)capacity * sizeof *at);
        if (!at)
            return ashi_fail_memory(err, "executor", capacity * (int64_t)sizeof *at);
        list->at = at;
        list->capacity = capacity;
    }
    list->at[list->count++] = *stretch;
    return ASHLAR_OK;
}

/* Sorting the rank's own blocks of a slab into what is multiplied in place and what joins the panel. */
typedef struct sorting {
    ashi_executor *x;
    ashlar_operand operand;
    ashi_box box;
    char *panel;
    bool dry;    /* only room is made: there are no matrices yet */
    bool joined; /* what is not in place has joined the panel already */
    bool copied; /* something had to be copied */
    ashlar_status status;
    ashlar_error *err;
} sorting;

static void sort_block(void *context, const ashi_block *b)
{
    sorting *s = context;
    const ashi_executor *x = s->x;
    const ashi_view *view = &x->schedule->view[s->operand];
    const int64_t width = s->box.minor_hi - s->box.minor_lo;
    if (ashi_block_in_place(view, b, width, ashi_view_least_in_place(&s->box))) {
        const ashi_stretch stretch = {b->major_at, b->major_at + b->major_count, true, *b, view->conjugate};
        if (s->status == ASHLAR_OK)
            s->status = append(&s->x->stretches[s->operand], &stretch, s->err);
    } else if (!s->dry && !s->joined) {
        const double begin = ashi_trace_begin(x->trace);
        ashi_run_copy_block(x, s->operand, &s->box, b, s->panel);
        ashi_run_note(x, "copy", begin, b->minor_count * b->major_count);
        s->copied = true;
    }
}

static int by_lo(const void *a, const void *b)
{
    const ashi_stretch *x = a, *y = b;
    return (x->lo > y->lo) - (x->lo < y->lo);
}

/* What is not in place is in the panel, which begins at `panel`: fill the gaps between the sorted stretches with it. */
static ashlar_status fill_gaps(ashi_stretches *list, const ashi_box *box, int64_t panel, ashlar_error *err)
{
    const int64_t width = box->minor_hi - box->minor_lo, own = list->count;
    int64_t at = box->major_lo;
    if (own)
        qsort(list->at, (size_t)own, sizeof *list->at, by_lo);
    for (int64_t i = 0; i <= own; i++) {
        const int64_t end = i < own ? list->at[i].lo : box->major_hi;
        if (end > at) {
            const ashi_block from = {.offset = panel + (at - box->major_lo) * width, .minor_stride = 1,
                                     .major_stride = width};
            const ashi_stretch gap = {at, end, false, from, false};
            const ashlar_status status = append(list, &gap, err);
            if (status != ASHLAR_OK)
                return status;
        }
        at = i < own ? list->at[i].hi : end;
    }
    if (list->count > 1)
        qsort(list->at, (size_t)list->count, sizeof *list->at, by_lo);
    return ASHLAR_OK;
}

static ashi_box operand_box(const ashi_op *op, ashlar_operand operand)
{
    const ashi_box *c = &op->box;
    return operand == ASHLAR_A ? (ashi_box){c->minor_lo, c->minor_hi, op->k_lo, op->k_hi}
                               : (ashi_box){c->major_lo, c->major_hi, op->k_lo, op->k_hi};
}

static ashlar_status find_stretches(ashi_executor *x, const ashi_op *op, ashlar_operand operand, bool dry,
                                    ashlar_error *err)
{
    ashi_stretches *list = &x->stretches[operand];
    if (!dry && list->of == op)
        return ASHLAR_OK;
    const int64_t at = op->at[operand];
    sorting s = {.x = x, .operand = operand, .box = operand_box(op, operand), .dry = dry,
                 .panel = dry ? NULL : ashi_run_buffer(x, operand, op->slot) + (size_t)at * x->bytes,
                 .joined = x->slot[op->slot].joined[operand], .err = err};
    list->count = 0;
    list->of = NULL;
    if (!op->whole[operand])
        ashi_view_blocks(&x->schedule->view[operand], x->rank, &s.box, ashi_whole, sort_block, &s);
    if (s.status == ASHLAR_OK)
        s.status = fill_gaps(list, &s.box, at, err);
    if (s.status == ASHLAR_OK && !dry && !s.copied && x->tape.op && !x->progress)
        list->of = op;
    return s.status;
}

ashlar_status ashi_run_reserve(ashi_executor *x, const ashi_op *op, ashlar_error *err)
{
    const ashlar_status status = find_stretches(x, op, ASHLAR_A, true, err);
    return status == ASHLAR_OK ? find_stretches(x, op, ASHLAR_B, true, err) : status;
}

/* A stretch's matrix from minor position `minor` (counted from the box) and position k on. */
static ashi_matrix from_of(const ashi_executor *x, ashlar_operand operand, int slot, const ashi_stretch *s,
                           int64_t minor, int64_t k)
{
    const ashi_block *b = &s->from;
    const char *base = s->own ? ashi_run_address(x, operand, b)
                              : ashi_run_buffer(x, operand, slot) + (size_t)b->offset * x->bytes;
    const int64_t skipped = minor * b->minor_stride + (k - s->lo) * b->major_stride;
    return (ashi_matrix){base + skipped * (int64_t)x->bytes, b->minor_stride, b->major_stride};
}

typedef struct target {
    char *data;
    int64_t minor_stride, major_stride;
} target;

/* Where a piece of a part, or a box within one, is summed up. */
static target target_of(const ashi_executor *x, const ashi_sums *sums, const ashi_home_part *piece)
{
    const ashi_block *own = &sums->own_c;
    if (piece->own) {
        const int64_t skipped = (piece->box.minor_lo - own->minor_at) * own->minor_stride +
                                (piece->box.major_lo - own->major_at) * own->major_stride;
        return (target){ashi_run_address(x, ASHLAR_C, own) + skipped * (int64_t)x->bytes, own->minor_stride,
                        own->major_stride};
    }
    return (target){ashi_run_sums(x, sums, piece->box.minor_lo, piece->box.major_lo), 1,
                    ashi_home_ld(&sums->home, &sums->box)};
}

/* What is there before a product is added. */
static const void *beta_of(const ashi_executor *x, const ashi_sums *sums, const ashi_home_part *piece)
{
    if (sums->begun)
        return x->kernels->one;
    return piece->own ? x->beta : x->kernels->zero;
}

static void multiply_piece(const ashi_executor *x, const ashi_op *op, const ashi_home_part *piece)
{
    const ashi_sums *sums = &x->sums[op->part];
    const ashi_box *box = &piece->box;
    const ashi_stretch *a = x->stretches[ASHLAR_A].at, *b = x->stretches[ASHLAR_B].at;
    const target to = target_of(x, sums, piece);
    const void *beta = beta_of(x, sums, piece);
    for (int64_t lo = a->lo, hi; lo < op->k_hi; lo = hi) {
        hi = ashi_min(a->hi, b->hi);
        const ashi_matrix from_a = from_of(x, ASHLAR_A, op->slot, a, box->minor_lo - op->box.minor_lo, lo);
        const ashi_matrix from_b = from_of(x, ASHLAR_B, op->slot, b, box->major_lo - op->box.major_lo, lo);
        const double begin = ashi_trace_begin(x->trace);
        x->kernels->gemm(box->minor_hi - box->minor_lo, box->major_hi - box->major_lo, hi - lo, x->alpha, &from_a,
                         a->conjugate, &from_b, b->conjugate, beta, to.data, to.minor_stride, to.major_stride);
        ashi_run_note(x, "multiply", begin, ashi_box_words(box) * (hi - lo));
        x->transport->poke(x->transport);
        beta = x->kernels->one;
        a += a->hi == hi;
        b += b->hi == hi;
    }
}

/* Whether a box has anything in another: what it has is left of it. */
static bool cut_to(ashi_box *box, const ashi_box *other)
{
    *box = (ashi_box){ashi_max(box->minor_lo, other->minor_lo), ashi_min(box->minor_hi, other->minor_hi),
                      ashi_max(box->major_lo, other->major_lo), ashi_min(box->major_hi, other->major_hi)};
    return box->minor_lo < box->minor_hi && box->major_lo < box->major_hi;
}

static void begin_piece(const ashi_executor *x, const ashi_sums *sums, const ashi_home_part *piece)
{
    const ashi_box *box = &piece->box;
    const target to = target_of(x, sums, piece);
    const ashi_matrix unread = {to.data, 1, 1};
    const double begin = ashi_trace_begin(x->trace);
    x->kernels->gemm(box->minor_hi - box->minor_lo, box->major_hi - box->major_lo, 0, x->alpha, &unread, false, &unread,
                     false, beta_of(x, sums, piece), to.data, to.minor_stride, to.major_stride);
    ashi_run_note(x, "scale", begin, ashi_box_words(box));
}

void ashi_run_begin_sums(const ashi_executor *x, ashi_sums *sums)
{
    ashi_home_part pieces[3];
    const int count = ashi_home_parts(&sums->home, &sums->box, pieces);
    for (int i = 0; i < count; i++)
        begin_piece(x, sums, &pieces[i]);
    sums->begun = true;
}

ashlar_status ashi_run_multiply(ashi_executor *x, const ashi_op *op, ashlar_error *err)
{
    ashi_sums *sums = &x->sums[op->part];
    if (op->k_lo == op->k_hi)
        return ASHLAR_OK;
    if (!x->schedule->pooled)
        ashi_run_unpack(x, op->slot);
    for (int o = ASHLAR_A; o <= (int)ASHLAR_B; o++) {
        const ashlar_status status = find_stretches(x, op, (ashlar_operand)o, false, err);
        if (status != ASHLAR_OK)
            return status;
    }
    if (!sums->begun && ashi_box_words(&op->box) < ashi_box_words(&sums->box))
        ashi_run_begin_sums(x, sums);
    ashi_home_part pieces[3];
    const int count = ashi_home_parts(&sums->home, &sums->box, pieces);
    for (int i = 0; i < count; i++) {
        if (cut_to(&pieces[i].box, &op->box))
            multiply_piece(x, op, &pieces[i]);
    }
    sums->begun = true;
    return ASHLAR_OK;
}
