/* Matrices of tiles are compressed, and expanded again: the public calls. */
#include "base/error.h"
#include "tiles/alike.h"
#include "tiles/low_rank.h"

#include <ashlar/tiles_low_rank.h>
#include "tiles/totals.h"

#include <float.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

/* The losses of all ranks, joined in their order. Collective. */
static ashlar_status join(const ashlar_tiles *t, double lost, double *error, ashlar_error *err)
{
    double *all = NULL, sum = 0;
    const ashlar_status status = ashi_totals_gather(t->context, ASHLAR_OK, (double[2]){lost, 0}, &all, err);
    for (int r = 0; r < t->context->ranks && status == ASHLAR_OK; r++)
        sum = hypot(sum, all[2 * r]) * (1 + 2 * DBL_EPSILON);
    free(all);
    if (status == ASHLAR_OK && error)
        *error = sum;
    return status;
}

static ashlar_status compress(ashlar_tiles *t, double tolerance, bool relative, double *error, ashlar_error *err)
{
    ashi_compressing c;
    ashlar_status status = ashi_compressing_make(t, &t->held.pattern, &t->held, &c, err);
    status = ashi_agree(t->context, status, err);
    if (status == ASHLAR_OK) {
        const double lost = ashi_compressing_run(&c, &t->held, tolerance, relative);
        ashi_tiles_count(t);
        status = join(t, lost, error, err);
    }
    ashi_compressing_free(&c);
    return status;
}

ashlar_status ashlar_tiles_compress(ashlar_tiles *tiles, double tolerance, int relative, double *error,
                                    ashlar_error *err)
{
    static const char *const who = "ashlar_tiles_compress";
    ashlar_error own = {0};
    int64_t bits = 0;
    err = err ? err : &own;
    if (!tiles)
        return ashi_fail(err, ASHLAR_ERR_ARG, "%s: tiles is NULL", who);
    memcpy(&bits, &tolerance, sizeof bits);
    const ashi_shared values[] = {{"the tolerance", bits}, {"relative", relative != 0}};
    ashlar_status status = tolerance >= 0 && tolerance < INFINITY
                               ? ASHLAR_OK
                               : ashi_fail(err, ASHLAR_ERR_ARG, "%s: tolerance = %g, wanted at least 0", who,
                                           tolerance);
    status = ashi_agree_same(tiles->context, status, who, values, 2, err);
    return status == ASHLAR_OK ? compress(tiles, tolerance, relative != 0, error, err) : status;
}

ashlar_status ashlar_tiles_expand(ashlar_tiles *tiles, ashlar_error *err)
{
    ashlar_error own = {0};
    ashi_held held = {0};
    err = err ? err : &own;
    if (!tiles)
        return ashi_fail(err, ASHLAR_ERR_ARG, "ashlar_tiles_expand: tiles is NULL");
    if (tiles->all_low == 0)
        return ASHLAR_OK;
    ashlar_status status = ashi_agree(tiles->context, ashi_tiles_dense_copy(tiles, &held, err), err);
    if (status == ASHLAR_OK)
        status = ashi_tiles_settle(tiles, &held, err);
    ashi_held_free(&held);
    return status;
}
