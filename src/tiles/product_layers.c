/* Partial sums of C: what a layer has to know of the others, and of C. */
#include "tiles/product_parts.h"

#include "base/checked.h"
#include "base/error.h"
#include "layout/pattern_sets.h"
#include "tiles/packets.h"

#include <stdlib.h>

/* The place of this rank in the grid of the sums: false, it has none. */
static bool find_place(const ashi_tiles_product *p, int64_t place[2])
{
    const ashi_deal *d = &p->c->deal;
    for (int64_t i = 0; i < d->grid_rows * d->grid_cols; i++)
        if (d->grid_rank[i] == p->c->context->rank) {
            place[0] = i / d->grid_cols;
            place[1] = i % d->grid_cols;
            return true;
        }
    return false;
}

int64_t ashi_product_layer(const ashi_tiles_product *p)
{
    int64_t place[2];
    return p->layers && find_place(p, place) ? place[0] / p->layers->rows : 0;
}

/* ---- tiles in the rows of all of op(A) ---- */

/* A packet says of row `row` how many tiles a layer has, to the process of the same place in each layer. No elements
 * follow. */
static ashlar_status say_rows(const ashi_tiles_product *p, ashi_packets *out, ashlar_error *err)
{
    const ashi_pattern *a = &p->needed[0];
    const ashi_deal *d = &p->c->deal;
    const int64_t rows = p->layers->rows;
    int64_t place[2];
    ashlar_status status = ASHLAR_OK;
    if (!find_place(p, place))
        return status;
    for (int64_t l = 0; l < p->layers->count; l++)
        for (int64_t r = 0; r < a->rows && status == ASHLAR_OK; r++) {
            const int64_t to = (l * rows + place[0] % rows) * d->grid_cols + place[1];
            const ashi_packet packet = {.rank = d->grid_rank[to], .row = a->row[r],
                                        .what = a->start[r + 1] - a->start[r]};
            status = ashi_packets_add(out, &packet, err);
        }
    return status;
}

static ashlar_status count_rows(ashi_tiles_product *p, const ashi_packets *in, ashlar_error *err)
{
    const ashi_pattern *a = &p->needed[0];
    p->row_tiles = calloc((size_t)a->rows + 1, sizeof *p->row_tiles);
    if (!p->row_tiles)
        return ashi_fail_memory(err, p->who, a->rows * (int64_t)sizeof *p->row_tiles);
    for (int64_t i = 0; i < in->count; i++) {
        const int64_t row = ashi_pattern_row(a, in->packet[i].row);
        if (row >= 0)
            p->row_tiles[row] += in->packet[i].what;
    }
    return ASHLAR_OK;
}

/* Collective. */
static ashlar_status find_row_tiles(ashi_tiles_product *p, ashlar_status mine, ashlar_error *err)
{
    ashi_packets out = {0}, in = {0};
    if (mine == ASHLAR_OK)
        mine = say_rows(p, &out, err);
    ashlar_status status = ashi_packets_announce(p->c->context, mine, &out, &in, err);
    if (status == ASHLAR_OK)
        status = count_rows(p, &in, err);
    ashi_packets_free(&out);
    ashi_packets_free(&in);
    return status;
}

/* ---- tiles that C retains ---- */

/* A packet says of a tile of C that it is there, to the process of each layer that would sum it up. */
static ashlar_status say_retained(const ashi_tiles_product *p, ashi_packets *out, ashlar_error *err)
{
    const ashi_pattern *c = &p->whole->held.pattern;
    const ashi_deal *d = &p->c->deal;
    ashlar_status status = ASHLAR_OK;
    for (int64_t r = 0; r < c->rows; r++)
        for (int64_t t = c->start[r]; t < c->start[r + 1]; t++)
            for (int64_t l = 0; l < p->layers->count && status == ASHLAR_OK; l++) {
                const int64_t row = l * p->layers->rows + ashi_deal_row_part(d, c->row[r]);
                const int64_t to = row * d->grid_cols + ashi_deal_col_part(d, c->col[t]);
                const ashi_packet packet = {.rank = d->grid_rank[to], .row = c->row[r], .col = c->col[t]};
                if (ashi_ranges_have(&p->ranges, 0, packet.row, 1, packet.col))
                    status = ashi_packets_add(out, &packet, err);
            }
    return status;
}

