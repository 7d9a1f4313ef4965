/* Algebra on matrices of tiles, element by element: copies, sums, multiples, products of elements. */
#include "base/error.h"
#include "base/type.h"
#include "exec/mpi.h"
#include "plan/check.h"
#include "tiles/alike.h"

#include <stdlib.h>
#include <string.h>

static int64_t words_of(const ashi_held *held, int64_t number)
{
    return held->offset[number + 1] - held->offset[number];
}

/* ---- copies ---- */

ashlar_status ashlar_tiles_copy(const ashlar_tiles *tiles, ashlar_tiles **out, ashlar_error *err)
{
    ashlar_error own = {0};
    ashlar_tiles *t = NULL;
    err = err ? err : &own;
    if (out)
        *out = NULL;
    if (!tiles)
        return ashi_fail(err, ASHLAR_ERR_ARG, "ashlar_tiles_copy: tiles is NULL");
    ashlar_status status = out ? ashi_tiles_like(tiles, &t, err)
                               : ashi_fail(err, ASHLAR_ERR_ARG, "ashlar_tiles_copy: out is NULL");
    if (status == ASHLAR_OK)
        status = ashi_held_clone(&tiles->held, tiles->bytes, &t->held, err);
    status = ashi_agree(tiles->context, status, err);
    if (status != ASHLAR_OK) {
        ashlar_tiles_free(&t);
        return status;
    }
    t->all_tiles = tiles->all_tiles;
    t->all_words = tiles->all_words;
    t->all_mirrored = tiles->all_mirrored;
    *out = t;
    return status;
}

ashlar_status ashlar_tiles_clear(ashlar_tiles *tiles, ashlar_error *err)
{
    if (!tiles)
        return ashi_fail(err, ASHLAR_ERR_ARG, "ashlar_tiles_clear: tiles is NULL");
    ashi_held_free(&tiles->held);
    ashi_waiting_free(&tiles->waiting);
    tiles->all_tiles = tiles->all_words = tiles->all_mirrored = 0;
    return ASHLAR_OK;
}

/* ---- multiples ---- */

/* n elements times a number, which are not read if it is 0. */
static void scale(const ashlar_tiles *t, const void *alpha, int64_t n, char *x)
{
    if (t->kernels->is_zero(alpha))
        memset(x, 0, (size_t)n * t->bytes);
    else if (memcmp(alpha, t->kernels->one, t->bytes) != 0)
        t->kernels->axpby(n, 1, alpha, &(ashi_matrix){x, 1, n}, false, t->kernels->zero, x, 1, n);
}

ashlar_status ashlar_tiles_scale(const void *alpha, ashlar_tiles *tiles, ashlar_error *err)
{
    static const char *const who = "ashlar_tiles_scale";
    ashlar_error own = {0};
    err = err ? err : &own;
    if (!tiles)
        return ashi_fail(err, ASHLAR_ERR_ARG, "%s: tiles is NULL", who);
    ashlar_status status = alpha ? ashi_tiles_check_factor(who, tiles, alpha, err)
                                 : ashi_fail(err, ASHLAR_ERR_ARG, "%s: alpha is NULL", who);
    status = ashi_agree_scalars(tiles->context, status, who, tiles->type, alpha, alpha, err);
    if (status == ASHLAR_OK && ashi_held_words(&tiles->held) > 0)
        scale(tiles, alpha, ashi_held_words(&tiles->held), tiles->held.data);
    return status == ASHLAR_OK ? ashi_mpi_noted(tiles->context->missed, err) : status;
}

/* ---- sums ---- */

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

/* Add alpha X to tiles that have room for all of it. `first`: they are 0, and are not read. */
static void add_to(const ashlar_tiles *x, const void *alpha, bool first, ashi_held *held)
{
    const ashi_kernels *const k = x->kernels;
    for (ashi_held_walk w = {.number = -1}; ashi_held_next(&x->held, &w);) {
        const int64_t n = words_of(&x->held, w.number);
        const ashi_matrix from = {ashi_held_tile(&x->held, w.number, x->bytes), 1, n};
        char *const to = ashi_held_tile(held, ashi_pattern_find(&held->pattern, w.at.row, w.at.col), x->bytes);
        if (!first && memcmp(alpha, k->one, x->bytes) == 0)
            x->tile_kernels->add(n, from.data, to);
        else
            k->axpby(n, 1, alpha, &from, false, first ? k->zero : k->one, to, 1, n);
    }
}

