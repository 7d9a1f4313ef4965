/* Partial sums of a matrix of tiles, added to it. */
#include "tiles/add_sums.h"

#include "base/checked.h"
#include "base/error.h"
#include "tiles/boxes.h"
#include "tiles/multiply.h"

#include <stdlib.h>
#include <string.h>

typedef struct adding {
    const ashlar_tiles *sums;
    ashlar_tiles *c;
    const ashi_tiles_asked *asked; /* NULL: the tiles are copied */
    ashi_tiles_came *came;
    ashi_packets out, in; /* of a tile each: `row` and `col` are its numbers */
    ashi_carrier carrier;
    ashi_held held;       /* C with other tiles than it has; without data if it has the same */
} adding;

static void pack(void *user, const ashi_packet *packet, int64_t first, int64_t count, char *to)
{
    const adding *a = user;
    const size_t bytes = a->c->bytes;
    const int64_t number = ashi_pattern_find(&a->sums->held.pattern, packet->row, packet->col);
    memcpy(to, ashi_held_tile(&a->sums->held, number, bytes) + (size_t)first * bytes, (size_t)count * bytes);
}

static void unpack(void *user, const ashi_packet *packet, int64_t first, int64_t count, const char *from)
{
    adding *a = user;
    const ashi_matrix sum = {from, 1, count};
    const int64_t number = ashi_pattern_find(&a->c->held.pattern, packet->row, packet->col);
    char *to = ashi_held_tile(&a->c->held, number, a->c->bytes) + (size_t)first * a->c->bytes;
    a->came->words += packet->rank != a->c->context->rank ? count : 0;
    if (a->asked)
        a->c->kernels->axpby(count, 1, a->c->kernels->one, &sum, false, a->c->kernels->one, to, 1, count);
    else
        memcpy(to, from, (size_t)count * a->c->bytes);
}

/* Also tiles without elements: they come to be. */
static ashlar_status list_tiles(adding *a, ashlar_error *err)
{
    ashlar_status status = ASHLAR_OK;
    for (ashi_held_walk w = {.number = -1}; status == ASHLAR_OK && ashi_held_next(&a->sums->held, &w);) {
        const ashi_packet packet = {.rank = ashi_deal_owner(&a->c->deal, w.at.row, w.at.col), .row = w.at.row,
                                    .col = w.at.col, .words = ashi_tiles_words(a->c, w.at.row, w.at.col)};
        status = ashi_packets_add(&a->out, &packet, err);
    }
    return status;
}

static ashlar_status make_room(adding *a, ashlar_error *err)
{
    const ashi_held_size size = ashi_tiles_held_size(a->c);
    ashi_tile_at *tile = malloc(((size_t)a->in.count + 1) * sizeof *tile);
    int64_t more = 0;
    if (!tile)
        return ashi_fail_memory(err, "a list of tiles", a->in.count * (int64_t)sizeof *tile);
    for (int64_t i = 0; i < a->in.count; i++)
        if (ashi_pattern_find(&a->c->held.pattern, a->in.packet[i].row, a->in.packet[i].col) < 0)
            tile[more++] = (ashi_tile_at){a->in.packet[i].row, a->in.packet[i].col};
    ashlar_status status = ashi_carrier_make(&a->carrier, &a->out, &a->in, err);
    if (status == ASHLAR_OK && more > 0)
        status = ashi_held_grow(&a->c->held, tile, more, &size, &a->held, err);
    free(tile);
    return status;
}

/* A message has tiles of one rank. */
static void predict(adding *a)
{
    const int64_t most = ASHI_PACKETS_BYTES / (int64_t)a->c->bytes;
    for (int r = 0; r < a->c->context->ranks; r++) {
        int64_t words = 0;
        for (int64_t i = a->in.start[r]; i < a->in.start[r + 1] && r != a->c->context->rank; i++)
            words += a->in.packet[i].words;
        a->came->predicted += words;
        a->came->messages += ashi_ceil_div(words, most);
    }
}

static ashlar_status add(adding *a, ashlar_error *err)
{
    ashlar_tiles *c = a->c;
    ashlar_status status = ashi_packets_announce(c->context, list_tiles(a, err), &a->out, &a->in, err);
    if (status == ASHLAR_OK)
        status = ashi_agree_named(c->context, make_room(a, err), err);
    if (status != ASHLAR_OK)
        return status;
    predict(a);
    if (a->held.offset)
        ashi_tiles_take(c, &a->held);
    if (a->asked)
        ashi_tiles_rescale(a->asked);
    ashi_packets_carry(c->context, &a->carrier, &a->out, &a->in);
    if (a->asked)
        ashi_boxes_follow(c, &c->held);
    ashi_tiles_count(c);
    return ashi_conclude(c->context, ASHLAR_OK, err);
}

static ashlar_status add_all(adding *a, ashlar_error *err)
{
    a->carrier = (ashi_carrier){.bytes = a->c->bytes, .in_turn = true, .only = -1, .pack = pack, .unpack = unpack,
                                .user = a};
    *a->came = (ashi_tiles_came){0};
    const ashlar_status status = add(a, err);
    ashi_packets_free(&a->out);
    ashi_packets_free(&a->in);
    ashi_carrier_free(&a->carrier);
    ashi_held_free(&a->held);
    return status;
}

ashlar_status ashi_tiles_add_sums(const ashi_tiles_asked *q, const ashlar_tiles *sums, ashi_tiles_came *came,
                                  ashlar_error *err)
{
    adding a = {.sums = sums, .c = q->c, .asked = q, .came = came};
    return add_all(&a, err);
}

ashlar_status ashi_tiles_copy_to(const ashlar_tiles *from, ashlar_tiles *to, ashi_tiles_came *came, ashlar_error *err)
{
    adding a = {.sums = from, .c = to, .came = came};
    return add_all(&a, err);
}
