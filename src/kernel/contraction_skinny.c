/* The loops of a product with few columns: blocks of rows, parts of the sum, then runs of neighbours. */
#include "kernel/contraction_skinny.h"

#include "base/checked.h"
#include "base/interrupt.h"
#include "base/type.h"
#include "kernel/contraction_groups.h"
#include "kernel/kernels.h"
#include "kernel/pack.h"
#include "kernel/positions.h"
#include "kernel/skinny.h"
#include "kernel/skinny_pack.h"

#include <string.h>

/* COLS_MOST: real columns; COLS_EVEN: beside less than ASHI_SKINNY_RATIO times as many rows. ROWS_LEAST: of rows;
 * the sum has ASHI_SKINNY_RATIO times as many positions as there are columns, or the blocks of other products are
 * faster. TOTALS: the same where a sum goes along registers, whose lanes are added in the end; COLS_BYTES: its
 * columns then. COLS_SHORT: real columns of rows whose runs do not fill the widest register, from which on packing
 * them pays; COLS_POOR: of rows whose runs fill less than three quarters of the registers that they take.
 * VECTOR_DEPTH: least sum of a single complex column whose neighbours in A come in pieces. DEPTH_SOME: positions of
 * the sum after which the next rows follow, so that their part of the first level of cache is kept. GAP: elements
 * between columns of the sums, whose distance is then no power of two. RUN_LEAST, BYTES_LEAST: of neighbours. */
enum { A, B, C, MATRICES, COLS_MOST = 80, COLS_EVEN = 200, ROWS_LEAST = 4, TOTALS = 8, COLS_BYTES = 400,
       DEPTH_LEAST = 4, VECTOR_DEPTH = 128, COLS_SHORT = 12, COLS_POOR = 28 };
enum { ROWS = 1024, DEPTH = 512, DEPTH_SOME = 64, GAP = 8, PADDING = 64, LINE = 64, RUN_LEAST = 8, BYTES_LEAST = 32,
       BATCHES_ENOUGH = 8 };

typedef struct work {
    const ashi_contraction_plan *plan;
    const ashi_skinny *kernels;
    const ashi_skinny_pack *pack;
    const ashi_pack *put;
    size_t bytes;              /* of an element */
    int64_t parts_of;          /* real numbers of an element */
    const void *alpha, *beta;  /* alpha: NULL for 1 */
    bool clear, scales, sums;  /* beta = 0; C is scaled first; there are products to add */
    bool packed_once;          /* B has one block, and that is packed */
    char *sum, *packed, *rows; /* sums of a block; a block of B; rows of A that have been brought together */
    int64_t stride;            /* elements from one column of the sums to the next */
    int64_t *row[2], *col[2], *depth[2]; /* in A and C, in B and C, in A and B */
    int64_t *place, *line;     /* where columns of the sums are; positions of the sum in A, in real numbers */
} work;

/* Values of the index of a group that runs fastest in A, if its elements are neighbours; else 0. Indices that follow it
 * without a gap in A count. */
static int64_t neighbours_of(const ashi_stride_group *group)
{
    int64_t count = 1;
    for (int found = 1; found;) {
        found = 0;
        for (int i = 0; i < group->count; i++)
            if (group->index[i].extent > 1 && group->index[i].stride[A] == count) {
                count *= group->index[i].extent;
                found = 1;
                break;
            }
    }
    return count > 1 ? count : 0;
}

ashi_skinny_way ashi_contraction_skinny_find(const ashi_contraction *p, int *kind)
{
    const ashi_type *const type = ashi_type_of(p->type);
    const int64_t parts = type->complex ? 2 : 1, real = (int64_t)type->bytes / parts;
    const int64_t m = ashi_positions_of(&p->rows), n = ashi_positions_of(&p->cols), k = ashi_positions_of(&p->depth);
    const bool even = m < ASHI_SKINNY_RATIO * n;
    if (n * parts > (even ? COLS_EVEN : COLS_MOST) || m < ROWS_LEAST || k < DEPTH_LEAST || k < ASHI_SKINNY_RATIO * n)
        return ASHI_SKINNY_NOT;
    const int64_t across = neighbours_of(&p->rows), along = neighbours_of(&p->depth);
    const ashi_skinny *all[ASHI_SIMD_KINDS];
    const int kinds = ashi_skinny_all(real == (int64_t)sizeof(float) ? ASHLAR_TYPE_S : ASHLAR_TYPE_D, all);
    if (across * parts * real >= BYTES_LEAST) {
        for (*kind = 0; *kind < kinds - 1 && all[*kind]->lanes > across * parts;)
            ++*kind;
        const int64_t lanes = all[*kind]->lanes, lines = ashi_ceil_div(across * parts, lanes) * lanes;
        const bool poor = 4 * across * parts < 3 * lines;
        if (n * parts >= (*kind > 0 ? COLS_SHORT : poor ? COLS_POOR : COLS_EVEN + 1))
            return ASHI_SKINNY_NOT; /* packed, rows fill the widest registers */
        return n > 1 || *kind > 0 ? ASHI_SKINNY_ACROSS : ASHI_SKINNY_NOT;
    }
    *kind = 0;
    const int fast = ashi_group_neighbours(&p->depth, A);
    if (even && fast >= 0 && fast == ashi_group_neighbours(&p->depth, B))
        return ASHI_SKINNY_NOT; /* to pack both, long runs of them are read */
    const bool pays = n > 1 ? n * parts * real <= COLS_BYTES && k >= TOTALS * n :
                              type->complex && k >= VECTOR_DEPTH && along < k;
    return pays && along >= RUN_LEAST ? ASHI_SKINNY_ALONG : ASHI_SKINNY_NOT;
}

