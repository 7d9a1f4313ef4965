/* Positions of a group of indices: where they lie, and their division into boxes and blocks. Position 0 has every index
 * at 0, and the group's first index runs fastest. */
#ifndef ASHI_POSITIONS_H
#define ASHI_POSITIONS_H

#include "kernel/contraction.h"

/* Pieces of an index are whole numbers of so much, but for the last: about a line of a cache. */
enum { ASHI_PIECE_UNIT = 8 };

/* `count` positions from `from` on. */
typedef struct ashi_positions {
    int64_t from, count;
} ashi_positions;

/* Some values of each index of a group. */
typedef struct ashi_index_box {
    ashi_stride_group group; /* its extents are those of the box */
    int64_t count;           /* positions */
    int64_t at[3];           /* where the first one lies in A, B and C */
} ashi_index_box;

/* The product of all extents; 1 for a group of no index. */
int64_t ashi_positions_of(const ashi_stride_group *group);

/* The boxes that the pieces of indices make, and box number `which` of them. */
int64_t ashi_boxes_of(const ashi_index_pieces *pieces);
void ashi_box_find(const ashi_stride_group *group, const ashi_index_pieces *pieces, int64_t which, ashi_index_box *out);

/* Where positions of a box lie in a matrix: 0 for A, 1 for B, 2 for C. */
void ashi_box_offsets(const ashi_index_box *box, int matrix, ashi_positions range, int64_t *out);

#endif
