/* The tiles of op(X), row of tiles by row of tiles. */
#ifndef ASHI_TILE_ROWS_H
#define ASHI_TILE_ROWS_H

#include "layout/cuts.h"
#include "layout/pattern.h"

/* Tiles in memory, of a matrix or of a part of it. Tile number t begins at[t] elements after where the data begins; it
 * is column-major, and its rows are its leading dimension. Tiles that follow each other in a row of tiles and in memory
 * are multiplied as one. The set points into what its owner keeps. */
typedef struct ashi_tile_set {
    const ashi_pattern *pattern;
    const ashi_cuts *rows, *cols;
    const int64_t *at; /* pattern->tiles */
} ashi_tile_set;

/* Its tiles as op wants them. */
typedef struct ashi_tile_rows {
    bool turned, conjugate;       /* tile (i, j) of op(X) is that of (j, i), turned */
    const ashi_cuts *cuts[2];     /* of the rows and columns of op(X) */
    int64_t rows;                 /* that have tiles */
    const int64_t *row, *start, *col;
    const int64_t *number;        /* the set's number of each tile; NULL: the order is that of the set */
    const int64_t *at;            /* by the set's number */
    int64_t *own;                 /* what was allocated, and how many numbers */
    int64_t own_count;
} ashi_tile_rows;

/* `set`, its pattern and its cuts have to outlive `out`, which is freed by ashi_tile_rows_free, also after a failure.
 * ASHLAR_ERR_MEMORY. */
ashlar_status ashi_tile_rows_make(const ashi_tile_set *set, ashlar_op op, ashi_tile_rows *out, ashlar_error *err);
void ashi_tile_rows_free(ashi_tile_rows *rows);

/* Tile t, counted in this order, in the set's numbers. */
static inline int64_t ashi_tile_rows_number(const ashi_tile_rows *x, int64_t t)
{
    return x->number ? x->number[t] : t;
}

static inline int64_t ashi_tile_rows_at(const ashi_tile_rows *x, int64_t t)
{
    return x->at[ashi_tile_rows_number(x, t)];
}

/* Size of tile row or tile column i of op(X). */
static inline int64_t ashi_tile_rows_height(const ashi_tile_rows *x, int64_t i)
{
    return ashi_cuts_size(x->cuts[0], i);
}

static inline int64_t ashi_tile_rows_width(const ashi_tile_rows *x, int64_t j)
{
    return ashi_cuts_size(x->cuts[1], j);
}

/* The first tile of row r (one of those that have tiles) whose column is at least `col`, or the row's end. */
int64_t ashi_tile_rows_from(const ashi_tile_rows *x, int64_t r, int64_t col);

#endif
