/* Contractions without columns: sums of products of elements, where they lie. */
#include "kernel/contraction_thin.h"

#include "base/checked.h"
#include "base/interrupt.h"
#include "base/type.h"
#include "kernel/contraction_inner.h"
#include "kernel/contraction_sums.h"
#include "kernel/kernels.h"
#include "kernel/pack.h"
#include "kernel/positions.h"

#include <string.h>

enum { A, B, C, RUN_LONG = 128, BLAS_LEAST = 1 << 13 };

int64_t ashi_contraction_thin_bytes(ashlar_type type, int64_t rows, int64_t depth)
{
    return (rows + depth) * (int64_t)ashi_type_of(type)->bytes + (3 * rows + 2 * depth) * (int64_t)sizeof(int64_t);
}

/* Where `count` positions of the sum from `from` on lie. Of a line one place is enough. */
static void find_depth(ashi_thin *t, const ashi_index_box *box, ashi_positions some, bool line)
{
    const ashi_index first = box->group.count > 0 ? box->group.index[0] : (ashi_index){1, {0}};
    for (int matrix = A; matrix <= B; matrix++) {
        ashi_box_offsets(box, matrix, (ashi_positions){some.from, line ? 1 : some.count}, t->depth[matrix]);
        t->whole[matrix] = line || ashi_neighbours(t->depth[matrix], some.count) == some.count;
    }
    t->depth_run = first.stride[A] == 1 ? first.extent - some.from % first.extent : 1;
}

/* The elements of a vector B are copied to where they are neighbours. */
static void gather(const ashi_contraction_plan *plan, ashi_thin *t, const char *b, int64_t count)
{
    ashi_sums_of(plan->product.type)->gather(t->depth[B], count, b, t->vector);
    for (int64_t p = 0; p < count; p++)
        t->depth[B][p] = p;
    t->whole[B] = t->taken = true;
}

/* How many positions of the sum from `from` on are taken together: whole runs of neighbours in A. */
static int64_t depth_from(const ashi_index_box *box, int64_t from, int64_t most)
{
    const ashi_index first = box->group.count > 0 ? box->group.index[0] : (ashi_index){1, {0}};
    const int64_t run = first.stride[A] == 1 ? first.extent : 1;
    return ashi_min(box->count - from, run > most ? ashi_min(most, run - from % run) : most / run * run);
}

/* The distance of positions that lie at even ones; 0 if they do not. */
static int64_t distance(const int64_t *at, int64_t count)
{
    for (int64_t i = 2; i < count; i++)
        if (at[i] - at[i - 1] != at[1] - at[0])
            return 0;
    return count > 1 ? at[1] - at[0] : 0;
}

/* A block that is a matrix of the BLAS, large enough for a call, and has one vector: it is done there. a and b: where
 * the first position of the sum lies; `step`: the distance of positions in A. */
static bool by_blas(const ashi_contraction_plan *plan, const ashi_thin *t, int64_t rows, int64_t depth, int64_t step,
                    const char *a, const char *b, char *sum)
{
    const ashi_kernels *const kernels = ashi_kernels_of(plan->product.type);
    const int64_t bytes = (int64_t)ashi_type_of(plan->product.type)->bytes;
    if (!plan->vector || rows * depth < BLAS_LEAST || t->conjugate[A] || t->conjugate[B])
        return false;
    ashi_matrix left = {a + t->row[A][0] * bytes, 1, 1};
    if (t->down && step == 1 && t->even[A])
        left.minor_stride = t->step[A];
    else if (!t->down && t->near[A] && !ashi_type_of(plan->product.type)->complex) /* OpenBLAS's is slow */
        left.major_stride = step;
    if (left.minor_stride < depth && left.major_stride < rows)
        return false;
    const ashi_matrix right = {b + t->row[B][0] * bytes, depth, 1};
    kernels->gemm(rows, 1, depth, kernels->one, &left, false, &right, false, kernels->one, sum, 1, rows);
    return true;
}

/* The same for a block whose places have been found. */
static bool block_by_blas(const ashi_contraction_plan *plan, const ashi_thin *t, int64_t rows, int64_t depth,
                          const char *a, const char *b, char *sum)
{
    const int64_t bytes = (int64_t)ashi_type_of(plan->product.type)->bytes;
    return plan->vector && t->whole[B] && rows * depth >= BLAS_LEAST &&
           by_blas(plan, t, rows, depth, t->whole[A] ? 1 : distance(t->depth[A], depth), a + t->depth[A][0] * bytes,
                   b + t->depth[B][0] * bytes, sum);
}

