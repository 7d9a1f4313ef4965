/* The loops of a product of strided operands: panels of B's columns, parts of the sum, blocks of A's rows, then the
 * innermost product for each small block of C. */
#include "kernel/contraction_blocks.h"

#include "base/checked.h"
#include "base/interrupt.h"
#include "base/type.h"
#include "kernel/kernels.h"
#include "kernel/micro.h"
#include "kernel/pack.h"
#include "kernel/positions.h"

#include <stdalign.h>
#include <string.h>

/* AHEAD: positions of the sum that are added up while what the caches fetch is on its way. */
enum { A, B, C, LINE = 64, BATCHES_ENOUGH = 8, AHEAD = 48 };

typedef struct run {
    const ashi_contraction_plan *plan;
    const ashi_micro *micro;
    const ashi_pack *pack;
    size_t bytes; /* of an element */
    const void *alpha, *beta;   /* alpha: NULL for 1 */
    bool clear, scales, sums;  /* beta = 0; C is scaled first; there are products to add */
    char *packed_a, *packed_b; /* a block of A, a panel of B, of each product */
    char *tiles;               /* small blocks of C of products that interleave there */
    int64_t count;             /* products that are done together */
    bool each;                 /* of which blocks of A are packed one after the other */
    int64_t apart[3];          /* elements from one to the next in A, B and C */
    int64_t size[2];           /* elements from one's block of A to the next's, likewise of panels of B */
    int64_t *row[2], *col[2];  /* where the block's rows lie in A and C, its columns in B and C */
    int64_t *depth[2];         /* where the positions of the sum lie in A and B */
    bool *whole;               /* for each panel of the block: whether rows of a register are neighbours in C */
    bool only_block, packed_once; /* A has one block; it has been packed */
    bool by_rows;              /* the parts have rows of their own, or columns */
    int part, parts;
} run;

/* The caches fetch where a small block of C lies. */
static void fetch(const run *r, ashi_positions rows, ashi_positions cols, const char *c)
{
    const int64_t line = LINE / (int64_t)r->bytes;
    const int64_t *const row = r->row[1] + rows.from, *const col = r->col[1] + cols.from;
    for (int64_t j = 0; j < cols.count; j++) {
        const char *const column = c + col[j] * (int64_t)r->bytes;
        for (int64_t i = 0; i < rows.count; i += line)
            __builtin_prefetch(column + row[i] * (int64_t)r->bytes, 1);
        __builtin_prefetch(column + row[rows.count - 1] * (int64_t)r->bytes, 1);
    }
}

static ashi_positions part_of(int64_t count, int unit, int part, int parts)
{
    const int64_t from = ashi_cut_units(count, unit, parts, part);
    return (ashi_positions){from, ashi_cut_units(count, unit, parts, part + 1) - from};
}

/* A small block of C: the sums go there at once if rows of each register are neighbours, else by way of a buffer. */
static void form(const run *r, ashi_positions rows, ashi_positions cols, int64_t k, const char *a, const char *b,
                 bool add, char *c)
{
    alignas(double _Complex) char sums[ASHI_MICRO_ROWS_MOST * ASHI_MICRO_COLS_MOST * sizeof(double)];
    const int height = r->micro->rows;
    const int64_t *const row = r->row[1] + rows.from, *const col = r->col[1] + cols.from;
    if (r->whole[rows.from / height]) {
        r->micro->form((int)rows.count, (int)cols.count, k, a, b, add, c, row, col);
        return;
    }
    int64_t at[ASHI_MICRO_COLS_MOST];
    for (int j = 0; j < (int)cols.count; j++)
        at[j] = (int64_t)j * height;
    r->micro->form((int)rows.count, (int)cols.count, k, a, b, false, sums, NULL, at);
    r->pack->put(&(ashi_scattered){row, col, rows.count, cols.count}, sums, height, add, c);
}

