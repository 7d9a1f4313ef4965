/* Rows of tiles that are alike, times columns that all of them meet: their tiles make dense matrices of A and B. */
#include "kernel/tile_boxes.h"

#include "base/checked.h"
#include "kernel/micro.h"

#include <string.h>

/* A box may be shorter along k by SHORT_PARTS if it has at least SHORT_TILES tiles there. */
enum { SHORT_PARTS = 4, SHORT_TILES = 4 };

/* The columns of the task that row `row` of op(B) has: from *from, how many. */
static int64_t columns_of(const ashi_tile_product *p, const ashi_tile_task *task, int64_t row, int64_t *from)
{
    *from = ashi_tile_rows_from(&p->b, row, task->col_lo);
    return ashi_tile_rows_from(&p->b, row, task->col_hi) - *from;
}

/* The most tiles from x->first on that meet the same columns; *columns: how many those are, 0 if the first meets
 * none. */
static int64_t depth_of(const ashi_tile_box *x, int64_t *columns)
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

static bool c_has_all(const ashi_tile_box *x)
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

static bool none_left_out(const ashi_tile_box *x)
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

static void find_edges(const ashi_tile_box *x)
{
    const ashi_tile_product *p = x->p;
    const int64_t *column = p->b.col + x->right[0], *k = p->a.col + p->a.start[x->task->row_lo] + x->first;
    x->edge[0][0] = x->edge[1][0] = x->edge[2][0] = 0;
    for (int64_t i = 0; i < x->rows; i++)
        x->edge[0][i + 1] = x->edge[0][i] + ashi_tile_box_height(x, i);
    for (int64_t z = 0; z < x->depth; z++)
        x->edge[1][z + 1] = x->edge[1][z] + ashi_tile_rows_width(&p->a, k[z]);
    for (int64_t j = 0; j < x->columns; j++)
        x->edge[2][j + 1] = x->edge[2][j] + ashi_tile_rows_width(&p->b, column[j]);
}

/* Worth it if each side is long. A single tile of A needs no copy: neighbouring tiles of B are multiplied as one. If k
 * is in many tiles these are small, and are multiplied so slowly one by one that a part of the length is enough. With
 * fewer tiles the memory of a box costs more than it gains. */
static bool is_worth(const ashi_tile_box *x)
{
    const ashi_tile_product *p = x->p;
    const int64_t m = x->height, k = x->edge[1][x->depth], n = x->edge[2][x->columns];
    const int64_t least = p->limits.box_least;
    const bool deep = k >= least || (x->depth >= SHORT_TILES && k * SHORT_PARTS >= least);
    return m >= least && n >= least && deep && (x->rows > 1 || x->depth > 1);
}

void ashi_tile_box_room(const ashi_tile_product *p, const ashi_tile_task *task, int64_t count[ASHI_BOX_ARRAYS])
{
    const int64_t rows = task->row_hi - task->row_lo, depth = p->a.start[task->row_lo + 1] - p->a.start[task->row_lo];
    count[0] = rows + 1;
    count[1] = depth + 1;
    count[2] = task->col_hi - task->col_lo + 1;
    count[3] = depth;
    count[4] = rows;
}

ashi_tile_box ashi_tile_box_begin(const ashi_tile_product *p, const ashi_tile_task *task,
                                  int64_t *const array[ASHI_BOX_ARRAYS])
{
    ashi_tile_box x = {.p = p, .task = task, .rows = task->row_hi - task->row_lo,
                       .edge = {array[0], array[1], array[2]}, .right = array[3], .cursor = array[4]};
    for (int64_t i = 0; i < x.rows; i++)
        x.height += ashi_tile_box_height(&x, i);
    return x;
}

bool ashi_tile_box_next(ashi_tile_box *x)
{
    const int64_t all = x->p->a.start[x->task->row_lo + 1] - x->p->a.start[x->task->row_lo];
    for (x->first += x->depth; x->first < all; x->first += x->depth) {
        x->depth = depth_of(x, &x->columns);
        if (x->columns == 0)
            continue;
        find_edges(x);
        if (x->task->full || (is_worth(x) && c_has_all(x) && none_left_out(x)))
            return true;
    }
    return false;
}

ashi_tile_span ashi_tile_box_part(const ashi_tile_box *x, int side)
{
    const ashi_micro *const micro = ashi_micro_of(x->p->request.type);
    const int64_t unit = side == 0 ? micro->rows : micro->cols, part = x->task->part[side];
    const int64_t all = side == 0 ? x->edge[0][x->rows] : x->edge[2][x->columns], parts = x->task->parts[side];
    if (!x->task->full)
        return (ashi_tile_span){0, all};
    return (ashi_tile_span){ashi_cut_units(all, unit, parts, part), ashi_cut_units(all, unit, parts, part + 1)};
}
