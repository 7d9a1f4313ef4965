/* Tiles that make a full box are multiplied as one matrix: they are brought into the order of the innermost product,
 * which packs its operands anyway, and sums go to the tiles of C at once. So uneven dense tiles cost what one piece
 * does. */
#include "kernel/tile_boxes.h"

#include "base/checked.h"
#include "kernel/cache_blocks.h"
#include "kernel/pack.h"

#include <stdalign.h>
#include <string.h>

typedef struct merging {
    const ashi_tile_box *x;
    const ashi_tile_product *p;
    const ashi_tile_hand *hand;
    const ashi_micro *micro;
    const ashi_pack *pack;
    ashi_cache_blocks blocks;
} merging;

/* The first tile of a side that ends after `at`. */
static int64_t tile_at(int64_t *edge, int64_t tiles, int64_t at)
{
    const ashi_cuts cuts = {.tiles = tiles, .at = edge};
    return ashi_cuts_find(&cuts, at);
}

/* ---- packing ---- */

/* Tile (i, z) of the box's A. Tiles that follow it along k are taken with it as long as they lie as one would: returns
 * the one after these. */
static int64_t piece_of_a(const merging *g, int64_t i, int64_t z, ashi_tile_span m, ashi_tile_span k,
                          ashi_pack_piece *piece, int64_t *from)
{
    const ashi_tile_box *x = g->x;
    const ashi_tile_rows *a = &g->p->a;
    const int64_t *row = x->edge[0], *depth = x->edge[1], first = a->start[x->task->row_lo + i] + x->first;
    const int64_t tall = ashi_tile_box_height(x, i), at = ashi_tile_rows_at(a, first + z);
    int64_t next = z + 1;
    while (!a->turned && next < x->depth && depth[next] < k.hi &&
           ashi_tile_rows_at(a, first + next) == at + tall * (depth[next] - depth[z]))
        next++;
    const int64_t lo = ashi_max(row[i], m.lo), left = ashi_max(depth[z], k.lo);
    const int64_t wide = depth[z + 1] - depth[z], skip[2] = {lo - row[i], left - depth[z]};
    *from = at + (a->turned ? skip[0] * wide + skip[1] : skip[0] + skip[1] * tall);
    *piece = (ashi_pack_piece){
        .minors = ashi_min(row[i] + tall, m.hi) - lo, .majors = ashi_min(depth[next], k.hi) - left,
        .minor_stride = a->turned ? wide : 1, .major_stride = a->turned ? 1 : tall,
        .minor_at = lo - m.lo, .major_at = left - k.lo, .all_majors = k.hi - k.lo};
    return next;
}

static void pack_a(const merging *g, ashi_tile_span m, ashi_tile_span k)
{
    const ashi_tile_box *x = g->x;
    const int64_t panels = ashi_ceil_div(m.hi - m.lo, g->micro->rows), words = g->micro->rows * (k.hi - k.lo);
    char *const to = g->hand->block[0];
    const int64_t whole = (m.hi - m.lo) / g->micro->rows;
    memset(to + (size_t)(whole * words) * g->p->element, 0, (size_t)((panels - whole) * words) * g->p->element);
    const int64_t first = tile_at(x->edge[1], x->depth, k.lo);
    for (int64_t i = tile_at(x->edge[0], x->rows, m.lo); i < x->rows && x->edge[0][i] < m.hi; i++)
        for (int64_t z = first; z < x->depth && x->edge[1][z] < k.hi;) {
            ashi_pack_piece piece;
            int64_t from;
            z = piece_of_a(g, i, z, m, k, &piece, &from);
            g->pack->piece(&piece, ashi_tile_from(g->p, 0, from), g->p->a.conjugate, g->micro->rows, to);
        }
}

/* Tile (z, j) of the box's B, and those that follow it along n. */
static int64_t piece_of_b(const merging *g, int64_t z, int64_t j, ashi_tile_span k, ashi_tile_span n,
                          ashi_pack_piece *piece, int64_t *from)
{
    const ashi_tile_box *x = g->x;
    const ashi_tile_rows *b = &g->p->b;
    const int64_t *depth = x->edge[1], *col = x->edge[2], tall = depth[z + 1] - depth[z];
    const int64_t at = ashi_tile_rows_at(b, x->right[z] + j);
    int64_t next = j + 1;
    while (!b->turned && next < x->columns && col[next] < n.hi &&
           ashi_tile_rows_at(b, x->right[z] + next) == at + tall * (col[next] - col[j]))
        next++;
    const int64_t lo = ashi_max(depth[z], k.lo), left = ashi_max(col[j], n.lo);
    const int64_t wide = col[j + 1] - col[j], skip[2] = {lo - depth[z], left - col[j]};
    *from = at + (b->turned ? skip[0] * wide + skip[1] : skip[0] + skip[1] * tall);
    *piece = (ashi_pack_piece){
        .minors = ashi_min(col[next], n.hi) - left, .majors = ashi_min(depth[z + 1], k.hi) - lo,
        .minor_stride = b->turned ? 1 : tall, .major_stride = b->turned ? wide : 1,
        .minor_at = left - n.lo, .major_at = lo - k.lo, .all_majors = k.hi - k.lo};
    return next;
}