/* The same of products whose elements of C interleave: one after the other in buffers, then all go to C. */
static void form_together(const run *r, ashi_positions rows, ashi_positions cols, int64_t k, const char *a,
                          const char *b, bool add, char *c)
{
    const int height = r->micro->rows;
    const int64_t tile = (int64_t)height * r->micro->cols, bytes = (int64_t)r->bytes;
    int64_t at[ASHI_MICRO_COLS_MOST];
    for (int j = 0; j < (int)cols.count; j++)
        at[j] = (int64_t)j * height;
    for (int64_t l = 0; l < r->count; l++)
        r->micro->form((int)rows.count, (int)cols.count, k, a + l * r->size[A] * bytes, b + l * r->size[B] * bytes,
                       false, r->tiles + l * tile * bytes, NULL, at);
    r->pack->put_several(&(ashi_scattered){r->row[1] + rows.from, r->col[1] + cols.from, rows.count, cols.count},
                         r->tiles, r->count, tile, height, add, c);
}

/* A small block of C that is `height` x `width`, or less at the end of the rows or columns. */
typedef struct place {
    int64_t i, j;
} place;

static void advance(const run *r, int64_t rows, place *x)
{
    x->i += r->micro->rows;
    if (x->i < rows)
        return;
    x->i = 0;
    x->j += r->micro->cols;
}

/* Of one product, or of all together, whose blocks of A have been packed. The caches fetch what lies so far ahead in C
 * that it is there in time. */
static void form_product(const run *r, int64_t rows, int64_t cols, int64_t k, bool add, const char *a, const char *b,
                         char *c)
{
    const int height = r->micro->rows, width = r->micro->cols;
    const int64_t bytes = (int64_t)r->bytes;
    const bool together = r->count > 1 && r->apart[C] == 1;
    place ahead = {0, 0};
    int64_t missing = together ? 0 : 1 + AHEAD / k;
    for (place x = {0, 0}; x.j < cols; advance(r, rows, &x)) {
        const ashi_positions row = {x.i, ashi_min(height, rows - x.i)}, col = {x.j, ashi_min(width, cols - x.j)};
        for (; missing > 0 && ahead.j < cols; missing--, advance(r, rows, &ahead))
            fetch(r, (ashi_positions){ahead.i, ashi_min(height, rows - ahead.i)},
                  (ashi_positions){ahead.j, ashi_min(width, cols - ahead.j)}, c);
        (together ? form_together : form)(r, row, col, k, a + x.i * k * bytes, b + x.j * k * bytes, add, c);
        missing += !together;
    }
}

static void form_block(const run *r, ashi_positions products, int64_t rows, int64_t cols, int64_t k, bool add, char *c)
{
    const int64_t bytes = (int64_t)r->bytes;
    const bool together = r->count > 1 && r->apart[C] == 1;
    for (int64_t l = 0; l < (together ? 1 : products.count); l++)
        form_product(r, rows, cols, k, add, r->packed_a + l * r->size[A] * bytes,
                     r->packed_b + (products.from + l) * r->size[B] * bytes,
                     c + (products.from + l) * r->apart[C] * bytes);
}

/* A block of A or a panel of B, of each of these products. */
static void pack(const run *r, int matrix, ashi_positions products, const ashi_scattered *at, const char *from)
{
    const ashi_contraction *const p = &r->plan->product;
    const bool conjugate = matrix == A ? p->conjugate_a : p->conjugate_b;
    const int width = matrix == A ? r->micro->rows : r->micro->cols;
    char *const to = matrix == A ? r->packed_a : r->packed_b;
    const int64_t bytes = (int64_t)r->bytes;
    if (products.count > 1 && r->apart[matrix] == 1) {
        r->pack->several(at, from, products.count, conjugate, width, r->size[matrix], to);
        return;
    }
    for (int64_t l = 0; l < products.count; l++)
        r->pack->pack(at, from + (products.from + l) * r->apart[matrix] * bytes, conjugate, width,
                      to + l * r->size[matrix] * bytes);
}

