/* Tiles that make a full box are copied together and multiplied as one: an uneven dense tiling costs what one piece
 * does. */
#include "exec/tile_plan.h"

#include "base/checked.h"

#include <string.h>

/* Columns that are copied at once. */
enum { COPIED = 24 };

/* Rows of the task, tiles first to first + depth - 1 of each, and the columns that they all meet. */
typedef struct full_box {
    const ashi_tile_product *p;
    const ashi_tile_task *task;
    int64_t rows, first, depth, columns;
    int64_t *edge[3]; /* where the rows, the k, the columns of its tiles begin, and the end */
    int64_t *right;   /* for each k, the first of B's tiles, in op(B)'s order */
} full_box;

/* ---- which tiles make a box ---- */

/* The columns of the task that row `row` of op(B) has: from *from, how many. */
static int64_t columns_of(const ashi_tile_product *p, const ashi_tile_task *task, int64_t row, int64_t *from)
{
    *from = ashi_tile_rows_from(&p->b, row, task->col_lo);
    return ashi_tile_rows_from(&p->b, row, task->col_hi) - *from;
}

/* The most tiles from x->first on that meet the same columns; *columns: how many those are, 0 if the first meets
 * none. */
static int64_t depth_of(const full_box *x, int64_t *columns)
{
    const ashi_tile_product *p = x->p;
    const int64_t begin = p->a.start[x->task->row_lo] + x->first, end = p->a.start[x->task->row_lo + 1];
    const int64_t *col = p->b.col;
    *columns = p->b_row[begin] < 0 ? 0 : columns_of(p, x->task, p->b_row[begin], &x->right[0]);
    int64_t depth = 1;
    for (; begin + depth < end; depth++) {
        const int64_t row = p->b_row[begin + depth];
        const int64_t count = row < 0 ? 0 : columns_of(p, x->task, row, &x->right[depth]);
        if (count != *columns ||
            (count > 0 && memcmp(col + x->right[0], col + x->right[depth], (size_t)count * sizeof *col) != 0))
            break;
    }
    return depth;
}

/* The first of C's tiles in a row of the task, at or after `from`, that is in a column. */
static int64_t next_in(const ashi_tile_rows *c, int64_t from, int64_t end, int64_t column)
{
    while (from < end && c->col[from] < column)
        from++;
    return from;
}

static bool c_has_all(const full_box *x)
{
    const ashi_tile_product *p = x->p;
    const int64_t *column = p->b.col + x->right[0];
    for (int64_t r = x->task->row_lo; r < x->task->row_hi; r++) {
        if (p->c_row[r] < 0)
            return false;
        const int64_t end = p->c.start[p->c_row[r] + 1];
        int64_t t = ashi_tile_rows_from(&p->c, p->c_row[r], x->task->col_lo);
        for (int64_t j = 0; j < x->columns; j++) {
            t = next_in(&p->c, t, end, column[j]);
            if (t == end || p->c.col[t] != column[j])
                return false;
        }
    }
    return true;
}

static bool none_left_out(const full_box *x)
{
    const ashi_tile_product *p = x->p;
    if (!p->request.first)
        return true;
    for (int64_t r = x->task->row_lo; r < x->task->row_hi; r++) {
        const int64_t t = p->a.start[r] + x->first;
        int64_t bit = ashi_tile_first_bit(p, r, t);
        for (int64_t z = 0; z < x->depth; z++) {
            const int64_t row = p->b_row[t + z], skipped = x->right[z] - p->b.start[row];
            for (int64_t j = 0; j < x->columns; j++)
                if (ashi_tile_left_out(p, bit + skipped + j))
                    return false;
            bit += p->b.start[row + 1] - p->b.start[row];
        }
    }
    return true;
}

static void find_edges(const full_box *x)
{
    const ashi_tile_product *p = x->p;
    const int64_t *column = p->b.col + x->right[0], *k = p->a.col + p->a.start[x->task->row_lo] + x->first;
    x->edge[0][0] = x->edge[1][0] = x->edge[2][0] = 0;
    for (int64_t i = 0; i < x->rows; i++)
        x->edge[0][i + 1] = x->edge[0][i] + ashi_tile_rows_height(&p->a, p->a.row[x->task->row_lo + i]);
    for (int64_t z = 0; z < x->depth; z++)
        x->edge[1][z + 1] = x->edge[1][z] + ashi_tile_rows_width(&p->a, k[z]);
    for (int64_t j = 0; j < x->columns; j++)
        x->edge[2][j + 1] = x->edge[2][j] + ashi_tile_rows_width(&p->b, column[j]);
}

