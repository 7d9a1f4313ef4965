/* Boxes of a view visited chunk by chunk of its array's file, so that a chunk that several boxes meet is read once. */
#ifndef ASHI_STORE_BY_CHUNK_H
#define ASHI_STORE_BY_CHUNK_H

#include "store/unfolding.h"

/* Visit the boxes of the array that a box of the matrix is made of, as ashi_unfolding_boxes does. If there are several
 * they are cut at multiples of chunk[d] along dimension d, and what lies in one chunk is visited together: for up to
 * 128 boxes at a time. ASHLAR_ERR_MEMORY, and what `visit` fails with. */
ashlar_status ashi_by_chunk(const ashi_unfolding *view, const ashi_unfolding_box *box, const int64_t *chunk,
                            ashi_unfolding_visit visit, void *context, ashlar_error *err);

/* Chunks that are kept, from the newest to the oldest. One of them is forgotten for another with the same place. */
enum { ASHI_CHUNKS_KEPT = 4093 };
typedef struct ashi_chunks_kept {
    int64_t most, count;
    int newest, oldest; /* places; -1: none */
    struct {
        uint64_t chunk; /* 0: none */
        int newer, older;
    } place[ASHI_CHUNKS_KEPT];
} ashi_chunks_kept;

/* From now on `most` chunks are kept, at least one; none has been read yet. */
void ashi_chunks_forget(ashi_chunks_kept *kept, int64_t most);

/* How many chunks are read for such a box, if those in `kept` are not read again. `extent`: of the array, if a chunk
 * counts for the part of it that the array fills, as packed ones do; NULL: each counts for one. ASHLAR_ERR_MEMORY */
ashlar_status ashi_chunks_read(const ashi_unfolding *view, const ashi_unfolding_box *box, const int64_t *chunk,
                               const int64_t *extent, ashi_chunks_kept *kept, double *out, ashlar_error *err);

#endif
