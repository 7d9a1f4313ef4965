/* The end of filling a matrix of tiles: what was buffered is brought to its owners by one collective call. */
#include "tiles/fill.h"

#include "base/error.h"
#include "tiles/matrix.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

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

static bool same_tile(const ashi_packet *x, const ashi_packet *y)
{
    return x->row == y->row && x->col == y->col;
}

static bool is_put(const ashi_packet *x)
{
    return x->what == ASHI_FILL_PUT || x->what == ASHI_FILL_LOW;
}

/* What comes for one tile, in the order of the ranks. */
static ashlar_status check_tile(const ashi_packet *packet, int64_t count, ashlar_error *err)
{
    const ashi_packet *put = NULL, *added = NULL;
    for (int64_t i = 0; i < count; i++) {
        const ashi_packet *x = &packet[i];
        if (is_put(x) && put)
            return ashi_fail(err, ASHLAR_ERR_ARG,
                             "ashlar_tiles_finish: tile (%" PRId64 ", %" PRId64 ") was put by rank %" PRId64
                             " and by rank %" PRId64, x->row, x->col, put->rank, x->rank);
        put = is_put(x) ? x : put;
        added = x->what == ASHI_FILL_ADD ? x : added;
    }
    if (put && added && put->what == ASHI_FILL_LOW)
        return ashi_fail(err, ASHLAR_ERR_ARG,
                         "ashlar_tiles_finish: tile (%" PRId64 ", %" PRId64 ") was put as U V^T by rank %" PRId64
                         ", and rank %" PRId64 " added to it; finish between the two", put->row, put->col, put->rank,
                         added->rank);
    return ASHLAR_OK;
}

/* Two puts of one tile, among those that came to this rank, or sums with what was put as U V^T. */
static ashlar_status check_puts(const ashi_packets *in, ashlar_error *err)
{
    ashi_packet *const list = malloc(((size_t)in->count + 1) * sizeof *list);
    ashlar_status status = ASHLAR_OK;
    if (!list)
        return ashi_fail_memory(err, "ashlar_tiles_finish", in->count * (int64_t)sizeof *list);
    if (in->count > 0)
        memcpy(list, in->packet, (size_t)in->count * sizeof *list);
    if (in->count > 1)
        qsort(list, (size_t)in->count, sizeof *list, by_tile_then_rank);
    for (int64_t i = 0, end; i < in->count && status == ASHLAR_OK; i = end) {
        for (end = i + 1; end < in->count && same_tile(&list[i], &list[end]);)
            end++;
        status = check_tile(list + i, end - i, err);
    }
    free(list);
    return status;
}

/* The rank with which a tile comes; -1: it is dense. */
static int64_t rank_of(const finishing *f, const ashi_packet *packet)
{
    const int64_t rows = ashi_cuts_size(&f->tiles->row, packet->row);
    const int64_t cols = ashi_cuts_size(&f->tiles->col, packet->col);
    return packet->what == ASHI_FILL_LOW ? packet->words / (rows + cols) : -1;
}

/* Whether something came for a tile that is absent, or is stored in another way. */
static bool grows(const finishing *f)
{
    const ashi_held *held = &f->tiles->held;
    for (int64_t i = 0; i < f->in.count; i++) {
        const ashi_packet *x = &f->in.packet[i];
        const int64_t number = ashi_pattern_find(&held->pattern, x->row, x->col);
        if (number < 0 || (x->what != ASHI_FILL_RESERVE && ashi_held_rank(held, number) != rank_of(f, x)))
            return true;
    }
    return false;
}

/* The tiles that come with elements, and those that are asked for and absent: what is put decides how it is stored. */
static int64_t list_tiles(const finishing *f, ashi_tile_at *tile, int64_t *rank)
{
    int64_t count = 0;
    for (int pass = 0; pass < 2; pass++)
        for (int64_t i = 0; i < f->in.count; i++) {
            const ashi_packet *x = &f->in.packet[i];
            const bool asked = x->what == ASHI_FILL_RESERVE;
            if (asked != (pass == 0) ||
                (asked && ashi_pattern_find(&f->tiles->held.pattern, x->row, x->col) >= 0))
                continue;
            rank[count] = rank_of(f, x);
            tile[count++] = (ashi_tile_at){x->row, x->col};
        }
    return count;
}

/* Storage for the tiles that are there and those that come. */
static ashlar_status grow(finishing *f, ashlar_error *err)
{
    const ashi_held_size size = ashi_tiles_held_size(f->tiles);
    const size_t count = (size_t)f->in.count + 1;
    ashi_tile_at *const tile = malloc(count * sizeof *tile);
    int64_t *const rank = malloc(count * sizeof *rank);
    ashlar_status status = tile && rank ? ASHLAR_OK
                                        : ashi_fail_memory(err, "ashlar_tiles_finish", f->in.count * 24);
    if (status == ASHLAR_OK)
        status = ashi_held_grow_ranked(&f->tiles->held, tile, rank, list_tiles(f, tile, rank), &size, &f->grown, err);
    free(tile);
    free(rank);
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
    if (is_put(packet))
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
    for (int64_t what = ASHI_FILL_PUT; what <= ASHI_FILL_LOW; what++) {
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