/* The same of B, times alpha. */
static void pack_b(const merging *g, ashi_tile_span k, ashi_tile_span n)
{
    const ashi_tile_box *x = g->x;
    const int64_t width = g->micro->cols, panels = ashi_ceil_div(n.hi - n.lo, width), whole = (n.hi - n.lo) / width;
    const int64_t words = width * (k.hi - k.lo);
    char *const to = g->hand->block[1];
    memset(to + (size_t)(whole * words) * g->p->element, 0, (size_t)((panels - whole) * words) * g->p->element);
    const int64_t first = tile_at(x->edge[2], x->columns, n.lo);
    for (int64_t z = tile_at(x->edge[1], x->depth, k.lo); z < x->depth && x->edge[1][z] < k.hi; z++)
        for (int64_t j = first; j < x->columns && x->edge[2][j] < n.hi;) {
            ashi_pack_piece piece;
            int64_t from;
            j = piece_of_b(g, z, j, k, n, &piece, &from);
            g->pack->piece(&piece, ashi_tile_from(g->p, 1, from), g->p->b.conjugate, (int)width, to);
        }
    if (!g->p->alpha_is_one)
        g->pack->times(g->p->alpha, (int)width, panels * (k.hi - k.lo), to);
}

/* ---- multiplying ---- */

/* Some columns of C: how many, the tile that each is in, and which column of the tile it is. */
typedef struct columns {
    int count;
    int64_t tile[ASHI_MICRO_COLS_MOST], skip[ASHI_MICRO_COLS_MOST];
} columns;

static columns columns_of(const ashi_tile_box *x, int64_t *tile, int64_t at, int count)
{
    columns c = {.count = count};
    for (int j = 0; j < count; j++) {
        while (x->edge[2][*tile + 1] <= at + j)
            ++*tile;
        c.tile[j] = *tile;
        c.skip[j] = at + j - x->edge[2][*tile];
    }
    return c;
}

/* Where the columns are in row i of tiles of C. The row's cursor is the tile that the first column is in: columns are
 * asked for in ascending order. */
static void places(const merging *g, int64_t i, const columns *c, int64_t *at)
{
    const ashi_tile_rows *to = &g->p->c;
    const int64_t *column = g->p->b.col + g->x->right[0], tall = ashi_tile_box_height(g->x, i);
    int64_t t = g->x->cursor[i];
    for (int j = 0; j < c->count; j++) {
        if (j > 0 && c->tile[j] == c->tile[j - 1]) {
            at[j] = at[j - 1] + tall;
            continue;
        }
        while (to->col[t] != column[c->tile[j]])
            t++;
        at[j] = to->at[t] + c->skip[j] * tall;
        if (j == 0)
            g->x->cursor[i] = t;
    }
}

/* Where the columns are in a row of tiles. Most blocks share it with the one before. */
typedef struct found {
    int64_t row, at[ASHI_MICRO_COLS_MOST]; /* row: -1 if they were not looked for yet */
} found;

/* In row i of tiles, of the last even row or the last odd one. */
static const int64_t *find(const merging *g, int64_t i, const columns *c, found of[2])
{
    found *const f = &of[i % 2];
    if (f->row != i)
        places(g, i, c, f->at);
    f->row = i;
    return f->at;
}

/* What one row of tiles has of a small block of C: rows lo to hi - 1 of the box, and where the columns are, until the
 * row after the next is looked for. */
typedef struct part {
    int64_t lo, hi;
    const int64_t *at;
} part;

/* Of the block that begins with row `row`, in row i of tiles, which may be empty. */
static part part_of(const merging *g, int64_t i, int64_t row, const columns *c, found of[2])
{
    const int64_t *const edge = g->x->edge[0];
    const int64_t lo = ashi_max(row, edge[i]), hi = ashi_min(row + g->micro->rows, edge[i + 1]);
    return (part){lo, hi, lo < hi ? find(g, i, c, of) : NULL};
}

