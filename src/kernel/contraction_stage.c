/* Batches of small products, some of them at a time by way of copies. */
#include "kernel/contraction_stage.h"

#include "base/checked.h"
#include "base/interrupt.h"
#include "base/type.h"
#include "kernel/contraction_blocks.h"
#include "kernel/contraction_groups.h"
#include "kernel/contraction_thin.h"
#include "kernel/kernels.h"
#include "kernel/positions.h"

enum { A, B, C, MATRICES };

/* FEW: products that are copied together at least. COPIES_BYTES: what their copies have at most. SIDE_LEAST: below it,
 * copies cost more than they save. THICK: likewise for the multiply-adds of an element if products that lie at LONG
 * places in a row can be done at once. */
enum { FEW = 8, MANY = 64, LONG = 64, THICK = 3, COPIES_BYTES = 2 << 20, SIDE_LEAST = 4, ALIGNMENT = 64 };

/* The two groups of a matrix's indices, beside the batch. */
static void groups_of(ashi_contraction *p, int matrix, ashi_stride_group *out[2])
{
    out[0] = matrix == B ? &p->cols : &p->rows;
    out[1] = matrix == C ? &p->cols : &p->depth;
}

/* Whether an index of the batch runs faster in a matrix than those of each product. */
static bool runs_fastest(ashi_contraction *p, const ashi_index *x, int matrix)
{
    ashi_stride_group *groups[2];
    groups_of(p, matrix, groups);
    return x->stride[matrix] < ashi_group_least_stride(groups[0], matrix) &&
           x->stride[matrix] < ashi_group_least_stride(groups[1], matrix);
}

/* The index of the batch that runs fastest in most matrices; -1 if none does in any. */
static int find_fast(ashi_contraction *p)
{
    int found = -1, most = 0;
    for (int i = 0; i < p->batch.count; i++) {
        int count = 0;
        for (int matrix = A; p->batch.index[i].extent >= FEW && matrix < MATRICES; matrix++)
            count += runs_fastest(p, &p->batch.index[i], matrix);
        if (count > most)
            most = count, found = i;
    }
    return found;
}

/* The copy of a matrix: its indices without gaps, those of the group that runs faster first, and one matrix after the
 * other. */
static void lay_copy(ashi_contraction_stage *s, int matrix, ashi_contraction *inner)
{
    ashi_stride_group *groups[2], *const copy = &s->copy[matrix];
    groups_of(inner, matrix, groups);
    const int first = ashi_group_least_stride(groups[0], matrix) <= ashi_group_least_stride(groups[1], matrix) ? 0 : 1;
    int64_t words = 1;
    copy->count = 0;
    for (int g = 0; g < 2; g++) {
        ashi_stride_group *const group = groups[g == 0 ? first : 1 - first];
        for (int i = 0; i < group->count; i++) {
            ashi_index *const x = &group->index[i];
            copy->index[copy->count++] = (ashi_index){x->extent, {x->stride[matrix], 0, words}};
            x->stride[matrix] = words;
            words *= x->extent;
        }
    }
    copy->index[copy->count++] = (ashi_index){s->step, {s->fast.stride[matrix], 0, words}};
    inner->batch.index[0].stride[matrix] = words;
}

/* The order of a group is that of the matrix that is not copied, if there is one: then neighbours stay together. */
static void order_groups(const ashi_contraction_stage *s, ashi_contraction *inner)
{
    ashi_group_order(&inner->rows, s->used[C] ? A : C, s->used[C] ? C : A);
    ashi_group_order(&inner->cols, s->used[C] ? B : C, s->used[C] ? C : B);
    ashi_group_order(&inner->depth, s->used[A] ? B : A, s->used[A] ? A : B);
}

/* Which matrices of a product are copied, and how many products at a time; false if copies do not pay. `words`: of the
 * matrices of one product. */
static bool choose_copies(ashi_contraction *p, const int64_t words[MATRICES], ashi_contraction_stage *out)
{
    const int64_t bytes = (int64_t)ashi_type_of(p->type)->bytes;
    int64_t all = 0;
    for (int matrix = A; matrix < MATRICES; matrix++) {
        out->used[matrix] = runs_fastest(p, &out->fast, matrix);
        all += out->used[matrix] ? words[matrix] * bytes : 0;
    }
    const int64_t multiply_adds = ashi_positions_of(&p->rows) * words[B];
    const bool thin = out->used[A] && out->used[B] && out->used[C] && out->fast.extent >= LONG;
    if (all > COPIES_BYTES / FEW || (thin && multiply_adds < THICK * (words[A] + words[B] + words[C])))
        return false;
    out->step = ashi_min(out->fast.extent, ashi_min(MANY, COPIES_BYTES / all / FEW * FEW));
    return true;
}

