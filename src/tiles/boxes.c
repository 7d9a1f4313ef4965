/* Boxes of a matrix of tiles as packets: where their elements are taken from and where they are put. */
#include "tiles/boxes.h"

#include "base/checked.h"
#include "base/error.h"

#include <stdlib.h>
#include <string.h>

void ashi_tile_copy(const ashlar_tiles *tiles, ashi_mirror mirror, int64_t rows, int64_t cols, const ashi_matrix *from,
                    void *to)
{
    if (mirror.minus || mirror.conjugate)
        tiles->tile_kernels->reflect(rows, cols, &mirror, from->data, from->minor_stride, from->major_stride, to);
    else
        tiles->kernels->axpby(rows, cols, tiles->kernels->one, from, false, tiles->kernels->zero, to, 1, rows);
}

/* A tile that holds an element, and where in it. */
typedef struct place {
    int64_t number, row, col, rows; /* rows: of the tile */
    ashi_tile_at tile;
} place;

static place find(const ashlar_tiles *t, const ashi_held *held, int64_t row, int64_t col)
{
    const int64_t r = ashi_cuts_find(&t->row, row), c = ashi_cuts_find(&t->col, col);
    return (place){ashi_pattern_find(&held->pattern, r, c), row - t->row.at[r], col - t->col.at[c],
                   ashi_cuts_size(&t->row, r), {r, c}};
}

/* The sign of a mirror image is on one factor, the conjugate on both. */
static void pack_factors(const ashi_box_source *s, const ashi_packet *packet, int64_t first, int64_t count, char *to)
{
    const ashlar_tiles *const t = s->tiles;
    const bool turned = packet->what == ASHI_BOX_FACTORS_TURNED;
    const place p = turned ? find(t, &t->held, packet->col, packet->row) : find(t, &t->held, packet->row, packet->col);
    const int64_t u = packet->at * p.rows, words = packet->words, half = turned ? words - u : u;
    const char *const stored = ashi_held_tile(&t->held, p.number, t->bytes);
    const ashi_mirror mirror[2] = {s->mirror[turned], {false, s->mirror[turned].conjugate}};
    for (int part = 0; part < 2; part++) { /* what is packed first, and then */
        const int64_t lo = ashi_max(first, part == 0 ? 0 : half);
        const int64_t hi = ashi_min(first + count, part == 0 ? half : words);
        const int64_t from = turned ? (part == 0 ? lo + u : lo - half) : lo;
        const ashi_matrix piece = {stored + (size_t)from * t->bytes, 1, 1};
        if (lo < hi)
            ashi_tile_copy(t, mirror[part], hi - lo, 1, &piece, to + (size_t)(lo - first) * t->bytes);
    }
}

void ashi_box_pack(void *user, const ashi_packet *packet, int64_t first, int64_t count, char *to)
{
    const ashi_box_source *const s = user;
    const ashlar_tiles *const t = s->tiles;
    const bool turned = packet->what == ASHI_BOX_TURNED;
    if (packet->what >= ASHI_BOX_FACTORS) {
        pack_factors(s, packet, first, count, to);
        return;
    }
    const place p = turned ? find(t, &t->held, packet->col, packet->row) : find(t, &t->held, packet->row, packet->col);
    const ashi_held_size size = ashi_tiles_held_size(t);
    const char *const tile = ashi_held_view_again(&t->held, &size, p.number, p.tile);
    for (ashi_span at = {0}; ashi_span_next(packet, first, count, &at); to += (size_t)at.count * t->bytes) {
        const int64_t row = p.row + (turned ? at.col : at.row), col = p.col + (turned ? at.row : at.col);
        const ashi_matrix from = {tile + (size_t)(row + col * p.rows) * t->bytes, turned ? p.rows : 1, 1};
        ashi_tile_copy(t, s->mirror[turned], at.count, 1, &from, to);
    }
}

void ashi_box_unpack(void *user, const ashi_packet *packet, int64_t first, int64_t count, const char *from)
{
    const ashi_box_target *const g = user;
    const size_t bytes = g->tiles->bytes;
    const place p = find(g->tiles, g->held, packet->row, packet->col);
    char *const tile = ashi_held_tile(g->held, p.number, bytes);
    if (packet->what >= ASHI_BOX_FACTORS) {
        memcpy(tile + (size_t)first * bytes, from, (size_t)count * bytes);
        return;
    }
    for (ashi_span at = {0}; ashi_span_next(packet, first, count, &at); from += (size_t)at.count * bytes)
        memcpy(tile + (size_t)(p.row + at.row + (p.col + at.col) * p.rows) * bytes, from, (size_t)at.count * bytes);
}

ashlar_status ashi_boxes_send(const ashlar_tiles *to, const ashi_region *region, int64_t what, ashi_packets *out,
                              ashlar_error *err)
{
    ashlar_status status = ASHLAR_OK;
    int64_t c = region->col < region->col_end ? ashi_cuts_find(&to->col, region->col) : 0;
    for (int64_t col = region->col; col < region->col_end && status == ASHLAR_OK; c++) {
        const int64_t col_end = ashi_min(to->col.at[c + 1], region->col_end);
        int64_t r = region->row < region->row_end ? ashi_cuts_find(&to->row, region->row) : 0;
        for (int64_t row = region->row; row < region->row_end && status == ASHLAR_OK; r++) {
            const int64_t rows = ashi_min(to->row.at[r + 1], region->row_end) - row;
            const ashi_packet packet = {.rank = ashlar_tiles_owner(to, r, c), .row = row, .col = col, .at = rows,
                                        .words = rows * (col_end - col), .what = what};
            if (rows > 0 && col_end > col && !ashi_tiles_turns(to, r, c))
                status = ashi_packets_add(out, &packet, err);
            row += rows;
        }
        col = col_end;
    }
    return status;
}

ashlar_status ashi_boxes_room(const ashlar_tiles *tiles, const ashi_packets *in, ashi_held *out, ashlar_error *err)
{
    const ashi_held none = {0};
    const ashi_held_size size = ashi_tiles_held_size(tiles);
    bool ranked = false;
    ashi_tile_at *const tile = malloc(((size_t)in->count + 1) * sizeof *tile);
    int64_t *const rank = malloc(((size_t)in->count + 1) * sizeof *rank);
    ashlar_status status = tile && rank ? ASHLAR_OK : ashi_fail_memory(err, "a list of tiles", in->count * 24);
    for (int64_t i = 0; status == ASHLAR_OK && i < in->count; i++) {
        const ashi_packet *x = &in->packet[i];
        tile[i] = (ashi_tile_at){ashi_cuts_find(&tiles->row, x->row), ashi_cuts_find(&tiles->col, x->col)};
        rank[i] = x->what >= ASHI_BOX_FACTORS ? x->at : -1;
        ranked = ranked || rank[i] >= 0;
    }
    if (status == ASHLAR_OK)
        status = ashi_held_grow_ranked(&none, tile, ranked ? rank : NULL, in->count, &size, out, err);
    free(tile);
    free(rank);
    return status;
}

void ashi_boxes_follow(const ashlar_tiles *tiles, ashi_held *held)
{
    const ashi_mirror mirror = ashi_tiles_mirror(tiles);
    for (ashi_held_walk w = {.number = -1}; tiles->symmetry != ASHLAR_GENERAL && ashi_held_next(held, &w);)
        if (w.at.row == w.at.col)
            tiles->tile_kernels->follow(ashi_cuts_size(&tiles->row, w.at.row), &mirror,
                                        ashi_held_tile(held, w.number, tiles->bytes));
}
