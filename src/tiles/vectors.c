/* Numbers for each row of elements of a square matrix of tiles, spread over the ranks. */
#include "tiles/vectors.h"

#include "base/error.h"

#include <stdlib.h>
#include <string.h>

/* The rows of tiles that this rank has a part of: 0, others -1. */
static void mark(const ashi_vectors *v, bool both)
{
    const ashlar_tiles *const t = v->tiles;
    for (int64_t i = 0; i < t->row.tiles; i++) {
        v->part_at[i] = -1;
        v->whole_at[i] = i % t->context->ranks == t->context->rank ? 0 : -1;
    }
    for (ashi_held_walk w = {.number = -1}; ashi_held_next(&t->held, &w);) {
        v->part_at[w.at.row] = 0;
        if (both)
            v->part_at[w.at.col] = 0;
    }
}

/* Places for those rows of tiles that are not -1. */
static int64_t lay_out(const ashlar_tiles *t, int64_t *at)
{
    int64_t rows = 0;
    for (int64_t i = 0; i < t->row.tiles; i++)
        if (at[i] >= 0) {
            at[i] = rows;
            rows += ashi_cuts_size(&t->row, i);
        }
    return rows;
}

static ashlar_status prepare(const char *who, ashi_vectors *v, bool both, ashlar_error *err)
{
    const ashlar_tiles *const t = v->tiles;
    const int64_t tiles = t->row.tiles, ranks = t->context->ranks;
    v->part_at = malloc(((size_t)tiles + 1) * sizeof *v->part_at);
    v->whole_at = malloc(((size_t)tiles + 1) * sizeof *v->whole_at);
    if (!v->part_at || !v->whole_at)
        return ashi_fail_memory(err, who, tiles * 2 * (int64_t)sizeof *v->part_at);
    mark(v, both);
    v->part_rows = lay_out(t, v->part_at);
    v->whole_rows = lay_out(t, v->whole_at);
    ashlar_status status = ashi_carrier_make(&v->carrier, NULL, NULL, err);
    for (int64_t i = 0; i < tiles && status == ASHLAR_OK; i++) {
        const ashi_packet packet = {.rank = i % ranks, .row = i, .words = ashi_cuts_size(&t->row, i)};
        if (v->part_at[i] >= 0)
            status = ashi_packets_add(&v->out, &packet, err);
    }
    return status;
}

ashlar_status ashi_vectors_make(const char *who, const ashlar_tiles *tiles, int64_t numbers, bool both,
                                ashlar_status mine, ashi_vectors *out, ashlar_error *err)
{
    *out = (ashi_vectors){.tiles = tiles, .numbers = numbers};
    out->carrier = (ashi_carrier){.bytes = (size_t)numbers * sizeof(double), .only = -1};
    if (mine == ASHLAR_OK)
        mine = prepare(who, out, both, err);
    return ashi_packets_announce(tiles->context, mine, &out->out, &out->in, err);
}

void ashi_vectors_free(ashi_vectors *v)
{
    free(v->part_at);
    free(v->whole_at);
    ashi_packets_free(&v->out);
    ashi_packets_free(&v->in);
    ashi_carrier_free(&v->carrier);
    *v = (ashi_vectors){0};
}

static double *part_of(const ashi_vectors *v, int64_t row, int64_t first)
{
    return v->part + (v->part_at[row] + first) * v->numbers;
}

static double *whole_of(const ashi_vectors *v, int64_t row, int64_t first)
{
    return v->whole + (v->whole_at[row] + first) * v->numbers;
}

static void pack_part(void *user, const ashi_packet *packet, int64_t first, int64_t count, char *to)
{
    const ashi_vectors *const v = user;
    memcpy(to, part_of(v, packet->row, first), (size_t)count * v->carrier.bytes);
}

static void add_to_whole(void *user, const ashi_packet *packet, int64_t first, int64_t count, const char *from)
{
    const ashi_vectors *const v = user;
    double *const to = whole_of(v, packet->row, first);
    for (int64_t i = 0; i < count * v->numbers; i++) {
        double x;
        memcpy(&x, from + (size_t)i * sizeof x, sizeof x);
        to[i] += x;
    }
}

static void pack_whole(void *user, const ashi_packet *packet, int64_t first, int64_t count, char *to)
{
    const ashi_vectors *const v = user;
    memcpy(to, whole_of(v, packet->row, first), (size_t)count * v->carrier.bytes);
}

static void set_part(void *user, const ashi_packet *packet, int64_t first, int64_t count, const char *from)
{
    const ashi_vectors *const v = user;
    memcpy(part_of(v, packet->row, first), from, (size_t)count * v->carrier.bytes);
}

void ashi_vectors_collect(ashi_vectors *v, const double *part, double *whole)
{
    v->part = (double *)(uintptr_t)part; /* only read */
    v->whole = whole;
    v->carrier.user = v;
    v->carrier.in_turn = true;
    v->carrier.pack = pack_part;
    v->carrier.unpack = add_to_whole;
    memset(whole, 0, (size_t)v->whole_rows * v->carrier.bytes);
    ashi_packets_carry(v->tiles->context, &v->carrier, &v->out, &v->in);
}

void ashi_vectors_spread(ashi_vectors *v, const double *whole, double *part)
{
    v->part = part;
    v->whole = (double *)(uintptr_t)whole; /* only read */
    v->carrier.user = v;
    v->carrier.in_turn = false;
    v->carrier.pack = pack_whole;
    v->carrier.unpack = set_part;
    ashi_packets_carry(v->tiles->context, &v->carrier, &v->in, &v->out);
}
