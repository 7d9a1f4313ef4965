/* How products of tiles go through a device: slabs of C, and chunks of A's and B's tiles. */
#include "exec/onto_tiles_walk.h"

#include "base/checked.h"
#include "base/error.h"
#include "base/ordering.h"

#include <stdlib.h>

/* ---- slabs ---- */

static int64_t largest(const ashi_cuts *cuts)
{
    int64_t most = 0;
    for (int64_t i = 0; i < cuts->tiles; i++)
        most = ashi_max(most, ashi_cuts_size(cuts, i));
    return most;
}

/* The largest tile of C; returns the largest of A with the largest of B. */
static int64_t largest_words(const ashi_tile_problem *problem, int64_t *c)
{
    const int64_t m = largest(problem->cuts[0]), n = largest(problem->cuts[1]), k = largest(problem->cuts[2]);
    *c = ashi_mul_most(m, n);
    return ashi_add_most(ashi_mul_most(m, k), ashi_mul_most(k, n));
}

int64_t ashi_tile_slabs_least(const ashi_tile_problem *problem)
{
    int64_t c;
    const int64_t pair = largest_words(problem, &c);
    return ashi_add_most(c, ashi_mul_most(2, pair));
}

/* As many tiles to a slab as the area has room for, which is at least one. */
static void cut(int64_t tiles, int64_t room, ashi_tile_slabs *s)
{
    s->start[0] = 0;
    s->count = 0;
    for (int64_t t = 0; t < tiles; t++) {
        if (s->place[t + 1] - s->place[s->start[s->count]] > room)
            s->start[++s->count] = t;
        s->area = ashi_max(s->area, s->place[t + 1] - s->place[s->start[s->count]]);
    }
    s->start[++s->count] = tiles;
}

ashlar_status ashi_tile_slabs_make(const ashi_tile_set *c, const ashi_tile_problem *problem, int64_t words,
                                   ashi_tile_slabs *out, ashlar_error *err)
{
    const ashi_pattern *p = c->pattern;
    const size_t count = (size_t)p->tiles + 2;
    int64_t largest_c;
    const int64_t pair = largest_words(problem, &largest_c), most = words - 2 * pair;
    *out = (ashi_tile_slabs){.place = calloc(count, sizeof *out->place), .start = calloc(count, sizeof *out->start)};
    if (!out->place || !out->start)
        return ashi_fail_memory(err, "device", 2 * (int64_t)(count * sizeof *out->place));
    for (int64_t r = 0; r < p->rows; r++)
        for (int64_t t = p->start[r]; t < p->start[r + 1]; t++)
            out->place[t + 1] = out->place[t] + ashi_cuts_size(c->rows, p->row[r]) * ashi_cuts_size(c->cols, p->col[t]);
    const int64_t all = out->place[p->tiles];
    cut(p->tiles, all <= most ? all : ashi_min(most, ashi_max(largest_c, words / 2)), out);
    out->half = (words - out->area) / 2;
    return ASHLAR_OK;
}

void ashi_tile_slabs_free(ashi_tile_slabs *s)
{
    free(s->place);
    free(s->start);
    *s = (ashi_tile_slabs){0};
}

/* ---- chunks ---- */

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

static ashlar_status walk_slab(walk *w, int64_t slab, ashlar_error *err)
{
    const ashi_tile_product *p = w->p;
    const int64_t first = w->slabs->start[slab], end = w->slabs->start[slab + 1];
    ashlar_status status = ASHLAR_OK;
    w->chunk.slab = slab;
    for (int64_t i = 0; i < w->count && status == ASHLAR_OK; i++) {
        const int64_t t = w->met[w->order[i]], row = p->c_row[w->row_of[t]];
        const int64_t lo = ashi_max(first, p->c.start[row]), hi = ashi_min(end, p->c.start[row + 1]);
        if (lo < hi)
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