void ashi_contraction_skinny_choose(ashi_contraction_plan *plan)
{
    plan->mc = ashi_min(ROWS, plan->m);
    plan->nc = plan->n;
    plan->kc = ashi_min(DEPTH, plan->k);
    plan->bytes = ashi_contraction_skinny_bytes(plan);
}

static int64_t padded(int64_t bytes)
{
    return ashi_ceil_div(bytes, PADDING) * PADDING;
}

/* `across` makes two sums of each complex one. */
static int64_t sums_bytes(const ashi_contraction_plan *plan)
{
    return padded((plan->mc + GAP) * plan->nc * (int64_t)ashi_type_of(plan->product.type)->bytes *
                  (ashi_type_of(plan->product.type)->complex ? 2 : 1));
}

/* Numbers of a column of B in the order of `along`, in bytes. */
static int64_t ld_bytes(const ashi_contraction_plan *plan)
{
    return padded(plan->kc * (int64_t)ashi_type_of(plan->product.type)->bytes);
}

/* A group of columns may be twice as wide as it need be. */
static int64_t packed_bytes(const ashi_contraction_plan *plan)
{
    return 2 * plan->nc * ld_bytes(plan);
}

int64_t ashi_contraction_skinny_bytes(const ashi_contraction_plan *plan)
{
    const int64_t lists = 2 * (plan->mc + plan->nc + plan->kc) + 2 * plan->nc + plan->kc;
    return sums_bytes(plan) + packed_bytes(plan) + ASHI_SKINNY_TOGETHER * ld_bytes(plan) +
           lists * (int64_t)sizeof(int64_t);
}

static void divide(work *r, char *workspace)
{
    const ashi_contraction_plan *const plan = r->plan;
    r->sum = workspace;
    r->packed = r->sum + sums_bytes(plan);
    r->rows = r->packed + packed_bytes(plan);
    int64_t *at = (int64_t *)(void *)(r->rows + ASHI_SKINNY_TOGETHER * ld_bytes(plan));
    for (int i = 0; i < 2; i++) {
        r->row[i] = at;
        r->col[i] = r->row[i] + plan->mc;
        r->depth[i] = r->col[i] + plan->nc;
        at = r->depth[i] + plan->kc;
    }
    r->place = at;
    r->line = r->place + 2 * plan->nc;
}

/* Numbers of a row of B as `across` has it. */
static int64_t packed_width(const work *r, int n)
{
    const int rest = n % r->kernels->width;
    return n - rest + (rest > 0 ? ashi_skinny_width(rest) : 0);
}

/* B in blocks of some positions of the sum, each of which is packed for itself. */
static void pack_across(const work *r, int64_t cols, int64_t depth, const char *b)
{
    const int64_t row = packed_width(r, (int)(cols * r->parts_of)) * ((int64_t)r->bytes / r->parts_of);
    for (int64_t p = 0; p < depth; p += DEPTH_SOME) {
        const ashi_scattered at = {r->col[0], r->depth[B] + p, cols, ashi_min(DEPTH_SOME, depth - p)};
        r->pack->across(&at, b, r->alpha, r->plan->product.conjugate_b, r->kernels->width, r->packed + p * row);
    }
}

/* Rows of a block that are neighbours in A, some positions of the sum at a time. */
static void across(const work *r, ashi_positions rows, int64_t run, int n, int64_t depth, const char *a)
{
    const int64_t row = packed_width(r, n) * ((int64_t)r->bytes / r->parts_of);
    for (int64_t p = 0; p < depth; p++)
        r->line[p] = r->depth[A][p] * r->parts_of;
    for (int64_t p = 0; p < depth; p += DEPTH_SOME)
        for (int64_t i = 0; i < rows.count; i += run)
            r->kernels->across(r->parts_of * ashi_min(run, rows.count - i), n, ashi_min(DEPTH_SOME, depth - p),
                               a + r->row[0][i] * (int64_t)r->bytes, r->line + p, r->packed + p * row,
                               r->sum + i * (int64_t)r->bytes, r->parts_of * r->stride);
}

