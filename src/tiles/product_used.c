/* With which tiles of A and B a rank forms products, where some products that the patterns allow are not formed. */
#include "tiles/product_parts.h"

#include "base/bits.h"
#include "base/error.h"
#include "base/ordering.h"

#include <stdlib.h>

void ashi_product_used_free(ashi_tiles_used *used)
{
    for (int x = 0; x < 2; x++)
        free(used->with[x]);
    *used = (ashi_tiles_used){0};
}

/* ---- what is looked up ---- */

/* Whether a tile of needed[x] has words: one of rank 0, or of no rows, is in no product. */
static bool has_words(const ashi_tiles_product *p, ashlar_operand x, int64_t row, int64_t col)
{
    return ashi_tile_words(&p->problem, x, &(ashi_tile_at){row, col}) > 0;
}

typedef struct finding {
    const ashi_tiles_product *p;
    ashi_tiles_used *used;
    int64_t *b_row;  /* for each k: its row in needed[1], -1: none */
    int64_t *c_row;  /* for each column of C: the last row of C, of those looked at, that has a tile there */
    int64_t *open;   /* tiles of needed[1] without a product: those of a row begin where the row does */
    int64_t *opened; /* how many these are, for each row */
} finding;

static bool make_tables(finding *f)
{
    const ashi_pattern *b = &f->p->needed[1];
    const int64_t inner = f->p->problem.cuts[2]->tiles, cols = f->p->problem.cuts[1]->tiles;
    f->b_row = malloc(((size_t)inner + 1) * sizeof *f->b_row);
    f->c_row = malloc(((size_t)cols + 1) * sizeof *f->c_row);
    f->open = malloc(((size_t)b->tiles + 1) * sizeof *f->open);
    f->opened = calloc((size_t)b->rows + 1, sizeof *f->opened);
    if (!f->b_row || !f->c_row || !f->open || !f->opened)
        return false;
    for (int64_t k = 0; k < inner; k++)
        f->b_row[k] = -1;
    for (int64_t j = 0; j < cols; j++)
        f->c_row[j] = -1;
    for (int64_t x = 0; x < b->rows; x++) {
        f->b_row[b->row[x]] = x;
        for (int64_t u = b->start[x]; u < b->start[x + 1]; u++)
            if (f->used->with[1][u] < 0 && has_words(f->p, ASHLAR_B, b->row[x], b->col[u]))
                f->open[b->start[x] + f->opened[x]++] = u;
    }
    return true;
}

static void free_tables(finding *f)
{
    free(f->b_row);
    free(f->c_row);
    free(f->open);
    free(f->opened);
}

/* ---- products ---- */

/* A tile (i, k) of needed[0]; tile u in row x of needed[1] has the bit of number bit + u. */
typedef struct met {
    int64_t i, x, bit;
} met;

static bool is_formed(const finding *f, const met *m, int64_t u)
{
    const int64_t col = f->p->needed[1].col[u];
    return f->c_row[col] == m->i && (f->p->c->symmetry == ASHLAR_GENERAL || col >= m->i) &&
           (!f->p->first_bit || !ashi_bit(f->p->symbolic.left, m->bit + u));
}

/* The column of a tile of B, one with words, with which the tile of A forms a product; -1: there is none. */
static int64_t find_column(const finding *f, const met *m)
{
    const ashi_pattern *b = &f->p->needed[1];
    const int64_t end = b->start[m->x + 1];
    int64_t u = b->start[m->x];
    if (f->p->c->symmetry != ASHLAR_GENERAL)
        u = ashi_first_from(b->col, u, end, m->i);
    for (; u < end; u++) {
        if (f->p->first_bit)
            u = ashi_bits_clear_from(f->p->symbolic.left, m->bit + u, m->bit + end) - m->bit;
        if (u < end && is_formed(f, m, u) && has_words(f->p, ASHLAR_B, b->row[m->x], b->col[u]))
            return b->col[u];
    }
    return -1;
}

/* The tiles of B without a product that the tile of A meets. */
static void close_row(finding *f, const met *m)
{
    int64_t *const open = f->open + f->p->needed[1].start[m->x];
    for (int64_t i = 0; i < f->opened[m->x];) {
        if (!is_formed(f, m, open[i])) {
            i++;
            continue;
        }
        f->used->with[1][open[i]] = m->i;
        open[i] = open[--f->opened[m->x]];
    }
}

/* Tiles without a product get one, if there is one. */
static void find_products(finding *f)
{
    const ashi_pattern *a = &f->p->needed[0], *c = &f->p->symbolic.c;
    int64_t *const with = f->used->with[0];
    for (int64_t r = 0, y = 0; r < a->rows; r++) {
        y = ashi_first_near(c->row, y, c->rows, a->row[r]);
        if (y == c->rows || c->row[y] != a->row[r] || ashi_cuts_size(f->p->problem.cuts[0], a->row[r]) == 0)
            continue;
        for (int64_t t = c->start[y]; t < c->start[y + 1]; t++)
            f->c_row[c->col[t]] = a->row[r];
        for (int64_t t = a->start[r]; t < a->start[r + 1]; t++) {
            met m = {.i = a->row[r], .x = f->b_row[a->col[t]]};
            if (m.x < 0 || (with[t] >= 0 && f->opened[m.x] == 0) ||
                !has_words(f->p, ASHLAR_A, a->row[r], a->col[t]))
                continue;
            m.bit = f->p->first_bit ? f->p->first_bit[t] - f->p->needed[1].start[m.x] : 0;
            if (with[t] < 0)
                with[t] = find_column(f, &m);
            if (f->opened[m.x] > 0)
                close_row(f, &m);
        }
    }
}

