/* Filling a matrix of tiles: what any rank puts or adds is buffered until ashlar_tiles_finish. */
#include "tiles/fill.h"

#include "base/checked.h"
#include "base/error.h"
#include "tiles/boxes.h"

#include <ashlar/tiles_low_rank.h>

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

/* Keep the first failure for all ranks to hear of. */
static ashlar_status refuse(ashlar_tiles *tiles, ashlar_status status, const ashlar_error *why, ashlar_error *err)
{
    if (status != ASHLAR_OK && tiles->waiting.refused.status == ASHLAR_OK)
        tiles->waiting.refused = *why;
    return status == ASHLAR_OK ? status : ashi_fail(err, status, "%s", why->text);
}

static ashlar_status check_tile(const ashlar_tiles *t, const char *who, int64_t row, int64_t col, ashlar_error *err)
{
    if (ashi_tiles_has(t, row, col))
        return ASHLAR_OK;
    return ashi_fail(err, ASHLAR_ERR_ARG,
                     "%s: there is no tile (%" PRId64 ", %" PRId64 "), the matrix has %" PRId64 " x %" PRId64 " tiles",
                     who, row, col, t->row.tiles, t->col.tiles);
}

/* A packet for the owner of a tile, which is the mirror image if that is stored. */
static ashlar_status address(const ashlar_tiles *t, const char *who, int64_t row, int64_t col, int64_t what,
                             ashi_packet *out, ashlar_error *err)
{
    const bool turns = ashi_tiles_turns(t, row, col);
    *out = (ashi_packet){.rank = ashlar_tiles_owner(t, row, col), .row = turns ? col : row, .col = turns ? row : col,
                         .what = what};
    if (out->rank >= 0 && out->rank < t->context->ranks)
        return ASHLAR_OK;
    return ashi_fail(err, ASHLAR_ERR_ARG,
                     "%s: tile (%" PRId64 ", %" PRId64 ") is to belong to rank %" PRId64 ", there are %d ranks", who,
                     row, col, out->rank, t->context->ranks);
}

static ashlar_status reserve(ashlar_tiles *t, int64_t count, const int64_t *row, const int64_t *col, ashlar_error *err)
{
    const char *const who = "ashlar_tiles_reserve";
    ashlar_status status = ASHLAR_OK;
    ashi_packet packet;
    if (count < 0 || (count > 0 && (!row || !col)))
        return ashi_fail(err, ASHLAR_ERR_ARG, "%s: count = %" PRId64 ", wanted at least 0, or a NULL pointer", who,
                         count);
    for (int64_t i = 0; i < count && status == ASHLAR_OK; i++) {
        status = check_tile(t, who, row[i], col[i], err);
        if (status == ASHLAR_OK)
            status = address(t, who, row[i], col[i], ASHI_FILL_RESERVE, &packet, err);
        if (status == ASHLAR_OK)
            status = ashi_packets_add(&t->waiting.list, &packet, err);
    }
    return status;
}

ashlar_status ashlar_tiles_reserve(ashlar_tiles *tiles, int64_t count, const int64_t *row, const int64_t *col,
                                   ashlar_error *err)
{
    ashlar_error own = {0};
    if (!tiles)
        return ashi_fail(err, ASHLAR_ERR_ARG, "ashlar_tiles_reserve: tiles is NULL");
    return refuse(tiles, reserve(tiles, count, row, col, &own), &own, err);
}

/* A tile as a caller gives it. */
typedef struct given {
    const char *who;
    int64_t row, col, rows, cols;
    ashlar_order order;
    int64_t ld;
    const void *data;
} given;

static ashlar_status check_given(const ashlar_tiles *t, const given *g, ashlar_error *err)
{
    const ashlar_status status = check_tile(t, g->who, g->row, g->col, err);
    if (status != ASHLAR_OK)
        return status;
    const int64_t rows = ashi_cuts_size(&t->row, g->row), cols = ashi_cuts_size(&t->col, g->col);
    if (g->rows != rows || g->cols != cols)
        return ashi_fail(err, ASHLAR_ERR_ARG,
                         "%s: tile (%" PRId64 ", %" PRId64 ") is given as %" PRId64 " x %" PRId64 ", it is %" PRId64
                         " x %" PRId64, g->who, g->row, g->col, g->rows, g->cols, rows, cols);
    if (g->order != ASHLAR_COL_MAJOR && g->order != ASHLAR_ROW_MAJOR)
        return ashi_fail(err, ASHLAR_ERR_ARG, "%s: order = %d is neither column- nor row-major", g->who, (int)g->order);
    const int64_t least = g->order == ASHLAR_COL_MAJOR ? rows : cols;
    if (g->ld < least)
        return ashi_fail(err, ASHLAR_ERR_ARG,
                         "%s: tile (%" PRId64 ", %" PRId64 "): ld = %" PRId64 ", wanted at least %" PRId64, g->who,
                         g->row, g->col, g->ld, least);
    if (!g->data && rows > 0 && cols > 0)
        return ashi_fail(err, ASHLAR_ERR_ARG, "%s: tile (%" PRId64 ", %" PRId64 "): data is NULL", g->who, g->row,
                         g->col);
    return ASHLAR_OK;
}

