/* Bounds of the spectrum of a matrix of tiles by Lanczos' method. */
#include "base/checked.h"
#include "base/error.h"
#include "base/hash.h"
#include "base/tridiagonal.h"
#include "base/type.h"
#include "tiles/alike.h"
#include "tiles/totals.h"
#include "tiles/vectors.h"

#include <float.h>
#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

static const char *const who = "ashlar_tiles_lanczos";

/* STEPS: if the caller names none; STEPS_MOST: their numbers go in one message. SEED: of the vector with which the
 * method begins. */
enum { STEPS = 40, STEPS_MOST = 1 << 24, SEED = 0x1a2c, SCALE_MOST = 1000 };

/* A bound is wrong with at most this probability over random vectors to begin with. */
static const double doubt = 1e-9;

static const double pi = 3.14159265358979323846;

/* Vectors are the wholes of all ranks together; each has `parts` doubles for an element. */
typedef struct lanczos {
    const ashlar_tiles *tiles;
    int64_t n, parts, steps;
    ashi_vectors vectors;
    int64_t length;             /* doubles of this rank's whole */
    double *part, *sums;        /* of the rank's rows: of a vector, and of its product */
    double *basis;              /* steps + 1 vectors, one after the other */
    double *product, *room, *dot;
    double *diagonal, *beside;  /* of the tridiagonal matrix */
    int64_t done;               /* steps */
    int scale;                  /* the matrix is multiplied by 2^-scale */
    double norm;                /* Frobenius norm of the matrix so multiplied */
} lanczos;

/* ---- vectors ---- */

static double *vector(const lanczos *l, int64_t j)
{
    return l->basis + j * l->length;
}

/* Inner products of `count` vectors of the basis with `product`, added up in the order of ranks: re and im of each.
 * Collective; status and text are the same on all ranks. */
static ashlar_status find_dots(lanczos *l, int64_t count, ashlar_error *err)
{
    for (int64_t j = 0; j < count; j++) {
        const double *x = vector(l, j), *y = l->product;
        double re = 0, im = 0;
        for (int64_t i = 0; i < l->length; i++)
            re += x[i] * y[i];
        for (int64_t i = 0; i + 1 < l->length && l->parts == 2; i += 2)
            im += x[i] * y[i + 1] - x[i + 1] * y[i];
        l->dot[2 * j] = re;
        l->dot[2 * j + 1] = im;
    }
    return ashi_totals_sum(l->tiles->context, l->dot, 2 * count, l->room, err);
}

/* Take from `product` what the basis has of it. */
static void take_off(lanczos *l, int64_t count)
{
    for (int64_t j = 0; j < count; j++) {
        const double *x = vector(l, j), re = l->dot[2 * j], im = l->dot[2 * j + 1];
        double *y = l->product;
        for (int64_t i = 0; i < l->length && l->parts == 1; i++)
            y[i] -= re * x[i];
        for (int64_t i = 0; i + 1 < l->length && l->parts == 2; i += 2) {
            y[i] -= re * x[i] - im * x[i + 1];
            y[i + 1] -= re * x[i + 1] + im * x[i];
        }
    }
}

static ashlar_status find_length(lanczos *l, double *length, ashlar_error *err)
{
    double sum = 0;
    for (int64_t i = 0; i < l->length; i++)
        sum += l->product[i] * l->product[i];
    l->dot[0] = sum;
    const ashlar_status status = ashi_totals_sum(l->tiles->context, l->dot, 1, l->room, err);
    *length = sqrt(l->dot[0]);
    return status;
}

/* The next vector of the basis: `product` with length 1. */
static void keep(lanczos *l, int64_t j, double length)
{
    double *const to = vector(l, j);
    for (int64_t i = 0; i < l->length; i++)
        to[i] = l->product[i] / length;
}

/* A number with the standard normal distribution for each, whatever rank has it (Box and Muller 1958). */
static double normal(int64_t number)
{
    const double u = (double)((ashi_hash(SEED, 2 * number) >> 11) + 1) * 0x1p-53;
    const double v = (double)(ashi_hash(SEED, 2 * number + 1) >> 11) * 0x1p-53;
    return sqrt(-2 * log(u)) * cos(2 * pi * v);
}

static void fill(const lanczos *l)
{
    const ashlar_tiles *const t = l->tiles;
    for (int64_t row = 0; row < t->row.tiles; row++)
        for (int64_t i = 0; l->vectors.whole_at[row] >= 0 && i < ashi_cuts_size(&t->row, row) * l->parts; i++)
            l->product[l->vectors.whole_at[row] * l->parts + i] = normal(t->row.at[row] * l->parts + i);
}

/* ---- the matrix ---- */

/* product <- H v for a vector of the basis. H is the matrix, or if it has no symmetry half the sum of it and its
 * conjugate transpose. Collective; a failure is noted. */
