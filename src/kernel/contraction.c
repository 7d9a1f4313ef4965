/* How a product of strided operands is done: its indices ordered and joined, its blocks sized for the caches. */
#include "kernel/contraction.h"

#include "base/checked.h"
#include "base/type.h"
#include "kernel/cache_blocks.h"
#include "kernel/contraction_blocks.h"
#include "kernel/contraction_groups.h"
#include "kernel/contraction_inner.h"
#include "kernel/contraction_interleaved.h"
#include "kernel/contraction_skinny.h"
#include "kernel/contraction_stage.h"
#include "kernel/contraction_thin.h"
#include "kernel/contraction_together.h"
#include "kernel/positions.h"

enum { A, B, C };

/* Neighbours that a block has at least, if there are any; positions of a box that has neighbours in two matrices. */
enum { RUN_ENOUGH = 16, LONG_RUN = 24, BOX_ROWS = 576, BOX_COLS = 2304, BOX_DEPTH = 400 };

/* Blocks of contractions that have rows only. */
enum { THIN_ROWS = 4096, THIN_DEPTH = 512, VECTOR_DEPTH = 4096, VECTOR_BYTES = 1 << 20, DEPTH_ENOUGH = 4 };

/* WIDEST: of the kinds of registers (base/simd.h), that whose lanes hold enough products each. */
enum { WIDEST = 0, BATCH_LONG = 64, SMALL = 96, ALIGNMENT = 64 };

/* Multiply-adds of a product up to which the BLAS, which packs less, is faster at any shape; half of it if they are
 * complex. */
static const double LITTLE = 1 << 17;

/* Bytes of a block of A that is transposed as it is packed: longer runs of memory save more than what such blocks lose
 * where they exceed the second level of cache. Of a panel of B beside a single block of A. */
enum { BLOCK_BYTES = 1600 << 10, PANEL_BYTES = 256 << 10 };

/* Registers that are multiplied and added in a cycle; cycles of a sum that goes to C by itself; how much sooner a
 * product has to be done with rows that are no neighbours in C. */
static const double ADDS_A_CYCLE = 2, PUT_CYCLES = 2, FILL_PAYS = 0.93;

/* Into how many pieces index number `which` is cut, so that it and those from `first` on have at most about `most`
 * values. */
static int64_t pieces_of(const ashi_stride_group *group, int first, int which, int64_t most)
{
    int64_t others = 1;
    for (int i = first; i < which; i++)
        others *= group->index[i].extent;
    const int64_t units = ashi_ceil_div(group->index[which].extent, ASHI_PIECE_UNIT);
    return ashi_max(1, ashi_ceil_div(units, ashi_max(1, most / ashi_max(1, others) / ASHI_PIECE_UNIT)));
}

/* Where neighbours in one matrix are not neighbours in another, blocks have some of both, so that every line of a cache
 * that is fetched is used: indices that run fast in one, as the group is ordered, are followed by those that run fast
 * in `other`. Of each a piece is taken, so that a box of both has about as many positions as a block. */
static ashi_index_pieces interleave(ashi_stride_group *group, int first, int other, int64_t block)
{
    const ashi_index_pieces whole = {{0, 0}, {1, 1}};
    const int fast = ashi_group_move_fast(group, first, 0, RUN_ENOUGH);
    if (fast == group->count)
        return whole;
    for (int i = 0; i < fast; i++)
        if (group->index[i].stride[other] == 1)
            return whole;
    const int both = ashi_group_move_fast(group, other, fast, RUN_ENOUGH);
    if (group->index[fast].stride[other] != 1)
        return whole;
    ashi_index_pieces out = {{fast - 1, both - 1}, {1, 1}};
    int64_t side = ASHI_PIECE_UNIT;
    while ((side + ASHI_PIECE_UNIT) * (side + ASHI_PIECE_UNIT) <= block)
        side += ASHI_PIECE_UNIT;
    out.count[1] = pieces_of(group, fast, both - 1, side);
    out.count[0] = pieces_of(group, 0, fast - 1, side);
    return out;
}