/* The sums of a block of rows. A short sum's positions are found once, for all blocks. */
static void add_up(const ashi_contraction_plan *plan, ashi_thin *t, int64_t rows, const char *a, const char *b,
                   char *sum)
{
    const int64_t bytes = (int64_t)ashi_type_of(plan->product.type)->bytes;
    const bool once = plan->k <= plan->kc && ashi_boxes_of(&plan->depth) == 1;
    for (int64_t d = 0; d < ashi_boxes_of(&plan->depth); d++) {
        ashi_index_box box;
        ashi_box_find(&plan->product.depth, &plan->depth, d, &box);
        const ashi_index first = box.group.count > 0 ? box.group.index[0] : (ashi_index){1, {0}};
        const bool line = !once && rows == 1 && box.group.count == 1 && first.stride[A] == 1 && first.stride[B] == 1;
        t->down = rows == 1 || (!t->near[A] && first.extent > 1 && first.stride[A] == 1);
        if (box.group.count == 1 && first.stride[B] == 1 &&
            by_blas(plan, t, rows, box.count, first.stride[A], a + box.at[A] * bytes, b + box.at[B] * bytes, sum))
            continue;
        for (int64_t p = 0, count; p < box.count; p += count) {
            const bool moved = p > 0 && box.group.count == 1 && first.stride[B] == 1; /* the same places, from p on */
            const char *const left = moved ? a + p * first.stride[A] * bytes : a;
            count = line || once ? box.count - p : depth_from(&box, p, plan->kc);
            if (moved)
                t->depth_run = first.stride[A] == 1 ? box.count - p : 1;
            else if (!t->known) {
                find_depth(t, &box, (ashi_positions){p, count}, line);
                t->taken = false;
                if (plan->vector && !t->whole[B] && (once || rows >= ASHI_ROWS_ENOUGH))
                    gather(plan, t, b, count);
                t->known = once;
            }
            const char *const right = t->taken ? t->vector : moved ? b + p * bytes : b;
            if (!block_by_blas(plan, t, rows, count, left, right, sum))
                ashi_sums_of(plan->product.type)->add(t, left, right, rows, count, sum);
        }
    }
}

/* How many rows of a box lie at even distances in a matrix, from one where such a run begins. */
static int64_t run_of(const ashi_index_box *box, int matrix)
{
    int64_t run = 1;
    for (int i = 0; i < box->group.count; i++) {
        const ashi_index *const x = &box->group.index[i];
        if (i > 0 && x->stride[matrix] != box->group.index[0].stride[matrix] * run)
            break;
        run *= x->extent;
    }
    return run;
}

static void find_runs(ashi_thin *t, const ashi_index_box *box)
{
    for (int matrix = A; matrix <= C; matrix++) {
        t->run[matrix] = run_of(box, matrix);
        t->step[matrix] = box->group.count > 0 ? box->group.index[0].stride[matrix] : 0;
    }
    t->rows_run = 1;
    t->rows_step = t->step[B] == 1 ? 1 : 0;
    for (int i = 0; i < box->group.count && box->group.index[i].stride[A] == t->rows_run &&
                    box->group.index[i].stride[B] == t->rows_step * t->rows_run; i++)
        t->rows_run *= box->group.index[i].extent;
}

/* Rows of a block from `row` on: it ends where a long run of A ends. */
static int64_t block_from(const ashi_thin *t, int64_t row, int64_t most)
{
    return t->run[A] < RUN_LONG ? most : ashi_min(most, t->run[A] - row % t->run[A]);
}

/* The second of the rows' indices runs fastest in C, and the first one in A: sums of whole lines of the first are
 * matrices that are transposed on their way to C. */
typedef struct planes {
    int64_t line, all; /* rows of a line, and of all values of both; 0: there are none */
    int64_t stride;    /* of the first index in C */
} planes;

static planes find_planes(const ashi_index_box *box, int64_t most)
{
    const ashi_index *const x = box->group.index, *const y = x + 1;
    if (box->group.count < 2 || x->stride[C] == 1 || y->stride[C] != 1 || x->extent > most)
        return (planes){0, 0, 0};
    return (planes){x->extent, x->extent * y->extent, x->stride[C]};
}

/* How many of these rows a block has, so that it begins and ends with lines. */
static int64_t whole_lines(const planes *p, int64_t row, int64_t rows)
{
    if (p->line == 0)
        return rows;
    if (row % p->line != 0)
        return ashi_min(rows, p->line - row % p->line);
    if (row % p->all == 0 && rows >= p->all)
        return rows / p->all * p->all;
    rows = ashi_min(rows, p->all - row % p->all);
    return rows >= p->line ? rows / p->line * p->line : rows;
}

