/* Bounds of the spectrum of a matrix of tiles, from Gershgorin's circles. */
#include "base/checked.h"
#include "base/error.h"
#include "tiles/alike.h"
#include "tiles/totals.h"
#include "tiles/vectors.h"

#include <float.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

static const char *const who = "ashlar_tiles_gershgorin";

/* Of a row of elements. */
typedef struct circle {
    double centre, radius;
} circle;

enum { CIRCLE = sizeof(circle) / sizeof(double) };

/* A rank has a part of the circles of some rows of tiles, and adds up all parts of others. */
typedef struct bounding {
    const ashlar_tiles *tiles;
    ashi_vectors vectors;
    circle *part, *whole;
    double *column; /* as long as the largest tile */
} bounding;

/* Collective; status and text are the same on all ranks. */
static ashlar_status prepare(bounding *b, ashlar_status mine, ashlar_error *err)
{
    const ashlar_tiles *const t = b->tiles;
    int64_t longest = 0;
    const ashlar_status status = ashi_vectors_make(who, t, CIRCLE, t->symmetry != ASHLAR_GENERAL, mine, &b->vectors,
                                                   err);
    if (status != ASHLAR_OK)
        return status;
    for (int64_t i = 0; i < t->row.tiles; i++)
        longest = ashi_max(longest, ashi_cuts_size(&t->row, i));
    b->part = calloc((size_t)b->vectors.part_rows + 1, sizeof *b->part);
    b->whole = calloc((size_t)b->vectors.whole_rows + 1, sizeof *b->whole);
    b->column = malloc(((size_t)longest + 1) * sizeof *b->column);
    const int64_t bytes = (b->vectors.part_rows + b->vectors.whole_rows) * (int64_t)sizeof(circle) + longest * 8;
    const bool made = b->part && b->whole && b->column;
    return ashi_agree_named(t->context, made ? ASHLAR_OK : ashi_fail_memory(err, who, bytes), err);
}

/* A tile's part in the circles of its rows. The element that is on the diagonal is the centre. */
static void add_rows(const bounding *b, ashi_tile_at at, const char *tile)
{
    const ashlar_tiles *const t = b->tiles;
    const int64_t rows = ashi_cuts_size(&t->row, at.row), cols = ashi_cuts_size(&t->col, at.col);
    circle *const to = b->part + b->vectors.part_at[at.row];
    memset(b->column, 0, (size_t)rows * sizeof *b->column);
    for (int64_t j = 0; j < cols; j++) {
        const char *const x = tile + (size_t)(j * rows) * t->bytes;
        const int64_t i = t->col.at[at.col] + j - t->row.at[at.row];
        if (i < 0 || i >= rows) {
            t->tile_kernels->add_rows(rows, 1, x, b->column);
            continue;
        }
        t->tile_kernels->add_rows(i, 1, x, b->column);
        t->tile_kernels->add_rows(rows - i - 1, 1, x + (size_t)(i + 1) * t->bytes, b->column + i + 1);
        to[i].centre += t->tile_kernels->number(x + (size_t)i * t->bytes).re;
    }
    for (int64_t i = 0; i < rows; i++)
        to[i].radius += b->column[i];
}

/* The part of its mirror image. */
static void add_cols(const bounding *b, ashi_tile_at at, const char *tile)
{
    const ashlar_tiles *const t = b->tiles;
    const int64_t rows = ashi_cuts_size(&t->row, at.row), cols = ashi_cuts_size(&t->col, at.col);
    circle *const to = b->part + b->vectors.part_at[at.col];
    memset(b->column, 0, (size_t)cols * sizeof *b->column);
    t->tile_kernels->add_cols(rows, cols, tile, b->column);
    for (int64_t j = 0; j < cols; j++)
        to[j].radius += b->column[j];
}

/* An interval that holds another one, too; NaN if either is. */
static void widen(double interval[2], double lo, double hi)
{
    if (isnan(lo) || isnan(hi))
        interval[0] = interval[1] = NAN;
    if (lo < interval[0])
        interval[0] = lo;
    if (hi > interval[1])
        interval[1] = hi;
}

/* Of the rows that this rank adds up. A sum of n numbers that are rounded each time is too small by a part of at most
 * (n - 1) u / (1 - (n - 1) u) of it, and moduli by 1 u each (Higham, Accuracy and Stability, section 4.2). */
static void bound(const bounding *b, double interval[2])
{
    const ashlar_tiles *const t = b->tiles;
    const double more = 1 + ((double)ashi_cuts_all(&t->row) + 8) * DBL_EPSILON;
    for (int64_t i = 0; i < t->row.tiles; i++)
        for (int64_t r = 0; b->vectors.whole_at[i] >= 0 && r < ashi_cuts_size(&t->row, i); r++) {
            const circle c = b->whole[b->vectors.whole_at[i] + r];
            const double radius = c.radius * more;
            widen(interval, nextafter(c.centre - radius, -INFINITY), nextafter(c.centre + radius, INFINITY));
        }
}

static ashlar_status find(bounding *b, double bounds[2], ashlar_error *err)
{
    const ashlar_tiles *const t = b->tiles;
    double own[2] = {INFINITY, -INFINITY}, *all = NULL;
    ashlar_status status = ashi_tiles_check_square(who, t, err);
    if (status == ASHLAR_OK && ashi_cuts_differ(&t->row, &t->col) >= 0)
        status = ashi_fail(err, ASHLAR_ERR_ARG, "%s: rows and columns are cut differently", who);
    status = prepare(b, status, err);
    if (status != ASHLAR_OK)
        return status;
    for (ashi_held_walk w = {.number = -1}; ashi_held_next(&t->held, &w);) {
        const char *const tile = ashi_tiles_view(t, w.number, w.at);
        add_rows(b, w.at, tile);
        if (t->symmetry != ASHLAR_GENERAL && w.at.row != w.at.col)
            add_cols(b, w.at, tile);
    }
    ashi_vectors_collect(&b->vectors, (const double *)b->part, (double *)b->whole);
    bound(b, own);
    status = ashi_totals_gather(t->context, ASHLAR_OK, own, &all, err);
    bounds[0] = INFINITY;
    bounds[1] = -INFINITY;
    for (int r = 0; r < t->context->ranks && status == ASHLAR_OK; r++)
        widen(bounds, all[2 * r], all[2 * r + 1]);
    free(all);
    return status;
}

ashlar_status ashlar_tiles_gershgorin(const ashlar_tiles *tiles, double *lowest, double *highest, ashlar_error *err)
{
    ashlar_error own = {0};
    double bounds[2] = {0, 0};
    bounding b = {.tiles = tiles};
    err = err ? err : &own;
    if (!tiles || !lowest || !highest)
        return ashi_fail(err, ASHLAR_ERR_ARG, "%s: tiles, lowest or highest is NULL", who);
    const ashlar_status status = find(&b, bounds, err);
    if (status == ASHLAR_OK) {
        *lowest = bounds[0];
        *highest = bounds[1];
    }
    free(b.part);
    free(b.whole);
    free(b.column);
    ashi_vectors_free(&b.vectors);
    return status;
}
