/* Boxes of a matrix of tiles as packets: where their elements are taken from and where they are put. */
#include "tiles/boxes.h"

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
} place;

static place find(const ashlar_tiles *t, const ashi_held *held, int64_t row, int64_t col)
{
    const int64_t r = ashi_cuts_find(&t->row, row), c = ashi_cuts_find(&t->col, col);
    return (place){ashi_pattern_find(&held->pattern, r, c), row - t->row.at[r], col - t->col.at[c],
                   ashi_cuts_size(&t->row, r)};
}

void ashi_box_pack(void *user, const ashi_packet *packet, int64_t first, int64_t count, char *to)
{
    const ashi_box_source *const s = user;
    const ashlar_tiles *const t = s->tiles;
    const bool turned = packet->what == ASHI_BOX_TURNED;
    const place p = turned ? find(t, &t->held, packet->col, packet->row) : find(t, &t->held, packet->row, packet->col);
    const char *const tile = ashi_held_tile(&t->held, p.number, t->bytes);
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
    for (ashi_span at = {0}; ashi_span_next(packet, first, count, &at); from += (size_t)at.count * bytes)
        memcpy(tile + (size_t)(p.row + at.row + (p.col + at.col) * p.rows) * bytes, from, (size_t)at.count * bytes);
}

void ashi_boxes_follow(const ashlar_tiles *tiles, ashi_held *held)
{
    const ashi_mirror mirror = ashi_tiles_mirror(tiles);
    for (ashi_held_walk w = {.number = -1}; tiles->symmetry != ASHLAR_GENERAL && ashi_held_next(held, &w);)
        if (w.at.row == w.at.col)
            tiles->tile_kernels->follow(ashi_cuts_size(&tiles->row, w.at.row), &mirror,
                                        ashi_held_tile(held, w.number, tiles->bytes));
}
