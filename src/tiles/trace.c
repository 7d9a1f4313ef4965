/* Traces: of a matrix of tiles, and of the product of two without forming it. */
#include "base/error.h"
#include "tiles/alike.h"
#include "tiles/diagonal.h"
#include "tiles/totals.h"

#include <stdlib.h>

/* The sum of what all ranks have, as one element; the same on all. Collective. */
static ashlar_status add_up(const ashlar_tiles *t, ashlar_status mine, ashi_number own, void *value, ashlar_error *err)
{
    const double pair[2] = {own.re, own.im};
    double *all = NULL;
    const ashlar_status status = ashi_totals_gather(t->context, mine, pair, &all, err);
    ashi_number sum = {0, 0};
    for (int r = 0; r < t->context->ranks && status == ASHLAR_OK; r++) {
        sum.re += all[2 * r];
        sum.im += all[2 * r + 1];
    }
    if (status == ASHLAR_OK)
        t->tile_kernels->element(sum, value);
    free(all);
    return status;
}

ashlar_status ashlar_tiles_trace(const ashlar_tiles *tiles, void *value, ashlar_error *err)
{
    static const char *const who = "ashlar_tiles_trace";
    ashlar_error own = {0};
    ashi_number sum = {0, 0};
    err = err ? err : &own;
    if (!tiles)
        return ashi_fail(err, ASHLAR_ERR_ARG, "%s: tiles is NULL", who);
    const ashlar_status status = value ? ashi_tiles_check_square(who, tiles, err)
                                       : ashi_fail(err, ASHLAR_ERR_ARG, "%s: value is NULL", who);
    ashi_diagonal_part p = {0};
    while (status == ASHLAR_OK && ashi_diagonal_next(tiles, &tiles->held, &p))
        for (int64_t i = 0; p.number >= 0 && i < p.count; i++) {
            const ashi_number x = tiles->tile_kernels->number(p.from + (size_t)(i * p.stride) * tiles->bytes);
            sum.re += x.re;
            sum.im += x.im;
        }
    return add_up(tiles, status, sum, value, err);
}

/* ---- of a product ---- */

static const char *const who_product = "ashlar_tiles_trace_product";

/* Tr(op(A) B) is a sum over the elements of A and of another matrix X, which lies as A does: B^T, or B if op(A) is a
 * transpose. If both matrices have the same symmetry, X is B, and each tile above the diagonal stands for two. */
typedef struct tracing {
    ashlar_op op;
    const ashlar_tiles *a, *x;
    ashlar_tiles *own_a, *own_x; /* if they were made for this */
    bool symmetric;
} tracing;

/* Whether two matrices are alike on all ranks. Collective; a failure is noted. */
static bool alike_everywhere(const ashlar_tiles *x, const ashlar_tiles *y)
{
    const char *what = NULL;
    const int own = ashi_tiles_alike(x, y, &what);
    int all = 0;
    ashi_note(x->context, MPI_Allreduce(&own, &all, 1, MPI_INT, MPI_MIN, x->context->comm), "MPI_Allreduce");
    return all != 0;
}

/* op(from) in new memory that lies as `model` does. Collective. */
static ashlar_status make_alike(ashlar_op op, const ashlar_tiles *from, const ashlar_tiles *model,
                                ashlar_symmetry symmetry, ashlar_tiles **out, ashlar_error *err)
{
    const ashlar_status status = ashi_agree(model->context, ashi_tiles_like_with(model, symmetry, out, err), err);
    if (status != ASHLAR_OK)
        return status;
    return ashi_agree(model->context, ashlar_tiles_move(op, from, *out, err), err);
}

/* Collective: every rank takes the same way. */
static ashlar_status prepare(tracing *t, const ashlar_tiles *b, ashlar_error *err)
{
    ashlar_status status = ASHLAR_OK;
    t->symmetric = t->a->symmetry != ASHLAR_GENERAL && t->a->symmetry == b->symmetry;
    if (!t->symmetric && t->a->symmetry != ASHLAR_GENERAL) {
        status = make_alike(ASHLAR_OP_N, t->a, t->a, ASHLAR_GENERAL, &t->own_a, err);
        t->a = t->own_a;
    }
    if (status != ASHLAR_OK)
        return status;
    const bool alike = alike_everywhere(t->a, b);
    status = ashi_agree(b->context, ASHLAR_OK, err);
    if (status != ASHLAR_OK)
        return status;
    t->x = b;
    const bool serves = alike && (t->symmetric || (t->op != ASHLAR_OP_N && b->symmetry == ASHLAR_GENERAL));
    if (serves)
        return status;
    const ashlar_op op = t->symmetric || t->op != ASHLAR_OP_N ? ASHLAR_OP_N : ASHLAR_OP_T;
    status = make_alike(op, b, t->a, t->a->symmetry, &t->own_x, err);
    t->x = t->own_x;
    return status;
}

