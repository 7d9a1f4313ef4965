/* The loops of batches whose elements interleave: some registers of products at a time are brought together,
 * multiplied, and put into C. */
#include "kernel/contraction_interleaved.h"

#include "base/checked.h"
#include "base/interrupt.h"
#include "base/type.h"
#include "kernel/contraction_groups.h"
#include "kernel/interleaved.h"
#include "kernel/kernels.h"
#include "kernel/positions.h"

#include <stdint.h>

/* SIDE_LEAST: of rows, columns and positions of the sum. REGISTERS: whose products are done together, while their B has
 * BYTES_SOME at most. BYTES_MOST: of B if only one register has products. ROWS, PANEL_BYTES: of A that are brought
 * together for all columns. */
enum { A, B, C, MATRICES, SIDE_LEAST = 5, REGISTERS = 8, BYTES_SOME = 384 << 10, BYTES_MOST = 1 << 20, ROWS = 8,
       PANEL_BYTES = 16 << 10, PAST_BYTES = 4 << 20, LEAD_LEAST = 16, LINE = 64, ALIGNMENT = 64 };

/* The index of a batch whose values are neighbours in all matrices; -1 if there is none. */
static int find_fast(const ashi_stride_group *batch)
{
    const int i = ashi_group_neighbours(batch, A);
    return i >= 0 && batch->index[i].stride[B] == 1 && batch->index[i].stride[C] == 1 ? i : -1;
}