static void find_whole(const run *r, int64_t rows)
{
    const int height = r->micro->rows, lanes = r->micro->lanes;
    for (int64_t i = 0; i < rows; i += height) {
        const int64_t here = ashi_min(height, rows - i);
        r->whole[i / height] = r->micro->exact || here % lanes == 0;
        for (int64_t l = i; r->whole[i / height] && l < i + here; l += lanes) {
            const int64_t some = ashi_min(lanes, i + here - l);
            r->whole[i / height] = ashi_neighbours(r->row[1] + l, some) == some;
        }
    }
}

/* The rows of a block for a panel of B. A block that is the only one of A is packed once. */
static void run_block(run *r, const ashi_index_box *box, ashi_positions products, ashi_positions rows, int64_t cols,
                      int64_t depth, bool add, const char *a, char *c)
{
    ashi_box_offsets(box, A, rows, r->row[0]);
    ashi_box_offsets(box, C, rows, r->row[1]);
    find_whole(r, rows.count);
    if (!r->packed_once)
        pack(r, A, products, &(ashi_scattered){r->row[0], r->depth[0], rows.count, depth}, a);
    r->packed_once = r->only_block;
    form_block(r, products, rows.count, cols, depth, add, c);
}

/* What is done with each block of rows of the part, for some products: C is scaled, or a panel of B is multiplied. */
static void run_rows(run *r, ashi_positions products, int64_t cols, int64_t depth, bool add, const char *a, char *c)
{
    const ashi_contraction_plan *const plan = r->plan;
    for (int64_t b = 0; b < ashi_boxes_of(&plan->rows); b++) {
        ashi_index_box box;
        ashi_box_find(&plan->product.rows, &plan->rows, b, &box);
        const ashi_positions rows = part_of(box.count, r->micro->rows, r->by_rows ? r->part : 0,
                                            r->by_rows ? r->parts : 1);
        for (int64_t i = 0; i < rows.count; i += plan->mc) {
            const ashi_positions block = {rows.from + i, ashi_min(plan->mc, rows.count - i)};
            if (a != NULL) {
                run_block(r, &box, products, block, cols, depth, add, a, c);
                continue;
            }
            ashi_box_offsets(&box, C, block, r->row[1]);
            for (int64_t l = products.from; l < products.from + products.count; l++)
                r->pack->scale(&(ashi_scattered){r->row[1], r->col[1], block.count, cols}, r->beta,
                               c + l * r->apart[C] * (int64_t)r->bytes);
        }
    }
}

/* Part of the sum for a panel of columns: B is packed. */
static void run_depth(run *r, const ashi_index_box *box, ashi_positions depth, int64_t cols, bool add, const char *a,
                      const char *b, char *c)
{
    ashi_box_offsets(box, A, depth, r->depth[0]);
    ashi_box_offsets(box, B, depth, r->depth[1]);
    pack(r, B, (ashi_positions){0, r->count}, &(ashi_scattered){r->col[0], r->depth[1], cols, depth.count}, b);
    for (int64_t l = 0; r->alpha && l < r->count; l++)
        r->pack->times(r->alpha, r->micro->cols, ashi_ceil_div(cols, r->micro->cols) * depth.count,
                       r->packed_b + l * r->size[B] * (int64_t)r->bytes);
    const int64_t some = r->each ? 1 : r->count;
    for (int64_t l = 0; l < r->count; l += some)
        run_rows(r, (ashi_positions){l, some}, cols, depth.count, add, a, c);
}

