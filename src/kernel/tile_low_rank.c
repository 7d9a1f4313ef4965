/* Products of tiles of which some are stored as U V^T. A product with such a tile is L R^T of its rank. Those of a tile
 * of C are collected, side by side, and added to it at once. */
#include "kernel/tile_plan.h"

#include "base/checked.h"

#include <string.h>

/* Columns of L and of R that are collected; more if a tile has a larger rank. */
enum { COLLECTED = 256 };

/* Tile (i, j) of C, and what waits to be added to it. */
typedef struct sum {
    const ashi_tile_product *p;
    ashi_tile_hand *hand;
    int64_t m, n, room;  /* room: columns that L and R have room for */
    int64_t count;       /* of these in use */
    int64_t at;          /* where the tile begins in C */
} sum;

/* A tile of op(X): L R^T if it has a rank. */
typedef struct factored {
    int64_t rows, cols, rank;
    int64_t at;
    ashi_matrix left, right; /* rows x rank, and cols x rank: minor side first */
} factored;

static char *words(const ashi_tile_product *p, void *base, int64_t count)
{
    return (char *)base + (size_t)count * p->element;
}

static int64_t rank_of(const ashi_tile_product *p, int operand, const ashi_tile_rows *x, int64_t t)
{
    return p->request.rank[operand] ? p->request.rank[operand][ashi_tile_rows_number(x, t)] : -1;
}

/* ---- room ---- */

static int64_t largest(const int64_t *rank, int64_t tiles)
{
    int64_t most = 0;
    for (int64_t t = 0; rank && t < tiles; t++)
        most = ashi_max(most, rank[t]);
    return most;
}

static int64_t longest(const ashi_cuts *cuts)
{
    int64_t most = 0;
    for (int64_t t = 0; t < cuts->tiles; t++)
        most = ashi_max(most, ashi_cuts_size(cuts, t));
    return most;
}

static int64_t largest_of(const ashi_tile_product *p, int operand)
{
    return largest(p->request.rank[operand], p->request.set[operand].pattern->tiles);
}

static int64_t columns_of(const ashi_tile_product *p)
{
    return ashi_max(COLLECTED, ashi_max(largest_of(p, 0), largest_of(p, 1)));
}

/* Words of a conjugated copy of U and V. */
static int64_t copied(const ashi_tile_product *p, int operand)
{
    const ashi_tile_rows *x = operand == 0 ? &p->a : &p->b;
    return x->conjugate ? largest_of(p, operand) * (longest(x->cuts[0]) + longest(x->cuts[1])) : 0;
}

void ashi_tile_low_rank_need(const ashi_tile_product *p, int64_t block[3])
{
    const int64_t columns = columns_of(p);
    block[0] = ashi_mul_most(columns, longest(p->a.cuts[0]));
    block[1] = ashi_mul_most(columns, longest(p->b.cuts[1]));
    block[2] = ashi_mul_most(largest_of(p, 0), largest_of(p, 1)) + copied(p, 0) + copied(p, 1);
}

/* ---- one product ---- */

/* Tile t of op(X). What op conjugates is copied to `room`. */
static factored take(const ashi_tile_product *p, int operand, int64_t row, int64_t col, int64_t t, char *room)
{
    const ashi_tile_rows *x = operand == 0 ? &p->a : &p->b;
    factored f = {.rows = ashi_tile_rows_height(x, row), .cols = ashi_tile_rows_width(x, col),
                  .rank = rank_of(p, operand, x, t), .at = ashi_tile_rows_at(x, t)};
    const int64_t stored_rows = x->turned ? f.cols : f.rows, all = f.rank * (f.rows + f.cols);
    const char *factors = ashi_tile_from(p, operand, f.at);
    if (f.rank < 0)
        return f;
    if (x->conjugate) {
        p->kernels->axpby(all, 1, p->kernels->one, &(ashi_matrix){factors, 1, all}, true, p->kernels->zero, room, 1,
                          all);
        factors = room;
    }
    const char *const second = factors + (size_t)(f.rank * stored_rows) * p->element;
    f.left = (ashi_matrix){x->turned ? second : factors, 1, f.rows};
    f.right = (ashi_matrix){x->turned ? factors : second, 1, f.cols};
    return f;
}

/* A dense tile, as `gemm` takes it: A's rows and B's columns are the minor side. */
static ashi_matrix dense(const ashi_tile_product *p, int operand, const factored *f)
{
    const bool turned = operand == 0 ? p->a.turned : p->b.turned;
    const int64_t ld = turned ? f->cols : f->rows;
    return (ashi_matrix){ashi_tile_from(p, operand, f->at), turned == (operand == 0) ? ld : 1,
                         turned == (operand == 0) ? 1 : ld};
}

static void add_collected(sum *s)
{
    const ashi_tile_product *p = s->p;
    const ashi_matrix left = {s->hand->block[0], 1, s->m}, right = {s->hand->block[1], s->room, 1};
    if (s->count > 0)
        p->kernels->gemm(s->m, s->n, s->count, p->alpha, &left, false, &right, false, p->kernels->one,
                         ashi_tile_to(p, s->at), 1, s->m);
    s->hand->flops += s->m * s->n * s->count;
    s->count = 0;
}

/* y (m x n) <- A B, columns of y `ld` apart. */
static void multiply(sum *s, int64_t m, int64_t n, int64_t k, const ashi_matrix *a, bool conjugate_a,
                     const ashi_matrix *b, bool conjugate_b, void *y, int64_t ld)
{
    const ashi_kernels *kernels = s->p->kernels;
    kernels->gemm(m, n, k, kernels->one, a, conjugate_a, b, conjugate_b, kernels->zero, y, 1, ld);
    s->hand->flops += m * n * k;
}

