/* Which tiles of a matrix, or of a part of it, are present. */
#ifndef ASHI_PATTERN_H
#define ASHI_PATTERN_H

#include <ashlar/base.h>
#include <stdbool.h>

/* Tile (row, column), numbers of the whole matrix. */
typedef struct ashi_tile_at {
    int64_t row, col;
} ashi_tile_at;

/* Rows without tiles are not mentioned, so that a pattern of few tiles of a long matrix is small. The tiles are
 * numbered from 0 in the order of rows, then columns: that is the order of every array that has something for each
 * tile. */
typedef struct ashi_pattern {
    int64_t rows;   /* that have tiles */
    int64_t tiles;
    int64_t *row;   /* ascending */
    int64_t *start; /* rows + 1: where the tiles of row[x] begin in `col` */
    int64_t *col;   /* tiles, ascending within a row */
} ashi_pattern;

/* From a list in any order, which may name a tile several times: the list is put in order. `out` is freed by
 * ashi_pattern_free, also after a failure. ASHLAR_ERR_MEMORY. */
ashlar_status ashi_pattern_make(ashi_tile_at *tile, int64_t count, ashi_pattern *out, ashlar_error *err);

/* Room for the rows and tiles of a pattern, which the caller fills in. Freed by ashi_pattern_free, also after a
 * failure. ASHLAR_ERR_MEMORY. */
ashlar_status ashi_pattern_reserve(int64_t rows, int64_t tiles, ashi_pattern *out, ashlar_error *err);

ashlar_status ashi_pattern_copy(const ashi_pattern *from, ashi_pattern *out, ashlar_error *err);
void ashi_pattern_free(ashi_pattern *pattern);

/* A pattern whose tiles are added in their order; all 0 to begin with. */
typedef struct ashi_pattern_maker {
    ashi_pattern made;
    int64_t row_room, start_room, col_room;
} ashi_pattern_maker;

/* False if memory lacks. */
bool ashi_pattern_add(ashi_pattern_maker *maker, int64_t row, int64_t col);

/* Moves what was made to `out`, which is freed by ashi_pattern_free, also after a failure; `all_added` is false if an
 * ashi_pattern_add failed. ASHLAR_ERR_MEMORY. */
ashlar_status ashi_pattern_finish(ashi_pattern_maker *maker, bool all_added, ashi_pattern *out, ashlar_error *err);

/* What it allocated. */
static inline int64_t ashi_pattern_bytes(const ashi_pattern *pattern)
{
    return (2 * pattern->rows + 1 + pattern->tiles) * (int64_t)sizeof *pattern->col;
}

bool ashi_pattern_equal(const ashi_pattern *x, const ashi_pattern *y);

/* Which of pattern->row is a row, -1 if none of its tiles is present. */
int64_t ashi_pattern_row(const ashi_pattern *pattern, int64_t row);

/* The number of a tile, -1 if it is absent. */
int64_t ashi_pattern_find(const ashi_pattern *pattern, int64_t row, int64_t col);

/* The same, in few steps if tiles are looked for about in their order. *near is 0 to begin with, and is set. */
int64_t ashi_pattern_find_near(const ashi_pattern *pattern, int64_t row, int64_t col, int64_t *near);

#endif