static char *start_of(const merging *g, int64_t i, const part *p)
{
    return ashi_tile_to(g->p, p->lo - g->x->edge[0][i]);
}

/* Have the caches fetch a part: the sums are ready by the time that it is there. */
static void fetch_part(const merging *g, const char *to, const part *p, int count)
{
    const int64_t bytes = (int64_t)g->p->element;
    for (int j = 0; j < count && p->lo < p->hi; j++)
        for (int64_t l = 0; l <= (p->hi - p->lo) * bytes; l += 64)
            __builtin_prefetch(to + p->at[j] * bytes + l, 1);
}

/* A small block of C from row `row` of the box on, whose rows begin in row of tiles i and lie in several. Most lie in
 * two, which are fetched meanwhile. */
static void form_apart(const merging *g, int64_t i, int64_t row, const columns *c, int64_t k, const char *a,
                       const char *b, found of[2])
{
    enum { FETCHED = 2 };
    alignas(double _Complex) char sums[ASHI_MICRO_ROWS_MOST * ASHI_MICRO_COLS_MOST * sizeof(double)];
    const int height = g->micro->rows;
    int64_t at[ASHI_MICRO_COLS_MOST];
    part fetched[FETCHED];
    for (int64_t t = i; t < i + FETCHED && t < g->x->rows; t++) {
        fetched[t - i] = part_of(g, t, row, c, of);
        fetch_part(g, start_of(g, t, &fetched[t - i]), &fetched[t - i], c->count);
    }
    for (int j = 0; j < g->micro->cols; j++)
        at[j] = (int64_t)j * height;
    g->micro->form(g->micro->rows, c->count, k, a, b, false, sums, NULL, at);
    for (int64_t t = i; t < g->x->rows && g->x->edge[0][t] < row + height; t++) {
        part other;
        const part *const p = t < i + FETCHED ? &fetched[t - i] : &other;
        if (p == &other)
            other = part_of(g, t, row, c, of);
        if (p->lo < p->hi)
            g->micro->add(sums + (size_t)(p->lo - row) * g->p->element, height, p->hi - p->lo, c->count,
                          start_of(g, t, p), p->at);
    }
}

/* The same of a whole block whose rows lie in rows of tiles i and i + 1. */
static void form_split(const merging *g, int64_t i, int64_t row, const columns *c, int64_t k, const char *a,
                       const char *b, found of[2])
{
    const int64_t *const edge = g->x->edge[0];
    const part upper = {row, edge[i + 1], find(g, i, c, of)};
    const part lower = {edge[i + 1], row + g->micro->rows, find(g, i + 1, c, of)};
    void *const to[2] = {start_of(g, i, &upper), start_of(g, i + 1, &lower)};
    fetch_part(g, to[0], &upper, c->count);
    fetch_part(g, to[1], &lower, c->count);
    g->micro->add_split((int)(upper.hi - row), k, a, b, to, (const int64_t *const[]){upper.at, lower.at});
}

/* Rows that lie in one tile are summed where they are. */
static void form(const merging *g, int64_t i, int64_t row, const columns *c, int64_t k, const char *a, const char *b,
                 found of[2])
{
    const int64_t *const edge = g->x->edge[0], end = row + g->micro->rows;
    const bool whole = c->count == g->micro->cols;
    if (whole && end <= edge[i + 1]) {
        const int64_t *const at = find(g, i, c, of);
        char *const to = ashi_tile_to(g->p, row - edge[i]);
        ashi_micro_fetch(g->micro, g->p->element, to, at);
        g->micro->form(g->micro->rows, c->count, k, a, b, true, to, NULL, at);
    } else if (whole && g->micro->add_split && i + 1 < g->x->rows && end <= edge[i + 2]) {
        form_split(g, i, row, c, k, a, b, of);
    } else {
        form_apart(g, i, row, c, k, a, b, of);
    }
}

static void multiply_block(const merging *g, ashi_tile_span m, ashi_tile_span n, int64_t k)
{
    const ashi_tile_box *x = g->x;
    const int64_t height = g->micro->rows, width = g->micro->cols, first = tile_at(x->edge[0], x->rows, m.lo);
    int64_t tile = tile_at(x->edge[2], x->columns, n.lo);
    for (int64_t i = first; i < x->rows && x->edge[0][i] < m.hi; i++)
        x->cursor[i] = ashi_tile_rows_from(&g->p->c, g->p->c_row[x->task->row_lo + i], g->p->b.col[x->right[0] + tile]);
    for (int64_t j = n.lo; j < n.hi; j += width) {
        const columns c = columns_of(x, &tile, j, (int)ashi_min(width, n.hi - j));
        const char *const b = (const char *)g->hand->block[1] + (size_t)((j - n.lo) * k) * g->p->element;
        found of[2] = {{.row = -1}, {.row = -1}};
        for (int64_t row = m.lo, i = first; row < m.hi; row += height) {
            while (i + 1 < x->rows && x->edge[0][i + 1] <= row)
                i++;
            form(g, i, row, &c, k, (const char *)g->hand->block[0] + (size_t)((row - m.lo) * k) * g->p->element, b,
                 of);
        }
    }
}

