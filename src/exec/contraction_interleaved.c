/* The loops of batches whose elements interleave: some registers of products at a time are brought together,
 * multiplied, and put into C. */
#include "exec/contraction_interleaved.h"

#include "base/checked.h"
#include "base/type.h"
#include "exec/contraction_groups.h"
#include "exec/interleaved.h"
#include "exec/kernels.h"
#include "exec/positions.h"

#include <string.h>

/* SIDE_LEAST: of rows, columns and positions of the sum. REGISTERS: whose products are brought together. BYTES_SOME:
 * what these have if they are more than one; BYTES_MOST: what one has. */
enum { A, B, C, MATRICES, SIDE_LEAST = 5, REGISTERS = 8, BYTES_SOME = 4 << 20, BYTES_MOST = 2 << 20, ALIGNMENT = 64 };

/* The index of a batch whose values are neighbours in all matrices; -1 if there is none. */
static int find_fast(const ashi_stride_group *batch)
{
    const int i = ashi_group_neighbours(batch, A);
    return i >= 0 && batch->index[i].stride[B] == 1 && batch->index[i].stride[C] == 1 ? i : -1;
}

/* How many products are done together, and where their matrices are; false if they are too large. */
static bool choose_step(ashi_contraction_plan *out, int lanes)
{
    const int64_t bytes = (int64_t)ashi_type_of(out->product.type)->bytes;
    const int64_t words[MATRICES] = {out->m * out->k, out->n * out->k, out->m * out->n};
    ashi_contraction_stage *const s = &out->stage;
    if (ashi_max(out->m, ashi_max(out->n, out->k)) > BYTES_MOST)
        return false;
    const int64_t all = (words[A] + words[B] + words[C]) * lanes * bytes;
    if (all > BYTES_MOST)
        return false;
    s->step = lanes * ashi_max(1, ashi_min(REGISTERS, ashi_min(s->fast.extent / lanes, BYTES_SOME / all)));
    for (int matrix = A; matrix < MATRICES; matrix++) {
        s->at[matrix] = s->bytes;
        s->bytes += ashi_ceil_div(s->step * words[matrix] * bytes, ALIGNMENT) * ALIGNMENT;
    }
    out->bytes = s->bytes + 2 * (out->m + out->n + out->k) * (int64_t)sizeof(int64_t);
    return true;
}

bool ashi_contraction_interleaved_make(const ashi_contraction *product, ashi_contraction_plan *out)
{
    *out = (ashi_contraction_plan){.product = *product, .interleaved = true, .stage = {.whole = *product}};
    ashi_contraction *const p = &out->product;
    const ashi_interleaved *all[ASHI_SIMD_KINDS];
    const int fast = find_fast(&p->batch);
    ashi_interleaved_all(p->type, all);
    out->turned = ashi_group_least_stride(&p->cols, C) < ashi_group_least_stride(&p->rows, C);
    if (out->turned)
        ashi_contraction_turn(p);
    out->m = ashi_positions_of(&p->rows), out->n = ashi_positions_of(&p->cols), out->k = ashi_positions_of(&p->depth);
    out->batches = ashi_positions_of(&p->batch);
    if (fast < 0 || p->batch.index[fast].extent < all[0]->lanes ||
        ashi_min(out->m, ashi_min(out->n, out->k)) < SIDE_LEAST)
        return false;
    out->stage.fast = p->batch.index[fast];
    out->stage.outer = p->batch;
    out->stage.outer.index[fast] = p->batch.index[p->batch.count - 1];
    out->stage.outer.count--;
    ashi_group_order(&p->rows, C, A), ashi_group_order(&p->cols, C, B), ashi_group_order(&p->depth, A, B);
    return choose_step(out, all[0]->lanes);
}

/* What one part does. */
typedef struct run {
    const ashi_contraction_plan *plan;
    const ashi_interleaved *kernels;
    int64_t bytes; /* of an element */
    const void *alpha, *beta;
    bool sums;     /* there are products to add */
    char *copy[MATRICES];
    int64_t *row[2], *col[2], *depth[2]; /* where they lie in A and C, in B and C, in A and B */
} run;

