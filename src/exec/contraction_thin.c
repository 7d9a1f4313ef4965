/* Contractions without columns: sums of products of elements, where they lie. */
#include "exec/contraction_thin.h"

#include "base/checked.h"
#include "base/type.h"
#include "exec/kernels.h"
#include "exec/pack.h"
#include "exec/positions.h"

#include <string.h>

enum { A, B, C, SUMS = 8, RUN_LONG = 64, RUN_SOME = 256, LINE = 64 };

/* A block of rows and of positions of the sum. */
typedef struct ashi_thin {
    int64_t *row[3], *depth[2]; /* where they lie in A, B and C, and in A and B */
    bool conjugate[2];
    bool whole[2]; /* the positions of the sum are neighbours in A, in B */
    bool near[3];  /* the rows are */
    bool same;     /* the rows are one place in B */
    bool known;    /* the positions of the sum are these for all rows */
    bool down;     /* one row after the other, not one position of the sum after the other */
} ashi_thin;

#define R float
#define PARTS 1
#define NAME(f) s_##f
#include "exec/contraction_thin.inc"

#define R double
#define PARTS 1
#define NAME(f) d_##f
#include "exec/contraction_thin.inc"

#define R float
#define PARTS 2
#define NAME(f) c_##f
#include "exec/contraction_thin.inc"

#define R double
#define PARTS 2
#define NAME(f) z_##f
#include "exec/contraction_thin.inc"

typedef struct of_type {
    void (*sums)(const ashi_thin *t, const void *a, const void *b, int64_t rows, int64_t depth, void *sum);
    void (*end)(const ashi_thin *t, int64_t rows, const void *alpha, const void *sum, const void *beta, void *c);
} of_type;

static const of_type table[] = {
    [ASHLAR_TYPE_S] = {s_sums, s_end},
    [ASHLAR_TYPE_D] = {d_sums, d_end},
    [ASHLAR_TYPE_C] = {c_sums, c_end},
    [ASHLAR_TYPE_Z] = {z_sums, z_end},
};

int64_t ashi_contraction_thin_bytes(ashlar_type type, int64_t rows, int64_t depth)
{
    return rows * (int64_t)ashi_type_of(type)->bytes + (3 * rows + 2 * depth) * (int64_t)sizeof(int64_t);
}

/* Where positions of the sum from `from` on lie; returns how many. Where all are neighbours one place is enough. */
static int64_t find_depth(const ashi_contraction_plan *plan, ashi_thin *t, int64_t rows, const ashi_index_box *box,
                          int64_t from)
{
    const ashi_index first = box->group.count > 0 ? box->group.index[0] : (ashi_index){1, {0}};
    t->down = rows == 1 || (!t->near[A] && first.extent > 1 && first.stride[A] == 1);
    if (t->known)
        return box->count;
    const bool line = t->down && box->group.count == 1 && first.stride[A] == 1 && first.stride[B] == 1;
    const int64_t count = line ? box->count - from : ashi_min(plan->kc, box->count - from);
    for (int matrix = A; matrix <= B; matrix++) {
        ashi_box_offsets(box, matrix, (ashi_positions){from, line ? 1 : count}, t->depth[matrix]);
        t->whole[matrix] = line || ashi_neighbours(t->depth[matrix], count) == count;
    }
    return count;
}

/* A short sum's positions are found once. */
static void find_depth_once(const ashi_contraction_plan *plan, ashi_thin *t)
{
    ashi_index_box box;
    if (plan->k > plan->kc || ashi_boxes_of(&plan->depth) > 1)
        return;
    ashi_box_find(&plan->product.depth, &plan->depth, 0, &box);
    for (int matrix = A; matrix <= B; matrix++) {
        ashi_box_offsets(&box, matrix, (ashi_positions){0, box.count}, t->depth[matrix]);
        t->whole[matrix] = ashi_neighbours(t->depth[matrix], box.count) == box.count;
    }
    t->known = true;
}

/* The sums of a block of rows. */
static void add_up(const ashi_contraction_plan *plan, ashi_thin *t, int64_t rows, const char *a, const char *b,
                   char *sum)
{
    for (int64_t d = 0; d < ashi_boxes_of(&plan->depth); d++) {
        ashi_index_box box;
        ashi_box_find(&plan->product.depth, &plan->depth, d, &box);
        for (int64_t p = 0, count; p < box.count; p += count) {
            count = find_depth(plan, t, rows, &box, p);
            table[plan->product.type].sums(t, a, b, rows, count, sum);
        }
    }
}

/* Rows of a block from `row` on: it ends where a long run of neighbours ends. */
static int64_t block_from(const ashi_index_box *box, int64_t row, int64_t most)
{
    const int64_t run = box->group.count > 0 ? box->group.index[0].extent : 1;
    return run < RUN_LONG ? most : ashi_min(most, run - row % run);
}

/* Where rows lie. Of a run of neighbours one place is enough. */
static void find_rows(ashi_thin *t, const ashi_index_box *box, ashi_positions rows)
{
    const ashi_index x = box->group.count > 0 ? box->group.index[0] : (ashi_index){1, {1, 0, 1}};
    const bool run = rows.from % x.extent + rows.count <= x.extent && x.stride[A] == 1 &&
                     (x.stride[B] == 0 || x.stride[B] == 1);
    for (int matrix = A; matrix <= C; matrix++) {
        const bool one = run && (matrix != C || x.stride[C] == 1);
        ashi_box_offsets(box, matrix, (ashi_positions){rows.from, one ? 1 : rows.count}, t->row[matrix]);
        t->near[matrix] = rows.count == 1 || (one ? x.stride[matrix] == 1 :
                                                    ashi_neighbours(t->row[matrix], rows.count) == rows.count);
    }
    t->same = rows.count == 1 || (run && x.stride[B] == 0);
    for (int64_t i = 1; !run && (t->same || i == 1) && i < rows.count; i++)
        t->same = t->row[B][i] == t->row[B][0];
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
    char *const sum = workspace;
    ashi_thin t = {.conjugate = {plan->product.conjugate_a, plan->product.conjugate_b}};
    t.row[A] = (int64_t *)(void *)(sum + plan->mc * bytes);
    t.row[B] = t.row[A] + plan->mc, t.row[C] = t.row[B] + plan->mc;
    t.depth[A] = t.row[C] + plan->mc, t.depth[B] = t.depth[A] + plan->kc;
    if (sums)
        find_depth_once(plan, &t);
    for (int64_t x = 0; x < ashi_boxes_of(&plan->rows); x++) {
        ashi_index_box box;
        ashi_box_find(&plan->product.rows, &plan->rows, x, &box);
        const int64_t from = ashi_cut(box.count, parts, part), to = ashi_cut(box.count, parts, part + 1);
        for (int64_t i = from, rows; i < to; i += rows) {
            rows = block_from(&box, i, ashi_min(plan->mc, to - i));
            find_rows(&t, &box, (ashi_positions){i, rows});
            memset(sum, 0, (size_t)(rows * bytes));
            if (sums)
                add_up(plan, &t, rows, plan->turned ? b : a, plan->turned ? a : b, sum);
            table[plan->product.type].end(&t, rows, alpha, sum, beta, c);
        }
    }
}
