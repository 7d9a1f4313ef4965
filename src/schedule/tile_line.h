/* The tiles that a rank handles in a program of tiles, one after the other.
 *
 * Such a program has a line for each operand of a rank: tiles of op(A), of op(B) and of C, in an order that suits the
 * program. A panel is an interval of a line: its index 0 counts words along the line, its index 1 has length 1. So
 * panels lie within others, meet and are placed as boxes of two indices do, and nobody but who moves, multiplies,
 * checks or prints tiles needs the line itself. */
#ifndef ASHI_TILE_LINE_H
#define ASHI_TILE_LINE_H

#include "base/splice.h"
#include "layout/pattern.h"

/* Numbers of tiles are those of op(A), op(B) and C. */
typedef struct ashi_tile_line {
    int64_t tiles;
    ashi_tile_at *tile;     /* NULL: the tiles are those of a pattern, in its order */
    const ashi_pattern *of; /* that pattern; else NULL */
    int64_t *start; /* tiles + 1: the position of each tile's first word, and the line's end; with `of` lent */
    int64_t room;   /* tiles that it can have; with `of` 0 */
} ashi_tile_line;

/* A line with room for `tiles` tiles. ASHLAR_ERR_MEMORY. */
ashlar_status ashi_tile_line_make(int64_t tiles, ashi_tile_line *out, ashlar_error *err);
void ashi_tile_line_free(ashi_tile_line *line);

/* The line of a pattern's tiles, whose positions and end `start` has. Both outlive it. */
void ashi_tile_line_lend(const ashi_pattern *pattern, int64_t *start, ashi_tile_line *out);

/* Tile t of a line. */
ashi_tile_at ashi_tile_line_at(const ashi_tile_line *line, int64_t t);

/* Tiles that come: as many as the splice has places. */
typedef struct ashi_tile_line_come {
    const ashi_tile_at *tile;
    const int64_t *words;
} ashi_tile_line_come;

/* Change a line that is its own in place: tiles go and come as the splice says. After a failure it can only be freed.
 * ASHLAR_ERR_MEMORY; ASHLAR_ERR_OVERFLOW. */
ashlar_status ashi_tile_line_change(ashi_tile_line *line, const ashi_splice *splice, const ashi_tile_line_come *come,
                                    ashlar_error *err);

/* The tile that begins at a position, or the first one after it. */
int64_t ashi_tile_line_find(const ashi_tile_line *line, int64_t position);

#endif