bool ashi_contraction_stage_find(const ashi_contraction *whole, ashi_contraction_stage *out, ashi_contraction *inner)
{
    *inner = *whole;
    *out = (ashi_contraction_stage){.whole = *whole};
    const int64_t m = ashi_positions_of(&whole->rows), n = ashi_positions_of(&whole->cols);
    const int64_t k = ashi_positions_of(&whole->depth), bytes = (int64_t)ashi_type_of(whole->type)->bytes;
    const int fast = ashi_min(m, ashi_min(n, k)) < SIDE_LEAST ? -1 : find_fast(inner);
    if (fast < 0 || ashi_max(m, ashi_max(n, k)) > COPIES_BYTES ||
        whole->rows.count + whole->cols.count + whole->depth.count >= ASHI_CONTRACTION_INDICES)
        return false;
    const int64_t words[MATRICES] = {m * k, n * k, m * n};
    out->fast = whole->batch.index[fast];
    if (!choose_copies(inner, words, out))
        return false;
    out->outer = whole->batch;
    out->outer.index[fast] = out->outer.index[--out->outer.count];
    inner->batch = (ashi_stride_group){.count = 1, .index = {out->fast}};
    inner->batch.index[0].extent = out->step;
    order_groups(out, inner);
    for (int matrix = A; matrix < MATRICES; matrix++)
        if (out->used[matrix]) {
            lay_copy(out, matrix, inner);
            out->at[matrix] = out->bytes;
            out->bytes += ashi_ceil_div(out->step * words[matrix] * bytes, ALIGNMENT) * ALIGNMENT;
        }
    return true;
}

/* What one part does: its arguments, and the products that are multiplied together. */
typedef struct stage_run {
    const ashi_contraction_stage *stage;
    ashi_contraction_plan inner;
    const void *alpha, *beta;
    char *workspace;
    bool sums;
} stage_run;

/* target <- source + beta target: the copy of a matrix, or C from its copy. */
static void copy(const stage_run *r, int matrix, const void *source, const void *beta, void *target)
{
    ashi_stride_group group = r->stage->copy[matrix];
    group.index[group.count - 1].extent = r->inner.batches;
    for (int i = 0; matrix == C && i < group.count; i++) {
        const int64_t of_c = group.index[i].stride[A];
        group.index[i].stride[A] = group.index[i].stride[C];
        group.index[i].stride[C] = of_c;
    }
    ashi_contraction_copy(r->inner.product.type, &group, source, beta, target);
}

/* Products `from` to `from + count - 1` of the fast index. */
static void run_some(stage_run *r, ashi_positions some, const char *a, const char *b, char *c)
{
    const ashi_contraction_stage *const s = r->stage;
    const int64_t bytes = (int64_t)ashi_type_of(r->inner.product.type)->bytes;
    const void *const zero = ashi_kernels_of(r->inner.product.type)->zero;
    const void *operand[2] = {r->sums ? a + some.from * s->fast.stride[A] * bytes : NULL,
                              r->sums ? b + some.from * s->fast.stride[B] * bytes : NULL};
    char *const result = c + some.from * s->fast.stride[C] * bytes, *const own = r->workspace + s->at[C];
    r->inner.batches = r->inner.product.batch.index[0].extent = some.count;
    for (int matrix = A; r->sums && matrix <= B; matrix++)
        if (s->used[matrix]) {
            copy(r, matrix, operand[matrix], zero, r->workspace + s->at[matrix]);
            operand[matrix] = r->workspace + s->at[matrix];
        }
    ashi_contraction_in_blocks(&r->inner, r->alpha, operand[A], operand[B], s->used[C] ? zero : r->beta,
                               s->used[C] ? own : result, 0, 1, r->workspace + s->bytes);
    if (s->used[C])
        copy(r, C, own, r->beta, result);
}

void ashi_contraction_staged(const ashi_contraction_plan *plan, const void *alpha, const void *a, const void *b,
                             const void *beta, void *c, int part, int parts, void *workspace)
{
    const ashi_contraction_stage *const s = &plan->stage;
    const int64_t bytes = (int64_t)ashi_type_of(plan->product.type)->bytes;
    stage_run r = {.stage = s, .inner = *plan, .alpha = alpha, .beta = beta, .workspace = workspace,
                   .sums = plan->k > 0 && !ashi_kernels_of(plan->product.type)->is_zero(alpha)};
    r.inner.stage.step = 0;
    ashi_index_box outer;
    ashi_box_find(&s->outer, &(ashi_index_pieces){{0, 0}, {1, 1}}, 0, &outer);
    const int64_t pieces = ashi_ceil_div(s->fast.extent, s->step), all = outer.count * pieces;
    for (int64_t i = ashi_cut(all, parts, part); i < ashi_cut(all, parts, part + 1) && !ashi_interrupt_asked(); i++) {
        int64_t at[MATRICES];
        for (int matrix = A; matrix < MATRICES; matrix++) {
            ashi_box_offsets(&outer, matrix, (ashi_positions){i / pieces, 1}, &at[matrix]);
            at[matrix] *= bytes;
        }
        const int64_t from = i % pieces * s->step;
        const ashi_positions some = {from, ashi_min(s->step, s->fast.extent - from)};
        run_some(&r, some, r.sums ? (const char *)a + at[A] : NULL, r.sums ? (const char *)b + at[B] : NULL,
                 (char *)c + at[C]);
    }
}
