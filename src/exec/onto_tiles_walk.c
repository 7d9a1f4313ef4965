/* How products of tiles go through a device: chunks of A's and B's tiles for each slab of C. */
#include "exec/onto_tiles_walk.h"

#include "base/checked.h"
#include "base/error.h"
#include "base/ordering.h"

#include <stdlib.h>

typedef struct walk {
    const ashi_tile_product *p;
    const ashi_tile_slabs *slabs;
    const ashi_tile_visitor *visitor;
    int64_t *memory;        /* of all lists of numbers */
    int64_t *met, count;    /* the tiles of op(A) that are multiplied, row by row, */
    int64_t *key, *order;   /* the row of op(B) that each meets, and these by ascending k */
    int64_t *row_of, *bit;  /* of each tile of op(A): its row, and its first bit if products are left out */
    int64_t *mark[2];       /* of each tile of op(A) and of op(B): the last chunk that has it */
    int64_t chunks;
    ashi_tile_triple *triple; /* of the chunk, */
    int64_t *tile[2], *size[2]; /* and its tiles */
    ashi_tile_chunk chunk;
} walk;

/* The tiles of op(A) that meet a row of op(B), of which C has a row, in their order. */
static void list_tiles(walk *w)
{
    const ashi_tile_product *p = w->p;
    for (int64_t r = 0; r < p->a.rows; r++) {
        int64_t bit = p->request.first ? p->request.first[r] : 0;
        for (int64_t t = p->a.start[r]; t < p->a.start[r + 1]; t++) {
            const int64_t b_row = p->b_row[t];
            w->row_of[t] = r;
            w->bit[t] = bit;
            bit += b_row < 0 ? 0 : p->b.start[b_row + 1] - p->b.start[b_row];
            if (b_row < 0 || p->c_row[r] < 0)
                continue;
            w->met[w->count] = t;
            w->key[w->count++] = b_row;
        }
    }
}

static ashlar_status begin(walk *w, ashlar_error *err)
{
    const ashi_tile_product *p = w->p;
    const int64_t a = p->a_tiles, b = p->b.start[p->b.rows];
    const int64_t numbers = 8 * a + 3 * b + 1;
    const size_t products = ASHI_TILES_CHUNK;
    w->memory = calloc((size_t)numbers, sizeof *w->memory);
    w->triple = malloc(products * sizeof *w->triple);
    if (!w->memory || !w->triple)
        return ashi_fail_memory(err, "device", numbers * (int64_t)sizeof *w->memory +
                                                   (int64_t)(products * sizeof *w->triple));
    w->met = w->memory;
    w->key = w->met + a;
    w->order = w->key + a;
    w->row_of = w->order + a;
    w->bit = w->row_of + a;
    for (int64_t x = 0, *at = w->bit + a; x < 2; x++) {
        const int64_t tiles = x == 0 ? a : b;
        w->mark[x] = at;
        w->tile[x] = at + tiles;
        w->size[x] = at + 2 * tiles;
        w->chunk.tile[x] = w->tile[x];
        w->chunk.size[x] = w->size[x];
        at += 3 * tiles;
    }
    w->chunk.triple = w->triple;
    list_tiles(w);
    ashi_order_start(w->count, w->order);
    return ashi_order_by(w->key, 1, w->count, w->order) ? ASHLAR_OK : ashi_fail_memory(err, "device", 8 * w->count);
}

static ashlar_status tell(walk *w, ashlar_error *err)
{
    if (w->chunk.triples == 0)
        return ASHLAR_OK;
    const ashlar_status status = w->visitor->chunk(w->visitor->context, w->p, &w->chunk, err);
    w->chunk.triples = w->chunk.tiles[0] = w->chunk.tiles[1] = w->chunk.words = 0;
    w->chunks++;
    return status;
}

static bool is_new(const walk *w, int x, int64_t t)
{
    return w->mark[x][t] != w->chunks + 1;
}

static void take(walk *w, int x, int64_t t, int64_t words)
{
    if (!is_new(w, x, t))
        return;
    w->mark[x][t] = w->chunks + 1;
    w->tile[x][w->chunk.tiles[x]] = t;
    w->size[x][w->chunk.tiles[x]++] = words;
    w->chunk.words += words;
}

static ashlar_status add(walk *w, const ashi_tile_triple *t, ashlar_error *err)
{
    const int64_t words[2] = {t->m * t->k, t->k * t->n};
    const int64_t more = (is_new(w, 0, t->a) ? words[0] : 0) + (is_new(w, 1, t->b) ? words[1] : 0);
    if (t->m == 0 || t->n == 0 || t->k == 0)
        return ASHLAR_OK;
    if (w->chunk.words + more > w->slabs->half || w->chunk.triples == ASHI_TILES_CHUNK) {
        const ashlar_status status = tell(w, err);
        if (status != ASHLAR_OK)
            return status;
    }
    take(w, 0, t->a, words[0]);
    take(w, 1, t->b, words[1]);
    w->triple[w->chunk.triples++] = *t;
    return ASHLAR_OK;
}

