/* The loops of a product of strided operands: panels of B's columns, parts of the sum, blocks of A's rows, then the
 * innermost product for each small block of C. */
#include "exec/contraction.h"

#include "base/checked.h"
#include "base/type.h"
#include "exec/kernels.h"
#include "exec/micro.h"
#include "exec/pack.h"

#include <stdalign.h>
#include <string.h>

enum { A, B, C, LINE = 64 };

typedef struct run {
    const ashi_contraction_plan *plan;
    const ashi_micro *micro;
    const ashi_pack *pack;
    size_t bytes; /* of an element */
    const void *alpha, *beta;   /* alpha: NULL for 1 */
    bool clear, scales, sums;  /* beta = 0; C is scaled first; there are products to add */
    char *packed_a, *packed_b; /* a block of A, a panel of B */
    int64_t *row[2], *col[2];  /* where the block's rows lie in A and C, its columns in B and C */
    int64_t *depth[2];         /* where the positions of the sum lie in A and B */
    bool *whole;               /* for each panel of the block: whether its rows are neighbours in C */
} run;

/* A range of rows, columns or positions of the sum. */
typedef struct range {
    int64_t from, count;
} range;

/* Where positions from..from+count-1 of the group lie in a matrix. */
static void offsets(const ashi_stride_group *group, int matrix, range r, int64_t *out)
{
    int64_t digit[ASHI_CONTRACTION_INDICES], at = 0, left = r.from;
    for (int i = 0; i < group->count; i++) {
        digit[i] = left % group->index[i].extent;
        left /= group->index[i].extent;
        at += digit[i] * group->index[i].stride[matrix];
    }
    for (int64_t x = 0; x < r.count; x++) {
        out[x] = at;
        for (int i = 0; i < group->count; i++) {
            at += group->index[i].stride[matrix];
            if (++digit[i] < group->index[i].extent)
                break;
            at -= digit[i] * group->index[i].stride[matrix];
            digit[i] = 0;
        }
    }
}

/* The cache fetches where a small block of C lies while its sums are made. */
static void fetch(const run *r, const int64_t *row, int64_t rows, const int64_t *col, int64_t cols, const char *c)
{
    const int64_t line = LINE / (int64_t)r->bytes;
    for (int64_t j = 0; j < cols; j++) {
        const char *const column = c + col[j] * (int64_t)r->bytes;
        for (int64_t i = 0; i < rows; i += line)
            __builtin_prefetch(column + row[i] * (int64_t)r->bytes, 1);
        __builtin_prefetch(column + row[rows - 1] * (int64_t)r->bytes, 1);
    }
}

/* A small block of C: the sums go there at once if its rows are neighbours, else by way of a buffer. */
static void form(const run *r, range rows, range cols, int64_t k, const char *a, const char *b, bool add, char *c)
{
    alignas(double _Complex) char sums[ASHI_MICRO_ROWS_MOST * ASHI_MICRO_COLS_MOST * sizeof(double)];
    const int height = r->micro->rows, width = r->micro->cols;
    const int64_t *const row = r->row[1] + rows.from, *const col = r->col[1] + cols.from;
    fetch(r, row, rows.count, col, cols.count, c);
    if (cols.count == width && r->whole[rows.from / height]) {
        r->micro->form(k, a, b, add, c + row[0] * (int64_t)r->bytes, col);
        return;
    }
    int64_t at[ASHI_MICRO_COLS_MOST];
    for (int j = 0; j < width; j++)
        at[j] = (int64_t)j * height;
    r->micro->form(k, a, b, false, sums, at);
    r->pack->put(&(ashi_scattered){row, col, rows.count, cols.count}, sums, height, add, c);
}

static void form_block(const run *r, int64_t rows, int64_t cols, int64_t k, bool add, char *c)
{
    const int height = r->micro->rows, width = r->micro->cols;
    for (int64_t j = 0; j < cols; j += width)
        for (int64_t i = 0; i < rows; i += height)
            form(r, (range){i, ashi_min(height, rows - i)}, (range){j, ashi_min(width, cols - j)}, k,
                 r->packed_a + i * k * (int64_t)r->bytes, r->packed_b + j * k * (int64_t)r->bytes, add, c);
}

static void find_whole(const run *r, int64_t rows)
{
    const int height = r->micro->rows;
    for (int64_t i = 0; i < rows; i += height)
        r->whole[i / height] = rows - i >= height && ashi_neighbours(r->row[1] + i, height) == height;
}

