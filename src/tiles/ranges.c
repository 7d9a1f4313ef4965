/* Ranges of tiles of m, n and k, to which a product is restricted. */
#include "tiles/ranges.h"

#include "base/error.h"
#include "layout/pattern_sets.h"

#include <inttypes.h>

ashi_ranges ashi_ranges_of(const int64_t *given)
{
    ashi_ranges ranges = {.given = given != NULL};
    for (int side = 0; side < 3 && given; side++) {
        ranges.first[side] = given[2 * side];
        ranges.end[side] = given[2 * side + 1];
    }
    return ranges;
}

ashlar_status ashi_ranges_check(const char *who, const ashi_ranges *r, const ashi_cuts *const cuts[3], bool half,
                                ashlar_error *err)
{
    for (int side = 0; side < 3 && r->given; side++)
        if (r->first[side] < 0 || r->first[side] > r->end[side] || r->end[side] > cuts[side]->tiles)
            return ashi_fail(err, ASHLAR_ERR_ARG,
                             "%s: %c's range of tiles is %" PRId64 " to %" PRId64 ", wanted first <= end within 0 to %"
                             PRId64, who, "mnk"[side], r->first[side], r->end[side], cuts[side]->tiles);
    if (half && (r->first[0] > r->first[1] || r->end[0] > r->end[1]))
        return ashi_fail(err, ASHLAR_ERR_ARG,
                         "%s: C has a symmetry: m's range of tiles, %" PRId64 " to %" PRId64
                         ", begins or ends behind n's, %" PRId64 " to %" PRId64, who, r->first[0], r->end[0],
                         r->first[1], r->end[1]);
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