/* Rows of a block of A if it is a box of neighbours in A and in C. */
static int64_t box_rows(ashlar_type type, int64_t k)
{
    const int64_t most = BLOCK_BYTES / (int64_t)ashi_type_of(type)->bytes;
    return ashi_max(BOX_ROWS, most / ashi_max(1, k));
}

static void order_rows(ashi_contraction_plan *out)
{
    ashi_contraction *const p = &out->product;
    const int64_t k = ashi_positions_of(&p->depth);
    const int first = out->thin && k >= DEPTH_ENOUGH ? A : C, other = first == A ? C : A;
    ashi_group_order(&p->rows, first, other);
    ashi_group_join(&p->rows);
    out->rows = (ashi_index_pieces){{0, 0}, {1, 1}};
    if (first == C) /* else C is small beside A, whose order is kept */
        out->rows = interleave(&p->rows, first, other, out->thin ? THIN_ROWS : box_rows(p->type, k));
    if (out->thin && ashi_boxes_of(&out->rows) == 1 && p->rows.count > 0)
        out->rows = (ashi_index_pieces){{0, 0}, {ashi_max(1, p->rows.index[0].extent / THIN_ROWS), 1}};
}

static void order_all(ashi_contraction_plan *out)
{
    ashi_contraction *const p = &out->product;
    const bool vector = out->vector && ashi_positions_of(&p->rows) >= ASHI_ROWS_ENOUGH;
    const bool b_first = !vector && ashi_group_neighbours(&p->depth, B) >= 0 && ashi_group_neighbours(&p->depth, A) < 0;
    order_rows(out);
    const bool long_runs = p->rows.count > 0 && p->rows.index[0].extent >= LONG_RUN;
    const bool b_is_larger = ashi_positions_of(&p->depth) >= ashi_positions_of(&p->rows); /* than C */
    const int cols_first = (long_runs || b_is_larger) && ashi_group_neighbours(&p->cols, B) >= 0 ? B : C;
    ashi_group_order(&p->cols, cols_first, cols_first == B ? C : B);
    ashi_group_order(&p->depth, b_first ? B : A, b_first ? A : B);
    ashi_group_order(&p->batch, C, A);
    ashi_group_join(&p->cols), ashi_group_join(&p->depth), ashi_group_join(&p->batch);
    out->cols = interleave(&p->cols, cols_first, cols_first == B ? C : B, BOX_COLS);
    out->depth = (ashi_index_pieces){{0, 0}, {1, 1}};
    out->inner = out->thin && !vector && ashi_contraction_is_inner(p);
    if (!vector && !out->inner)
        out->depth = interleave(&p->depth, b_first ? B : A, b_first ? A : B, BOX_DEPTH);
}

void ashi_contraction_blocks(ashi_contraction_plan *plan, int64_t mc, int64_t nc, int64_t kc)
{
    if (plan->interleaved)
        return;
    plan->mc = mc, plan->nc = nc, plan->kc = kc;
    if (plan->skinny != ASHI_SKINNY_NOT) {
        plan->bytes = ashi_contraction_skinny_bytes(plan);
        return;
    }
    if (plan->thin) {
        plan->bytes = plan->stage.bytes + ashi_contraction_thin_bytes(plan->product.type, mc, kc);
        return;
    }
    plan->bytes = plan->stage.bytes + ashi_contraction_in_blocks_bytes(plan);
}

/* Blocks as for any product, with three exceptions. Products that are packed together have blocks of their own. Where
 * blocks of A are transposed as they are packed they have enough rows for whole boxes, and therefore less depth. If A
 * is a single block, panels of B need not be large. */
