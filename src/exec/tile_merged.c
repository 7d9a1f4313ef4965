/* Tiles that make a full box are copied together and multiplied as one: an uneven dense tiling costs what one piece
 * does. */
#include "exec/tile_boxes.h"

#include "base/checked.h"

#include <string.h>

/* Columns that are copied at once. */
enum { COPIED = 24 };

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
static int64_t begins(const ashi_tile_box *x, int operand, int64_t first, int64_t second)
{
    const ashi_tile_product *p = x->p;
    if (operand == 0)
        return ashi_tile_rows_at(&p->a, p->a.start[x->row[first]] + x->first + second);
    return ashi_tile_rows_at(&p->b, x->right[first] + second);
}

/* Copy what an operand has in part[0] x part[1] of op(X) to a matrix that has all[0] x all[1] of it: as it is stored,
 * that is turned if op turns it. */
static void copy_part(const ashi_tile_box *x, int operand, const span all[2], const span part[2], void *to)
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
static void copy_block(const ashi_tile_box *x, int operand, const span all[2], void *to)
{
    const int along = (operand == 0 ? x->p->a.turned : x->p->b.turned) ? 0 : 1;
    span part[2] = {all[0], all[1]};
    for (int64_t at = all[along].lo; at < all[along].hi; at += COPIED) {
        part[along] = (span){at, ashi_min(at + COPIED, all[along].hi)};
        copy_part(x, operand, all, part, to);
    }
}

/* C += a block's sum, columns of tiles after columns of tiles. */
static void add_block(const ashi_tile_box *x, const span part[2], const void *sum)
{
    const ashi_tile_product *p = x->p;
    const int64_t *column = p->b.col + x->right[0], ld = part[0].hi - part[0].lo;
    int64_t *const rows = x->edge[0], *const cols = x->edge[2];
    const int64_t first = tile_at(rows, x->rows, part[0].lo);
    for (int64_t j = tile_at(cols, x->columns, part[1].lo); j < x->columns && cols[j] < part[1].hi; j++) {
        const int64_t left = ashi_max(cols[j], part[1].lo), end = ashi_min(cols[j + 1], part[1].hi);
        for (int64_t i = first; i < x->rows && rows[i] < part[0].hi; i++) {
            const int64_t lo = ashi_max(rows[i], part[0].lo), hi = ashi_min(rows[i + 1], part[0].hi);
            const int64_t t = ashi_tile_rows_from(&p->c, p->c_row[x->row[i]], column[j]);
            const int64_t tall = rows[i + 1] - rows[i], at = lo - part[0].lo + (left - part[1].lo) * ld;
            const ashi_matrix block = {(const char *)sum + (size_t)at * p->element, 1, ld};
            p->kernels->axpby(hi - lo, end - left, p->kernels->one, &block, false, p->kernels->one,
                              ashi_tile_to(p, p->c.at[t] + lo - rows[i] + (left - cols[j]) * tall), 1, tall);
        }
    }
}

/* ---- multiplying ---- */

/* As the kernels take it: A's rows and B's columns are the minor side. */
static ashi_matrix matrix_of(const ashi_tile_box *x, int operand, const void *data, int64_t ld)
{
    const bool by_rows = (operand == 0 ? x->p->a.turned : x->p->b.turned) != (operand == 1);
    return (ashi_matrix){data, by_rows ? ld : 1, by_rows ? 1 : ld};
}