/* ---- what comes for nothing ---- */

static bool comes_for_nothing(const ashi_tiles_product *p, int x, const ashi_tile_at *at)
{
    const int64_t k = ashi_tile_inner(x, at);
    return p->inner_tiles[1 - x][k] > 0 && ashi_tile_words(&p->problem, (ashlar_operand)x, at) > 0 &&
           ashi_tile_owner(&p->problem, (ashlar_operand)x, at) != p->c->context->rank;
}

static bool find_unused(const ashi_tiles_product *p, const ashi_tiles_used *used)
{
    for (int x = 0; x < 2; x++)
        for (int64_t r = 0; r < p->needed[x].rows; r++)
            for (int64_t t = p->needed[x].start[r]; t < p->needed[x].start[r + 1]; t++)
                if (used->with[x][t] < 0 &&
                    comes_for_nothing(p, x, &(ashi_tile_at){p->needed[x].row[r], p->needed[x].col[t]}))
                    return true;
    return false;
}

/* ---- all of it ---- */

static ashlar_status make_lists(ashi_tiles_product *p, ashlar_error *err)
{
    for (int x = 0; x < 2; x++) {
        const int64_t tiles = p->needed[x].tiles;
        p->used.with[x] = malloc(((size_t)tiles + 1) * sizeof *p->used.with[x]);
        p->used.room[x] = tiles;
        if (!p->used.with[x])
            return ashi_fail_memory(err, p->who, tiles * (int64_t)sizeof *p->used.with[x]);
        for (int64_t t = 0; t < tiles; t++)
            p->used.with[x][t] = -1;
    }
    return ASHLAR_OK;
}

ashlar_status ashi_product_find_used(ashi_tiles_product *p, ashlar_error *err)
{
    finding f = {.p = p, .used = &p->used};
    if (p->c->context->ranks == 1 || (!p->retain && !p->first_bit && p->c->symmetry == ASHLAR_GENERAL))
        return ASHLAR_OK;
    ashlar_status status = p->used.with[0] ? ASHLAR_OK : make_lists(p, err);
    if (status == ASHLAR_OK && !make_tables(&f))
        status = ashi_fail_memory(err, p->who, p->needed[1].tiles * (int64_t)sizeof *f.open);
    if (status == ASHLAR_OK) {
        find_products(&f);
        p->used.some_unused = find_unused(p, &p->used);
    }
    free_tables(&f);
    return status;
}

/* ---- changes ---- */

/* The row of a list of tiles for each k; -1: none. */
static int64_t *rows_of(const ashi_pattern *tiles, int64_t inner)
{
    int64_t *row = malloc(((size_t)inner + 1) * sizeof *row);
    for (int64_t k = 0; k < inner && row; k++)
        row[k] = -1;
    for (int64_t x = 0; x < tiles->rows && row; x++)
        row[tiles->row[x]] = x;
    return row;
}

/* Tiles of A whose product is with a tile of B that has gone. */
static ashlar_status open_a(ashi_tiles_product *p, const ashi_pattern *gone, ashlar_error *err)
{
    const ashi_pattern *a = &p->needed[0];
    int64_t *const with = p->used.with[0], inner = ashi_product_cuts(p, 2)->tiles, *const row = rows_of(gone, inner);
    if (!row)
        return ashi_fail_memory(err, p->who, inner * (int64_t)sizeof *row);
    for (int64_t t = 0; t < a->tiles; t++) {
        const int64_t x = row[a->col[t]];
        for (int64_t u = x < 0 ? 0 : gone->start[x]; u < (x < 0 ? 0 : gone->start[x + 1]); u++)
            if (gone->col[u] == with[t])
                with[t] = -1;
    }
    free(row);
    return ASHLAR_OK;
}

/* Tiles of B whose product is with a tile of A that has gone. */
static void open_b(ashi_tiles_product *p, const ashi_pattern *gone)
{
    const ashi_pattern *b = &p->needed[1];
    for (int64_t r = 0; r < gone->rows; r++)
        for (int64_t t = gone->start[r], x = 0; t < gone->start[r + 1]; t++) {
            x = ashi_first_near(b->row, x, b->rows, gone->col[t]);
            if (x == b->rows || b->row[x] != gone->col[t])
                continue;
            for (int64_t u = b->start[x]; u < b->start[x + 1]; u++)
                if (p->used.with[1][u] == gone->row[r])
                    p->used.with[1][u] = -1;
        }
}

ashlar_status ashi_product_move_used(ashi_tiles_product *p, const ashi_pattern_changes needed[2], ashlar_error *err)
{
    ashlar_status status = ASHLAR_OK;
    for (int x = 0; x < 2 && status == ASHLAR_OK && p->used.with[0]; x++) {
        ashi_splice splice;
        status = ashi_pattern_splice(&p->needed[x], &needed[x], &splice, err);
        int64_t *moved = status == ASHLAR_OK ? ashi_splice_array(&splice, p->used.with[x], &p->used.room[x],
                                                                  sizeof *moved) : NULL;
        if (moved)
            p->used.with[x] = moved;
        else if (status == ASHLAR_OK)
            status = ashi_fail_memory(err, p->who, splice.after * (int64_t)sizeof *moved);
        for (int64_t i = 0; moved && i < splice.comes; i++)
            moved[splice.place[i]] = -1;
        ashi_splice_free(&splice);
    }
    return status;
}

ashlar_status ashi_product_open_used(ashi_tiles_product *p, const ashi_pattern_changes needed[2], ashlar_error *err)
{
    if (!p->used.with[0])
        return ASHLAR_OK;
    open_b(p, &needed[0].removed);
    return open_a(p, &needed[1].removed, err);
}