static void apply(lanczos *l, int64_t j)
{
    const ashlar_tiles *const t = l->tiles;
    const bool general = t->symmetry == ASHLAR_GENERAL;
    const double scale = ldexp(general ? 0.5 : 1, -l->scale);
    const int64_t *const at = l->vectors.part_at, parts = l->parts;
    for (int64_t i = 0; i < l->length; i++)
        l->product[i] = scale * vector(l, j)[i];
    ashi_vectors_spread(&l->vectors, l->product, l->part);
    memset(l->sums, 0, (size_t)(l->vectors.part_rows * parts) * sizeof *l->sums);
    for (ashi_held_walk w = {.number = -1}; ashi_held_next(&t->held, &w);) {
        const int64_t rows = ashi_cuts_size(&t->row, w.at.row), cols = ashi_cuts_size(&t->col, w.at.col);
        const char *const tile = ashi_tiles_view(t, w.number, w.at);
        const int64_t row = parts * at[w.at.row], col = parts * at[w.at.col];
        t->tile_kernels->apply(rows, cols, tile, l->part + col, l->sums + row);
        if (general || w.at.row != w.at.col)
            t->tile_kernels->apply_turned(rows, cols, tile, l->part + row, l->sums + col);
    }
    ashi_vectors_collect(&l->vectors, l->sums, l->product);
}

/* A bound on what rounding changes: as if another matrix had been multiplied, whose distance is at most this. A product
 * with H has a relative error of n u for each element in moduli, and the basis is orthogonal to a few u. */
static double rounding(const lanczos *l)
{
    const double terms = (double)l->n + 8 * (double)l->steps + 64;
    return 4 * sqrt((double)l->steps) * terms * DBL_EPSILON * l->norm;
}

/* One step: false in *more if the basis has become invariant. Collective; status and text are the same on all ranks. */
static ashlar_status step(lanczos *l, bool *more, ashlar_error *err)
{
    const int64_t j = l->done;
    ashlar_status status = ASHLAR_OK;
    apply(l, j);
    l->diagonal[j] = 0;
    for (int time = 0; time < 2 && status == ASHLAR_OK; time++) { /* twice is enough (Parlett 1980, section 6.9) */
        status = find_dots(l, j + 1, err);
        if (status != ASHLAR_OK)
            return status;
        l->diagonal[j] += l->dot[2 * j];
        take_off(l, j + 1);
    }
    status = find_length(l, &l->beside[j], err);
    l->done++;
    *more = status == ASHLAR_OK && l->beside[j] > rounding(l) && l->done < l->steps;
    if (*more)
        keep(l, j + 1, l->beside[j]);
    return status;
}

/* ---- the call ---- */

static ashlar_status make_room(lanczos *l, ashlar_error *err)
{
    const int64_t rows = l->vectors.whole_rows, part = l->vectors.part_rows, ranks = l->tiles->context->ranks;
    int64_t words = 0, bytes = 0;
    l->length = rows * l->parts;
    if (!ashi_mul(l->length, l->steps + 1, &words) || !ashi_mul(words, (int64_t)sizeof(double), &bytes))
        return ashi_fail(err, ASHLAR_ERR_OVERFLOW, "%s: more than 2^63 - 1 bytes", who);
    l->basis = malloc((size_t)bytes + 1);
    l->product = malloc(((size_t)l->length + 1) * sizeof(double));
    l->part = malloc(((size_t)(part * l->parts) + 1) * sizeof(double));
    l->sums = malloc(((size_t)(part * l->parts) + 1) * sizeof(double));
    l->dot = malloc((size_t)(2 * l->steps + 2) * sizeof(double));
    l->room = malloc((size_t)(2 * l->steps + 2) * (size_t)ranks * sizeof(double));
    l->diagonal = malloc((size_t)l->steps * sizeof(double));
    l->beside = malloc((size_t)l->steps * sizeof(double));
    if (l->basis && l->product && l->part && l->sums && l->dot && l->room && l->diagonal && l->beside)
        return ASHLAR_OK;
    return ashi_fail_memory(err, who, bytes + (l->length + 2 * part * l->parts) * (int64_t)sizeof(double));
}

static void free_lanczos(lanczos *l)
{
    ashi_vectors_free(&l->vectors);
    free(l->basis);
    free(l->product);
    free(l->part);
    free(l->sums);
    free(l->dot);
    free(l->room);
    free(l->diagonal);
    free(l->beside);
}

static ashlar_status iterate(lanczos *l, ashlar_error *err)
{
    const ashlar_context *const c = l->tiles->context;
    double length = 0;
    bool more = true;
    ashlar_status status = ashi_vectors_make(who, l->tiles, l->parts, true, ASHLAR_OK, &l->vectors, err);
    if (status == ASHLAR_OK)
        status = ashi_agree_named(c, make_room(l, err), err);
    if (status != ASHLAR_OK)
        return status;
    fill(l);
    status = find_length(l, &length, err);
    keep(l, 0, length);
    while (more && status == ASHLAR_OK)
        status = step(l, &more, err);
    return ashi_conclude(c, status, err);
}