/* Where lists and copies are in the workspace; the lists are of all rows, columns and positions of the sum. */
static void divide(run *r, char *workspace)
{
    const ashi_contraction_plan *const x = r->plan;
    const ashi_index_pieces whole = {{0, 0}, {1, 1}};
    const struct {
        const ashi_stride_group *group;
        int64_t count;
        int matrix[2];
        int64_t **list;
    } side[] = {{&x->product.rows, x->m, {A, C}, r->row}, {&x->product.cols, x->n, {B, C}, r->col},
                {&x->product.depth, x->k, {A, B}, r->depth}};
    int64_t *at = (int64_t *)(void *)(workspace + x->stage.bytes);
    for (int matrix = A; matrix < MATRICES; matrix++)
        r->copy[matrix] = workspace + x->stage.at[matrix];
    for (int s = 0; s < 3; s++) {
        ashi_index_box box;
        ashi_box_find(side[s].group, &whole, 0, &box);
        for (int i = 0; i < 2; i++, at += side[s].count) {
            side[s].list[i] = at;
            ashi_box_offsets(&box, side[s].matrix[i], (ashi_positions){0, side[s].count}, at);
        }
    }
}

/* A or B of `count` products. Its elements are taken in the order in which they lie. */
static void pack(const run *r, int matrix, const int64_t *side, int64_t sides, const void *from, int64_t count)
{
    const ashi_contraction *const p = &r->plan->product;
    const int64_t k = r->plan->k, *const depth = r->depth[matrix], real = r->kernels->parts * r->kernels->lanes;
    const bool by_side = side[1] - side[0] <= depth[1] - depth[0];
    const ashi_scattered at = {by_side ? side : depth, by_side ? depth : side, by_side ? sides : k,
                               by_side ? k : sides};
    r->kernels->pack(&at, from, count, matrix == A ? p->conjugate_a : p->conjugate_b, by_side ? k : 1, by_side ? 1 : k,
                     sides * k * real, r->copy[matrix]);
}

static void run_some(const run *r, int64_t count, const char *a, const char *b, char *c)
{
    const ashi_contraction_plan *const x = r->plan;
    const int64_t real = r->kernels->parts * r->kernels->lanes, size = r->bytes * r->kernels->lanes;
    const ashi_scattered to = {r->row[1], r->col[1], x->m, x->n};
    if (r->sums) {
        pack(r, A, r->row[0], x->m, a, count);
        pack(r, B, r->col[0], x->n, b, count);
    } else
        memset(r->copy[C], 0, (size_t)(x->stage.step * x->m * x->n * r->bytes));
    for (int64_t l = 0, g = 0; r->sums && l < count; l += r->kernels->lanes, g++)
        r->kernels->form((int)x->m, (int)x->n, x->k, r->copy[A] + g * x->m * x->k * size,
                         r->copy[B] + g * x->n * x->k * size, r->copy[C] + g * x->m * x->n * size);
    r->kernels->put(&to, r->copy[C], count, x->m * x->n * real, r->alpha, r->beta, c);
}

void ashi_contraction_interleaved(const ashi_contraction_plan *plan, const void *alpha, const void *a, const void *b,
                                  const void *beta, void *c, int part, int parts, void *workspace)
{
    const ashi_contraction_stage *const s = &plan->stage;
    const int64_t bytes = (int64_t)ashi_type_of(plan->product.type)->bytes;
    const ashi_interleaved *all[ASHI_SIMD_KINDS];
    ashi_interleaved_all(plan->product.type, all);
    run r = {.plan = plan, .kernels = all[plan->kind], .bytes = bytes, .alpha = alpha, .beta = beta,
             .sums = !ashi_kernels_of(plan->product.type)->is_zero(alpha)};
    const char *const left = plan->turned ? b : a, *const right = plan->turned ? a : b;
    divide(&r, workspace);
    ashi_index_box outer;
    ashi_box_find(&s->outer, &(ashi_index_pieces){{0, 0}, {1, 1}}, 0, &outer);
    const int64_t pieces = ashi_ceil_div(s->fast.extent, s->step), count = outer.count * pieces;
    for (int64_t i = ashi_cut(count, parts, part); i < ashi_cut(count, parts, part + 1); i++) {
        const int64_t from = i % pieces * s->step;
        int64_t at[MATRICES];
        for (int matrix = A; matrix < MATRICES; matrix++) {
            ashi_box_offsets(&outer, matrix, (ashi_positions){i / pieces, 1}, &at[matrix]);
            at[matrix] = (at[matrix] + from) * bytes;
        }
        run_some(&r, ashi_min(s->step, s->fast.extent - from), r.sums ? left + at[A] : NULL,
                 r.sums ? right + at[B] : NULL, (char *)c + at[C]);
    }
}
