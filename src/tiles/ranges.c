/* Ranges of tiles of m, n and k, to which a product is restricted. */
#include "tiles/ranges.h"

#include "base/error.h"
#include "layout/pattern_sets.h"

#include <inttypes.h>

ashlar_status ashi_ranges_take(const char *who, const int64_t *given, const ashi_cuts *const cuts[3], bool half,
                               ashi_ranges *out, ashlar_error *err)
{
    *out = (ashi_ranges){.given = given != NULL};
    for (int side = 0; side < 3; side++) {
        const int64_t tiles = cuts[side]->tiles;
        out->first[side] = given ? given[2 * side] : 0;
        out->end[side] = given ? given[2 * side + 1] : tiles;
        if (out->first[side] < 0 || out->first[side] > out->end[side] || out->end[side] > tiles)
            return ashi_fail(err, ASHLAR_ERR_ARG,
                             "%s: %c's range of tiles is %" PRId64 " to %" PRId64 ", wanted first <= end within 0 to %"
                             PRId64, who, "mnk"[side], out->first[side], out->end[side], tiles);
    }
    if (half && (out->first[0] > out->first[1] || out->end[0] > out->end[1]))
        return ashi_fail(err, ASHLAR_ERR_ARG,
                         "%s: C has a symmetry: m's range of tiles, %" PRId64 " to %" PRId64
                         ", begins or ends behind n's, %" PRId64 " to %" PRId64, who, out->first[0], out->end[0],
                         out->first[1], out->end[1]);
    return ASHLAR_OK;
}

static bool inside(const void *context, int64_t row, int64_t col)
{
    return ashi_ranges_have(context, 0, row, 1, col);
}

static bool outside(const void *context, int64_t row, int64_t col)
{
    return !ashi_ranges_have(context, 0, row, 1, col);
}

ashlar_status ashi_ranges_pattern(const ashi_ranges *ranges, const ashi_pattern *c, ashi_pattern *out,
                                  ashlar_error *err)
{
    return ashi_pattern_filter(c, inside, ranges, out, err);
}

ashlar_status ashi_ranges_with_outside(const ashi_ranges *ranges, const ashi_pattern *c, const ashi_pattern *with,
                                       ashi_pattern *out, ashlar_error *err)
{
    ashi_pattern rest = {0};
    ashlar_status status = ashi_pattern_filter(c, outside, ranges, &rest, err);
    if (status == ASHLAR_OK)
        status = ashi_pattern_union(&rest, with, out, err);
    ashi_pattern_free(&rest);
    return status;
}