/* Rows of A whose positions of the sum come in several pieces of neighbours, which end[q] are the ends of, are brought
 * together. The caches fetch those of the rows after them. */
static void bring(const work *r, const char *a, int64_t row, int64_t next, const int64_t *end, int64_t pieces, char *to)
{
    const int64_t bytes = (int64_t)r->bytes;
    for (int64_t q = 0, p = 0; q < pieces; p = end[q++]) {
        const char *const from = a + (row + r->depth[A][p]) * bytes;
        const int64_t size = (end[q] - p) * bytes;
        for (int64_t l = 0; l < size; l += LINE)
            __builtin_prefetch(from + (next - row) * bytes + l);
        memcpy(to + p * bytes, from, (size_t)size);
    }
}

/* Where the pieces end; returns how many there are. */
static int64_t find_pieces(const int64_t *at, int64_t depth, int64_t *end)
{
    int64_t pieces = 0;
    for (int64_t p = 0; p < depth; end[pieces++] = p)
        p += ashi_neighbours(at + p, depth - p);
    return pieces;
}

/* Positions of the sum that are neighbours in A, for some rows at a time. */
static void along(const work *r, int64_t rows, int n, int64_t depth, const char *a)
{
    const int64_t real = (int64_t)r->bytes / r->parts_of, ld = ld_bytes(r->plan) / real, *const row = r->row[0];
    const int64_t pieces = find_pieces(r->depth[A], depth, r->line);
    for (int64_t i = 0; i < rows; i += ASHI_SKINNY_TOGETHER) {
        int64_t at[ASHI_SKINNY_TOGETHER];
        const int some = (int)ashi_min(ASHI_SKINNY_TOGETHER, rows - i);
        for (int l = 0; l < some; l++) {
            at[l] = pieces == 1 ? r->parts_of * (row[i + l] + r->depth[A][0]) : l * ld;
            if (pieces > 1)
                bring(r, a, row[i + l], row[ashi_min(i + l + ASHI_SKINNY_TOGETHER, rows - 1)], r->line, pieces,
                      r->rows + l * ld * real);
        }
        r->kernels->along(some, n, r->parts_of * depth, pieces == 1 ? a : r->rows, at, r->packed, ld,
                          r->sum + i * (int64_t)r->bytes, r->parts_of, r->place);
    }
}

/* Part of the sum for a block. */
static void add_depth(work *r, ashi_positions rows, int64_t run, int64_t cols, int64_t depth, const char *a,
                      const char *b)
{
    const ashi_contraction *const p = &r->plan->product;
    const int n = (int)(cols * r->parts_of);
    if (r->plan->skinny == ASHI_SKINNY_ACROSS) {
        if (!r->packed_once)
            pack_across(r, cols, depth, b);
        across(r, rows, run, n, depth, a);
        return;
    }
    const ashi_scattered at = {r->col[0], r->depth[B], cols, depth};
    if (!r->packed_once)
        r->pack->along(&at, b, r->alpha, p->conjugate_b, p->conjugate_a,
                       ld_bytes(r->plan) / ((int64_t)r->bytes / r->parts_of), r->packed);
    along(r, rows.count, n, depth, a);
}

/* The sums of a block, which go to C. */
static void run_block(work *r, const ashi_index_box *depth, ashi_positions rows, int64_t run, int64_t cols,
                      const char *a, const char *b, char *c)
{
    const bool is_across = r->plan->skinny == ASHI_SKINNY_ACROSS;
    const ashi_scattered at = {r->row[1], r->col[1], rows.count, cols};
    const int64_t step = is_across ? r->parts_of * r->stride : r->stride;
    if (r->scales)
        r->put->scale(&at, r->beta, c);
    if (!r->sums)
        return;
    for (int64_t j = 0; j < cols * (step / r->stride); j++)
        memset(r->sum + j * r->stride * (int64_t)r->bytes, 0, (size_t)rows.count * r->bytes);
    for (int64_t j = 0; j < cols * r->parts_of; j++)
        r->place[j] = j / r->parts_of * r->stride * r->parts_of + j % r->parts_of;
    for (int64_t p = 0; p < depth->count; p += r->plan->kc) {
        const ashi_positions some = {p, ashi_min(r->plan->kc, depth->count - p)};
        ashi_box_offsets(depth, A, some, r->depth[A]);
        ashi_box_offsets(depth, B, some, r->depth[B]);
        add_depth(r, rows, run, cols, some.count, a, b);
        r->packed_once = depth->count <= r->plan->kc;
    }
    if (is_across)
        r->pack->join(rows.count, cols, r->plan->product.conjugate_a, r->sum, r->parts_of * r->stride);
    r->put->put(&at, r->sum, (int)step, !r->clear, c);
}

