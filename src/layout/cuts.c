/* How one side of a matrix is cut into tiles of any sizes. */
#include "layout/cuts.h"
#include "base/checked.h"
#include "base/error.h"
#include "base/ordering.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

static ashlar_status reserve(int64_t tiles, ashi_cuts *out, ashlar_error *err)
{
    *out = (ashi_cuts){.tiles = tiles, .at = malloc(((size_t)tiles + 1) * sizeof *out->at)};
    return out->at ? ASHLAR_OK : ashi_fail_memory(err, "the cuts of a side", (tiles + 1) * (int64_t)sizeof *out->at);
}

ashlar_status ashi_cuts_make(int64_t tiles, const int64_t *size, const char *name, ashi_cuts *out, ashlar_error *err)
{
    *out = (ashi_cuts){0};
    if (tiles < 0)
        return ashi_fail(err, ASHLAR_ERR_ARG, "%s are to be cut into %" PRId64 " tiles, fewer than 0", name, tiles);
    if (tiles > 0 && !size)
        return ashi_fail(err, ASHLAR_ERR_ARG, "%s: no sizes of tiles are given", name);
    ashlar_status status = reserve(tiles, out, err);
    if (status == ASHLAR_OK)
        out->at[0] = 0;
    for (int64_t t = 0; t < tiles && status == ASHLAR_OK; t++) {
        if (size[t] < 0)
            status = ashi_fail(err, ASHLAR_ERR_ARG, "%s: tile %" PRId64 " has the size %" PRId64 ", less than 0", name,
                               t, size[t]);
        else if (!ashi_add(out->at[t], size[t], &out->at[t + 1]))
            status = ashi_fail(err, ASHLAR_ERR_OVERFLOW, "%s are more than 2^63 - 1", name);
    }
    return status;
}

ashlar_status ashi_cuts_even(int64_t all, int64_t mean, ashi_cuts *out, ashlar_error *err)
{
    const int64_t tiles = ashi_ceil_div(all, mean);
    const ashlar_status status = reserve(tiles, out, err);
    if (status == ASHLAR_OK)
        out->at[0] = 0;
    for (int64_t t = 0; t < tiles && status == ASHLAR_OK; t++)
        out->at[t + 1] = out->at[t] + all / tiles + (t < all % tiles);
    return status;
}

ashlar_status ashi_cuts_copy(const ashi_cuts *from, ashi_cuts *out, ashlar_error *err)
{
    const ashlar_status status = reserve(from->tiles, out, err);
    if (status == ASHLAR_OK)
        memcpy(out->at, from->at, ((size_t)from->tiles + 1) * sizeof *out->at);
    return status;
}

void ashi_cuts_free(ashi_cuts *cuts)
{
    free(cuts->at);
    *cuts = (ashi_cuts){0};
}

int64_t ashi_cuts_find(const ashi_cuts *cuts, int64_t index)
{
    return ashi_interval_of(cuts->at, cuts->tiles, index);
}

int64_t ashi_cuts_differ(const ashi_cuts *x, const ashi_cuts *y)
{
    const int64_t both = ashi_min(x->tiles, y->tiles);
    if (x->tiles == y->tiles && memcmp(x->at, y->at, ((size_t)both + 1) * sizeof *x->at) == 0)
        return -1;
    for (int64_t t = 0; t < both; t++)
        if (x->at[t + 1] != y->at[t + 1])
            return t;
    return x->tiles == y->tiles ? -1 : both;
}