/* Copy it as it is to be stored. */
static void store(const ashlar_tiles *t, const given *g, const ashi_packet *packet, void *to)
{
    const bool turns = ashi_tiles_turns(t, g->row, g->col), by_cols = g->order == ASHLAR_COL_MAJOR;
    const ashi_mirror mirror = ashi_tiles_mirror(t), straight = {false, false};
    const int64_t rows = ashi_cuts_size(&t->row, packet->row), cols = ashi_cuts_size(&t->col, packet->col);
    const ashi_matrix from = {g->data, by_cols != turns ? 1 : g->ld, by_cols != turns ? g->ld : 1};
    ashi_tile_copy(t, turns ? mirror : straight, rows, cols, &from, to);
    if (t->symmetry != ASHLAR_GENERAL && g->row == g->col)
        t->tile_kernels->follow(rows, &mirror, to);
}

static ashlar_status keep(ashlar_tiles *t, const given *g, int64_t what, ashlar_error *err)
{
    ashi_packet packet;
    int64_t bytes = 0;
    ashlar_status status = check_given(t, g, err);
    if (status == ASHLAR_OK)
        status = address(t, g->who, g->row, g->col, what, &packet, err);
    if (status != ASHLAR_OK)
        return status;
    packet.words = g->rows * g->cols;
    if (!ashi_mul(packet.words, (int64_t)t->bytes, &bytes))
        return ashi_fail(err, ASHLAR_ERR_OVERFLOW, "%s: a tile of more than 2^63 - 1 bytes", g->who);
    void *const room = ashi_waiting_room(&t->waiting, (size_t)bytes);
    if (!room)
        return ashi_fail_memory(err, g->who, bytes);
    store(t, g, &packet, room);
    packet.at = (int64_t)(uintptr_t)room; /* of use to this rank only */
    return ashi_packets_add(&t->waiting.list, &packet, err);
}

ashlar_status ashlar_tiles_put(ashlar_tiles *tiles, int64_t row, int64_t col, int64_t rows, int64_t cols,
                               ashlar_order order, int64_t ld, const void *data, ashlar_error *err)
{
    const given g = {"ashlar_tiles_put", row, col, rows, cols, order, ld, data};
    ashlar_error own = {0};
    if (!tiles)
        return ashi_fail(err, ASHLAR_ERR_ARG, "%s: tiles is NULL", g.who);
    return refuse(tiles, keep(tiles, &g, ASHI_FILL_PUT, &own), &own, err);
}

ashlar_status ashlar_tiles_accumulate(ashlar_tiles *tiles, int64_t row, int64_t col, int64_t rows, int64_t cols,
                                      ashlar_order order, int64_t ld, const void *data, ashlar_error *err)
{
    const given g = {"ashlar_tiles_accumulate", row, col, rows, cols, order, ld, data};
    ashlar_error own = {0};
    if (!tiles)
        return ashi_fail(err, ASHLAR_ERR_ARG, "%s: tiles is NULL", g.who);
    return refuse(tiles, keep(tiles, &g, ASHI_FILL_ADD, &own), &own, err);
}

/* ---- tiles as U V^T ---- */

typedef struct factors {
    int64_t row, col, rank;
    const void *u;
    int64_t ldu;
    const void *v;
    int64_t ldv;
} factors;

static const char *const who_low = "ashlar_tiles_put_low_rank";

