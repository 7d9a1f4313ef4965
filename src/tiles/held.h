/* The tiles that a rank has stored: which, and where their elements are. */
#ifndef ASHI_HELD_H
#define ASHI_HELD_H

#include "kernel/kernels.h"
#include "layout/cuts.h"
#include "layout/pattern.h"

/* Tiles that are stored as U V^T: first U, rows x rank, then V, columns x rank, both column-major without gaps. Such a
 * tile has fewer words than a dense one. */
typedef struct ashi_held_low {
    int64_t *rank;    /* of each tile; -1: it is dense */
    char *scratch;    /* room for the elements of any of them (kernel/large.h) */
    size_t room;      /* bytes of it */
    int64_t expanded; /* whose elements are there; -1: no tile's */
} ashi_held_low;

/* All tiles are in one piece of memory, in the pattern's order. */
typedef struct ashi_held {
    ashi_pattern pattern;
    int64_t *offset;    /* of each tile, in elements, then where the last one ends; NULL: there are none */
    char *data;
    size_t room;        /* bytes of `data` (kernel/large.h) */
    ashi_held_low *low; /* NULL: all tiles are dense */
} ashi_held;

/* What tiles of a matrix have: from the cuts of its rows and columns. */
typedef struct ashi_held_size {
    const ashi_cuts *row, *col;
    size_t bytes; /* of an element */
    const ashi_kernels *kernels;
} ashi_held_size;

/* Room for the tiles of a pattern, all 0; the pattern becomes part of it, or is freed after a failure. `out` is freed
 * by ashi_held_free, also after a failure. ASHLAR_ERR_MEMORY; ASHLAR_ERR_OVERFLOW. */
ashlar_status ashi_held_make(ashi_pattern *pattern, const ashi_held_size *size, ashi_held *out, ashlar_error *err);

/* The same if some tiles are to have a rank: `rank` is a list, freed with free(), of a rank for each tile, -1 for a
 * dense one, or NULL. It becomes part of `out`, or is freed. */
ashlar_status ashi_held_make_ranked(ashi_pattern *pattern, int64_t *rank, const ashi_held_size *size, ashi_held *out,
                                    ashlar_error *err);

/* The tiles of `held`, and `count` more, which may be there already and are all 0 if not. The latter are dense. */
ashlar_status ashi_held_grow(const ashi_held *held, const ashi_tile_at *more, int64_t count, const ashi_held_size *size,
                             ashi_held *out, ashlar_error *err);

/* The same, with a rank for each of `more`, -1 for a dense one; the last counts if a tile is named several times. */
ashlar_status ashi_held_grow_ranked(const ashi_held *held, const ashi_tile_at *more, const int64_t *rank, int64_t count,
                                    const ashi_held_size *size, ashi_held *out, ashlar_error *err);

/* Add the tiles of `more`, all of which are in rows of tiles below those that `held` has. */
ashlar_status ashi_held_append(ashi_held *held, const ashi_held *more, size_t bytes, ashlar_error *err);

/* Copy to `to` the tiles of `from` that it has room for. What has a rank in `to`, and another one or none in `from`, is
 * left out: it is to be written anew. */
void ashi_held_copy(const ashi_held *from, const ashi_held_size *size, ashi_held *to);

/* A copy of all of it. */
ashlar_status ashi_held_clone(const ashi_held *from, size_t bytes, ashi_held *out, ashlar_error *err);

/* Keep those tiles, by number, for which `keep` is true. Needs no memory; the rest is given back as far as the system
 * takes it. */
void ashi_held_keep(ashi_held *held, const bool *keep, size_t bytes);

/* Tiles have other ranks: `low` has a list of them and scratch room, and becomes part of `held`, or is freed if no tile
 * has a rank. Of each tile the first words stay, as many as it has with its new rank, and the memory of the others is
 * given back. */
void ashi_held_rerank(ashi_held *held, ashi_held_low *low, const ashi_held_size *size);
void ashi_held_low_free(ashi_held_low *low);

void ashi_held_free(ashi_held *held);

/* A tile's rank; -1: it is dense. */
static inline int64_t ashi_held_rank(const ashi_held *held, int64_t number)
{
    return held->low ? held->low->rank[number] : -1;
}

/* Write U V^T in column-major order, without gaps. */
void ashi_held_expand(const ashi_held_size *size, ashi_tile_at at, int64_t rank, const char *factors, char *to);

/* The elements of a tile in column-major order, only to be read: where it is stored, or if it has a rank in the
 * scratch room, until the next call. */
const char *ashi_held_view(const ashi_held *held, const ashi_held_size *size, int64_t number, ashi_tile_at at);

/* The same, and a tile that is asked for several times in a row is expanded once; ashi_held_begin before the first. */
const char *ashi_held_view_again(const ashi_held *held, const ashi_held_size *size, int64_t number, ashi_tile_at at);

static inline void ashi_held_begin(const ashi_held *held)
{
    if (held->low)
        held->low->expanded = -1;
}

static inline int64_t ashi_held_words(const ashi_held *held)
{
    return held->offset ? held->offset[held->pattern.tiles] : 0;
}

/* The elements of a tile, or its U and V. */
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
