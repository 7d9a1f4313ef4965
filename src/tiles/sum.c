/* Sums of matrices of tiles. */
#include "base/error.h"
#include "plan/check.h"
#include "tiles/alike.h"
#include "tiles/matrix.h"

#include <stdlib.h>
#include <string.h>

typedef struct sum {
    const void *alpha, *beta;
    const ashlar_tiles *a, *b;
} sum;

static ashlar_status check_sum(const sum *s, const ashlar_tiles *c, ashlar_error *err)
{
    static const char *const who = "ashlar_tiles_add";
    if (!s->alpha || !s->beta)
        return ashi_fail(err, ASHLAR_ERR_ARG, "%s: alpha or beta is NULL", who);
    if (s->a->symmetry != c->symmetry || s->b->symmetry != c->symmetry)
        return ashi_fail(err, ASHLAR_ERR_ARG, "%s: the matrices differ in their symmetry; ashlar_tiles_move makes them "
                         "alike", who);
    ashlar_status status = ashi_tiles_check_alike(who, s->a, c, err);
    if (status == ASHLAR_OK)
        status = ashi_tiles_check_alike(who, s->b, c, err);
    if (status == ASHLAR_OK)
        status = ashi_tiles_check_factor(who, c, s->alpha, err);
    return status == ASHLAR_OK ? ashi_tiles_check_factor(who, c, s->beta, err) : status;
}

/* Where one of two summands goes: its U and V are the columns from `first` on of those of the sum. */
static void add_factors(const ashlar_tiles *x, const ashi_held_walk *w, const void *alpha, int64_t first, int64_t rank,
                        char *to)
{
    const ashi_kernels *const k = x->kernels;
    const int64_t rows = ashi_cuts_size(&x->row, w->at.row), cols = ashi_cuts_size(&x->col, w->at.col);
    const int64_t own = ashi_held_rank(&x->held, w->number);
    const char *const u = ashi_held_tile(&x->held, w->number, x->bytes);
    const ashi_matrix of_u = {u, 1, rows}, of_v = {u + (size_t)(own * rows) * x->bytes, 1, cols};
    k->axpby(rows, own, alpha, &of_u, false, k->zero, to + (size_t)(first * rows) * x->bytes, 1, rows);
    k->axpby(cols, own, k->one, &of_v, false, k->zero, to + (size_t)(rank * rows + first * cols) * x->bytes, 1, cols);
}

/* Add alpha X to tiles that have room for all of it. `first`: they are 0, and are not read. */
static void add_to(const ashlar_tiles *x, const void *alpha, bool first, ashi_held *held)
{
    const ashi_kernels *const k = x->kernels;
    for (ashi_held_walk w = {.number = -1}; ashi_held_next(&x->held, &w);) {
        const int64_t n = ashi_tiles_words(x, w.at.row, w.at.col);
        const int64_t number = ashi_pattern_find(&held->pattern, w.at.row, w.at.col);
        const int64_t rank = ashi_held_rank(held, number), own = ashi_held_rank(&x->held, w.number);
        char *const to = ashi_held_tile(held, number, x->bytes);
        if (rank >= 0) {
            add_factors(x, &w, alpha, first ? 0 : rank - own, rank, to);
            continue;
        }
        const ashi_matrix from = {ashi_tiles_view(x, w.number, w.at), 1, n};
        if (!first && memcmp(alpha, k->one, x->bytes) == 0)
            x->tile_kernels->add(n, from.data, to);
        else
            k->axpby(n, 1, alpha, &from, false, first ? k->zero : k->one, to, 1, n);
    }
}

/* The rank of the sum of a tile of B and one of A; -1 if one of them is dense, or if the sum would take no less memory
 * than a dense tile. */
static int64_t rank_of_sum(const ashlar_tiles *b, const ashi_held_walk *w, const ashi_held *a)
{
    const int64_t other = ashi_pattern_find(&a->pattern, w->at.row, w->at.col);
    const int64_t rank = ashi_held_rank(&b->held, w->number), first = other < 0 ? 0 : ashi_held_rank(a, other);
    const int64_t sides = ashi_cuts_size(&b->row, w->at.row) + ashi_cuts_size(&b->col, w->at.col);
    if (rank < 0 || first < 0 || (rank + first) * sides >= ashi_tiles_words(b, w->at.row, w->at.col))
        return -1;
    return rank + first;
}

/* alpha A + beta B in new memory. A matrix whose factor is 0 is not read. */
static ashlar_status add(const sum *s, const ashlar_tiles *c, ashi_held *out, ashlar_error *err)
{
    const ashi_held none = {0}, *const a = c->kernels->is_zero(s->alpha) ? &none : &s->a->held;
    const ashi_held *const b = c->kernels->is_zero(s->beta) ? &none : &s->b->held;
    const ashi_held_size size = ashi_tiles_held_size(c);
    const size_t most = (size_t)(a->pattern.tiles + b->pattern.tiles) + 1;
    ashi_tile_at *const tile = malloc(most * sizeof *tile);
    int64_t *const rank = malloc(most * sizeof *rank), count = 0;
    ashlar_status status = tile && rank ? ASHLAR_OK
                                        : ashi_fail_memory(err, "ashlar_tiles_add", (int64_t)most * 24);
    for (ashi_held_walk w = {.number = -1}; status == ASHLAR_OK && ashi_held_next(a, &w);) {
        rank[count] = ashi_held_rank(a, w.number);
        tile[count++] = w.at;
    }
    for (ashi_held_walk w = {.number = -1}; status == ASHLAR_OK && ashi_held_next(b, &w);) {
        rank[count] = rank_of_sum(s->b, &w, a);
        tile[count++] = w.at;
    }
    if (status == ASHLAR_OK)
        status = ashi_held_grow_ranked(&none, tile, a->low || b->low ? rank : NULL, count, &size, out, err);
    free(tile);
    free(rank);
    if (status == ASHLAR_OK && a != &none)
        add_to(s->a, s->alpha, true, out);
    if (status == ASHLAR_OK && b != &none)
        add_to(s->b, s->beta, false, out);
    return status;
}

ashlar_status ashlar_tiles_add(const void *alpha, const ashlar_tiles *a, const void *beta, const ashlar_tiles *b,
                               ashlar_tiles *c, ashlar_error *err)
{
    ashlar_error own = {0};
    ashi_held held = {0};
    const sum s = {alpha, beta, a, b};
    err = err ? err : &own;
    if (!a || !b || !c)
        return ashi_fail(err, ASHLAR_ERR_ARG, "ashlar_tiles_add: a, b or c is NULL");
    ashlar_status status =
        ashi_agree_scalars(c->context, check_sum(&s, c, err), "ashlar_tiles_add", c->type, alpha, beta, err);
    if (status == ASHLAR_OK)
        status = ashi_agree(c->context, add(&s, c, &held, err), err);
    if (status == ASHLAR_OK)
        status = ashi_tiles_settle(c, &held, err);
    ashi_held_free(&held);
    return status;
}