/* Worth it if each side is long. A single tile of A needs no copy: neighbouring tiles of B are multiplied as one. */
static bool is_worth(const full_box *x)
{
    const ashi_tile_product *p = x->p;
    const int64_t m = x->edge[0][x->rows], k = x->edge[1][x->depth], n = x->edge[2][x->columns];
    const int64_t least = p->limits.box_least;
    return m >= least && n >= least && k >= least && (x->rows > 1 || x->depth > 1);
}

/* ---- copying ---- */

/* What a block has of a side: from lo to hi. */
typedef struct span {
    int64_t lo, hi;
} span;

/* The first tile of a side that ends after `at`. */
static int64_t tile_at(int64_t *edge, int64_t tiles, int64_t at)
{
    const ashi_cuts cuts = {.tiles = tiles, .at = edge};
    return ashi_cuts_find(&cuts, at);
}

/* Where tile (i, z) of the box's A, or (z, j) of its B, begins. */
static int64_t begins(const full_box *x, int operand, int64_t first, int64_t second)
{
    const ashi_tile_product *p = x->p;
    if (operand == 0)
        return ashi_tile_rows_at(&p->a, p->a.start[x->task->row_lo + first] + x->first + second);
    return ashi_tile_rows_at(&p->b, x->right[first] + second);
}

/* Copy what an operand has in part[0] x part[1] of op(X) to a matrix that has all[0] x all[1] of it: as it is stored,
 * that is turned if op turns it. */
static void copy_part(const full_box *x, int operand, const span all[2], const span part[2], void *to)
{
    const ashi_tile_product *p = x->p;
    const bool turned = operand == 0 ? p->a.turned : p->b.turned;
    int64_t *const edge[2] = {x->edge[operand], x->edge[operand + 1]};
    const int64_t tiles[2] = {operand == 0 ? x->rows : x->depth, operand == 0 ? x->depth : x->columns};
    const int64_t ld = turned ? all[1].hi - all[1].lo : all[0].hi - all[0].lo;
    const int64_t first = tile_at(edge[1], tiles[1], part[1].lo);
    for (int64_t i = tile_at(edge[0], tiles[0], part[0].lo); i < tiles[0] && edge[0][i] < part[0].hi; i++) {
        const int64_t tall = edge[0][i + 1] - edge[0][i];
        const int64_t lo = ashi_max(edge[0][i], part[0].lo), hi = ashi_min(edge[0][i + 1], part[0].hi);
        for (int64_t j = first, next; j < tiles[1] && edge[1][j] < part[1].hi; j = next) {
            const int64_t at = begins(x, operand, i, j);
            for (next = j + 1; next < tiles[1] && edge[1][next] < part[1].hi && !turned &&
                               begins(x, operand, i, next) == at + tall * (edge[1][next] - edge[1][j]);)
                next++;
            const int64_t wide = edge[1][next] - edge[1][j];
            const int64_t left = ashi_max(edge[1][j], part[1].lo), end = ashi_min(edge[1][next], part[1].hi);
            const int64_t skip[2] = {lo - edge[0][i], left - edge[1][j]};
            const int64_t put[2] = {lo - all[0].lo, left - all[1].lo};
            const int64_t from = at + (turned ? skip[1] + skip[0] * wide : skip[0] + skip[1] * tall);
            const int64_t goes = turned ? put[1] + put[0] * ld : put[0] + put[1] * ld;
            const ashi_matrix piece = {ashi_tile_from(p, operand, from), 1, turned ? wide : tall};
            p->kernels->axpby(turned ? end - left : hi - lo, turned ? hi - lo : end - left, p->kernels->one, &piece,
                              false, p->kernels->zero, (char *)to + (size_t)goes * p->element, 1, ld);
        }
    }
}

/* The same for all of a block, some columns of the copy after the other, so that each is written from its beginning to
 * its end. */
static void copy_block(const full_box *x, int operand, const span all[2], void *to)
{
    const int along = (operand == 0 ? x->p->a.turned : x->p->b.turned) ? 0 : 1;
    span part[2] = {all[0], all[1]};
    for (int64_t at = all[along].lo; at < all[along].hi; at += COPIED) {
        part[along] = (span){at, ashi_min(at + COPIED, all[along].hi)};
        copy_part(x, operand, all, part, to);
    }
}

