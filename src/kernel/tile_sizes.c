/* Which sizes of tiles occur in a product, and the kernels for those that occur often. */
#include "kernel/tile_plan.h"

#include "base/checked.h"
#include "base/error.h"

#include <stdlib.h>

/* A kernel takes as long to make as this number of small products that it makes faster. */
enum { USES_LEAST = 64 };

/* Products in which each size of m, of n and of k takes part, and all of them. */
typedef struct weights {
    double size[3][ASHI_SMALL_MOST + 1];
    double all;
} weights;

static void weigh(double *of, int64_t size, int64_t products)
{
    if (size >= 1 && size <= ASHI_SMALL_MOST)
        of[size] += (double)products;
}

/* For each row of op(B) how many tiles it has, and behind them 0 for tiles of op(A) that meet no row. */
static void count_rows(const ashi_tile_rows *b, int64_t *tiles)
{
    for (int64_t r = 0; r < b->rows; r++)
        tiles[r] = b->start[r + 1] - b->start[r];
    tiles[b->rows] = 0;
}

/* Of m and k: `tiles` of each row of op(B); `meet` counts the tiles of op(A) that meet it, and is 0 before. */
static void count_rows_of_a(const ashi_tile_product *p, const int64_t *tiles, int64_t *meet, weights *w)
{
    const ashi_tile_rows *a = &p->a, *b = &p->b;
    for (int64_t r = 0; r < a->rows; r++) {
        int64_t products = 0;
        for (int64_t t = a->start[r]; t < a->start[r + 1]; t++) {
            const int64_t meets = p->b_row[t] < 0 ? b->rows : p->b_row[t];
            products += tiles[meets];
            meet[meets]++;
        }
        weigh(w->size[0], ashi_tile_rows_height(a, a->row[r]), products);
        w->all += (double)products;
    }
    for (int64_t r = 0; r < b->rows; r++)
        weigh(w->size[2], ashi_tile_rows_height(b, b->row[r]), meet[r] * tiles[r]);
}

/* Of n: columns of op(B) count as often as they have tiles, as if they met the tiles of op(A) evenly. `tiles` is of
 * each column, and 0 before. */
static void count_columns(const ashi_tile_product *p, int64_t *tiles, weights *w)
{
    const ashi_tile_rows *b = &p->b;
    const int64_t all = b->start[b->rows];
    for (int64_t t = 0; t < all; t++)
        tiles[b->col[t]]++;
    for (int64_t j = 0; j < p->c.cuts[1]->tiles; j++)
        weigh(w->size[1], ashi_tile_rows_width(b, j), tiles[j]);
    for (int s = 1; s <= ASHI_SMALL_MOST && all > 0; s++)
        w->size[1][s] *= w->all / (double)all;
}

static ashlar_status count_products(const ashi_tile_product *p, weights *w, ashlar_error *err)
{
    const int64_t rows = p->b.rows + 1, columns = p->c.cuts[1]->tiles + 1;
    int64_t *count = calloc((size_t)(2 * rows + columns), sizeof *count);
    if (!count)
        return ashi_fail_memory(err, "the kernels of small tiles", (2 * rows + columns) * (int64_t)sizeof *count);
    count_rows(&p->b, count);
    count_rows_of_a(p, count, count + rows, w);
    count_columns(p, count + 2 * rows, w);
    free(count);
    return ASHLAR_OK;
}

/* Those that occur most, the larger first if two occur equally often. */
static void choose_sizes(const double *weight, double all, ashi_tile_sizes *out)
{
    bool taken[ASHI_SMALL_MOST + 1] = {false};
    for (int s = 0; s <= ASHI_SMALL_MOST; s++)
        out->known[s] = -1;
    for (out->count = 0; out->count < TILE_SIZES; out->count++) {
        int best = 0;
        for (int s = ASHI_SMALL_MOST; s > 0; s--)
            if (!taken[s] && weight[s] > (best > 0 ? weight[best] : 0))
                best = s;
        if (best == 0)
            return;
        taken[best] = true;
        out->known[best] = (int8_t)out->count;
        out->size[out->count] = (int16_t)best;
        out->share[out->count] = weight[best] / all;
    }
}

ashlar_status ashi_tile_plan_kernels(ashi_tile_product *p, ashlar_error *err)
{
    weights w = {0};
    const ashlar_status status = count_products(p, &w, err);
    if (status != ASHLAR_OK)
        return status;
    for (int i = 0; i < 3; i++)
        choose_sizes(w.size[i], w.all, &p->sizes[i]);
    const ashi_tile_sizes *m = &p->sizes[0], *n = &p->sizes[1], *k = &p->sizes[2];
    const int64_t kernels = (int64_t)m->count * n->count * k->count;
    p->kernel = malloc(((size_t)kernels + 1) * sizeof *p->kernel);
    if (!p->kernel)
        return ashi_fail_memory(err, "the kernels of small tiles", kernels * (int64_t)sizeof *p->kernel);
    p->bytes += kernels * (int64_t)sizeof *p->kernel;
    for (int64_t i = 0; i < kernels; i++) {
        const int64_t x = i / k->count / n->count, y = i / k->count % n->count, z = i % k->count;
        const bool often = w.all * m->share[x] * n->share[y] * k->share[z] >= USES_LEAST;
        p->kernel[i] = often ? ashi_small_find(p->request.type, m->size[x], n->size[y], k->size[z], p->b.turned)
                             : (ashi_small){.kernel = NULL};
        p->has_kernels = p->has_kernels || p->kernel[i].kernel;
    }
    return ASHLAR_OK;
}
