/* A box of a matrix cut at the edges of its file's chunks, so that each chunk is in one part. */
#ifndef ASHI_STORE_CHUNKED_H
#define ASHI_STORE_CHUNKED_H

#include "store/store.h"

/* The parts are at least a chunk, and as many whole chunks as have at most `room` elements. */
typedef struct ashi_chunked {
    ashi_file_box box;
    int64_t rows, cols;         /* parts end at the multiples of these */
    int64_t next_row, next_col; /* where the next part begins */
} ashi_chunked;

ashi_chunked ashi_chunked_of(const ashi_file_box *box, int64_t chunk_rows, int64_t chunk_cols, int64_t room);

/* False after the last. An empty box has none. */
bool ashi_chunked_next(ashi_chunked *cells, ashi_file_box *out);

#endif