/* A part of op(A) or op(B) if it lies in one piece, as of a dense matrix: then it is not copied. */
static bool lies_whole(const ashi_tile_box *x, int operand, const span part[2], ashi_matrix *out)
{
    const ashi_tile_product *p = x->p;
    const bool turned = operand == 0 ? p->a.turned : p->b.turned;
    const int along = turned ? 0 : 1, across = 1 - along;
    const int64_t tiles[2] = {operand == 0 ? x->rows : x->depth, operand == 0 ? x->depth : x->columns};
    const int64_t *const edge[2] = {x->edge[operand], x->edge[operand + 1]};
    const int64_t line = tile_at(x->edge[operand + across], tiles[across], part[across].lo);
    const int64_t first = tile_at(x->edge[operand + along], tiles[along], part[along].lo);
    const int64_t tall = edge[across][line + 1] - edge[across][line];
    if (edge[across][line + 1] < part[across].hi)
        return false;
    const int64_t at = begins(x, operand, turned ? first : line, turned ? line : first);
    for (int64_t t = first + 1; t < tiles[along] && edge[along][t] < part[along].hi; t++) {
        const int64_t words = tall * (edge[along][t] - edge[along][first]);
        if (begins(x, operand, turned ? t : line, turned ? line : t) != at + words)
            return false;
    }
    const int64_t skipped = part[across].lo - edge[across][line] + tall * (part[along].lo - edge[along][first]);
    *out = matrix_of(x, operand, ashi_tile_from(p, operand, at + skipped), tall);
    return true;
}

/* A part of op(A) or op(B), where it lies or in the hand's block. */
static ashi_matrix take(const ashi_tile_box *x, ashi_tile_hand *hand, int operand, const span part[2])
{
    const bool turned = operand == 0 ? x->p->a.turned : x->p->b.turned;
    ashi_matrix m;
    if (lies_whole(x, operand, part, &m))
        return m;
    copy_block(x, operand, part, hand->block[operand]);
    return matrix_of(x, operand, hand->block[operand], turned ? part[1].hi - part[1].lo : part[0].hi - part[0].lo);
}

static void multiply(const ashi_tile_product *p, const span *m, const span *n, const span *k, const ashi_matrix *a,
                     const ashi_matrix *b, bool adds, void *c, int64_t ld)
{
    p->kernels->gemm(m->hi - m->lo, n->hi - n->lo, k->hi - k->lo, p->alpha, a, p->a.conjugate, b, p->b.conjugate,
                     adds ? p->kernels->one : p->kernels->zero, c, 1, ld);
}

static span part_of(span all, int64_t parts, int64_t part)
{
    const int64_t size = all.hi - all.lo;
    return (span){all.lo + ashi_cut(size, parts, part), all.lo + ashi_cut(size, parts, part + 1)};
}

static int64_t parts_of(span all, int64_t most)
{
    return ashi_ceil_div(all.hi - all.lo, most);
}

/* Row `i` of tiles, which lies in C as one matrix: its products are added up there. */
static void multiply_straight(const ashi_tile_box *x, ashi_tile_hand *hand, int64_t i, span n, span k,
                              const ashi_matrix *b)
{
    const ashi_tile_product *p = x->p;
    const span row = {x->edge[0][i], x->edge[0][i + 1]};
    const int64_t tall = row.hi - row.lo, parts = parts_of(row, p->limits.block_side);
    const int64_t t = ashi_tile_rows_from(&p->c, p->c_row[x->row[i]], p->b.col[x->right[0]]);
    for (int64_t part = 0; part < parts; part++) {
        const span m = part_of(row, parts, part);
        const ashi_matrix a = take(x, hand, 0, (span[2]){m, k});
        multiply(p, &m, &n, &k, &a, b, true, ashi_tile_to(p, p->c.at[t] + m.lo - row.lo + n.lo * tall), tall);
    }
}

/* Rows of tiles that are shorter: their sum is made apart and added to C, some columns after the other. */
static void multiply_thin(const ashi_tile_box *x, ashi_tile_hand *hand, span rows, span n, span k)
{
    const ashi_tile_product *p = x->p;
    const int64_t down = parts_of(rows, p->limits.block_side), across = parts_of(n, p->limits.sum_columns);
    for (int64_t i = 0; i < down; i++) {
        const span m = part_of(rows, down, i);
        const ashi_matrix a = take(x, hand, 0, (span[2]){m, k});
        for (int64_t j = 0; j < across; j++) {
            const span some = part_of(n, across, j);
            const ashi_matrix b = take(x, hand, 1, (span[2]){k, some});
            multiply(p, &m, &some, &k, &a, &b, false, hand->block[2], m.hi - m.lo);
            add_block(x, (span[2]){m, some}, hand->block[2]);
        }
    }
}