/* All rows of the part for a panel of B. */
static void run_panel(const run *r, range rows, int64_t cols, range depth, const char *a, const char *b, char *c)
{
    const ashi_contraction *const p = &r->plan->product;
    offsets(&p->depth, A, depth, r->depth[0]);
    offsets(&p->depth, B, depth, r->depth[1]);
    r->pack->pack(&(ashi_scattered){r->col[0], r->depth[1], cols, depth.count}, b, p->conjugate_b, r->micro->cols,
                  r->packed_b);
    if (r->alpha)
        r->pack->times(r->alpha, r->micro->cols, ashi_ceil_div(cols, r->micro->cols) * depth.count, r->packed_b);
    for (int64_t i = 0; i < rows.count; i += r->plan->mc) {
        const range block = {rows.from + i, ashi_min(r->plan->mc, rows.count - i)};
        offsets(&p->rows, A, block, r->row[0]);
        offsets(&p->rows, C, block, r->row[1]);
        find_whole(r, block.count);
        r->pack->pack(&(ashi_scattered){r->row[0], r->depth[0], block.count, depth.count}, a, p->conjugate_a,
                      r->micro->rows, r->packed_a);
        form_block(r, block.count, cols, depth.count, depth.from > 0 || !r->clear, c);
    }
}

/* C <- beta C for the rows of the part and the columns of a panel. */
static void scale(const run *r, range rows, int64_t cols, char *c)
{
    for (int64_t i = 0; i < rows.count; i += r->plan->mc) {
        const range block = {rows.from + i, ashi_min(r->plan->mc, rows.count - i)};
        offsets(&r->plan->product.rows, C, block, r->row[1]);
        r->pack->scale(&(ashi_scattered){r->row[1], r->col[1], block.count, cols}, r->beta, c);
    }
}

static void run_part(const run *r, range rows, range cols, const char *a, const char *b, char *c)
{
    const ashi_contraction_plan *const plan = r->plan;
    for (int64_t j = 0; j < cols.count; j += plan->nc) {
        const range panel = {cols.from + j, ashi_min(plan->nc, cols.count - j)};
        offsets(&plan->product.cols, B, panel, r->col[0]);
        offsets(&plan->product.cols, C, panel, r->col[1]);
        if (r->scales)
            scale(r, rows, panel.count, c);
        for (int64_t p = 0; r->sums && p < plan->k; p += plan->kc)
            run_panel(r, rows, panel.count, (range){p, ashi_min(plan->kc, plan->k - p)}, a, b, c);
    }
}

static range part_of(int64_t count, int unit, int part, int parts)
{
    const int64_t from = ashi_cut_units(count, unit, parts, part);
    return (range){from, ashi_cut_units(count, unit, parts, part + 1) - from};
}

/* Where the lists and blocks of a run are in its workspace. */
static void divide(run *r, char *workspace)
{
    const ashi_contraction_plan *const plan = r->plan;
    r->packed_a = workspace;
    r->packed_b = r->packed_a + plan->mc * plan->kc * (int64_t)r->bytes;
    int64_t *at = (int64_t *)(void *)(r->packed_b + plan->nc * plan->kc * (int64_t)r->bytes);
    for (int i = 0; i < 2; i++) {
        r->row[i] = at;
        r->col[i] = r->row[i] + plan->mc;
        r->depth[i] = r->col[i] + plan->nc;
        at = r->depth[i] + plan->kc;
    }
    r->whole = (bool *)at;
}

void ashi_contraction_run(const ashi_contraction_plan *plan, const void *alpha, const void *a, const void *b,
                          const void *beta, void *c, int part, int parts, void *workspace)
{
    const ashlar_type type = plan->product.type;
    const ashi_kernels *const kernels = ashi_kernels_of(type);
    run r = {.plan = plan, .micro = ashi_micro_of(type), .pack = ashi_pack_of(type), .bytes = ashi_type_of(type)->bytes,
             .beta = beta, .clear = kernels->is_zero(beta)};
    r.alpha = memcmp(alpha, kernels->one, r.bytes) != 0 ? alpha : NULL;
    divide(&r, workspace);
    r.sums = plan->k > 0 && !kernels->is_zero(alpha);
    r.scales = r.clear ? !r.sums : memcmp(beta, kernels->one, r.bytes) != 0;
    const bool by_rows = plan->m / r.micro->rows > plan->n / r.micro->cols;
    const range rows = part_of(plan->m, r.micro->rows, by_rows ? part : 0, by_rows ? parts : 1);
    const range cols = part_of(plan->n, r.micro->cols, by_rows ? 0 : part, by_rows ? 1 : parts);
    for (int64_t x = 0; x < plan->batches; x++) {
        int64_t at[3];
        for (int matrix = 0; matrix < 3; matrix++) {
            offsets(&plan->product.batch, matrix, (range){x, 1}, &at[matrix]);
            at[matrix] *= (int64_t)r.bytes;
        }
        const char *const left = plan->turned ? b : a, *const right = plan->turned ? a : b;
        run_part(&r, rows, cols, left + at[A], right + at[B], (char *)c + at[C]);
    }
}
