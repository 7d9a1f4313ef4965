/* Filling a matrix of tiles: what any rank puts or adds is buffered, and brought to its owner by one collective call.
 */
#include "base/checked.h"
#include "base/error.h"
#include "tiles/boxes.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

/* What is done to a tile. */
enum { RESERVE = 0, PUT = 1, ADD = 2 };

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
            status = address(t, who, row[i], col[i], RESERVE, &packet, err);
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
    return refuse(tiles, keep(tiles, &g, PUT, &own), &own, err);
}

ashlar_status ashlar_tiles_accumulate(ashlar_tiles *tiles, int64_t row, int64_t col, int64_t rows, int64_t cols,
                                      ashlar_order order, int64_t ld, const void *data, ashlar_error *err)
{
    const given g = {"ashlar_tiles_accumulate", row, col, rows, cols, order, ld, data};
    ashlar_error own = {0};
    if (!tiles)
        return ashi_fail(err, ASHLAR_ERR_ARG, "%s: tiles is NULL", g.who);
    return refuse(tiles, keep(tiles, &g, ADD, &own), &own, err);
}

/* ---- finishing ---- */

typedef struct finishing {
    ashlar_tiles *tiles;
    ashi_packets in;
    ashi_held grown;  /* all tiles, if there are new ones */
    ashi_held *held;  /* what is filled */
    ashi_carrier carrier;
} finishing;

static int by_tile_then_rank(const void *a, const void *b)
{
    const ashi_packet *x = a, *y = b;
    if (x->row != y->row)
        return x->row < y->row ? -1 : 1;
    if (x->col != y->col)
        return x->col < y->col ? -1 : 1;
    return (x->rank > y->rank) - (x->rank < y->rank);
}

/* Two puts of one tile, among those that came to this rank. */
static ashlar_status check_puts(const ashi_packets *in, ashlar_error *err)
{
    int64_t puts = 0;
    ashi_packet *const put = malloc(((size_t)in->count + 1) * sizeof *put);
    ashlar_status status = ASHLAR_OK;
    if (!put)
        return ashi_fail_memory(err, "ashlar_tiles_finish", in->count * (int64_t)sizeof *put);
    for (int64_t i = 0; i < in->count; i++)
        if (in->packet[i].what == PUT)
            put[puts++] = in->packet[i];
    if (puts > 1)
        qsort(put, (size_t)puts, sizeof *put, by_tile_then_rank);
    for (int64_t i = 1; i < puts && status == ASHLAR_OK; i++) {
        const ashi_packet *x = &put[i - 1], *y = &put[i];
        if (x->row == y->row && x->col == y->col)
            status = ashi_fail(err, ASHLAR_ERR_ARG,
                               "ashlar_tiles_finish: tile (%" PRId64 ", %" PRId64 ") was put by rank %" PRId64
                               " and by rank %" PRId64, x->row, x->col, x->rank, y->rank);
    }
    free(put);
    return status;
}

/* Whether something came for a tile that is absent. */
static bool grows(const finishing *f)
{
    for (int64_t i = 0; i < f->in.count; i++)
        if (ashi_pattern_find(&f->tiles->held.pattern, f->in.packet[i].row, f->in.packet[i].col) < 0)
            return true;
    return false;
}

/* Storage for the tiles that are there and those that come. */
static ashlar_status grow(finishing *f, ashlar_error *err)
{
    const ashi_held_size size = ashi_tiles_held_size(f->tiles);
    ashi_tile_at *const tile = malloc(((size_t)f->in.count + 1) * sizeof *tile);
    if (!tile)
        return ashi_fail_memory(err, "ashlar_tiles_finish", f->in.count * (int64_t)sizeof *tile);
    for (int64_t i = 0; i < f->in.count; i++)
        tile[i] = (ashi_tile_at){f->in.packet[i].row, f->in.packet[i].col};
    const ashlar_status status = ashi_held_grow(&f->tiles->held, tile, f->in.count, &size, &f->grown, err);
    free(tile);
    return status;
}

static void pack_waiting(void *user, const ashi_packet *packet, int64_t first, int64_t count, char *to)
{
    const size_t bytes = ((const finishing *)user)->tiles->bytes;
    memcpy(to, (const char *)(uintptr_t)packet->at + (size_t)first * bytes, (size_t)count * bytes);
}

static void unpack_waiting(void *user, const ashi_packet *packet, int64_t first, int64_t count, const char *from)
{
    const finishing *const f = user;
    const size_t bytes = f->tiles->bytes;
    const int64_t number = ashi_pattern_find(&f->held->pattern, packet->row, packet->col);
    char *const to = ashi_held_tile(f->held, number, bytes) + (size_t)first * bytes;
    if (packet->what == PUT)
        memcpy(to, from, (size_t)count * bytes);
    else
        f->tiles->tile_kernels->add(count, from, to);
}

/* Everything that may fail before the first element is written. */
static ashlar_status prepare(finishing *f, ashlar_error *err)
{
    f->carrier = (ashi_carrier){.bytes = f->tiles->bytes, .in_turn = true, .pack = pack_waiting,
                                .unpack = unpack_waiting, .user = f};
    f->held = &f->tiles->held;
    ashlar_status status = check_puts(&f->in, err);
    if (status == ASHLAR_OK)
        status = ashi_carrier_make(&f->carrier, &f->tiles->waiting.list, &f->in, err);
    if (status == ASHLAR_OK && grows(f)) {
        f->held = &f->grown;
        status = grow(f, err);
    }
    return status;
}

static ashlar_status fill(finishing *f, ashlar_error *err)
{
    ashlar_tiles *const t = f->tiles;
    for (int64_t what = PUT; what <= ADD; what++) {
        f->carrier.only = what;
        ashi_packets_carry(t->context, &f->carrier, &t->waiting.list, &f->in);
    }
    const ashlar_status status = ashi_agree(t->context, ASHLAR_OK, err);
    if (status != ASHLAR_OK)
        return status;
    if (f->held == &f->grown)
        ashi_tiles_take(t, &f->grown);
    ashi_tiles_count(t);
    return ashi_conclude(t->context, ASHLAR_OK, err);
}

ashlar_status ashlar_tiles_finish(ashlar_tiles *tiles, ashlar_error *err)
{
    ashlar_error own = {0};
    finishing f = {.tiles = tiles};
    err = err ? err : &own;
    if (!tiles)
        return ashi_fail(err, ASHLAR_ERR_ARG, "ashlar_tiles_finish: tiles is NULL");
    ashlar_status status = tiles->waiting.refused.status;
    if (status != ASHLAR_OK)
        *err = tiles->waiting.refused;
    status = ashi_packets_announce(tiles->context, status, &tiles->waiting.list, &f.in, err);
    if (status == ASHLAR_OK)
        status = ashi_agree(tiles->context, prepare(&f, err), err);
    if (status == ASHLAR_OK)
        status = fill(&f, err);
    ashi_waiting_free(&tiles->waiting);
    ashi_carrier_free(&f.carrier);
    ashi_packets_free(&f.in);
    ashi_held_free(&f.grown);
    return status;
}
