/* The tiles that a rank has stored: which, and where their elements are. */
#ifndef ASHI_HELD_H
#define ASHI_HELD_H

#include "layout/cuts.h"
#include "layout/pattern.h"

/* All tiles are in one piece of memory, in the pattern's order. */
typedef struct ashi_held {
    ashi_pattern pattern;
    int64_t *offset; /* of each tile, in elements, then where the last one ends; NULL: there are none */
    char *data;
    size_t room;     /* bytes of `data` (exec/large.h) */
} ashi_held;

/* What tiles of a matrix have: from the cuts of its rows and columns. */
typedef struct ashi_held_size {
    const ashi_cuts *row, *col;
    size_t bytes; /* of an element */
} ashi_held_size;

/* Room for the tiles of a pattern, all 0; the pattern becomes part of it, or is freed after a failure. `out` is freed
 * by ashi_held_free, also after a failure. ASHLAR_ERR_MEMORY; ASHLAR_ERR_OVERFLOW. */
ashlar_status ashi_held_make(ashi_pattern *pattern, const ashi_held_size *size, ashi_held *out, ashlar_error *err);

/* The tiles of `held`, and `count` more, which may be there already and are all 0 if not. */
ashlar_status ashi_held_grow(const ashi_held *held, const ashi_tile_at *more, int64_t count, const ashi_held_size *size,
                             ashi_held *out, ashlar_error *err);

/* Add the tiles of `more`, all of which are in rows of tiles below those that `held` has. */
ashlar_status ashi_held_append(ashi_held *held, const ashi_held *more, size_t bytes, ashlar_error *err);

/* Copy to `to` the tiles of `from` that it has room for. */
void ashi_held_copy(const ashi_held *from, size_t bytes, ashi_held *to);

/* A copy of all of it. */
ashlar_status ashi_held_clone(const ashi_held *from, size_t bytes, ashi_held *out, ashlar_error *err);

/* Keep those tiles, by number, for which `keep` is true. Needs no memory; the rest is given back as far as the system
 * takes it. */
void ashi_held_keep(ashi_held *held, const bool *keep, size_t bytes);

void ashi_held_free(ashi_held *held);

static inline int64_t ashi_held_words(const ashi_held *held)
{
    return held->offset ? held->offset[held->pattern.tiles] : 0;
}

/* The elements of a tile. */
static inline char *ashi_held_tile(const ashi_held *held, int64_t number, size_t bytes)
{
    return held->data + (size_t)held->offset[number] * bytes;
}

/* All tiles in their order: `at` is the tile, `number` its number, `x` the row of the pattern that it is in. */
typedef struct ashi_held_walk {
    int64_t number, x;
    ashi_tile_at at;
} ashi_held_walk;

/* Begin with {.number = -1}; false after the last. */
static inline bool ashi_held_next(const ashi_held *held, ashi_held_walk *walk)
{
    if (++walk->number >= held->pattern.tiles)
        return false;
    while (held->pattern.start[walk->x + 1] <= walk->number)
        walk->x++;
    walk->at = (ashi_tile_at){held->pattern.row[walk->x], held->pattern.col[walk->number]};
    return true;
}

#endif