/* How many products are done together, how many rows of A, and where copies are; false if they are too large. */
static bool choose_step(ashi_contraction_plan *out, int lanes)
{
    const int64_t bytes = (int64_t)ashi_type_of(out->product.type)->bytes * lanes; /* of a register's elements */
    ashi_contraction_stage *const s = &out->stage;
    if (ashi_max(out->m, ashi_max(out->n, out->k)) > BYTES_MOST || out->n * out->k * bytes > BYTES_MOST)
        return false;
    s->step = lanes * ashi_max(1, ashi_min(REGISTERS, ashi_min(s->fast.extent / lanes,
                                                               BYTES_SOME / (out->n * out->k * bytes))));
    out->mc = out->k * bytes * ROWS <= PANEL_BYTES ? ROWS : ROWS / 2;
    const int64_t words[] = {out->mc * out->k, out->n * out->k};
    for (int matrix = A; matrix <= B; matrix++) {
        s->at[matrix] = s->bytes;
        s->bytes += ashi_ceil_div(s->step / lanes * words[matrix] * bytes, ALIGNMENT) * ALIGNMENT;
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
    out->turned = ashi_positions_of(&p->cols) > ashi_positions_of(&p->rows); /* B is kept */
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
    bool past;     /* C goes past the caches */
    char *copy[2]; /* rows of A, all of B */
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
    for (int matrix = A; matrix <= B; matrix++)
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

/* Rows of A, or columns of B, of `count` products. Elements are taken in the order in which they lie. */
static void pack(const run *r, int matrix, ashi_positions some, const void *from, int64_t count)
{
    const ashi_contraction *const p = &r->plan->product;
    const int64_t k = r->plan->k, real = r->kernels->parts * r->kernels->lanes;
    const int64_t *const depth = r->depth[matrix], *const all = matrix == A ? r->row[0] : r->col[0];
    const int64_t *const side = all + some.from;
    const bool by_side = all[1] - all[0] <= depth[1] - depth[0];
    const ashi_scattered at = {by_side ? side : depth, by_side ? depth : side, by_side ? some.count : k,
                               by_side ? k : some.count};
    r->kernels->pack(&at, from, count, matrix == A ? p->conjugate_a : p->conjugate_b, by_side ? k : 1, by_side ? 1 : k,
                     some.count * k * real, r->copy[matrix]);
}

/* `count` products, which begin at a, b and c. */
static void run_some(const run *r, int64_t count, const char *a, const char *b, char *c)
{
    const ashi_contraction_plan *const x = r->plan;
    const int64_t lanes = r->kernels->lanes, size = r->bytes * lanes, k = r->sums ? x->k : 0;
    if (r->sums)
        pack(r, B, (ashi_positions){0, x->n}, b, count);
    for (int64_t i = 0; i < x->m; i += x->mc) {
        const ashi_positions rows = {i, ashi_min(x->mc, x->m - i)};
        const ashi_scattered to = {r->row[1] + i, r->col[1], rows.count, x->n};
        if (r->sums)
            pack(r, A, rows, a, count);
        for (int64_t l = 0, g = 0; l < count; l += lanes, g++)
            r->kernels->form(&to, k, r->copy[A] + g * rows.count * k * size, r->copy[B] + g * x->n * k * size,
                             ashi_min(lanes, count - l), r->alpha, r->beta, r->past, c + l * r->bytes);
    }
}

/* The products of one value of the indices that run slower: the first `lead` of them, then whole steps. */
static void run_line(const run *r, ashi_positions some, int64_t lead, const char *a, const char *b, char *c)
{
    const ashi_contraction_stage *const s = &r->plan->stage;
    for (int64_t i = some.from; i < some.from + some.count && !ashi_interrupt_asked(); i++) {
        const int64_t from = lead > 0 ? ashi_max(0, lead + (i - 1) * s->step) : i * s->step;
        const int64_t most = lead > 0 && i == 0 ? lead : s->step;
        run_some(r, ashi_min(most, s->fast.extent - from), r->sums ? a + from * r->bytes : NULL,
                 r->sums ? b + from * r->bytes : NULL, c + from * r->bytes);
    }
}

/* Products before the first one whose elements of C begin a line, if there are many and the copies have room. */
static int64_t lead_of(const run *r, const void *c)
{
    const int64_t before = (int64_t)((LINE - (uintptr_t)c % LINE) % LINE) / r->bytes;
    const bool fits = before <= r->plan->stage.step;
    return r->past && fits && r->plan->stage.fast.extent >= LEAD_LEAST * before ? before : 0;
}

void ashi_contraction_interleaved(const ashi_contraction_plan *plan, const void *alpha, const void *a, const void *b,
                                  const void *beta, void *c, int part, int parts, void *workspace)
{
    const ashi_contraction_stage *const s = &plan->stage;
    const int64_t bytes = (int64_t)ashi_type_of(plan->product.type)->bytes;
    const ashi_interleaved *all[ASHI_SIMD_KINDS];
    ashi_interleaved_all(plan->product.type, all);
    run r = {.plan = plan, .kernels = all[plan->kind], .bytes = bytes, .alpha = alpha, .beta = beta,
             .sums = !ashi_kernels_of(plan->product.type)->is_zero(alpha),
             .past = plan->m * plan->n * plan->batches * bytes >= PAST_BYTES};
    const char *const left = plan->turned ? b : a, *const right = plan->turned ? a : b;
    divide(&r, workspace);
    ashi_index_box outer;
    ashi_box_find(&s->outer, &(ashi_index_pieces){{0, 0}, {1, 1}}, 0, &outer);
    const int64_t lead = lead_of(&r, c), pieces = ashi_ceil_div(s->fast.extent - lead, s->step) + (lead > 0);
    const int64_t end = ashi_cut(outer.count * pieces, parts, part + 1);
    for (int64_t i = ashi_cut(outer.count * pieces, parts, part), count; i < end; i += count) {
        int64_t at[MATRICES];
        for (int matrix = A; matrix < MATRICES; matrix++)
            ashi_box_offsets(&outer, matrix, (ashi_positions){i / pieces, 1}, &at[matrix]);
        count = ashi_min(end - i, pieces - i % pieces);
        run_line(&r, (ashi_positions){i % pieces, count}, lead, r.sums ? left + at[A] * bytes : NULL,
                 r.sums ? right + at[B] * bytes : NULL, (char *)c + at[C] * bytes);
    }
    r.kernels->wait();
}
