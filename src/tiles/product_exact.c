/* Which ranks form a product with which tile of A and B, where some products that the patterns allow are not formed. */
#include "tiles/product_exact.h"

#include "base/bits.h"
#include "base/error.h"
#include "base/ordering.h"
#include "tiles/packets.h"

#include <stdlib.h>
#include <string.h>

/* ---- what this rank uses ---- */

/* Tiles of `needed[1]` that one of `needed[0]` meets. */
typedef struct met_row {
    int64_t number;      /* of the tile of needed[0] */
    int64_t first, end;  /* the row in needed[1] */
} met_row;

/* The first tile from t on whose product with the other is formed, and that is to be marked; row.end if there is none.
 * Where the patterns have more tiles than bits (half), t is behind those. */
static int64_t next_to_mark(const ashi_tiles_product *p, const ashi_tiles_used *used, const met_row *row, int64_t t)
{
    const int64_t bit = p->first_bit ? p->first_bit[row->number] - row->first : 0;
    for (int64_t from = -1; t != from && t < row->end;) {
        if (used->of[0][row->number]) {
            const bool *unused = memchr(&used->of[1][t], false, (size_t)(row->end - t) * sizeof *unused);
            t = unused ? unused - used->of[1] : row->end;
        }
        from = t;
        if (p->first_bit)
            t = ashi_bits_clear_from(p->symbolic.left, bit + t, bit + row->end) - bit;
    }
    return t;
}

static void mark_products(const ashi_tiles_product *p, const ashi_tile_at *a, int64_t number, ashi_tiles_used *used)
{
    const ashi_pattern *b = &p->needed[1], *c = &p->symbolic.c;
    const int64_t x = ashi_pattern_row(b, a->col), row = ashi_pattern_row(c, a->row);
    if (x < 0 || row < 0 || ashi_tile_words(&p->problem, ASHLAR_A, a) == 0)
        return;
    const met_row met = {number, b->start[x], b->start[x + 1]};
    const int64_t begin = p->c->symmetry == ASHLAR_GENERAL ? met.first
                                                           : ashi_first_from(b->col, met.first, met.end, a->row);
    for (int64_t t = next_to_mark(p, used, &met, begin); t < met.end; t = next_to_mark(p, used, &met, t + 1)) {
        const ashi_tile_at at = {a->col, b->col[t]};
        const int64_t u = ashi_first_from(c->col, c->start[row], c->start[row + 1], at.col);
        if (u < c->start[row + 1] && c->col[u] == at.col && ashi_tile_words(&p->problem, ASHLAR_B, &at) > 0)
            used->of[0][number] = used->of[1][t] = true;
    }
}

/* Whether a tile of another rank would come, and is in no product. */
static bool comes_for_nothing(const ashi_tiles_product *p, int x, const ashi_tile_at *at)
{
    const int64_t k = ashi_tile_inner(x, at);
    return p->inner_tiles[1 - x][k] > 0 && ashi_tile_words(&p->problem, (ashlar_operand)x, at) > 0 &&
           ashi_tile_owner(&p->problem, (ashlar_operand)x, at) != p->c->context->rank;
}

static void find_unused(const ashi_tiles_product *p, ashi_tiles_used *used)
{
    for (int x = 0; x < 2; x++)
        for (int64_t r = 0; r < p->needed[x].rows; r++)
            for (int64_t t = p->needed[x].start[r]; t < p->needed[x].start[r + 1] && !used->some_unused; t++) {
                const ashi_tile_at at = {p->needed[x].row[r], p->needed[x].col[t]};
                used->some_unused = !used->of[x][t] && comes_for_nothing(p, x, &at);
            }
}

ashlar_status ashi_tiles_used_find(const ashi_tiles_product *p, ashi_tiles_used *out, ashlar_error *err)
{
    const ashi_pattern *a = &p->needed[0];
    *out = (ashi_tiles_used){0};
    if (!p->retain && !p->first_bit && p->c->symmetry == ASHLAR_GENERAL)
        return ASHLAR_OK;
    for (int x = 0; x < 2; x++) {
        out->of[x] = calloc((size_t)p->needed[x].tiles + 1, sizeof *out->of[x]);
        if (!out->of[x])
            return ashi_fail_memory(err, p->who, p->needed[x].tiles);
    }
    for (int64_t r = 0; r < a->rows; r++)
        for (int64_t t = a->start[r]; t < a->start[r + 1]; t++)
            mark_products(p, &(ashi_tile_at){a->row[r], a->col[t]}, t, out);
    find_unused(p, out);
    return ASHLAR_OK;
}

void ashi_tiles_used_free(ashi_tiles_used *used)
{
    free(used->of[0]);
    free(used->of[1]);
    *used = (ashi_tiles_used){0};
}

/* ---- what all ranks use ---- */

/* Without a list the rank uses what it has a partner for. */
static bool is_used(const ashi_tiles_product *p, const ashi_tiles_used *used, int x, const ashi_tile_at *at,
                    int64_t number)
{
    const bool in_product = used->of[x] ? used->of[x][number] : p->inner_tiles[1 - x][ashi_tile_inner(x, at)] > 0;
    return in_product && ashi_tile_words(&p->problem, (ashlar_operand)x, at) > 0;
}

/* A packet says of tile (row, col) of operand `words`: the rank's process in `what`; and back, as number `at` of its
 * mask, the bits `what`. No elements follow. */
static ashlar_status say_used(const ashi_tiles_product *p, const ashi_tiles_used *used, const int64_t process[2],
                              ashi_packets *out, ashlar_error *err)
{
    ashlar_status status = ASHLAR_OK;
    for (int x = 0; x < 2; x++)
        for (int64_t r = 0; r < p->needed[x].rows; r++)
            for (int64_t t = p->needed[x].start[r]; t < p->needed[x].start[r + 1] && status == ASHLAR_OK; t++) {
                const ashi_tile_at at = {p->needed[x].row[r], p->needed[x].col[t]};
                const ashi_packet packet = {.rank = ashi_tile_owner(&p->problem, (ashlar_operand)x, &at),
                                            .row = at.row, .col = at.col, .words = x, .what = process[1 - x]};
                if (is_used(p, used, x, &at, t))
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

ashlar_status ashi_tiles_find_exact(ashi_tiles_product *p, const ashi_tiles_used *used, ashlar_error *err)
{
    const ashlar_context *context = p->c->context;
    ashi_packets out[2] = {{0}, {0}}, in[2] = {{0}, {0}};
    int64_t process[2];
    ashlar_status status = ashi_tile_exact_make(&p->problem, &p->needs, err);
    if (status == ASHLAR_OK && ashi_tile_process(&p->problem, context->rank, process))
        status = say_used(p, used, process, &out[0], err);
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
