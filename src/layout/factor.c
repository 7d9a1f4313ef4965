/* The rows of op(X) for a stored pattern: how each stored tile is used, without a second copy of any. */
#include "layout/factor.h"
#include "base/error.h"
#include "base/ordering.h"
#include "layout/pattern_sets.h"

#include <stdlib.h>

/* How stored tiles are used as they lie, and turned. X(j, i) of a stored X(i, j) is its mirror image: turned, and with
 * a Hermitian symmetry conjugated, with an anti-symmetry negated. op = T turns each tile once more. */
static void choose_how(ashlar_symmetry symmetry, ashlar_op op, unsigned *stored_how, unsigned *turned_how)
{
    const bool hermitian = symmetry == ASHLAR_HERMITIAN || symmetry == ASHLAR_ANTIHERMITIAN;
    const bool anti = symmetry == ASHLAR_ANTISYMMETRIC || symmetry == ASHLAR_ANTIHERMITIAN;
    const unsigned mirror = (hermitian ? ASHI_TILE_CONJUGATED : 0) | (anti ? ASHI_TILE_NEGATED : 0);
    const unsigned conjugated = op == ASHLAR_OP_C ? ASHI_TILE_CONJUGATED : 0;
    if (op == ASHLAR_OP_N) {
        *stored_how = 0;
        *turned_how = mirror | ASHI_TILE_TURNED;
    } else {
        *stored_how = mirror ^ conjugated;
        *turned_how = ASHI_TILE_TURNED | conjugated;
    }
}

static bool above_diagonal(const void *context, int64_t row, int64_t col)
{
    (void)context;
    return row < col;
}

/* The tiles above the diagonal, turned, with their stored numbers. */
static ashlar_status turn_upper(const ashi_pattern *stored, ashi_factor *out, ashlar_error *err)
{
    ashi_pattern upper;
    ashlar_status status = ashi_pattern_filter(stored, above_diagonal, NULL, &upper, err);
    int64_t *number = malloc(((size_t)upper.tiles + 1) * sizeof *number);
    if (status == ASHLAR_OK && !number)
        status = ashi_fail_memory(err, "the mirror images of tiles", (upper.tiles + 1) * (int64_t)sizeof *number);
    if (status == ASHLAR_OK)
        status = ashi_pattern_transpose(&upper, &out->turned, &out->turned_tile, err);
    if (status == ASHLAR_OK) {
        ashi_pattern_numbers(&upper, stored, number);
        for (int64_t t = 0; t < upper.tiles; t++)
            out->turned_tile[t] = number[out->turned_tile[t]];
    }
    free(number);
    ashi_pattern_free(&upper);
    return status;
}

/* The rows of both, and where each has them. */
static ashlar_status list_rows(const ashi_pattern *stored, ashi_factor *out, ashlar_error *err)
{
    static const ashi_pattern none;
    const ashi_pattern *x = stored ? stored : &none, *y = &out->turned;
    const size_t bytes = ((size_t)(x->rows + y->rows) + 1) * sizeof(int64_t);
    out->row = malloc(bytes);
    out->in_stored = malloc(bytes);
    out->in_turned = malloc(bytes);
    if (!out->row || !out->in_stored || !out->in_turned)
        return ashi_fail_memory(err, "the rows of a factor", 3 * (int64_t)bytes);
    for (int64_t a = 0, b = 0; a < x->rows || b < y->rows; out->rows++) {
        const bool in_x = a < x->rows && (b == y->rows || x->row[a] <= y->row[b]);
        const bool in_y = b < y->rows && (a == x->rows || y->row[b] <= x->row[a]);
        out->row[out->rows] = in_x ? x->row[a] : y->row[b];
        out->in_stored[out->rows] = in_x ? a++ : -1;
        out->in_turned[out->rows] = in_y ? b++ : -1;
    }
    return ASHLAR_OK;
}

/* A table of the rows' places, unless it were much longer than the list of rows. */
static ashlar_status tabulate(ashi_factor *out, ashlar_error *err)
{
    enum { MOST_GAPS = 32 };
    if (out->rows == 0 || (out->row[out->rows - 1] - out->row[0]) / MOST_GAPS > out->rows)
        return ASHLAR_OK;
    const int64_t span = out->row[out->rows - 1] - out->row[0] + 1;
    out->place = malloc((size_t)span * sizeof *out->place);
    if (!out->place)
        return ashi_fail_memory(err, "the rows of a factor", span * (int64_t)sizeof *out->place);
    for (int64_t x = 0; x < span; x++)
        out->place[x] = -1;
    for (int64_t x = 0; x < out->rows; x++)
        out->place[out->row[x] - out->row[0]] = x;
    return ASHLAR_OK;
}

ashlar_status ashi_factor_make(const ashi_pattern *stored, ashlar_symmetry symmetry, ashlar_op op, ashi_factor *out,
                               ashlar_error *err)
{
    *out = (ashi_factor){.stored = stored};
    choose_how(symmetry, op, &out->stored_how, &out->turned_how);
    ashlar_status status = ASHLAR_OK;
    if (symmetry != ASHLAR_GENERAL)
        status = turn_upper(stored, out, err);
    else if (op != ASHLAR_OP_N)
        status = ashi_pattern_transpose(stored, &out->turned, &out->turned_tile, err);
    if (status == ASHLAR_OK)
        status = list_rows(symmetry == ASHLAR_GENERAL && op != ASHLAR_OP_N ? NULL : stored, out, err);
    if (status == ASHLAR_OK)
        status = tabulate(out, err);
    return status;
}

void ashi_factor_free(ashi_factor *factor)
{
    ashi_pattern_free(&factor->turned);
    free(factor->turned_tile);
    free(factor->row);
    free(factor->in_stored);
    free(factor->in_turned);
    free(factor->place);
    *factor = (ashi_factor){0};
}

int64_t ashi_factor_find(const ashi_factor *factor, int64_t row)
{
    if (factor->rows == 0 || row < factor->row[0] || row > factor->row[factor->rows - 1])
        return -1;
    if (factor->place)
        return factor->place[row - factor->row[0]];
    const int64_t at = ashi_first_from(factor->row, 0, factor->rows, row);
    return factor->row[at] == row ? at : -1;
}

/* Of a matrix with a symmetry the turned tiles of a row are left of the diagonal, the stored ones are not. */
int ashi_factor_runs(const ashi_factor *factor, int64_t x, ashi_factor_run run[2])
{
    const int64_t turned = factor->in_turned[x], stored = factor->in_stored[x];
    int runs = 0;
    if (turned >= 0) {
        const int64_t first = factor->turned.start[turned];
        run[runs++] = (ashi_factor_run){factor->turned.col + first, factor->turned.start[turned + 1] - first, 0,
                                        factor->turned_tile + first, factor->turned_how};
    }
    if (stored >= 0) {
        const int64_t first = factor->stored->start[stored];
        run[runs++] = (ashi_factor_run){factor->stored->col + first, factor->stored->start[stored + 1] - first, first,
                                        NULL, factor->stored_how};
    }
    return runs;
}

int64_t ashi_factor_tiles(const ashi_factor *factor, int64_t x)
{
    ashi_factor_run run[2];
    const int runs = ashi_factor_runs(factor, x, run);
    return run[0].count + (runs > 1 ? run[1].count : 0);
}
