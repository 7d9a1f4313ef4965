/* Dropping tiles that are small. */
#include "tiles/filter.h"

#include "base/error.h"

#include <stdlib.h>
#include <string.h>

ashlar_status ashi_held_filter(const ashlar_tiles *tiles, double threshold, ashi_held *held, ashlar_error *err)
{
    bool *const keep = malloc((size_t)held->pattern.tiles + 1);
    const ashi_held_size size = ashi_tiles_held_size(tiles);
    if (!keep)
        return ashi_fail_memory(err, "which tiles are dropped", held->pattern.tiles);
    for (ashi_held_walk w = {.number = -1}; ashi_held_next(held, &w);) {
        const ashi_square s = tiles->tile_kernels->square(ashi_tiles_words(tiles, w.at.row, w.at.col),
                                                          ashi_held_view(held, &size, w.number, w.at));
        keep[w.number] = !(ashi_square_root(s) < threshold);
    }
    ashi_held_keep(held, keep, tiles->bytes);
    free(keep);
    return ASHLAR_OK;
}

ashlar_status ashlar_tiles_filter(ashlar_tiles *tiles, double threshold, ashlar_error *err)
{
    static const char *const who = "ashlar_tiles_filter";
    ashlar_error own = {0};
    int64_t bits = 0;
    err = err ? err : &own;
    if (!tiles)
        return ashi_fail(err, ASHLAR_ERR_ARG, "%s: tiles is NULL", who);
    memcpy(&bits, &threshold, sizeof bits);
    ashlar_status status = threshold >= 0 ? ASHLAR_OK
                                          : ashi_fail(err, ASHLAR_ERR_ARG, "%s: threshold = %g, wanted at least 0", who,
                                                      threshold);
    status = ashi_agree_same(tiles->context, status, who, &(ashi_shared){"the threshold", bits}, 1, err);
    if (status != ASHLAR_OK)
        return status;
    const ashlar_status mine = ashi_held_filter(tiles, threshold, &tiles->held, err);
    ashi_tiles_count(tiles);
    return ashi_conclude(tiles->context, mine, err);
}
