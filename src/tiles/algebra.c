/* Algebra on matrices of tiles, element by element: copies, multiples, products of elements. */
#include "base/error.h"
#include "base/type.h"
#include "exec/mpi.h"
#include "plan/check.h"
#include "tiles/alike.h"
#include "tiles/low_rank.h"

#include <stdlib.h>
#include <string.h>

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
    ashi_tiles_take_counts(t, tiles);
    *out = t;
    return status;
}

ashlar_status ashlar_tiles_clear(ashlar_tiles *tiles, ashlar_error *err)
{
    if (!tiles)
        return ashi_fail(err, ASHLAR_ERR_ARG, "ashlar_tiles_clear: tiles is NULL");
    ashi_held_free(&tiles->held);
    ashi_waiting_free(&tiles->waiting);
    tiles->all_tiles = tiles->all_words = tiles->all_elements = tiles->all_mirrored = tiles->all_low = 0;
    return ASHLAR_OK;
}

/* ---- multiples ---- */

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
    if (status == ASHLAR_OK)
        ashi_held_times(tiles, alpha, &tiles->held);
    return status == ASHLAR_OK ? ashi_mpi_noted(tiles->context->missed, err) : status;
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
    status = ashi_tiles_dense_copy(a, out, err);
    bool *const keep = malloc((size_t)a->held.pattern.tiles + 1);
    if (status == ASHLAR_OK && !keep)
        status = ashi_fail_memory(err, who, a->held.pattern.tiles);
    for (ashi_held_walk w = {.number = -1}; status == ASHLAR_OK && ashi_held_next(&a->held, &w);) {
        const int64_t other = ashi_pattern_find(&b->held.pattern, w.at.row, w.at.col);
        char *const z = ashi_held_tile(out, w.number, a->bytes);
        keep[w.number] = other >= 0;
        if (other >= 0)
            a->tile_kernels->times(ashi_tiles_words(a, w.at.row, w.at.col), z, ashi_tiles_view(b, other, w.at), z);
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
