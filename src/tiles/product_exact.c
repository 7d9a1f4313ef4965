/* Which ranks form a product with which tile of A and B, where some products that the patterns allow are not formed. */
#include "tiles/product_exact.h"

#include "base/bits.h"
#include "base/error.h"
#include "tiles/packets.h"

#include <stdlib.h>

/* ---- tiles that would come for nothing ---- */

/* near: for A and B, as ashi_pattern_find_near has it. */
static int64_t number_of(const ashi_tiles_product *p, int x, const ashi_tile_at *at, int64_t near[2])
{
    return ashi_pattern_find_near(&p->both[x], at->row, at->col, &near[x]);
}

/* Whether process `process`, which is this rank's, forms a product with a tile, by its number among those needed. */
static bool is_used(const ashi_tiles_product *p, int x, const ashi_tile_at *at, int64_t number, int64_t process)
{
    const uint64_t *line = p->needs.bit[x] + ashi_tile_inner(x, at) * p->needs.words[x];
    const bool without = p->used.with[x] && p->used.with[x][number] < 0;
    return ashi_tile_has(line, process) && !(without && ashi_tile_words(&p->problem, (ashlar_operand)x, at) > 0);
}

/* A packet says of tile (row, col) of operand `words` whether process `what` uses it: 1 or 0 in `at`. Said is what
 * other ranks take to be otherwise. No elements follow. */
static ashlar_status say_used(const ashi_tiles_product *p, const int64_t part[2], ashi_packets *out, ashlar_error *err)
{
    ashlar_status status = ASHLAR_OK;
    int64_t near[2] = {0, 0};
    for (int x = 0; x < 2; x++)
        for (int64_t r = 0; r < p->needed[x].rows; r++)
            for (int64_t t = p->needed[x].start[r]; t < p->needed[x].start[r + 1] && status == ASHLAR_OK; t++) {
                const ashi_tile_at at = {p->needed[x].row[r], p->needed[x].col[t]};
                const int64_t number = p->same[x] ? t : number_of(p, x, &at, near), process = part[1 - x];
                const bool used = is_used(p, x, &at, t, process);
                if (ashi_tile_has(p->needs.exact[x] + number * p->needs.words[x], process) == used)
                    continue;
                const ashi_packet packet = {.rank = ashi_tile_owner(&p->problem, (ashlar_operand)x, &at),
                                            .row = at.row, .col = at.col, .words = x, .what = process, .at = used};
                status = ashi_packets_add(out, &packet, err);
            }
    return status;
}

static int64_t number_in(const ashi_tiles_product *p, const ashi_packet *said, int64_t near[2])
{
    return number_of(p, (int)said->words, &(ashi_tile_at){said->row, said->col}, near);
}

/* What was said is known. */
static void note_said(ashi_tiles_product *p, const ashi_packets *said)
{
    int64_t near[2] = {0, 0};
    for (int64_t i = 0; i < said->count; i++) {
        const ashi_packet *packet = &said->packet[i];
        const int64_t number = number_in(p, packet, near);
        if (packet->at)
            ashi_tile_exact_add(&p->needs, (int)packet->words, number, packet->what);
        else
            ashi_tile_exact_remove(&p->needs, (int)packet->words, number, packet->what);
    }
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

/* The owner answers each tile once, when all have said whether they use it. */
static ashlar_status answer(ashi_tiles_product *p, const ashi_packets *in, ashi_packets *out, ashlar_error *err)
{
    const int64_t tiles = p->both[0].tiles + p->both[1].tiles;
    uint64_t *told = calloc((size_t)(tiles / ASHI_WORD_BITS + 1), sizeof *told);
    ashlar_status status = told ? ASHLAR_OK : ashi_fail_memory(err, p->who, ashi_ceil_div(tiles, 8));
    int64_t near[2] = {0, 0};
    note_said(p, in);
    for (int64_t i = 0; i < in->count && status == ASHLAR_OK; i++) {
        const ashi_packet *packet = &in->packet[i];
        const int64_t number = number_in(p, packet, near);
        const int64_t bit = packet->words == ASHLAR_A ? number : p->both[0].tiles + number;
        if (!ashi_bit(told, bit))
            status = tell_users(p, packet, number, out, err);
        ashi_bits_set(told, bit, 1);
    }
    free(told);
    return status;
}

static void learn(ashi_tiles_product *p, const ashi_packets *in)
{
    int64_t near[2] = {0, 0};
    for (int64_t i = 0; i < in->count; i++) {
        const ashi_packet *packet = &in->packet[i];
        p->needs.exact[packet->words][number_in(p, packet, near) * p->needs.words[packet->words] + packet->at] =
            (uint64_t)packet->what;
    }
}

/* All tiles that the patterns allow are used, or those that were before. */
static ashlar_status begin(ashi_tiles_product *p, const ashi_product_kept *kept, ashlar_error *err)
{
    const ashlar_status status = ashi_tile_exact_make(&p->problem, &p->needs, err);
    if (status != ASHLAR_OK)
        return status;
    ashi_tile_exact_copy(&p->problem, &p->needs);
    for (int x = 0; x < 2 && kept; x++)
        ashi_tile_exact_keep(&p->problem, &p->needs, &kept->needs, x, &kept->factor[x]);
    return ASHLAR_OK;
}

ashlar_status ashi_tiles_find_exact(ashi_tiles_product *p, const ashi_product_kept *kept, ashlar_error *err)
{
    const ashlar_context *context = p->c->context;
    ashi_packets out[2] = {{0}, {0}}, in[2] = {{0}, {0}};
    int64_t process[2];
    ashlar_status status = begin(p, kept, err);
    if (status == ASHLAR_OK && ashi_tile_process(&p->problem, context->rank, process))
        status = say_used(p, process, &out[0], err);
    status = ashi_packets_announce(context, status, &out[0], &in[0], err);
    if (status == ASHLAR_OK)
        status = ashi_packets_announce(context, answer(p, &in[0], &out[1], err), &out[1], &in[1], err);
    if (status == ASHLAR_OK) {
        note_said(p, &out[0]);
        learn(p, &in[1]);
    }
    for (int i = 0; i < 2; i++) {
        p->steps.named += out[i].count + in[i].count;
        ashi_packets_free(&out[i]);
        ashi_packets_free(&in[i]);
    }
    return status;
}
