/* Matrices of tiles whose tiles are cut and dealt out alike, so that sums need no messages. */
#include "tiles/alike.h"

#include "base/error.h"
#include "base/type.h"

#include <inttypes.h>
#include <string.h>

static bool same_ints(const int *x, const int *y, int64_t count)
{
    return x == y || (x && y && memcmp(x, y, (size_t)count * sizeof *x) == 0);
}

static bool same_deal(const ashlar_tiles *x, const ashlar_tiles *y)
{
    const ashi_deal *a = &x->deal, *b = &y->deal;
    if (a->owner || b->owner)
        return a->owner == b->owner && a->context == b->context;
    return a->grid_rows == b->grid_rows && a->grid_cols == b->grid_cols &&
           same_ints(a->grid_rank, b->grid_rank, a->grid_rows * a->grid_cols) &&
           same_ints(a->row_part, b->row_part, x->row.tiles) && same_ints(a->col_part, b->col_part, x->col.tiles);
}

bool ashi_tiles_alike(const ashlar_tiles *x, const ashlar_tiles *y, const char **what)
{
    *what = NULL;
    if (x->context != y->context)
        *what = "their contexts";
    else if (x->type != y->type)
        *what = "their types";
    else if (ashi_cuts_differ(&x->row, &y->row) >= 0)
        *what = "the sizes of their rows of tiles";
    else if (ashi_cuts_differ(&x->col, &y->col) >= 0)
        *what = "the sizes of their columns of tiles";
    else if (!same_deal(x, y))
        *what = "which ranks have their tiles";
    return *what == NULL;
}

ashlar_status ashi_tiles_check_alike(const char *who, const ashlar_tiles *x, const ashlar_tiles *y, ashlar_error *err)
{
    const char *what = NULL;
    if (ashi_tiles_alike(x, y, &what))
        return ASHLAR_OK;
    return ashi_fail(err, ASHLAR_ERR_ARG, "%s: the matrices differ in %s; ashlar_tiles_move makes them alike", who,
                     what);
}

ashlar_status ashi_tiles_check_square(const char *who, const ashlar_tiles *tiles, ashlar_error *err)
{
    const int64_t rows = ashi_cuts_all(&tiles->row), cols = ashi_cuts_all(&tiles->col);
    if (rows == cols)
        return ASHLAR_OK;
    return ashi_fail(err, ASHLAR_ERR_ARG, "%s: the matrix has %" PRId64 " x %" PRId64 " elements, wanted a square one",
                     who, rows, cols);
}

ashlar_status ashi_tiles_check_factor(const char *who, const ashlar_tiles *tiles, const void *factor,
                                      ashlar_error *err)
{
    const bool complex = ashi_type_of(tiles->type)->complex && ashi_tiles_mirror(tiles).conjugate;
    const double imaginary = complex ? tiles->tile_kernels->number(factor).im : 0;
    if (!(imaginary < 0) && !(imaginary > 0))
        return ASHLAR_OK;
    return ashi_fail(err, ASHLAR_ERR_ARG,
                     "%s: a Hermitian or anti-Hermitian matrix times a number that is not real is none any more", who);
}
