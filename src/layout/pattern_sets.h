/* Patterns made from patterns: sets of tiles, turned ones, parts, and parts put together. */
#ifndef ASHI_PATTERN_SETS_H
#define ASHI_PATTERN_SETS_H

#include "layout/deal.h"
#include "layout/pattern.h"

/* All take time proportional to the tiles that they read. `out` is freed by ashi_pattern_free, also after a failure,
 * which can only be ASHLAR_ERR_MEMORY. */

ashlar_status ashi_pattern_union(const ashi_pattern *x, const ashi_pattern *y, ashi_pattern *out, ashlar_error *err);
ashlar_status ashi_pattern_intersection(const ashi_pattern *x, const ashi_pattern *y, ashi_pattern *out,
                                        ashlar_error *err);

/* The tiles of x that are not in y. */
ashlar_status ashi_pattern_difference(const ashi_pattern *x, const ashi_pattern *y, ashi_pattern *out,
                                      ashlar_error *err);

/* All tiles of several patterns. */
ashlar_status ashi_pattern_merge(const ashi_pattern *part, int64_t parts, ashi_pattern *out, ashlar_error *err);

/* Tile (i, j) becomes (j, i). If `tile` is not NULL, *tile has for each tile of `out` its number in `from`, and is
 * freed by free. */
ashlar_status ashi_pattern_transpose(const ashi_pattern *from, ashi_pattern *out, int64_t **tile, ashlar_error *err);

/* The tiles for which `keep` says true. */
typedef bool ashi_pattern_keep(const void *context, int64_t row, int64_t col);
ashlar_status ashi_pattern_filter(const ashi_pattern *from, ashi_pattern_keep *keep, const void *context,
                                  ashi_pattern *out, ashlar_error *err);

/* Rows first.row to end.row - 1, columns first.col to end.col - 1; the tiles keep their row and column. */
ashlar_status ashi_pattern_box(const ashi_pattern *from, ashi_tile_at first, ashi_tile_at end, ashi_pattern *out,
                               ashlar_error *err);

/* What is in a process row and in a process column of a deal over a grid; a part of -1 stands for all. */
ashlar_status ashi_pattern_of_part(const ashi_pattern *from, const ashi_deal *deal, int row_part, int col_part,
                                   ashi_pattern *out, ashlar_error *err);

/* What a rank has. */
ashlar_status ashi_pattern_of_rank(const ashi_pattern *from, const ashi_deal *deal, int rank, ashi_pattern *out,
                                   ashlar_error *err);

/* For each tile of `of` its number in `in`, -1 if it is absent there; `number` has room for of->tiles. */
void ashi_pattern_numbers(const ashi_pattern *of, const ashi_pattern *in, int64_t *number);

#endif