/* C += a block's sum, columns of tiles after columns of tiles. */
static void add_block(const full_box *x, const span part[2], const void *sum)
{
    const ashi_tile_product *p = x->p;
    const int64_t *column = p->b.col + x->right[0], ld = part[0].hi - part[0].lo;
    int64_t *const rows = x->edge[0], *const cols = x->edge[2];
    const int64_t first = tile_at(rows, x->rows, part[0].lo);
    for (int64_t j = tile_at(cols, x->columns, part[1].lo); j < x->columns && cols[j] < part[1].hi; j++) {
        const int64_t left = ashi_max(cols[j], part[1].lo), end = ashi_min(cols[j + 1], part[1].hi);
        for (int64_t i = first; i < x->rows && rows[i] < part[0].hi; i++) {
            const int64_t lo = ashi_max(rows[i], part[0].lo), hi = ashi_min(rows[i + 1], part[0].hi);
            const int64_t t = ashi_tile_rows_from(&p->c, p->c_row[x->task->row_lo + i], column[j]);
            const int64_t tall = rows[i + 1] - rows[i], at = lo - part[0].lo + (left - part[1].lo) * ld;
            const ashi_matrix block = {(const char *)sum + (size_t)at * p->element, 1, ld};
            p->kernels->axpby(hi - lo, end - left, p->kernels->one, &block, false, p->kernels->one,
                              ashi_tile_to(p, p->c.at[t] + lo - rows[i] + (left - cols[j]) * tall), 1, tall);
        }
    }
}

/* ---- multiplying ---- */

/* One block of C: the sum over all k of the box, then added to C. */
static void multiply_block(const full_box *x, ashi_tile_hand *hand, span m, span n)
{
    const ashi_tile_product *p = x->p;
    const int64_t all = x->edge[1][x->depth], parts = ashi_ceil_div(all, p->limits.block_depth);
    const int64_t high = m.hi - m.lo, wide = n.hi - n.lo;
    for (int64_t z = 0; z < parts; z++) {
        const span k = {ashi_cut(all, parts, z), ashi_cut(all, parts, z + 1)};
        const int64_t depth = k.hi - k.lo;
        copy_block(x, 0, (span[2]){m, k}, hand->block[0]);
        copy_block(x, 1, (span[2]){k, n}, hand->block[1]);
        const ashi_matrix a = {hand->block[0], p->a.turned ? depth : 1, p->a.turned ? 1 : high};
        const ashi_matrix b = {hand->block[1], p->b.turned ? 1 : depth, p->b.turned ? wide : 1};
        p->kernels->gemm(high, wide, depth, p->alpha, &a, p->a.conjugate, &b, p->b.conjugate,
                         z == 0 ? p->kernels->zero : p->kernels->one, hand->block[2], 1, high);
    }
    add_block(x, (span[2]){m, n}, hand->block[2]);
    hand->flops += high * wide * all;
}

static void multiply_box(const full_box *x, ashi_tile_hand *hand)
{
    const int64_t m = x->edge[0][x->rows], n = x->edge[2][x->columns], side = x->p->limits.block_side;
    const int64_t down = ashi_ceil_div(m, side), across = ashi_ceil_div(n, side);
    for (int64_t i = 0; i < down * across; i++) {
        const int64_t row = i / across, col = i % across;
        multiply_block(x, hand, (span){ashi_cut(m, down, row), ashi_cut(m, down, row + 1)},
                       (span){ashi_cut(n, across, col), ashi_cut(n, across, col + 1)});
    }
}

void ashi_tile_merged_run(const ashi_tile_product *p, ashi_tile_hand *hand, const ashi_tile_task *task)
{
    const int64_t all = p->a.start[task->row_lo + 1] - p->a.start[task->row_lo];
    int64_t waits = 0; /* the first tile that is not multiplied yet */
    full_box x = {.p = p, .task = task, .rows = task->row_hi - task->row_lo,
                  .edge = {hand->edge[0], hand->edge[1], hand->edge[2]}, .right = hand->right};
    for (x.first = 0; x.first < all; x.first += x.depth) {
        x.depth = depth_of(&x, &x.columns);
        if (x.columns == 0)
            continue;
        find_edges(&x);
        if (!is_worth(&x) || !c_has_all(&x) || !none_left_out(&x))
            continue;
        ashi_tile_stacks_run(p, hand, task, waits, x.first - waits);
        multiply_box(&x, hand);
        waits = x.first + x.depth;
    }
    ashi_tile_stacks_run(p, hand, task, waits, all - waits);
}
