/* Boxes of a view visited chunk by chunk of its array's file, so that a chunk that several boxes meet is read once. */
#ifndef ASHI_STORE_BY_CHUNK_H
#define ASHI_STORE_BY_CHUNK_H

#include "store/unfolding.h"

/* Visit the boxes of the array that a box of the matrix is made of, as ashi_unfolding_boxes does. If there are several
 * they are cut at multiples of chunk[d] along dimension d, and what lies in one chunk is visited together: for up to
 * 128 boxes at a time. ASHLAR_ERR_MEMORY, and what `visit` fails with. */
ashlar_status ashi_by_chunk(const ashi_unfolding *view, const ashi_unfolding_box *box, const int64_t *chunk,
                            ashi_unfolding_visit visit, void *context, ashlar_error *err);

/* Chunks that are kept, from the newest to the oldest, as HDF5 keeps them. Of two that belong in the same place only
 * the newer one is kept, so there are many more places than chunks of 4 KiB that are kept. A prime, as HDF5's
 * documentation wants. */
enum { ASHI_CHUNKS_PLACES = 10007 };
typedef struct ashi_chunks_kept {
    int64_t most, count, met; /* `met`: by all boxes */
    int newest, oldest; /* places; -1: none */
    struct {
        uint64_t chunk; /* 0: none */
        int newer, older;
    } place[ASHI_CHUNKS_PLACES];
} ashi_chunks_kept;

/* From now on `most` chunks are kept, at least one; none has been read yet, nor met. */
void ashi_chunks_forget(ashi_chunks_kept *kept, int64_t most);

/* How many chunks are read for such a box, if those in `kept` are not read again. `extent`: of the array. `packed`: a
 * chunk counts for the part of it that the array fills; otherwise for one. ASHLAR_ERR_MEMORY */
ashlar_status ashi_chunks_read(const ashi_unfolding *view, const ashi_unfolding_box *box, const int64_t *chunk,
                               const int64_t *extent, bool packed, ashi_chunks_kept *kept, double *out,
                               ashlar_error *err);

#endif
