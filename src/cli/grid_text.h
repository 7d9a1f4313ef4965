/* Grids and other products as the command line states them. */
#ifndef ASHI_GRID_TEXT_H
#define ASHI_GRID_TEXT_H

#include <ashlar/base.h>

/* Whole numbers with an x between them, "4x2x1"; true if there are exactly `count`, each at least 1. */
bool ashi_grid_text_read(const char *text, int count, int64_t *out);

/* The grid PMxPNxPK of --grid, for a product of m, n, k = size[0], size[1], size[2] on `ranks` ranks.
 * @return ASHLAR_ERR_ARG if the text is no grid, if it has more cells than ranks, or cuts a dimension into more parts
 *         than it has elements */
ashlar_status ashi_grid_text_check(const char *text, const int64_t size[3], int64_t ranks, int64_t out[3],
                                   ashlar_error *err);

#endif
