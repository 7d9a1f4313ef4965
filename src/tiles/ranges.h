/* Ranges of tiles of m, n and k, to which a product is restricted. */
#ifndef ASHI_TILES_RANGES_H
#define ASHI_TILES_RANGES_H

#include "layout/cuts.h"
#include "layout/pattern.h"

/* Of m, n and k: the first tile, and the one behind the last. */
typedef struct ashi_ranges {
    bool given; /* false: all tiles */
    int64_t first[3], end[3];
} ashi_ranges;

/* From six numbers, first and end of m, n and k; NULL: all. */
ashi_ranges ashi_ranges_of(const int64_t *given);

/* They are to be within the cuts of m, n and k; if `half`, C has a symmetry and only its tiles with row <= column are
 * stored: each tile of the ranges then has to be one of these, or the mirror image of one that is in the ranges too.
 * ASHLAR_ERR_ARG, with a text for the call `who`. Local. */
ashlar_status ashi_ranges_check(const char *who, const ashi_ranges *ranges, const ashi_cuts *const cuts[3], bool half,
                                ashlar_error *err);

/* Whether tile (row, column) of a matrix whose rows are cut as side `row_side` (0: m, 1: n, 2: k) and whose columns as
 * `col_side` is in the ranges. */
static inline bool ashi_ranges_have(const ashi_ranges *r, int row_side, int64_t row, int col_side, int64_t col)
{
    return !r->given || (row >= r->first[row_side] && row < r->end[row_side] && col >= r->first[col_side] &&
                         col < r->end[col_side]);
}

/* The tiles of C that are in the ranges. `out` is freed by ashi_pattern_free, also after a failure.
 * ASHLAR_ERR_MEMORY. */
ashlar_status ashi_ranges_pattern(const ashi_ranges *ranges, const ashi_pattern *c, ashi_pattern *out,
                                  ashlar_error *err);

/* C's tiles outside the ranges, and those of `with`. Likewise. */
ashlar_status ashi_ranges_with_outside(const ashi_ranges *ranges, const ashi_pattern *c, const ashi_pattern *with,
                                       ashi_pattern *out, ashlar_error *err);

#endif
