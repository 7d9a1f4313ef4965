/* A box of an array cut at the edges of its file's chunks, so that each chunk is in one part. */
#ifndef ASHI_STORE_CELLS_H
#define ASHI_STORE_CELLS_H

#include "store/unfolding.h"

typedef struct ashi_cells {
    ashi_array_box box;
    int64_t cell[ASHI_DIMENSIONS_MAX]; /* parts end where a position is a multiple of these, counted from `zero` */
    int64_t zero[ASHI_DIMENSIONS_MAX];
    int64_t next[ASHI_DIMENSIONS_MAX]; /* where the next part begins */
    bool more;
} ashi_cells;

/* Parts are at least a chunk, and as many whole chunks as have at most `room` elements, the last dimensions first. */
ashi_cells ashi_cells_of(const ashi_array_box *box, const int64_t *chunk, int64_t room);

/* Parts of at most `room` elements, wherever chunks end. */
ashi_cells ashi_cells_within(const ashi_array_box *box, int64_t room);

/* The next part, and where it begins in memory: elements from the box's first. False after the last. */
bool ashi_cells_next(ashi_cells *cells, ashi_array_box *out, int64_t *at);

/* The elements of a box. */
int64_t ashi_array_box_words(const ashi_array_box *box);

#endif