static void choose_blocks(ashi_contraction_plan *plan)
{
    if (plan->together > 1) {
        const ashi_cache_blocks some = ashi_contraction_together_blocks(plan);
        ashi_contraction_blocks(plan, some.mc, some.nc, some.kc);
        return;
    }
    const ashi_micro *const micro = ashi_micro_of(plan->product.type);
    const int64_t bytes = (int64_t)ashi_type_of(plan->product.type)->bytes;
    const bool boxes = ashi_boxes_of(&plan->rows) > 1;
    ashi_cache_blocks blocks = ashi_cache_blocks_of(plan->product.type, plan->m, plan->n, plan->k,
                                                    boxes ? BLOCK_BYTES / (BOX_ROWS * bytes) : 0);
    if (boxes)
        blocks.mc = box_rows(plan->product.type, blocks.kc);
    if (plan->m <= blocks.mc)
        blocks.nc = ashi_min(blocks.nc, ashi_max(1, PANEL_BYTES / (blocks.kc * bytes) / micro->cols) * micro->cols);
    ashi_contraction_blocks(plan, blocks.mc, blocks.nc, blocks.kc);
}

/* Whether an index of the batch runs fastest in all three matrices, and for long. */
static bool batch_runs(const ashi_contraction *p)
{
    for (int i = 0; i < p->batch.count; i++) {
        const ashi_index *const x = &p->batch.index[i];
        if (x->extent >= BATCH_LONG && x->stride[A] == 1 && x->stride[B] == 1 && x->stride[C] == 1)
            return true;
    }
    return false;
}

/* Whether the BLAS takes a matrix as it lies: neighbours on one side, a leading dimension on the other. */
static bool is_matrix(const ashi_stride_group *minor, const ashi_stride_group *major, int matrix)
{
    if (minor->count != 1 || major->count > 1)
        return false;
    const ashi_index x = minor->index[0], y = major->count > 0 ? major->index[0] : (ashi_index){1, {0}};
    const int64_t by_x = x.stride[matrix], by_y = major->count > 0 ? y.stride[matrix] : x.extent;
    return (by_x == 1 && by_y >= x.extent) || (by_y == 1 && by_x >= y.extent);
}

static bool is_little(const ashi_contraction_plan *x)
{
    const double most = ashi_type_of(x->product.type)->complex ? LITTLE / 2 : LITTLE;
    return (double)x->m * (double)x->n * (double)x->k <= most;
}

/* Whether matrices are the BLAS's, and it is faster: many of them are small. */
static bool is_small(const ashi_contraction_plan *x)
{
    const ashi_contraction *const p = &x->product;
    const bool short_sides = x->m <= SMALL && x->n <= SMALL && x->k <= SMALL;
    return !x->thin && (is_little(x) || short_sides) && !p->conjugate_a && !p->conjugate_b &&
           is_matrix(&p->rows, &p->cols, C) && is_matrix(&p->rows, &p->depth, A) && is_matrix(&p->cols, &p->depth, B);
}

/* Every index of the batch may be one of rows for which B differs, and every index of columns one for which A does. */
static void make_rows_of(ashi_contraction *p, ashi_stride_group *group)
{
    while (group->count > 0)
        p->rows.index[p->rows.count++] = group->index[--group->count];
}

/* Whether all rows have the same elements of B. */
static bool is_vector(const ashi_stride_group *rows)
{
    for (int i = 0; i < rows->count; i++)
        if (rows->index[i].extent > 1 && rows->index[i].stride[B] != 0)
            return false;
    return true;
}

static void find_sizes(ashi_contraction_plan *out)
{
    const ashi_contraction *const p = &out->product;
    out->m = ashi_positions_of(&p->rows), out->n = ashi_positions_of(&p->cols);
    out->k = ashi_positions_of(&p->depth), out->batches = ashi_positions_of(&p->batch);
}

/* Whether one matrix has few columns, and the other one is read where it lies. */
static bool make_skinny(ashi_contraction_plan *out)
{
    ashi_contraction *const p = &out->product;
    out->turned = ashi_positions_of(&p->rows) < ashi_positions_of(&p->cols);
    if (out->turned)
        ashi_contraction_turn(p);
    out->skinny = ashi_contraction_skinny_find(p, &out->kind);
    if (out->skinny == ASHI_SKINNY_NOT) {
        if (out->turned)
            ashi_contraction_turn(p);
        out->turned = false;
        return false;
    }
    ashi_group_order(&p->rows, A, C), ashi_group_order(&p->cols, C, B);
    ashi_group_order(&p->depth, A, B), ashi_group_order(&p->batch, C, A);
    ashi_group_join(&p->rows), ashi_group_join(&p->cols), ashi_group_join(&p->depth), ashi_group_join(&p->batch);
    out->rows = out->cols = out->depth = (ashi_index_pieces){{0, 0}, {1, 1}};
    find_sizes(out);
    ashi_contraction_skinny_choose(out);
    return true;
}