/* C <- alpha sum + beta C for a block of whole lines. */
static void put_planes(const planes *p, ashlar_type type, const ashi_index_box *box, ashi_positions rows,
                       const void *alpha, const char *sum, const void *beta, char *c)
{
    const int64_t bytes = (int64_t)ashi_type_of(type)->bytes;
    for (int64_t i = 0, count; i < rows.count; i += count) {
        const int64_t row = rows.from + i;
        int64_t at;
        count = ashi_min(rows.count - i, p->all - row % p->all);
        ashi_box_offsets(box, C, (ashi_positions){row, 1}, &at);
        ashi_kernels_of(type)->axpby(count / p->line, p->line, alpha, &(ashi_matrix){sum + i * bytes, p->line, 1},
                                     false, beta, c + at * bytes, 1, p->stride);
    }
}

/* Where rows lie: in C, too, if `of_c`. Of a run one place is enough. */
static void find_rows(ashi_thin *t, const ashi_index_box *box, ashi_positions rows, bool of_c)
{
    for (int matrix = A; matrix <= (of_c ? C : B); matrix++) {
        t->even[matrix] = rows.from % t->run[matrix] + rows.count <= t->run[matrix];
        t->near[matrix] = rows.count == 1 || (t->even[matrix] && t->step[matrix] == 1);
        ashi_box_offsets(box, matrix, (ashi_positions){rows.from, t->even[matrix] ? 1 : rows.count}, t->row[matrix]);
    }
    t->rows_from = rows.from;
}

/* The lists and sums of a part in its workspace. */
static void divide(const ashi_contraction_plan *plan, ashi_thin *t, char *sum)
{
    t->row[A] = (int64_t *)(void *)(sum + plan->mc * (int64_t)ashi_type_of(plan->product.type)->bytes);
    t->row[B] = t->row[A] + plan->mc, t->row[C] = t->row[B] + plan->mc;
    t->depth[A] = t->row[C] + plan->mc, t->depth[B] = t->depth[A] + plan->kc;
    t->vector = (char *)(t->depth[B] + plan->kc);
}

void ashi_contraction_thin(const ashi_contraction_plan *plan, const void *alpha, const void *a, const void *b,
                           const void *beta, void *c, int part, int parts, void *workspace)
{
    const int64_t bytes = (int64_t)ashi_type_of(plan->product.type)->bytes;
    const bool sums = plan->k > 0 && !ashi_kernels_of(plan->product.type)->is_zero(alpha);
    if (sums && ashi_contraction_is_order(&plan->product)) {
        ashi_contraction_order(plan, alpha, a, b, beta, c, part, parts);
        return;
    }
    char *const sum = (char *)workspace + plan->stage.bytes;
    const void *const left = plan->turned ? b : a, *right = plan->turned ? a : b;
    if (sums && plan->vector_copied) {
        ashi_contraction_copy(plan->product.type, &plan->stage.copy[B], right,
                              ashi_kernels_of(plan->product.type)->zero, workspace);
        right = workspace;
    }
    ashi_thin t = {.conjugate = {plan->product.conjugate_a, plan->product.conjugate_b}};
    divide(plan, &t, sum);
    for (int64_t x = 0; x < ashi_boxes_of(&plan->rows); x++) {
        ashi_index_box box;
        ashi_box_find(&plan->product.rows, &plan->rows, x, &box);
        find_runs(&t, &box);
        const planes p = find_planes(&box, plan->mc);
        const int64_t from = ashi_cut(box.count, parts, part), to = ashi_cut(box.count, parts, part + 1);
        for (int64_t i = from, rows; i < to && !ashi_interrupt_asked(); i += rows) {
            rows = whole_lines(&p, i, block_from(&t, i, ashi_min(plan->mc, to - i)));
            const bool lines = p.line > 0 && i % p.line == 0 && rows % p.line == 0;
            find_rows(&t, &box, (ashi_positions){i, rows}, !lines);
            memset(sum, 0, (size_t)(rows * bytes));
            if (sums && plan->inner)
                ashi_contraction_inner(plan, &t, rows, left, right, sum);
            else if (sums)
                add_up(plan, &t, rows, left, right, sum);
            if (lines)
                put_planes(&p, plan->product.type, &box, (ashi_positions){i, rows}, alpha, sum, beta, c);
            else
                ashi_sums_of(plan->product.type)->end(&t, rows, alpha, sum, beta, c);
        }
    }
}