static ashlar_status check_factors(const ashlar_tiles *t, const factors *f, ashlar_error *err)
{
    const ashlar_status status = check_tile(t, who_low, f->row, f->col, err);
    if (status != ASHLAR_OK)
        return status;
    const int64_t rows = ashi_cuts_size(&t->row, f->row), cols = ashi_cuts_size(&t->col, f->col);
    if (f->rank < 0 || f->rank > ashi_min(rows, cols))
        return ashi_fail(err, ASHLAR_ERR_ARG, "%s: tile (%" PRId64 ", %" PRId64 ") of %" PRId64 " x %" PRId64
                         " elements: rank = %" PRId64 ", wanted 0 to %" PRId64, who_low, f->row, f->col, rows, cols,
                         f->rank, ashi_min(rows, cols));
    if (f->ldu < rows || f->ldv < cols)
        return ashi_fail(err, ASHLAR_ERR_ARG, "%s: tile (%" PRId64 ", %" PRId64 "): ldu = %" PRId64 " and ldv = %"
                         PRId64 ", wanted at least %" PRId64 " and %" PRId64, who_low, f->row, f->col, f->ldu, f->ldv,
                         rows, cols);
    if ((!f->u || !f->v) && f->rank > 0)
        return ashi_fail(err, ASHLAR_ERR_ARG, "%s: tile (%" PRId64 ", %" PRId64 "): %s is NULL", who_low, f->row,
                         f->col, f->u ? "v" : "u");
    return ASHLAR_OK;
}

/* As a dense tile: it takes no more memory than U and V, or is on the diagonal of a matrix with a symmetry. */
static ashlar_status keep_expanded(ashlar_tiles *t, const factors *f, ashlar_error *err)
{
    const int64_t rows = ashi_cuts_size(&t->row, f->row), cols = ashi_cuts_size(&t->col, f->col);
    const ashi_matrix u = {f->u, 1, f->ldu}, v = {f->v, 1, f->ldv};
    char *const x = calloc((size_t)(rows * cols) + 1, t->bytes);
    const given g = {who_low, f->row, f->col, rows, cols, ASHLAR_COL_MAJOR, rows, x};
    if (!x)
        return ashi_fail_memory(err, who_low, rows * cols * (int64_t)t->bytes);
    if (rows > 0 && cols > 0 && f->rank > 0)
        t->kernels->gemm(rows, cols, f->rank, t->kernels->one, &u, false, &v, false, t->kernels->zero, x, 1, rows);
    const ashlar_status status = keep(t, &g, ASHI_FILL_PUT, err);
    free(x);
    return status;
}

static ashlar_status keep_factors(ashlar_tiles *t, const factors *f, ashlar_error *err)
{
    const int64_t rows = ashi_cuts_size(&t->row, f->row), cols = ashi_cuts_size(&t->col, f->col);
    const bool turns = ashi_tiles_turns(t, f->row, f->col);
    const ashi_mirror mirror = ashi_tiles_mirror(t), straight = {false, false};
    const ashi_matrix u = {f->u, 1, f->ldu}, v = {f->v, 1, f->ldv};
    ashi_packet packet;
    const ashlar_status status = address(t, who_low, f->row, f->col, ASHI_FILL_LOW, &packet, err);
    if (status != ASHLAR_OK)
        return status;
    packet.words = f->rank * (rows + cols);
    char *const room = ashi_waiting_room(&t->waiting, (size_t)packet.words * t->bytes);
    if (!room)
        return ashi_fail_memory(err, who_low, packet.words * (int64_t)t->bytes);
    char *const second = room + (size_t)(f->rank * (turns ? cols : rows)) * t->bytes;
    if (f->rank > 0) { /* the mirror image of U V^T is V U^T, with a sign on one side, conjugate on both */
        ashi_tile_copy(t, turns ? mirror : straight, rows, f->rank, &u, turns ? second : room);
        ashi_tile_copy(t, turns ? (ashi_mirror){false, mirror.conjugate} : straight, cols, f->rank, &v,
                       turns ? room : second);
    }
    packet.at = (int64_t)(uintptr_t)room; /* of use to this rank only */
    return ashi_packets_add(&t->waiting.list, &packet, err);
}

static ashlar_status put_low_rank(ashlar_tiles *t, const factors *f, ashlar_error *err)
{
    const ashlar_status status = check_factors(t, f, err);
    if (status != ASHLAR_OK)
        return status;
    const int64_t rows = ashi_cuts_size(&t->row, f->row), cols = ashi_cuts_size(&t->col, f->col);
    const bool symmetric = t->symmetry != ASHLAR_GENERAL && f->row == f->col;
    return symmetric || f->rank * (rows + cols) >= rows * cols ? keep_expanded(t, f, err) : keep_factors(t, f, err);
}

ashlar_status ashlar_tiles_put_low_rank(ashlar_tiles *tiles, int64_t row, int64_t col, int64_t rank, const void *u,
                                        int64_t ldu, const void *v, int64_t ldv, ashlar_error *err)
{
    const factors f = {row, col, rank, u, ldu, v, ldv};
    ashlar_error own = {0};
    if (!tiles)
        return ashi_fail(err, ASHLAR_ERR_ARG, "%s: tiles is NULL", who_low);
    return refuse(tiles, put_low_rank(tiles, &f, &own), &own, err);
}
