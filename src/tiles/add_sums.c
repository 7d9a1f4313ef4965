/* Partial sums of a matrix of tiles, added to it. */
#include "tiles/add_sums.h"

#include "base/checked.h"
#include "base/error.h"
#include "tiles/boxes.h"
#include "tiles/dropping.h"
#include "tiles/low_rank.h"
#include "tiles/multiply.h"

#include <stdlib.h>
#include <string.h>

typedef struct adding {
    const ashlar_tiles *sums;
    ashlar_tiles *c;
    const ashi_tiles_asked *asked; /* NULL: the tiles are copied */
    const ashi_screen *screen;     /* likewise */
    ashi_tiles_came *came;
    ashi_packets out, in; /* of a tile each: `row` and `col` are its numbers */
    ashi_carrier carrier;
    ashi_held held;       /* C with other tiles than it has; without data if it has the same */
    bool *keep;           /* which of its tiles stay, if any may be dropped */
    double *bounds;       /* room for those of all ranks, if the error is bounded */
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

static bool bounds(const adding *a)
{
    return a->screen && a->screen->type;
}

/* What adding needs besides, once it is known which tiles C will have. */
static ashlar_status prepare_end(adding *a, ashlar_error *err)
{
    const int64_t tiles = a->held.offset ? a->held.pattern.tiles : a->c->held.pattern.tiles;
    const int64_t numbers = ASHI_BOUND_NUMBERS * (int64_t)a->c->context->ranks;
    a->came->held = ashi_held_words(&a->held) + ashi_carrier_words(a->c->bytes, &a->out, &a->in);
    if (!bounds(a))
        return ASHLAR_OK;
    a->keep = malloc((size_t)tiles + 1);
    a->bounds = malloc((size_t)numbers * sizeof *a->bounds);
    if (a->keep && a->bounds)
        return ASHLAR_OK;
    return ashi_fail_memory(err, "C's tiles", tiles + numbers * (int64_t)sizeof *a->bounds);
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
    return status == ASHLAR_OK ? prepare_end(a, err) : status;
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

/* ---- the end ---- */

/* What scaling C and adding to it rounds: its tiles as they were, in the ranges. */
static ashi_error_bound round_whole(const adding *a)
{
    const ashlar_tiles *c = a->c;
    const ashi_screen *screen = a->screen;
    ashi_error_sums sums = {0};
    for (ashi_held_walk w = {.number = -1}; screen->beta > 0 && ashi_held_next(&c->held, &w);) {
        ashi_tile_error tile = {.terms = 0};
        if (!ashi_ranges_have(&a->asked->ranges, 0, w.at.row, 1, w.at.col))
            continue;
        tile.formed = ashi_up_mul(ashi_up_of(screen->beta), ashi_up_of(ashi_tiles_norm_bound(c, w.number, w.at)));
        ashi_error_add(&sums, screen, &tile, ashi_cuts_size(&c->row, w.at.row), ashi_cuts_size(&c->col, w.at.col),
                       false);
    }
    return ashi_error_of(&sums);
}

static void drop_small(adding *a, ashi_error_bound *bound)
{
    double dropped;
    if (!(a->screen->drop > 0))
        return;
    ashi_tiles_choose_below(a->c, &a->asked->ranges, a->screen->drop, a->keep);
    a->came->dropped = ashi_tiles_drop(a->c, a->keep, &dropped);
    *bound = ashi_error_with_dropped(*bound, dropped);
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
    ashi_error_bound bound = bounds(a) ? round_whole(a) : (ashi_error_bound){0};
    if (a->held.offset)
        ashi_tiles_take(c, &a->held);
    if (a->asked)
        ashi_tiles_rescale(a->asked);
    ashi_packets_carry(c->context, &a->carrier, &a->out, &a->in);
    if (bounds(a)) {
        drop_small(a, &bound);
        a->came->bound = ashi_tiles_join_bounds(c, &bound, 0, 1, a->bounds);
    }
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
    free(a->keep);
    free(a->bounds);
    return status;
}

ashlar_status ashi_tiles_add_sums(const ashi_tiles_asked *q, const ashlar_tiles *sums, const ashi_screen *screen,
                                  ashi_tiles_came *came, ashlar_error *err)
{
    adding a = {.sums = sums, .c = q->c, .asked = q, .screen = screen, .came = came};
    return add_all(&a, err);
}

ashlar_status ashi_tiles_copy_to(const ashlar_tiles *from, ashlar_tiles *to, ashi_tiles_came *came, ashlar_error *err)
{
    adding a = {.sums = from, .c = to, .came = came};
    return add_all(&a, err);
}