/* y (m x n, columns `ld` apart) <- x as it is read. */
static void copy(const sum *s, int64_t m, int64_t n, const ashi_matrix *x, void *y, int64_t ld)
{
    s->p->kernels->axpby(m, n, s->p->kernels->one, x, false, s->p->kernels->zero, y, 1, ld);
}

/* Both tiles have a rank: the smaller is that of their product. */
static void multiply_both(sum *s, const factored *a, const factored *b, char *left, char *right)
{
    const ashi_matrix turned = {a->right.data, a->cols, 1}, of_b = {b->left.data, b->rows, 1};
    void *const middle = s->hand->block[2];
    multiply(s, a->rank, b->rank, a->cols, &turned, false, &of_b, false, middle, a->rank);
    if (a->rank <= b->rank) {
        const ashi_matrix by = {middle, 1, a->rank}, with = {b->right.data, 1, b->cols};
        copy(s, s->m, a->rank, &a->left, left, s->m);
        multiply(s, a->rank, s->n, b->rank, &by, false, &with, false, right, s->room);
        return;
    }
    const ashi_matrix with = {middle, a->rank, 1}, back = {b->right.data, b->cols, 1};
    multiply(s, s->m, b->rank, a->rank, &a->left, false, &with, false, left, s->m);
    copy(s, b->rank, s->n, &back, right, s->room);
}

/* A product of which a tile has a rank is collected. */
static void collect(sum *s, const factored *a, const factored *b)
{
    const ashi_tile_product *p = s->p;
    const int64_t rank = a->rank < 0 || (b->rank >= 0 && b->rank < a->rank) ? b->rank : a->rank;
    if (rank == 0)
        return;
    if (s->count + rank > s->room)
        add_collected(s);
    char *const left = words(p, s->hand->block[0], s->count * s->m), *const right = words(p, s->hand->block[1],
                                                                                          s->count);
    if (a->rank >= 0 && b->rank >= 0) {
        multiply_both(s, a, b, left, right);
    } else if (a->rank >= 0) {
        const ashi_matrix turned = {a->right.data, a->cols, 1}, of_b = dense(p, 1, b);
        copy(s, s->m, a->rank, &a->left, left, s->m);
        multiply(s, a->rank, s->n, a->cols, &turned, false, &of_b, p->b.conjugate, right, s->room);
    } else {
        const ashi_matrix of_a = dense(p, 0, a), with = {b->left.data, b->rows, 1}, back = {b->right.data, b->cols, 1};
        multiply(s, s->m, b->rank, a->cols, &of_a, p->a.conjugate, &with, false, left, s->m);
        copy(s, b->rank, s->n, &back, right, s->room);
    }
    s->count += rank;
}

static void multiply_dense(sum *s, const factored *a, const factored *b)
{
    const ashi_tile_product *p = s->p;
    const ashi_matrix of_a = dense(p, 0, a), of_b = dense(p, 1, b);
    p->kernels->gemm(s->m, s->n, a->cols, p->alpha, &of_a, p->a.conjugate, &of_b, p->b.conjugate, p->kernels->one,
                     ashi_tile_to(p, s->at), 1, s->m);
    s->hand->flops += s->m * s->n * a->cols;
}

/* ---- a task ---- */

/* All products of row r of op(A) for column j of tiles. */
static void add_up(sum *s, int64_t r, int64_t j)
{
    const ashi_tile_product *p = s->p;
    char *const room_a = words(p, s->hand->block[2], largest_of(p, 0) * largest_of(p, 1));
    char *const room_b = words(p, room_a, copied(p, 0));
    int64_t bit = p->request.first ? p->request.first[r] : 0;
    for (int64_t t = p->a.start[r]; t < p->a.start[r + 1]; t++) {
        const int64_t row = p->b_row[t];
        if (row < 0)
            continue;
        const int64_t u = ashi_tile_rows_from(&p->b, row, j), first = bit;
        bit += p->b.start[row + 1] - p->b.start[row];
        if (u == p->b.start[row + 1] || p->b.col[u] != j || ashi_tile_left_out(p, first + u - p->b.start[row]))
            continue;
        const factored a = take(p, 0, p->a.row[r], p->a.col[t], t, room_a);
        const factored b = take(p, 1, p->b.row[row], j, u, room_b);
        if (a.cols == 0 || s->m == 0 || s->n == 0)
            continue;
        if (a.rank < 0 && b.rank < 0)
            multiply_dense(s, &a, &b);
        else
            collect(s, &a, &b);
    }
    add_collected(s);
}

void ashi_tile_low_rank_run(const ashi_tile_product *p, ashi_tile_hand *hand, const ashi_tile_task *task)
{
    sum s = {.p = p, .hand = hand, .room = columns_of(p)};
    for (int64_t r = task->row_lo; r < task->row_hi; r++) {
        const int64_t c_row = p->c_row[r];
        if (c_row < 0)
            continue;
        s.m = ashi_tile_rows_height(&p->a, p->a.row[r]);
        const int64_t end = p->c.start[c_row + 1];
        for (int64_t t = ashi_tile_rows_from(&p->c, c_row, task->col_lo); t < end && p->c.col[t] < task->col_hi; t++) {
            s.n = ashi_tile_rows_width(&p->c, p->c.col[t]);
            s.at = p->c.at[t];
            add_up(&s, r, p->c.col[t]);
        }
    }
}