/* The part of the sum that this rank has. */
static ashi_number add_tiles(const tracing *t)
{
    const ashlar_tiles *const a = t->a, *const x = t->x;
    const ashi_mirror mirror = ashi_tiles_mirror(a);
    /* op(A) of a matrix with a symmetry is A with another sign, or its conjugate */
    const bool turned = t->symmetric && t->op != ASHLAR_OP_N;
    const bool conjugate = (turned && mirror.conjugate) != (t->op == ASHLAR_OP_C);
    const double sign = turned && mirror.minus ? -1 : 1, mirrored = mirror.minus ? -sign : sign;
    ashi_number sum = {0, 0};
    for (ashi_held_walk w = {.number = -1}; ashi_held_next(&a->held, &w);) {
        const int64_t other = ashi_pattern_find(&x->held.pattern, w.at.row, w.at.col);
        const int64_t n = ashi_tiles_words(a, w.at.row, w.at.col);
        if (other < 0)
            continue;
        const char *const p = ashi_tiles_view(a, w.number, w.at);
        const char *const q = ashi_tiles_view(x, other, w.at);
        /* the elements of B below the diagonal are those of X above, mirrored */
        const ashi_number s = a->tile_kernels->dot(n, 1, p, conjugate, 1, n, q, t->symmetric && mirror.conjugate, 1, n);
        sum.re += (t->symmetric ? mirrored : sign) * s.re;
        sum.im += (t->symmetric ? mirrored : sign) * s.im;
        if (!t->symmetric || w.at.row == w.at.col)
            continue;
        const ashi_number r = a->tile_kernels->dot(n, 1, p, conjugate != mirror.conjugate, 1, n, q, false, 1, n);
        sum.re += mirrored * r.re;
        sum.im += mirrored * r.im;
    }
    return sum;
}

static ashlar_status check_product(const tracing *t, const ashlar_tiles *b, const void *value, ashlar_error *err)
{
    const ashlar_tiles *const a = t->a;
    const bool turned = t->op != ASHLAR_OP_N;
    if (!value || (t->op != ASHLAR_OP_N && t->op != ASHLAR_OP_T && t->op != ASHLAR_OP_C))
        return ashi_fail(err, ASHLAR_ERR_ARG, "%s: value is NULL, or op = %d, wanted N, T or C", who_product,
                         (int)t->op);
    if (a->context != b->context || a->type != b->type)
        return ashi_fail(err, ASHLAR_ERR_ARG, "%s: wanted two matrices of one type and one context", who_product);
    if (ashi_cuts_all(turned ? &a->col : &a->row) != ashi_cuts_all(&b->col) ||
        ashi_cuts_all(turned ? &a->row : &a->col) != ashi_cuts_all(&b->row))
        return ashi_fail(err, ASHLAR_ERR_ARG, "%s: op(A) B is not formed, or not square", who_product);
    return ASHLAR_OK;
}

ashlar_status ashlar_tiles_trace_product(ashlar_op op, const ashlar_tiles *a, const ashlar_tiles *b, void *value,
                                         ashlar_error *err)
{
    ashlar_error own = {0};
    tracing t = {.op = op, .a = a};
    err = err ? err : &own;
    if (!a || !b)
        return ashi_fail(err, ASHLAR_ERR_ARG, "%s: a or b is NULL", who_product);
    ashlar_status status = ashi_agree_same(a->context, check_product(&t, b, value, err), who_product,
                                           &(ashi_shared){"op", (int64_t)op}, 1, err);
    if (status == ASHLAR_OK)
        status = prepare(&t, b, err);
    if (status == ASHLAR_OK)
        status = add_up(a, ASHLAR_OK, add_tiles(&t), value, err);
    ashlar_tiles_free(&t.own_a);
    ashlar_tiles_free(&t.own_x);
    return status;
}
