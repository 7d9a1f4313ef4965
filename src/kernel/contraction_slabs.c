/* The sum of a product, cut into slabs. */
#include "kernel/contraction_slabs.h"

#include "base/checked.h"
#include "base/type.h"
#include "kernel/contraction_groups.h"
#include "kernel/contraction_thin.h"
#include "kernel/kernels.h"
#include "kernel/positions.h"

/* DEPTH_LEAST: positions of the sum of a slab. RATIO: elements of A and B for each element that slabs have together.
 * THIN_ROWS, SIDE: of a thread, and of C as a whole, above which parts of C are as good. RUN: neighbours that a piece
 * of an index keeps. */
enum { A, B, C, MATRICES, DEPTH_LEAST = 64, RATIO = 8, THIN_ROWS = 64, SIDE = 256, RUN = 64, BATCHES_ENOUGH = 8,
       ALIGNMENT = 64 };

static int64_t words_of(const ashi_contraction *p, int matrix)
{
    const ashi_stride_group *const groups[] = {&p->rows, &p->cols, &p->depth, &p->batch};
    int64_t words = 1;
    for (int g = 0; g < 4; g++)
        for (int i = 0; i < groups[g]->count; i++)
            words *= groups[g]->index[i].stride[matrix] != 0 ? groups[g]->index[i].extent : 1;
    return words;
}

bool ashi_contraction_slabs_pay(const ashi_contraction_plan *whole, int threads)
{
    const int64_t words[MATRICES] = {words_of(&whole->product, A), words_of(&whole->product, B),
                                     words_of(&whole->product, C)};
    if (threads < 2 || whole->interleaved || whole->together > 1 || whole->stage.step > 0 ||
        whole->k < DEPTH_LEAST * threads || words[C] > (words[A] + words[B]) / (RATIO * threads))
        return false;
    if (whole->thin)
        return whole->m <= THIN_ROWS * threads;
    if (whole->batches >= BATCHES_ENOUGH * threads || whole->batches % threads == 0)
        return false;
    return whole->skinny != ASHI_SKINNY_NOT ? whole->m <= THIN_ROWS * threads : ashi_max(whole->m, whole->n) <= SIDE;
}

/* How much longer the longest slab takes than even ones would if this index is cut. Short runs of neighbours are as bad
 * as half a slab. */
static double unevenness(const ashi_index *x, int threads)
{
    const int64_t usual = ashi_ceil_div(x->extent, threads);
    const bool splits = (x->stride[A] == 1 || x->stride[B] == 1) && usual < RUN;
    return (double)(usual * threads) / (double)x->extent + (splits ? 0.5 : 0);
}

/* The index of the sum that is cut: of those that make slabs most even, the one that runs slowest; -1 if there is
 * none. */
static int find_cut(const ashi_stride_group *depth, int threads)
{
    int found = -1;
    for (int i = 0; i < depth->count; i++) {
        const ashi_index *const x = &depth->index[i], *const best = found >= 0 ? &depth->index[found] : NULL;
        if (x->extent < 2)
            continue;
        const double mine = unevenness(x, threads), least = best ? unevenness(best, threads) : mine;
        if (!best || mine < least ||
            (mine <= least && x->stride[A] + x->stride[B] > best->stride[A] + best->stride[B]))
            found = i;
    }
    return found;
}

/* C's indices without gaps, in the order in which they run in C. */
static void lay_own(ashi_contraction *p, ashi_contraction_slabs *out)
{
    ashi_stride_group *const groups[] = {&p->rows, &p->cols, &p->batch};
    ashi_stride_group *const own = &out->own;
    own->count = 0;
    out->words = 1;
    for (int g = 0; g < 3; g++) {
        for (int i = 0; i < groups[g]->count; i++) {
            ashi_index *const x = &groups[g]->index[i];
            own->index[own->count++] = (ashi_index){x->extent, {out->words, 0, x->stride[C]}};
            x->stride[C] = out->words;
            out->words *= x->extent;
        }
    }
}

bool ashi_contraction_slabs_make(const ashi_contraction *product, int threads, ashi_contraction_slabs *out)
{
    ashi_contraction slab = *product;
    const int cut = find_cut(&slab.depth, threads);
    if (cut < 0)
        return false;
    ashi_group_order(&slab.rows, C, A), ashi_group_order(&slab.cols, C, B), ashi_group_order(&slab.batch, C, A);
    lay_own(&slab, out);
    ashi_index *const x = &slab.depth.index[cut];
    const int64_t extent = x->extent, usual = ashi_ceil_div(extent, threads);
    out->count = (int)ashi_ceil_div(extent, usual);
    out->step[A] = usual * x->stride[A], out->step[B] = usual * x->stride[B];
    x->extent = usual;
    ashi_contraction_make(&slab, &out->usual);
    x->extent = extent - (out->count - 1) * usual;
    ashi_contraction_make(&slab, &out->last);
    return true;
}

static int64_t rounded(int64_t bytes)
{
    return ashi_mul_most(ashi_ceil_div(bytes, ALIGNMENT), ALIGNMENT);
}

/* Bytes of the matrix of a slab. */
static int64_t own_bytes(const ashi_contraction_slabs *slabs)
{
    return rounded(ashi_mul_most(slabs->words, (int64_t)ashi_type_of(slabs->usual.product.type)->bytes));
}

static int64_t slab_bytes(const ashi_contraction_slabs *slabs)
{
    return ashi_add_most(own_bytes(slabs), rounded(ashi_max(slabs->usual.bytes, slabs->last.bytes)));
}

int64_t ashi_contraction_slabs_bytes(const ashi_contraction_slabs *slabs)
{
    return ashi_mul_most(slabs->count, slab_bytes(slabs));
}

void ashi_contraction_slabs_run(const ashi_contraction_slabs *slabs, const void *alpha, const void *a, const void *b,
                                int slab, void *workspace)
{
    const ashi_contraction_plan *const plan = slab == slabs->count - 1 ? &slabs->last : &slabs->usual;
    const ashi_kernels *const kernels = ashi_kernels_of(plan->product.type);
    const int64_t bytes = (int64_t)ashi_type_of(plan->product.type)->bytes;
    const bool sums = !kernels->is_zero(alpha);
    char *const own = (char *)workspace + slab * slab_bytes(slabs);
    ashi_contraction_run(plan, alpha, sums ? (const char *)a + slab * slabs->step[A] * bytes : NULL,
                         sums ? (const char *)b + slab * slabs->step[B] * bytes : NULL, kernels->zero, own, 0, 1,
                         own + own_bytes(slabs));
}

void ashi_contraction_slabs_end(const ashi_contraction_slabs *slabs, const void *beta, void *c, const void *workspace)
{
    const ashlar_type type = slabs->usual.product.type;
    const ashi_stride_group one = {.count = 1, .index = {{1, {1, 0, 1}}}};
    for (int slab = 0; slab < slabs->count; slab++)
        ashi_contraction_copy(type, slabs->own.count > 0 ? &slabs->own : &one,
                              (const char *)workspace + slab * slab_bytes(slabs),
                              slab == 0 ? beta : ashi_kernels_of(type)->one, c);
}
