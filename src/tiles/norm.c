/* Frobenius norms of a matrix of tiles, which neither overflow nor underflow. */
#include "base/error.h"
#include "tiles/matrix.h"
#include "tiles/totals.h"

#include <stdlib.h>

static ashi_square square_of(const ashlar_tiles *t, const ashi_held_walk *w)
{
    return t->tile_kernels->square(ashi_tiles_words(t, w->at.row, w->at.col),
                                   ashi_tiles_view(t, w->number, w->at));
}

ashlar_status ashlar_tiles_norms(const ashlar_tiles *tiles, double *norms, ashlar_error *err)
{
    if (!tiles || (!norms && tiles->held.pattern.tiles > 0))
        return ashi_fail(err, ASHLAR_ERR_ARG, "ashlar_tiles_norms: %s is NULL", tiles ? "norms" : "tiles");
    for (ashi_held_walk w = {.number = -1}; ashi_held_next(&tiles->held, &w);)
        norms[w.number] = ashi_square_root(square_of(tiles, &w));
    return ASHLAR_OK;
}

ashlar_status ashlar_tiles_norm(const ashlar_tiles *tiles, double *norm, ashlar_error *err)
{
    ashlar_error own_text = {0};
    ashi_square own = {0, 0}, sum = {0, 0};
    err = err ? err : &own_text;
    if (!tiles)
        return ashi_fail(err, ASHLAR_ERR_ARG, "ashlar_tiles_norm: tiles is NULL");
    for (ashi_held_walk w = {.number = -1}; ashi_held_next(&tiles->held, &w);) {
        ashi_square s = square_of(tiles, &w);
        if (tiles->symmetry != ASHLAR_GENERAL && w.at.row != w.at.col)
            s.sum *= 2;
        own = ashi_square_add(own, s);
    }
    const ashlar_status mine =
        norm ? ASHLAR_OK : ashi_fail(err, ASHLAR_ERR_ARG, "ashlar_tiles_norm: norm is NULL");
    const double pair[2] = {own.sum, (double)own.exponent};
    double *all = NULL;
    const ashlar_status status = ashi_totals_gather(tiles->context, mine, pair, &all, err);
    for (int r = 0; r < tiles->context->ranks && status == ASHLAR_OK; r++)
        sum = ashi_square_add(sum, (ashi_square){all[2 * r], (int64_t)all[2 * r + 1]});
    if (status == ASHLAR_OK)
        *norm = ashi_square_root(sum);
    free(all);
    return status;
}