/* The elements of a matrix that a group of indices has. */
static int64_t words_of(const ashi_stride_group *group, int matrix)
{
    int64_t words = 1;
    for (int i = 0; i < group->count; i++)
        words *= group->index[i].stride[matrix] != 0 ? group->index[i].extent : 1;
    return words;
}

/* Whether vectors are to be brought into the order of A's sums: they are small beside A, as each is one for
 * ASHI_ROWS_ENOUGH rows or more, and A's sums are neighbours if there are several vectors. */
static bool copies_pay(const ashi_contraction_plan *out, const ashi_stride_group *depth)
{
    const ashi_contraction *const p = &out->product;
    const int64_t bytes = (int64_t)ashi_type_of(p->type)->bytes, vectors = words_of(&p->rows, B);
    int64_t words = 1;
    bool ordered = true;
    for (int i = 0; i < depth->count; i++) {
        ordered = ordered && depth->index[i].stride[B] == words;
        words *= depth->index[i].extent;
    }
    return out->thin && !ordered && out->m >= ASHI_ROWS_ENOUGH * vectors && words <= VECTOR_BYTES / bytes / vectors &&
           (out->vector || ashi_group_neighbours(depth, A) >= 0);
}

static void copy_vectors(ashi_contraction_plan *out)
{
    ashi_contraction *const p = &out->product;
    ashi_stride_group *const copy = &out->stage.copy[B], *const groups[] = {&p->depth, &p->rows}, depth = p->depth;
    const int64_t bytes = (int64_t)ashi_type_of(p->type)->bytes;
    int64_t words = 1;
    ashi_group_order(&p->depth, A, B);
    if (!copies_pay(out, &p->depth)) {
        p->depth = depth;
        return;
    }
    for (int g = 0; g < 2; g++)
        for (int i = 0; i < groups[g]->count; i++) {
            ashi_index *const x = &groups[g]->index[i];
            if (groups[g] == &p->rows && x->stride[B] == 0)
                continue;
            copy->index[copy->count++] = (ashi_index){x->extent, {x->stride[B], 0, words}};
            x->stride[B] = words;
            words *= x->extent;
        }
    ashi_group_join(&p->depth);
    out->depth = (ashi_index_pieces){{0, 0}, {1, 1}};
    out->inner = false;
    out->vector_copied = true;
    out->stage.bytes = ashi_ceil_div(words * bytes, ALIGNMENT) * ALIGNMENT;
}

/* Cycles that a product's registers take, full or not, where `rows` fill them, and those of sums that go to C one by
 * one if rows are no neighbours there. */
static double cycles_of(const ashi_contraction *p, int64_t rows, int64_t cols, int64_t k, bool one_by_one)
{
    const ashi_micro *const micro = ashi_micro_of(p->type);
    const double adds = ashi_type_of(p->type)->complex ? 4 : 1;
    const int64_t rest = cols % micro->cols;
    const int64_t last = rest > micro->cols / 2 ? micro->cols : rest > micro->cols / 4 ? micro->cols / 2 :
                         rest > 0 ? micro->cols / 4 : 0;
    const double full = (double)ashi_ceil_div(rows, micro->lanes) * (double)(cols - rest + last);
    const double sums = full * (double)k * adds / ADDS_A_CYCLE;
    return one_by_one ? sums + PUT_CYCLES * (double)rows * (double)cols : sums;
}

