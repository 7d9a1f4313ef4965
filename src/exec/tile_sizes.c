/* Which sizes of tiles occur in a product, and the kernels for those that occur often. */
#include "exec/tile_plan.h"

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

static void weigh(double *of, int64_t size, double products)
{
    if (size >= 1 && size <= ASHI_SMALL_MOST)
        of[size] += products;
}

/* The columns of op(B) count as often as they have tiles: as if they met the tiles of op(A) evenly. */
static void count_products(const ashi_tile_product *p, weights *w)
{
    const ashi_tile_rows *a = &p->a, *b = &p->b;
    for (int64_t r = 0; r < a->rows; r++)
        for (int64_t t = a->start[r]; t < a->start[r + 1]; t++) {
            const int64_t meets = p->b_row[t];
            const double products = meets < 0 ? 0 : (double)(b->start[meets + 1] - b->start[meets]);
            weigh(w->size[0], ashi_tile_rows_height(a, a->row[r]), products);
            weigh(w->size[2], ashi_tile_rows_width(a, a->col[t]), products);
            w->all += products;
        }
    const double each = b->start[b->rows] > 0 ? w->all / (double)b->start[b->rows] : 0;
    for (int64_t t = 0; t < b->start[b->rows]; t++)
        weigh(w->size[1], ashi_tile_rows_width(b, b->col[t]), each);
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
    count_products(p, &w);
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
                             : (ashi_small){NULL};
        p->has_kernels = p->has_kernels || p->kernel[i].kernel;
    }
    return ASHLAR_OK;
}