/* Their tiles, each once. */
static ashlar_status pattern_of(const ashi_packets *in, ashi_pattern *out, ashlar_error *err)
{
    ashi_tile_at *tile = malloc(((size_t)in->count + 1) * sizeof *tile);
    if (!tile)
        return ashi_fail_memory(err, "a list of tiles", in->count * (int64_t)sizeof *tile);
    for (int64_t i = 0; i < in->count; i++)
        tile[i] = (ashi_tile_at){in->packet[i].row, in->packet[i].col};
    const ashlar_status status = ashi_pattern_make(tile, in->count, out, err);
    free(tile);
    return status;
}

/* Collective. */
static ashlar_status find_retained(ashi_tiles_product *p, ashlar_status mine, ashlar_error *err)
{
    ashi_packets out = {0}, in = {0};
    if (mine == ASHLAR_OK)
        mine = say_retained(p, &out, err);
    ashlar_status status = ashi_packets_announce(p->c->context, mine, &out, &in, err);
    if (status == ASHLAR_OK)
        status = pattern_of(&in, &p->before, err);
    ashi_packets_free(&out);
    ashi_packets_free(&in);
    return status;
}

ashlar_status ashi_product_ask_layers(ashi_tiles_product *p, ashlar_status mine, ashlar_error *err)
{
    if (p->whole && p->layers->count > 1 && p->screen.skip > 0)
        mine = find_row_tiles(p, mine, err);
    p->screen.row_tiles = p->row_tiles;
    return p->whole && p->retain ? find_retained(p, mine, err) : mine;
}

/* ---- what is held while sums are added ---- */

/* A packet says of a sum that it will come. */
static ashlar_status say_sums(const ashi_tiles_product *p, ashi_packets *out, ashlar_error *err)
{
    const ashi_pattern *sums = &p->symbolic.c;
    ashlar_status status = ASHLAR_OK;
    for (int64_t r = 0; r < sums->rows; r++)
        for (int64_t t = sums->start[r]; t < sums->start[r + 1] && status == ASHLAR_OK; t++) {
            const int64_t row = sums->row[r], col = sums->col[t];
            const ashi_packet packet = {.rank = ashi_deal_owner(&p->whole->deal, row, col), .row = row, .col = col,
                                        .words = ashi_tiles_words(p->c, row, col)};
            status = ashi_packets_add(out, &packet, err);
        }
    return status;
}

static int64_t words_of(const ashlar_tiles *c, const ashi_pattern *pattern)
{
    int64_t words = 0;
    for (int64_t r = 0; r < pattern->rows; r++)
        for (int64_t t = pattern->start[r]; t < pattern->start[r + 1]; t++)
            words += ashi_tiles_words(c, pattern->row[r], pattern->col[t]);
    return words;
}

/* C's other tiles and the buffers of the messages. */
static ashlar_status count_adding(ashi_tiles_product *p, const ashi_packets *out, const ashi_packets *in,
                                  ashlar_error *err)
{
    const ashlar_tiles *c = p->whole;
    ashi_pattern come = {0}, after = {0};
    ashlar_status status = pattern_of(in, &come, err);
    if (status == ASHLAR_OK)
        status = ashi_pattern_union(&come, &c->held.pattern, &after, err);
    if (status == ASHLAR_OK) {
        const bool grows = after.tiles > c->held.pattern.tiles;
        p->adding_words = (grows ? words_of(c, &after) : 0) + ashi_carrier_words(c->bytes, out, in);
    }
    ashi_pattern_free(&come);
    ashi_pattern_free(&after);
    return status;
}

ashlar_status ashi_product_find_adding(ashi_tiles_product *p, ashlar_status mine, ashlar_error *err)
{
    ashi_packets out = {0}, in = {0};
    if (!p->whole || (p->memory_words == 0 && !p->kept))
        return mine;
    if (mine == ASHLAR_OK)
        mine = say_sums(p, &out, err);
    ashlar_status status = ashi_packets_announce(p->c->context, mine, &out, &in, err);
    if (status == ASHLAR_OK)
        status = count_adding(p, &out, &in, err);
    ashi_packets_free(&out);
    ashi_packets_free(&in);
    return status;
}
