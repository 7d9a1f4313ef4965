/* Boxes of a matrix of tiles as packets: where their elements are taken from and where they are put. */
#ifndef ASHI_TILES_BOXES_H
#define ASHI_TILES_BOXES_H

#include "tiles/matrix.h"

/* A packet with a box: `row` and `col` are its first element in the matrix that it is for, `at` its rows; elements
 * travel in the order of columns. `what` is ASHI_BOX_TURNED if the box is taken from what is on the other side of the
 * diagonal of the matrix that it comes from. */
enum { ASHI_BOX_STRAIGHT = 0, ASHI_BOX_TURNED = 1 };

/* A packet with U and V of a whole tile that is stored as U V^T: `row` and `col` likewise, `at` its rank. If it is
 * turned, V comes before U. */
enum { ASHI_BOX_FACTORS = 2, ASHI_BOX_FACTORS_TURNED = 3 };

/* Elements of one column of a box. */
typedef struct ashi_span {
    int64_t row, col, count; /* within the box */
} ashi_span;

/* The elements `first` to `first + count - 1` of a box, column by column: begin with {0}; false after the last. */
static inline bool ashi_span_next(const ashi_packet *packet, int64_t first, int64_t count, ashi_span *span)
{
    const int64_t at = span->count == 0 ? first : span->col * packet->at + span->row + span->count;
    if (at >= first + count)
        return false;
    span->col = at / packet->at;
    span->row = at % packet->at;
    const int64_t rest = packet->at - span->row, left = first + count - at;
    span->count = rest < left ? rest : left;
    return true;
}

/* What becomes of elements that are taken from a matrix: [0] straight, [1] turned. */
typedef struct ashi_box_source {
    const ashlar_tiles *tiles;
    ashi_mirror mirror[2];
} ashi_box_source;

/* `user` is an ashi_box_source. */
void ashi_box_pack(void *user, const ashi_packet *packet, int64_t first, int64_t count, char *to);

/* Where boxes are put: tiles with the cuts of a matrix. */
typedef struct ashi_box_target {
    const ashlar_tiles *tiles;
    ashi_held *held;
} ashi_box_target;

/* `user` is an ashi_box_target. */
void ashi_box_unpack(void *user, const ashi_packet *packet, int64_t first, int64_t count, const char *from);

/* Elements of a matrix: rows row .. row_end - 1, likewise columns. */
typedef struct ashi_region {
    int64_t row, row_end, col, col_end;
} ashi_region;

/* All of a tile. */
static inline ashi_region ashi_tiles_region(const ashlar_tiles *tiles, ashi_tile_at at)
{
    return (ashi_region){tiles->row.at[at.row], tiles->row.at[at.row + 1], tiles->col.at[at.col],
                         tiles->col.at[at.col + 1]};
}

/* Send a region of a matrix of tiles to the owners of its tiles; of one with a symmetry what is in tiles that are
 * stored. `what` is that of the packets. */
ashlar_status ashi_boxes_send(const ashlar_tiles *to, const ashi_region *region, int64_t what, ashi_packets *out,
                              ashlar_error *err);

/* Room for the tiles that boxes come for, all 0. */
ashlar_status ashi_boxes_room(const ashlar_tiles *tiles, const ashi_packets *in, ashi_held *out, ashlar_error *err);

/* Let what is below the diagonal follow, in those tiles on the diagonal that are there. */
void ashi_boxes_follow(const ashlar_tiles *tiles, ashi_held *held);

/* Copy a matrix that lies anywhere to one with contiguous columns, as a mirror image shows it. */
void ashi_tile_copy(const ashlar_tiles *tiles, ashi_mirror mirror, int64_t rows, int64_t cols, const ashi_matrix *from,
                    void *to);

#endif