/* An eigenvector has less than the part sqrt(weight) of a random vector with a probability below `doubt`: for real
 * vectors of n elements it is below s sqrt(2 n / pi) for a part s, for complex ones below n s^2. */
static double bound(const lanczos *l, bool lowest)
{
    const double part = doubt * sqrt(pi / (2 * (double)l->n)), error = rounding(l);
    const ashi_tridiagonal t = {l->done, l->diagonal, l->beside};
    const double last = l->beside[l->done - 1];
    const double beyond = last > error ? ashi_tridiagonal_bound(&t, lowest, part * part, lowest ? -l->norm : l->norm)
                                       : ashi_tridiagonal_extreme(&t, lowest);
    const double more = error + (last > error ? 0 : last);
    return ldexp(lowest ? beyond - more : beyond + more, l->scale);
}

static void find_bounds(const lanczos *l, const double circles[2], double bounds[2], double *inner)
{
    const ashi_tridiagonal t = {l->done, l->diagonal, l->beside};
    const bool circled = l->tiles->symmetry != ASHLAR_GENERAL; /* else H is another matrix than A */
    bounds[0] = circled ? fmax(bound(l, true), circles[0]) : bound(l, true);
    bounds[1] = circled ? fmin(bound(l, false), circles[1]) : bound(l, false);
    for (int end = 0; end < 2 && inner; end++)
        inner[end] = ldexp(ashi_tridiagonal_extreme(&t, end == 0), l->scale);
}

static ashlar_status check(const ashlar_tiles *t, int64_t steps, ashlar_error *err)
{
    const bool real = !ashi_type_of(t->type)->complex;
    if (steps < 0)
        return ashi_fail(err, ASHLAR_ERR_ARG, "%s: steps = %" PRId64 ", wanted at least 0", who, steps);
    if (t->symmetry == ASHLAR_GENERAL || t->symmetry == ASHLAR_HERMITIAN || (t->symmetry == ASHLAR_SYMMETRIC && real))
        return ASHLAR_OK;
    return ashi_fail(err, ASHLAR_ERR_ARG,
                     "%s: wanted a symmetric matrix of real numbers, a Hermitian one, or one without a symmetry", who);
}

/* Without steps, if there is nothing to step through. Collective; status and text are the same on all ranks. */
static ashlar_status find(lanczos *l, double bounds[2], double *inner, ashlar_error *err)
{
    const ashlar_tiles *const t = l->tiles;
    double circles[2], norm = 0;
    ashlar_status status = ashi_agree(t->context, ashlar_tiles_gershgorin(t, &circles[0], &circles[1], err), err);
    if (status == ASHLAR_OK)
        status = ashi_agree(t->context, ashlar_tiles_norm(t, &norm, err), err);
    if (status != ASHLAR_OK)
        return status;
    if (!(norm > 0) || !isfinite(norm)) {
        memcpy(bounds, circles, sizeof circles);
        for (int end = 0; end < 2 && inner; end++)
            inner[end] = isfinite(norm) ? 0 : NAN;
        return ASHLAR_OK;
    }
    l->scale = (int)ashi_max(-SCALE_MOST, ashi_min(SCALE_MOST, ilogb(norm)));
    l->norm = 2 * ldexp(norm, -l->scale); /* twice: `norm` may be rounded */
    status = iterate(l, err);
    if (status == ASHLAR_OK)
        find_bounds(l, circles, bounds, inner);
    return status;
}

ashlar_status ashlar_tiles_lanczos(const ashlar_tiles *tiles, int64_t steps, double *lowest, double *highest,
                                   double *inner, ashlar_error *err)
{
    ashlar_error own = {0};
    double bounds[2];
    err = err ? err : &own;
    if (!tiles)
        return ashi_fail(err, ASHLAR_ERR_ARG, "%s: tiles is NULL", who);
    ashlar_status status = lowest && highest ? check(tiles, steps, err)
                                             : ashi_fail(err, ASHLAR_ERR_ARG, "%s: lowest or highest is NULL", who);
    const ashi_shared shared[2] = {{"steps", steps}, {"inner", inner != NULL}};
    lanczos l = {.tiles = tiles, .n = ashi_cuts_all(&tiles->row),
                 .parts = ashi_type_of(tiles->type)->complex ? 2 : 1};
    l.steps = ashi_min(steps > 0 ? ashi_min(steps, STEPS_MOST) : STEPS, l.n);
    status = ashi_agree_same(tiles->context, status, who, shared, 2, err);
    if (status == ASHLAR_OK)
        status = find(&l, bounds, inner, err);
    free_lanczos(&l);
    if (status == ASHLAR_OK) {
        *lowest = bounds[0];
        *highest = bounds[1];
    }
    return status;
}