/* What the task has of the box. */
static void multiply_box(const ashi_tile_box *x, ashi_tile_hand *hand)
{
    const ashi_tile_product *p = x->p;
    const ashi_tile_span m = ashi_tile_box_part(x, 0), n = ashi_tile_box_part(x, 1);
    const int64_t k = x->edge[1][x->depth];
    const merging g = {x, p, hand, ashi_micro_of(p->request.type), ashi_pack_of(p->request.type),
                       ashi_cache_blocks_of(p->request.type, m.hi - m.lo, n.hi - n.lo, k, p->limits.block_depth)};
    for (int64_t j = n.lo; j < n.hi; j += g.blocks.nc)
        for (int64_t z = 0; z < k; z += g.blocks.kc) {
            const ashi_tile_span cols = {j, ashi_min(j + g.blocks.nc, n.hi)}, depth = {z, ashi_min(z + g.blocks.kc, k)};
            pack_b(&g, depth, cols);
            for (int64_t i = m.lo; i < m.hi; i += g.blocks.mc) {
                const ashi_tile_span rows = {i, ashi_min(i + g.blocks.mc, m.hi)};
                pack_a(&g, rows, depth);
                multiply_block(&g, rows, cols, depth.hi - depth.lo);
            }
        }
    hand->flops += (m.hi - m.lo) * (n.hi - n.lo) * k;
}

void ashi_tile_merged_run(const ashi_tile_product *p, ashi_tile_hand *hand, const ashi_tile_task *task)
{
    int64_t waits = 0; /* the first tile that is not multiplied yet */
    for (ashi_tile_box x = ashi_tile_box_begin(p, task, hand->edge); ashi_tile_box_next(&x);) {
        if (!task->full)
            ashi_tile_stacks_run(p, hand, task, waits, x.first - waits);
        multiply_box(&x, hand);
        waits = x.first + x.depth;
    }
    if (!task->full)
        ashi_tile_stacks_run(p, hand, task, waits, INT64_MAX);
}

/* ---- what that needs ---- */

/* Whether tiles first to end - 1 in the task's rows of op(A) meet any of op(B). */
static bool meets_any(const ashi_tile_product *p, const ashi_tile_task *task, int64_t first, int64_t end)
{
    const int64_t *row = p->b_row + p->a.start[task->row_lo];
    for (int64_t t = first; t < end; t++)
        if (row[t] >= 0)
            return true;
    return false;
}

/* Of one task. */
static bool need_of(const ashi_tile_product *p, const ashi_tile_task *task, int64_t *const array[ASHI_BOX_ARRAYS],
                    int64_t block[3])
{
    const int64_t all = p->a.start[task->row_lo + 1] - p->a.start[task->row_lo];
    int64_t waits = 0;
    bool rest = false;
    for (ashi_tile_box x = ashi_tile_box_begin(p, task, array); ashi_tile_box_next(&x); waits = x.first + x.depth) {
        const ashi_tile_span m = ashi_tile_box_part(&x, 0), n = ashi_tile_box_part(&x, 1);
        const ashi_cache_blocks blocks = ashi_cache_blocks_of(p->request.type, m.hi - m.lo, n.hi - n.lo,
                                                              x.edge[1][x.depth], p->limits.block_depth);
        block[0] = ashi_max(block[0], blocks.mc * blocks.kc);
        block[1] = ashi_max(block[1], blocks.nc * blocks.kc);
        rest = rest || (!task->full && meets_any(p, task, waits, x.first));
    }
    return rest || (!task->full && meets_any(p, task, waits, all));
}

bool ashi_tile_merged_need(const ashi_tile_product *p, int64_t *const array[ASHI_BOX_ARRAYS], int64_t block[3])
{
    bool rest = false;
    for (int64_t i = 0; i < p->tasks; i++) {
        const bool of_task = !p->task[i].alike || need_of(p, &p->task[i], array, block);
        rest = rest || of_task;
    }
    return rest;
}