/* The same if k is long: all of it is summed up before that is added to C. */
static void multiply_deep(const ashi_tile_box *x, ashi_tile_hand *hand, span rows, span n, int64_t parts)
{
    const ashi_tile_product *p = x->p;
    const span all = {0, x->edge[1][x->depth]};
    const int64_t down = parts_of(rows, p->limits.block_side);
    for (int64_t i = 0; i < down; i++) {
        const span m = part_of(rows, down, i);
        for (int64_t z = 0; z < parts; z++) {
            const span k = part_of(all, parts, z);
            const ashi_matrix a = take(x, hand, 0, (span[2]){m, k}), b = take(x, hand, 1, (span[2]){k, n});
            multiply(p, &m, &n, &k, &a, &b, z > 0, hand->block[2], m.hi - m.lo);
        }
        add_block(x, (span[2]){m, n}, hand->block[2]);
    }
}

static void multiply_columns(const ashi_tile_box *x, ashi_tile_hand *hand, span n)
{
    const span k = {0, x->edge[1][x->depth]}, rows = {x->edge[0][x->straight], x->edge[0][x->rows]};
    const int64_t parts = parts_of(k, x->p->limits.block_depth);
    if (parts > 1) {
        multiply_deep(x, hand, rows, n, parts);
        return;
    }
    if (x->straight > 0) {
        const ashi_matrix b = take(x, hand, 1, (span[2]){k, n});
        for (int64_t i = 0; i < x->straight; i++)
            multiply_straight(x, hand, i, n, k, &b);
    }
    multiply_thin(x, hand, rows, n, k);
}

static void multiply_box(const ashi_tile_box *x, ashi_tile_hand *hand)
{
    const span all = {0, x->edge[2][x->columns]};
    const int64_t across = parts_of(all, x->p->limits.block_side);
    for (int64_t j = 0; j < across; j++)
        multiply_columns(x, hand, part_of(all, across, j));
    hand->flops += x->edge[0][x->rows] * all.hi * x->edge[1][x->depth];
}

void ashi_tile_merged_run(const ashi_tile_product *p, ashi_tile_hand *hand, const ashi_tile_task *task)
{
    int64_t waits = 0; /* the first tile that is not multiplied yet */
    for (ashi_tile_box x = ashi_tile_box_begin(p, task, hand->edge); ashi_tile_box_next(&x);) {
        ashi_tile_stacks_run(p, hand, task, waits, x.first - waits);
        multiply_box(&x, hand);
        waits = x.first + x.depth;
    }
    ashi_tile_stacks_run(p, hand, task, waits, INT64_MAX);
}

/* ---- what that needs ---- */

/* The longest of the parts that a side is cut into. */
static int64_t longest(int64_t all, int64_t most)
{
    return ashi_ceil_div(all, ashi_max(1, ashi_ceil_div(all, most)));
}

static void need_box(const ashi_tile_box *x, int64_t block[3])
{
    const ashi_tile_limits *limits = &x->p->limits;
    const int64_t all = x->edge[1][x->depth], depth = longest(all, limits->block_depth), side = limits->block_side;
    const int64_t columns = longest(x->edge[2][x->columns], side);
    const int64_t of_sum = ashi_min(columns, depth < all ? side : limits->sum_columns);
    int64_t rows = longest(x->edge[0][x->rows] - x->edge[0][x->straight], side);
    block[2] = ashi_max(block[2], rows * of_sum);
    for (int64_t i = 0; i < x->straight; i++)
        rows = ashi_max(rows, longest(x->edge[0][i + 1] - x->edge[0][i], side));
    block[0] = ashi_max(block[0], rows * depth);
    block[1] = ashi_max(block[1], depth * (x->straight > 0 ? columns : of_sum));
}

void ashi_tile_merged_need(const ashi_tile_product *p, int64_t *const array[ASHI_BOX_ARRAYS], int64_t block[3])
{
    for (int64_t i = 0; i < p->tasks; i++) {
        if (!p->task[i].alike)
            continue;
        for (ashi_tile_box x = ashi_tile_box_begin(p, &p->task[i], array); ashi_tile_box_next(&x);)
            need_box(&x, block);
    }
}