/* Whether rows and columns change places: so that neighbours in C are rows, unless these fill the registers badly. */
static bool is_to_turn(const ashi_contraction *p, bool free)
{
    const int64_t m = ashi_positions_of(&p->rows), n = ashi_positions_of(&p->cols), k = ashi_positions_of(&p->depth);
    const bool turns = (n > 1 && ashi_group_neighbours(&p->cols, C) >= 0) || (m == 1 && n > 1);
    const int64_t rows = turns ? n : m, cols = turns ? m : n;
    if (!free || ashi_min(m, n) == 1 || k == 1)
        return turns;
    return cycles_of(p, cols, rows, k, true) < FILL_PAYS * cycles_of(p, rows, cols, k, false) ? !turns : turns;
}

static void make(const ashi_contraction *product, bool skinny, bool copies, ashi_contraction_plan *out);

/* A product with few columns is the BLAS's if it is little, has about as many rows, and lies as the BLAS takes it. */
static void prefer_small(const ashi_contraction *product, ashi_contraction_plan *inout)
{
    ashi_contraction_plan usual;
    if (inout->m >= ASHI_SKINNY_RATIO * inout->n || !is_little(inout))
        return;
    make(product, false, true, &usual);
    if (usual.small)
        *inout = usual;
}

/* How a product is done: by few columns, if `skinny`; a vector may be copied, if `copies`. */
static void make(const ashi_contraction *product, bool skinny, bool copies, ashi_contraction_plan *out)
{
    *out = (ashi_contraction_plan){.product = *product, .stage = {.whole = *product}, .together = 1, .lanes = {1, {0}}};
    ashi_contraction *const p = &out->product;
    const bool together = copies && ashi_contraction_together_find(out);
    if (skinny && !together && make_skinny(out)) {
        prefer_small(product, out);
        return;
    }
    const int64_t m = ashi_positions_of(&p->rows), n = ashi_positions_of(&p->cols);
    const ashi_index lanes = out->lanes;
    if (is_to_turn(p, !together && !batch_runs(p))) {
        ashi_contraction_turn(p);
        out->turned = true;
        out->lanes.stride[A] = lanes.stride[B], out->lanes.stride[B] = lanes.stride[A];
    }
    out->thin = (m == 1 || n == 1 || ashi_positions_of(&p->depth) == 1 || batch_runs(p)) &&
                p->rows.count + p->cols.count + p->batch.count <= ASHI_CONTRACTION_INDICES;
    if (out->thin) {
        make_rows_of(p, &p->batch);
        make_rows_of(p, &p->cols);
        out->vector = is_vector(&p->rows);
    }
    order_all(out);
    find_sizes(out);
    out->small = !together && is_small(out);
    out->batches *= out->lanes.extent;
    if (copies)
        copy_vectors(out);
    if (out->thin)
        ashi_contraction_blocks(out, THIN_ROWS, 0, out->vector || out->vector_copied ? VECTOR_DEPTH : THIN_DEPTH);
    else
        choose_blocks(out);
}

/* Whether copies are better than products that are packed together: only the smaller operand's elements interleave, and
 * the other one has the columns. */
static bool copies_instead(const ashi_contraction_plan *plan)
{
    const int64_t *const stride = plan->lanes.stride;
    return plan->together > 1 && stride[A] == 1 && stride[B] != 1 && stride[C] != 1 && plan->m < plan->n;
}

void ashi_contraction_make(const ashi_contraction *product, ashi_contraction_plan *out)
{
    ashi_contraction inner;
    ashi_contraction_stage stage;
    if (ashi_simd_widest() == WIDEST && ashi_contraction_interleaved_make(product, out))
        return;
    make(product, true, true, out);
    if (!copies_instead(out) || !ashi_contraction_stage_find(product, &stage, &inner))
        return;
    make(&inner, false, false, out);
    out->stage = stage;
    out->batches = ashi_positions_of(&product->batch);
    ashi_contraction_blocks(out, out->mc, out->nc, out->kc);
}

bool ashi_contraction_unstage(ashi_contraction_plan *plan)
{
    if (plan->stage.step == 0 && plan->together <= 1 && !plan->vector_copied)
        return false;
    const ashi_contraction whole = plan->stage.whole;
    make(&whole, true, false, plan);
    return true;
}