/* Rows of a block from `row` on: whole runs of neighbours in A, of `extent` rows each, or part of one. *run: rows of
 * one run. */
static int64_t block_from(const work *r, int64_t extent, int64_t row, int64_t most, int64_t *run)
{
    const int64_t in = row % extent;
    if (in == 0 && extent <= r->plan->mc) {
        *run = extent;
        return ashi_min(most, r->plan->mc / extent * extent);
    }
    const int64_t pieces = ashi_ceil_div(extent, r->plan->mc), piece = ashi_ceil_div(extent, pieces);
    *run = ashi_min(most, ashi_min(piece, extent - in));
    return *run;
}

/* All rows of the part, for one product of the batch. */
static void run_product(work *r, ashi_positions part, const char *a, const char *b, char *c)
{
    const ashi_index_pieces whole = {{0, 0}, {1, 1}};
    ashi_index_box rows, cols, depth;
    ashi_box_find(&r->plan->product.rows, &whole, 0, &rows);
    ashi_box_find(&r->plan->product.cols, &whole, 0, &cols);
    ashi_box_find(&r->plan->product.depth, &whole, 0, &depth);
    int64_t extent = 1;
    for (int i = 0; i < rows.group.count && rows.group.index[i].stride[A] == extent; i++)
        extent *= rows.group.index[i].extent;
    for (int64_t j = 0; j < cols.count; j += r->plan->nc) {
        const ashi_positions panel = {j, ashi_min(r->plan->nc, cols.count - j)};
        ashi_box_offsets(&cols, B, panel, r->col[0]);
        ashi_box_offsets(&cols, C, panel, r->col[1]);
        r->packed_once = false;
        for (int64_t i = part.from, count, run; i < part.from + part.count && !ashi_interrupt_asked(); i += count) {
            count = block_from(r, extent, i, part.from + part.count - i, &run);
            ashi_box_offsets(&rows, A, (ashi_positions){i, count}, r->row[0]);
            ashi_box_offsets(&rows, C, (ashi_positions){i, count}, r->row[1]);
            run_block(r, &depth, (ashi_positions){i, count}, run, panel.count, a, b, c);
        }
    }
}

void ashi_contraction_skinny(const ashi_contraction_plan *plan, const void *alpha, const void *a, const void *b,
                             const void *beta, void *c, int part, int parts, void *workspace)
{
    const ashlar_type type = plan->product.type;
    const ashi_kernels *const kernels = ashi_kernels_of(type);
    const ashi_skinny *all[ASHI_SIMD_KINDS];
    work r = {.plan = plan, .pack = ashi_skinny_pack_of(type), .put = ashi_pack_of(type), .beta = beta,
             .bytes = ashi_type_of(type)->bytes, .parts_of = ashi_type_of(type)->complex ? 2 : 1,
             .stride = plan->mc + GAP, .clear = kernels->is_zero(beta)};
    ashi_skinny_all((int64_t)r.bytes / r.parts_of == (int64_t)sizeof(float) ? ASHLAR_TYPE_S : ASHLAR_TYPE_D, all);
    r.kernels = all[plan->kind];
    r.alpha = memcmp(alpha, kernels->one, r.bytes) != 0 ? alpha : NULL;
    r.sums = plan->k > 0 && !kernels->is_zero(alpha);
    r.scales = r.clear ? !r.sums : memcmp(beta, kernels->one, r.bytes) != 0;
    divide(&r, workspace);
    const bool by_batch = plan->batches % parts == 0 || plan->batches >= BATCHES_ENOUGH * parts;
    const int64_t from = by_batch ? ashi_cut(plan->batches, parts, part) : 0;
    const int64_t to = by_batch ? ashi_cut(plan->batches, parts, part + 1) : plan->batches;
    const int64_t row = by_batch ? 0 : ashi_cut(plan->m, parts, part);
    const ashi_positions rows = {row, by_batch ? plan->m : ashi_cut(plan->m, parts, part + 1) - row};
    ashi_index_box batch;
    ashi_box_find(&plan->product.batch, &(ashi_index_pieces){{0, 0}, {1, 1}}, 0, &batch);
    for (int64_t x = from; x < to; x++) {
        int64_t at[MATRICES];
        for (int matrix = A; matrix < MATRICES; matrix++) {
            ashi_box_offsets(&batch, matrix, (ashi_positions){x, 1}, &at[matrix]);
            at[matrix] *= (int64_t)r.bytes;
        }
        const char *const left = plan->turned ? b : a, *const right = plan->turned ? a : b;
        run_product(&r, rows, r.sums ? left + at[A] : NULL, r.sums ? right + at[B] : NULL, (char *)c + at[C]);
    }
}