static void run_panel(run *r, int64_t cols, const char *a, const char *b, char *c)
{
    const ashi_contraction_plan *const plan = r->plan;
    if (r->scales)
        run_rows(r, (ashi_positions){0, r->count}, cols, 0, false, NULL, c);
    for (int64_t d = 0; r->sums && d < ashi_boxes_of(&plan->depth); d++) {
        ashi_index_box box;
        ashi_box_find(&plan->product.depth, &plan->depth, d, &box);
        for (int64_t p = 0; p < box.count && !ashi_interrupt_asked(); p += plan->kc)
            run_depth(r, &box, (ashi_positions){p, ashi_min(plan->kc, box.count - p)}, cols,
                      d + p > 0 || !r->clear, a, b, c);
    }
}

static void run_cols(run *r, const char *a, const char *b, char *c)
{
    const ashi_contraction_plan *const plan = r->plan;
    for (int64_t x = 0; x < ashi_boxes_of(&plan->cols); x++) {
        ashi_index_box box;
        ashi_box_find(&plan->product.cols, &plan->cols, x, &box);
        const ashi_positions cols = part_of(box.count, r->micro->cols, r->by_rows ? 0 : r->part,
                                            r->by_rows ? 1 : r->parts);
        for (int64_t j = 0; j < cols.count; j += plan->nc) {
            const ashi_positions panel = {cols.from + j, ashi_min(plan->nc, cols.count - j)};
            ashi_box_offsets(&box, B, panel, r->col[0]);
            ashi_box_offsets(&box, C, panel, r->col[1]);
            run_panel(r, panel.count, a, b, c);
        }
    }
}

/* Elements from one product's packed block of A, or panel of B, to the next one's: no power of two. */
static int64_t size_of(const ashi_contraction_plan *plan, int matrix)
{
    const ashi_micro *const micro = ashi_micro_of(plan->product.type);
    const int64_t side = matrix == A ? plan->mc : plan->nc, unit = matrix == A ? micro->rows : micro->cols;
    const int64_t gap = plan->together > 1 ? LINE / (int64_t)ashi_type_of(plan->product.type)->bytes : 0;
    return ashi_ceil_div(side, unit) * unit * plan->kc + gap;
}

/* Elements of the small blocks of C of products that are done together. */
static int64_t tiles_of(const ashi_contraction_plan *plan)
{
    const ashi_micro *const micro = ashi_micro_of(plan->product.type);
    return plan->together > 1 && plan->lanes.stride[C] == 1 ? plan->together * micro->rows * micro->cols : 0;
}

int64_t ashi_contraction_blocks_of_a(const ashi_contraction_plan *plan)
{
    return plan->lanes.stride[A] == 1 || plan->lanes.stride[C] == 1 ? plan->together : 1;
}

int64_t ashi_contraction_in_blocks_bytes(const ashi_contraction_plan *plan)
{
    const int64_t words = ashi_contraction_blocks_of_a(plan) * size_of(plan, A) + plan->together * size_of(plan, B) +
                          tiles_of(plan);
    return words * (int64_t)ashi_type_of(plan->product.type)->bytes +
           2 * (plan->mc + plan->nc + plan->kc) * (int64_t)sizeof(int64_t) +
           ashi_ceil_div(plan->mc, ashi_micro_of(plan->product.type)->rows) * (int64_t)sizeof(bool);
}

/* Where the lists and blocks of a run are in its workspace. */
static void divide(run *r, char *workspace)
{
    const ashi_contraction_plan *const plan = r->plan;
    const int64_t bytes = (int64_t)r->bytes;
    for (int matrix = A; matrix <= B; matrix++)
        r->size[matrix] = size_of(plan, matrix);
    r->packed_a = workspace;
    r->packed_b = r->packed_a + ashi_contraction_blocks_of_a(plan) * r->size[A] * bytes;
    r->tiles = r->packed_b + plan->together * r->size[B] * bytes;
    int64_t *at = (int64_t *)(void *)(r->tiles + tiles_of(plan) * bytes);
    for (int i = 0; i < 2; i++) {
        r->row[i] = at;
        r->col[i] = r->row[i] + plan->mc;
        r->depth[i] = r->col[i] + plan->nc;
        at = r->depth[i] + plan->kc;
    }
    r->whole = (bool *)at;
}

