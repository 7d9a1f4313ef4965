/* Which ranks form a product with which tile of A and B, where some products that the patterns allow are not formed. */
#include "tiles/product_exact.h"

#include "tiles/packets.h"

#include <stdlib.h>
#include <string.h>

/* Without a list the rank uses what it has a partner for. */
static bool is_used(const ashi_tiles_product *p, int x, const ashi_tile_at *at, int64_t number)
{
    const bool in_product = p->used.with[x] ? p->used.with[x][number] >= 0
                                            : p->inner_tiles[1 - x][ashi_tile_inner(x, at)] > 0;
    return in_product && ashi_tile_words(&p->problem, (ashlar_operand)x, at) > 0;
}

/* A packet says of tile (row, col) of operand `words`: the rank's process in `what`; and back, as number `at` of its
 * mask, the bits `what`. No elements follow. */
static ashlar_status say_used(const ashi_tiles_product *p, const int64_t process[2], ashi_packets *out,
                              ashlar_error *err)
{
    ashlar_status status = ASHLAR_OK;
    for (int x = 0; x < 2; x++)
        for (int64_t r = 0; r < p->needed[x].rows; r++)
            for (int64_t t = p->needed[x].start[r]; t < p->needed[x].start[r + 1] && status == ASHLAR_OK; t++) {
                const ashi_tile_at at = {p->needed[x].row[r], p->needed[x].col[t]};
                const ashi_packet packet = {.rank = ashi_tile_owner(&p->problem, (ashlar_operand)x, &at),
                                            .row = at.row, .col = at.col, .words = x, .what = process[1 - x]};
                if (is_used(p, x, &at, t))
                    status = ashi_packets_add(out, &packet, err);
            }
    return status;
}

static int64_t number_of(const ashi_tiles_product *p, const ashi_packet *packet)
{
    return ashi_pattern_find(&p->both[packet->words], packet->row, packet->col);
}

/* The owner answers who uses a tile. */
static ashlar_status answer(ashi_tiles_product *p, const ashi_packets *in, ashi_packets *out, ashlar_error *err)
{
    ashlar_status status = ASHLAR_OK;
    for (int64_t i = 0; i < in->count; i++)
        ashi_tile_exact_add(&p->needs, (int)in->packet[i].words, number_of(p, &in->packet[i]), in->packet[i].what);
    for (int64_t i = 0; i < in->count && status == ASHLAR_OK; i++) {
        ashi_packet packet = in->packet[i];
        const int64_t words = p->needs.words[packet.words];
        const uint64_t *mask = p->needs.exact[packet.words] + number_of(p, &packet) * words;
        for (packet.at = 0; packet.at < words && status == ASHLAR_OK; packet.at++) {
            packet.what = (int64_t)mask[packet.at];
            if (packet.what != 0 && packet.rank != p->c->context->rank)
                status = ashi_packets_add(out, &packet, err);
        }
    }
    return status;
}

static void learn(ashi_tiles_product *p, const ashi_packets *in)
{
    for (int64_t i = 0; i < in->count; i++) {
        const ashi_packet *packet = &in->packet[i];
        p->needs.exact[packet->words][number_of(p, packet) * p->needs.words[packet->words] + packet->at] =
            (uint64_t)packet->what;
    }
}

ashlar_status ashi_tiles_find_exact(ashi_tiles_product *p, ashlar_error *err)
{
    const ashlar_context *context = p->c->context;
    ashi_packets out[2] = {{0}, {0}}, in[2] = {{0}, {0}};
    int64_t process[2];
    ashlar_status status = ashi_tile_exact_make(&p->problem, &p->needs, err);
    if (status == ASHLAR_OK && ashi_tile_process(&p->problem, context->rank, process))
        status = say_used(p, process, &out[0], err);
    status = ashi_packets_announce(context, status, &out[0], &in[0], err);
    if (status == ASHLAR_OK)
        status = ashi_packets_announce(context, answer(p, &in[0], &out[1], err), &out[1], &in[1], err);
    if (status == ASHLAR_OK)
        learn(p, &in[1]);
    for (int i = 0; i < 2; i++) {
        ashi_packets_free(&out[i]);
        ashi_packets_free(&in[i]);
    }
    return status;
}
