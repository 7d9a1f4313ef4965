/* Bounds of the spectrum of a matrix of tiles, from Gershgorin's circles. */
#include "base/checked.h"
#include "base/error.h"
#include "tiles/alike.h"
#include "tiles/totals.h"

#include <float.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

static const char *const who = "ashlar_tiles_gershgorin";

/* Of a row of elements. */
typedef struct circle {
    double centre, radius;
} circle;

/* A rank has a part of the circles of some rows of tiles, and adds up all parts of others: of rows `rank`, `rank` + p,
 * ... */
typedef struct bounding {
    const ashlar_tiles *tiles;
    circle *part, *whole; /* by row of tiles */
    int64_t *part_at, *whole_at; /* where those of a row of tiles begin; -1: none */
    double *column;       /* as long as the largest tile */
    ashi_packets out, in;
    ashi_carrier carrier;
} bounding;

/* The rows of tiles in which this rank has a tile, or the mirror image of one: 0, others -1. */
static void mark(const bounding *b, int64_t *at)
{
    const ashlar_tiles *const t = b->tiles;
    for (int64_t i = 0; i < t->row.tiles; i++)
        at[i] = -1;
    for (ashi_held_walk w = {.number = -1}; ashi_held_next(&t->held, &w);) {
        at[w.at.row] = 0;
        if (t->symmetry != ASHLAR_GENERAL)
            at[w.at.col] = 0;
    }
}

/* Room for circles of those rows of tiles that are not -1. */
static circle *lay_out(const ashlar_tiles *t, int64_t *at)
{
    int64_t rows = 0;
    for (int64_t i = 0; i < t->row.tiles; i++)
        if (at[i] >= 0) {
            at[i] = rows;
            rows += ashi_cuts_size(&t->row, i);
        }
    return calloc((size_t)rows + 1, sizeof(circle));
}

static ashlar_status prepare(bounding *b, ashlar_error *err)
{
    const ashlar_tiles *const t = b->tiles;
    const int64_t tiles = t->row.tiles, rank = t->context->rank, ranks = t->context->ranks;
    int64_t longest = 0;
    for (int64_t i = 0; i < tiles; i++)
        longest = ashi_max(longest, ashi_cuts_size(&t->row, i));
    b->part_at = malloc(((size_t)tiles + 1) * sizeof *b->part_at);
    b->whole_at = malloc(((size_t)tiles + 1) * sizeof *b->whole_at);
    b->column = malloc(((size_t)longest + 1) * sizeof *b->column);
    if (!b->part_at || !b->whole_at || !b->column)
        return ashi_fail_memory(err, who, tiles * 16 + longest * 8);
    mark(b, b->part_at);
    for (int64_t i = 0; i < tiles; i++)
        b->whole_at[i] = i % ranks == rank ? 0 : -1;
    b->part = lay_out(t, b->part_at);
    b->whole = lay_out(t, b->whole_at);
    if (!b->part || !b->whole)
        return ashi_fail_memory(err, who, ashi_cuts_all(&t->row) * (int64_t)sizeof(circle));
    ashlar_status status = ashi_carrier_make(&b->carrier, err);
    for (int64_t i = 0; i < tiles && status == ASHLAR_OK; i++) {
        const ashi_packet packet = {.rank = i % ranks, .row = i, .words = ashi_cuts_size(&t->row, i)};
        if (b->part_at[i] >= 0)
            status = ashi_packets_add(&b->out, &packet, err);
    }
    return status;
}

/* A tile's part in the circles of its rows. The element that is on the diagonal is the centre. */
static void add_rows(const bounding *b, ashi_tile_at at, const char *tile)
{
    const ashlar_tiles *const t = b->tiles;
    const int64_t rows = ashi_cuts_size(&t->row, at.row), cols = ashi_cuts_size(&t->col, at.col);
    circle *const to = b->part + b->part_at[at.row];
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
    circle *const to = b->part + b->part_at[at.col];
    memset(b->column, 0, (size_t)cols * sizeof *b->column);
    t->tile_kernels->add_cols(rows, cols, tile, b->column);
    for (int64_t j = 0; j < cols; j++)
        to[j].radius += b->column[j];
}

static void pack(void *user, const ashi_packet *packet, int64_t first, int64_t count, char *to)
{
    const bounding *const b = user;
    memcpy(to, b->part + b->part_at[packet->row] + first, (size_t)count * sizeof(circle));
}

static void unpack(void *user, const ashi_packet *packet, int64_t first, int64_t count, const char *from)
{
    const bounding *const b = user;
    circle *const to = b->whole + b->whole_at[packet->row] + first;
    for (int64_t i = 0; i < count; i++) {
        circle c;
        memcpy(&c, from + (size_t)i * sizeof c, sizeof c);
        to[i].centre += c.centre;
        to[i].radius += c.radius;
    }
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
        for (int64_t r = 0; b->whole_at[i] >= 0 && r < ashi_cuts_size(&t->row, i); r++) {
            const circle c = b->whole[b->whole_at[i] + r];
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
    if (status == ASHLAR_OK)
        status = prepare(b, err);
    status = ashi_packets_announce(t->context, status, &b->out, &b->in, err);
    if (status != ASHLAR_OK)
        return status;
    for (ashi_held_walk w = {.number = -1}; ashi_held_next(&t->held, &w);) {
        const char *const tile = ashi_held_tile(&t->held, w.number, t->bytes);
        add_rows(b, w.at, tile);
        if (t->symmetry != ASHLAR_GENERAL && w.at.row != w.at.col)
            add_cols(b, w.at, tile);
    }
    ashi_packets_carry(t->context, &b->carrier, &b->out, &b->in);
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
    b.carrier = (ashi_carrier){.bytes = sizeof(circle), .in_turn = true, .only = -1, .pack = pack, .unpack = unpack,
                               .user = &b};
    const ashlar_status status = find(&b, bounds, err);
    if (status == ASHLAR_OK) {
        *lowest = bounds[0];
        *highest = bounds[1];
    }
    free(b.part);
    free(b.whole);
    free(b.part_at);
    free(b.whole_at);
    free(b.column);
    ashi_packets_free(&b.out);
    ashi_packets_free(&b.in);
    ashi_carrier_free(&b.carrier);
    return status;
}