static int64_t stride_of(const ashi_stride_group *group, int matrix, int64_t other)
{
    return group->count > 0 ? group->index[0].stride[matrix] : other;
}

/* A product of small matrices. */
static void run_small(const run *r, const void *alpha, const char *a, const char *b, char *c)
{
    const ashi_contraction_plan *const x = r->plan;
    const ashi_contraction *const p = &x->product;
    const ashi_matrix left = {a, stride_of(&p->rows, A, 1), stride_of(&p->depth, A, x->m)};
    const ashi_matrix right = {b, stride_of(&p->cols, B, 1), stride_of(&p->depth, B, x->n)};
    ashi_kernels_of(p->type)->gemm(x->m, x->n, x->k, alpha, &left, p->conjugate_a, &right, p->conjugate_b, r->beta, c,
                                   stride_of(&p->rows, C, 1), stride_of(&p->cols, C, x->m));
}

void ashi_contraction_in_blocks(const ashi_contraction_plan *plan, const void *alpha, const void *a, const void *b,
                                const void *beta, void *c, int part, int parts, void *workspace)
{
    const ashlar_type type = plan->product.type;
    const ashi_kernels *const kernels = ashi_kernels_of(type);
    run r = {.plan = plan, .micro = ashi_micro_of(type), .pack = ashi_pack_of(type), .bytes = ashi_type_of(type)->bytes,
             .beta = beta, .clear = kernels->is_zero(beta)};
    const int64_t steps = ashi_ceil_div(plan->lanes.extent, plan->together);
    const int64_t groups = ashi_positions_of(&plan->product.batch) * steps;
    const bool by_batch = plan->small || groups % parts == 0 || groups >= BATCHES_ENOUGH * parts;
    r.part = by_batch ? 0 : part, r.parts = by_batch ? 1 : parts;
    r.alpha = memcmp(alpha, kernels->one, r.bytes) != 0 ? alpha : NULL;
    divide(&r, workspace);
    r.sums = plan->k > 0 && !kernels->is_zero(alpha);
    r.scales = r.clear ? !r.sums : memcmp(beta, kernels->one, r.bytes) != 0;
    r.by_rows = plan->m / r.micro->rows > plan->n / r.micro->cols;
    r.each = ashi_contraction_blocks_of_a(plan) < plan->together;
    r.only_block = !r.each && plan->m <= plan->mc && plan->k <= plan->kc && ashi_boxes_of(&plan->rows) == 1 &&
                   ashi_boxes_of(&plan->depth) == 1;
    ashi_index_box batch;
    ashi_box_find(&plan->product.batch, &(ashi_index_pieces){{0, 0}, {1, 1}}, 0, &batch);
    const ashi_positions some = by_batch ? part_of(groups, 1, part, parts) : (ashi_positions){0, groups};
    for (int64_t x = some.from; x < some.from + some.count && !ashi_interrupt_asked(); x++) {
        const int64_t first = x % steps * plan->together;
        int64_t at[3];
        r.count = ashi_min(plan->together, plan->lanes.extent - first);
        for (int matrix = 0; matrix < 3; matrix++) {
            r.apart[matrix] = plan->lanes.stride[matrix];
            ashi_box_offsets(&batch, matrix, (ashi_positions){x / steps, 1}, &at[matrix]);
            at[matrix] = (at[matrix] + first * r.apart[matrix]) * (int64_t)r.bytes;
        }
        const char *const left = plan->turned ? b : a, *const right = plan->turned ? a : b;
        r.packed_once = false;
        if (plan->small)
            run_small(&r, alpha, left + at[A], right + at[B], (char *)c + at[C]);
        else
            run_cols(&r, left + at[A], right + at[B], (char *)c + at[C]);
    }
}
