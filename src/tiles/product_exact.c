/* Which ranks form a product with which tile of A and B, where some products that the patterns allow are not formed. */
#include "tiles/product_exact.h"

#include "tiles/packets.h"

/* ---- tiles that would come for nothing ---- */

/* Whether the rank would need a tile if it formed all products that the patterns allow, and forms none. */
static bool is_unused(const ashi_tiles_product *p, int x, const ashi_tile_at *at, int64_t number)
{
    return p->used.with[x] && p->used.with[x][number] < 0 && p->inner_tiles[1 - x][ashi_tile_inner(x, at)] > 0 &&
           ashi_tile_words(&p->problem, (ashlar_operand)x, at) > 0;
}

/* A packet says of tile (row, col) of operand `words` that process `what` does not use it. No elements follow. */
static ashlar_status say_unused(const ashi_tiles_product *p, const int64_t process[2], ashi_packets *out,
                                ashlar_error *err)
{
    ashlar_status status = ASHLAR_OK;
    for (int x = 0; x < 2; x++)
        for (int64_t r = 0; r < p->needed[x].rows; r++)
            for (int64_t t = p->needed[x].start[r]; t < p->needed[x].start[r + 1] && status == ASHLAR_OK; t++) {
                const ashi_tile_at at = {p->needed[x].row[r], p->needed[x].col[t]};
                if (!is_unused(p, x, &at, t))
                    continue;
                const ashi_packet packet = {.rank = ashi_tile_owner(&p->problem, (ashlar_operand)x, &at),
                                            .row = at.row, .col = at.col, .words = x, .what = process[1 - x]};
                status = ashi_packets_add(out, &packet, err);
            }
    return status;
}

/* near: for A and B, as ashi_pattern_find_near has it. */
static int64_t number_of(const ashi_tiles_product *p, const ashi_packet *packet, int64_t near[2])
{
    return ashi_pattern_find_near(&p->both[packet->words], packet->row, packet->col, &near[packet->words]);
}

/* ---- telling the ranks that use a tile ---- */

/* Each word of the mask to each process that uses the tile: as number `at` the bits `what`. */
static ashlar_status tell_users(const ashi_tiles_product *p, const ashi_packet *said, int64_t number, ashi_packets *out,
                                ashlar_error *err)
{
    const int x = (int)said->words;
    const ashi_tile_at at = {said->row, said->col};
    const int64_t words = p->needs.words[x], part = ashi_tile_part(&p->problem, x, &at);
    const uint64_t *mask = p->needs.exact[x] + number * words;
    const ashi_deal *c = p->problem.operand[ASHLAR_C].deal;
    ashi_packet packet = *said;
    ashlar_status status = ASHLAR_OK;
    for (int64_t i = 0; i < ashi_tile_processes(&p->problem, x); i++) {
        packet.rank = c->grid_rank[x == ASHLAR_A ? part * c->grid_cols + i : i * c->grid_cols + part];
        for (packet.at = 0; packet.at < words && status == ASHLAR_OK; packet.at++) {
            packet.what = (int64_t)mask[packet.at];
            if (ashi_tile_has(mask, i) && packet.rank != p->c->context->rank)
                status = ashi_packets_add(out, &packet, err);
        }
    }
    return status;
}

/* Whether a process is the first of those that do not use a tile. */
static bool is_first(const ashi_tiles_product *p, const ashi_packet *said, int64_t number)
{
    const int64_t words = p->needs.words[said->words];
    const int64_t k = ashi_tile_inner((int)said->words, &(ashi_tile_at){said->row, said->col});
    const uint64_t *all = p->needs.bit[said->words] + k * words, *mask = p->needs.exact[said->words] + number * words;
    int64_t first = 0;
    while (first < words * ASHI_TILE_BITS && (!ashi_tile_has(all, first) || ashi_tile_has(mask, first)))
        first++;
    return first == said->what;
}

/* The owner answers each tile once, when all have said that they do not use it. */
static ashlar_status answer(ashi_tiles_product *p, const ashi_packets *in, ashi_packets *out, ashlar_error *err)
{
    ashlar_status status = ASHLAR_OK;
    int64_t near[2] = {0, 0};
    for (int64_t i = 0; i < in->count; i++) {
        const ashi_packet *packet = &in->packet[i];
        ashi_tile_exact_remove(&p->needs, (int)packet->words, number_of(p, packet, near), packet->what);
    }
    for (int64_t i = 0; i < in->count && status == ASHLAR_OK; i++) {
        const ashi_packet *packet = &in->packet[i];
        const int64_t number = number_of(p, packet, near);
        if (is_first(p, packet, number))
            status = tell_users(p, packet, number, out, err);
    }
    return status;
}

static void learn(ashi_tiles_product *p, const ashi_packets *in)
{
    int64_t near[2] = {0, 0};
    for (int64_t i = 0; i < in->count; i++) {
        const ashi_packet *packet = &in->packet[i];
        p->needs.exact[packet->words][number_of(p, packet, near) * p->needs.words[packet->words] + packet->at] =
            (uint64_t)packet->what;
    }
}

/* What this rank does not use it does not handle, whoever else does. */
static void forget_unused(ashi_tiles_product *p, const ashi_packets *said)
{
    int64_t near[2] = {0, 0};
    for (int64_t i = 0; i < said->count; i++) {
        const ashi_packet *packet = &said->packet[i];
        ashi_tile_exact_remove(&p->needs, (int)packet->words, number_of(p, packet, near), packet->what);
    }
}

ashlar_status ashi_tiles_find_exact(ashi_tiles_product *p, ashlar_error *err)
{
    const ashlar_context *context = p->c->context;
    ashi_packets out[2] = {{0}, {0}}, in[2] = {{0}, {0}};
    int64_t process[2];
    ashlar_status status = ashi_tile_exact_make(&p->problem, &p->needs, err);
    if (status == ASHLAR_OK)
        ashi_tile_exact_copy(&p->problem, &p->needs);
    if (status == ASHLAR_OK && ashi_tile_process(&p->problem, context->rank, process))
        status = say_unused(p, process, &out[0], err);
    status = ashi_packets_announce(context, status, &out[0], &in[0], err);
    if (status == ASHLAR_OK)
        status = ashi_packets_announce(context, answer(p, &in[0], &out[1], err), &out[1], &in[1], err);
    if (status == ASHLAR_OK) {
        forget_unused(p, &out[0]);
        learn(p, &in[1]);
    }
    for (int i = 0; i < 2; i++) {
        ashi_packets_free(&out[i]);
        ashi_packets_free(&in[i]);
    }
    return status;
}