/* A tile of op(A) with those of op(B) whose products are in tiles `lo` to `hi` - 1 of C, all of one row. */
static ashlar_status multiply(walk *w, int64_t t, int64_t lo, int64_t hi, ashlar_error *err)
{
    const ashi_tile_product *p = w->p;
    const ashi_tile_rows *b = &p->b, *c = &p->c;
    const int64_t b_row = p->b_row[t], begin = b->start[b_row], end = b->start[b_row + 1];
    ashi_tile_triple triple = {.a = t, .m = ashi_tile_rows_height(&p->a, p->a.row[w->row_of[t]]),
                               .k = ashi_tile_rows_width(&p->a, p->a.col[t])};
    ashlar_status status = ASHLAR_OK;
    int64_t to = lo;
    for (int64_t u = ashi_first_from(b->col, begin, end, c->col[lo]); u < end && status == ASHLAR_OK; u++) {
        to = ashi_first_near(c->col, to, hi, b->col[u]);
        if (to == hi)
            break;
        if (c->col[to] != b->col[u] || ashi_tile_left_out(p, w->bit[t] + u - begin))
            continue;
        triple.b = u;
        triple.c = to;
        triple.n = ashi_tile_rows_width(b, b->col[u]);
        status = add(w, &triple, err);
    }
    return status;
}

/* The tiles of a row of C that a tile of op(A) adds to: *lo to *hi - 1 of the slab. */
static void find_sums(const walk *w, int64_t slab, int64_t t, int64_t *lo, int64_t *hi)
{
    const ashi_tile_slab *const s = &w->slabs->slab[slab];
    const int64_t row = w->p->c_row[w->row_of[t]];
    *lo = *hi = 0;
    if (row >= s->row_lo && row < s->row_hi)
        ashi_tile_slab_row(w->slabs, slab, row, lo, hi);
}

/* The words of the tiles of op(A) and op(B) that have the k of number `first` in the order of k, in a slab, or more. */
static int64_t words_of(const walk *w, int64_t slab, int64_t first)
{
    const ashi_tile_product *p = w->p;
    const ashi_tile_slab *const s = &w->slabs->slab[slab];
    const int64_t b_row = p->b_row[w->met[w->order[first]]];
    const int64_t depth = ashi_tile_rows_height(&p->b, p->b.row[b_row]);
    int64_t words = 0, lo, hi;
    for (int64_t i = first; i < w->count && p->b_row[w->met[w->order[i]]] == b_row; i++) {
        const int64_t t = w->met[w->order[i]];
        find_sums(w, slab, t, &lo, &hi);
        words += lo < hi ? depth * ashi_tile_rows_height(&p->a, p->a.row[w->row_of[t]]) : 0;
    }
    const int64_t end = p->b.start[b_row + 1];
    for (int64_t u = ashi_first_from(p->b.col, p->b.start[b_row], end, s->col_lo); u < end && p->b.col[u] < s->col_hi;
         u++)
        words += depth * ashi_tile_rows_width(&p->b, p->b.col[u]);
    return words;
}

/* A chunk ends before a k of which it has no room for all tiles, if the next one has: else those that it has come
 * twice. */
static ashlar_status begin_k(walk *w, int64_t slab, int64_t first, ashlar_error *err)
{
    const int64_t words = words_of(w, slab, first);
    return words <= w->slabs->half && w->chunk.words + words > w->slabs->half ? tell(w, err) : ASHLAR_OK;
}

static ashlar_status walk_slab(walk *w, int64_t slab, ashlar_error *err)
{
    const ashi_tile_product *p = w->p;
    ashlar_status status = ASHLAR_OK;
    int64_t b_row = -1;
    w->chunk.slab = slab;
    for (int64_t i = 0; i < w->count && status == ASHLAR_OK; i++) {
        const int64_t t = w->met[w->order[i]];
        int64_t lo, hi;
        if (p->b_row[t] != b_row)
            status = begin_k(w, slab, i, err);
        b_row = p->b_row[t];
        find_sums(w, slab, t, &lo, &hi);
        if (lo < hi && status == ASHLAR_OK)
            status = multiply(w, t, lo, hi, err);
    }
    if (status == ASHLAR_OK)
        status = tell(w, err);
    if (status == ASHLAR_OK && w->slabs->count > 1)
        status = w->visitor->slab_ends(w->visitor->context, err);
    return status;
}

ashlar_status ashi_tile_chunks(const ashi_tile_product *p, const ashi_tile_slabs *slabs,
                               const ashi_tile_visitor *visitor, ashlar_error *err)
{
    walk w = {.p = p, .slabs = slabs, .visitor = visitor};
    ashlar_status status = begin(&w, err);
    for (int64_t slab = 0; slab < slabs->count && status == ASHLAR_OK; slab++)
        status = walk_slab(&w, slab, err);
    free(w.memory);
    free(w.triple);
    return status;
}