/* alpha A + beta B in new memory. A matrix whose factor is 0 is not read. */
static ashlar_status add(const sum *s, const ashlar_tiles *c, ashi_held *out, ashlar_error *err)
{
    const ashi_held none = {0}, *const a = c->kernels->is_zero(s->alpha) ? &none : &s->a->held;
    const ashi_held *const b = c->kernels->is_zero(s->beta) ? &none : &s->b->held;
    const ashi_held_size size = ashi_tiles_held_size(c);
    ashi_tile_at *const tile = malloc(((size_t)(a->pattern.tiles + b->pattern.tiles) + 1) * sizeof *tile);
    int64_t count = 0;
    if (!tile)
        return ashi_fail_memory(err, "ashlar_tiles_add", (a->pattern.tiles + b->pattern.tiles) * 16);
    for (ashi_held_walk w = {.number = -1}; ashi_held_next(a, &w);)
        tile[count++] = w.at;
    for (ashi_held_walk w = {.number = -1}; ashi_held_next(b, &w);)
        tile[count++] = w.at;
    const ashlar_status status = ashi_held_grow(&none, tile, count, &size, out, err);
    free(tile);
    if (status != ASHLAR_OK)
        return status;
    if (a != &none)
        add_to(s->a, s->alpha, true, out);
    if (b != &none)
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

/* ---- products of elements ---- */

/* The symmetry of the product of two matrices, element by element; false if it has none of these. */
static bool symmetry_of_product(const ashlar_tiles *a, const ashlar_tiles *b, ashlar_symmetry *out)
{
    static const ashlar_symmetry table[2][2] = {{ASHLAR_SYMMETRIC, ASHLAR_ANTISYMMETRIC},
                                                {ASHLAR_HERMITIAN, ASHLAR_ANTIHERMITIAN}};
    const ashi_mirror x = ashi_tiles_mirror(a), y = ashi_tiles_mirror(b);
    *out = ASHLAR_GENERAL;
    if (a->symmetry == ASHLAR_GENERAL && b->symmetry == ASHLAR_GENERAL)
        return true;
    if (a->symmetry == ASHLAR_GENERAL || b->symmetry == ASHLAR_GENERAL || x.conjugate != y.conjugate)
        return false;
    *out = table[x.conjugate][x.minus != y.minus];
    return true;
}

static ashlar_status multiply(const ashlar_tiles *a, const ashlar_tiles *b, const ashlar_tiles *c, ashi_held *out,
                              ashlar_error *err)
{
    static const char *const who = "ashlar_tiles_multiply_elements";
    ashlar_symmetry symmetry = ASHLAR_GENERAL;
    ashlar_status status = ashi_tiles_check_alike(who, a, c, err);
    if (status == ASHLAR_OK)
        status = ashi_tiles_check_alike(who, b, c, err);
    if (status != ASHLAR_OK)
        return status;
    if (!symmetry_of_product(a, b, &symmetry) || symmetry != c->symmetry)
        return ashi_fail(err, ASHLAR_ERR_ARG, "%s: c has not the symmetry of the product; ashlar_tiles_move makes the "
                         "matrices alike", who);
    status = ashi_held_clone(&a->held, a->bytes, out, err);
    bool *const keep = malloc((size_t)a->held.pattern.tiles + 1);
    if (status == ASHLAR_OK && !keep)
        status = ashi_fail_memory(err, who, a->held.pattern.tiles);
    for (ashi_held_walk w = {.number = -1}; status == ASHLAR_OK && ashi_held_next(&a->held, &w);) {
        const int64_t other = ashi_pattern_find(&b->held.pattern, w.at.row, w.at.col);
        char *const z = ashi_held_tile(out, w.number, a->bytes);
        keep[w.number] = other >= 0;
        if (other >= 0)
            a->tile_kernels->times(words_of(out, w.number), z, ashi_held_tile(&b->held, other, a->bytes), z);
    }
    if (status == ASHLAR_OK)
        ashi_held_keep(out, keep, a->bytes);
    free(keep);
    return status;
}

ashlar_status ashlar_tiles_multiply_elements(const ashlar_tiles *a, const ashlar_tiles *b, ashlar_tiles *c,
                                             ashlar_error *err)
{
    ashlar_error own = {0};
    ashi_held held = {0};
    err = err ? err : &own;
    if (!a || !b || !c)
        return ashi_fail(err, ASHLAR_ERR_ARG, "ashlar_tiles_multiply_elements: a, b or c is NULL");
    ashlar_status status = ashi_agree(c->context, multiply(a, b, c, &held, err), err);
    if (status == ASHLAR_OK)
        status = ashi_tiles_settle(c, &held, err);
    ashi_held_free(&held);
    return status;
}
