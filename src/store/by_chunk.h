/* Boxes of a view visited chunk by chunk of its array's file, so that a chunk that several boxes meet is read once. */
#ifndef ASHI_STORE_BY_CHUNK_H
#define ASHI_STORE_BY_CHUNK_H

#include "store/unfolding.h"

/* Visit the boxes of the array that a box of the matrix is made of, as ashi_unfolding_boxes does. If there are several
 * they are cut at multiples of chunk[d] along dimension d, and what lies in one chunk is visited together: for up to
 * 128 boxes at a time. ASHLAR_ERR_MEMORY, and what `visit` fails with. */
ashlar_status ashi_by_chunk(const ashi_unfolding *view, const ashi_unfolding_box *box, const int64_t *chunk,
                            ashi_unfolding_visit visit, void *context, ashlar_error *err);

/* How many chunks are read for such a box, if one is kept from visit to visit. ASHLAR_ERR_MEMORY */
ashlar_status ashi_chunks_read(const ashi_unfolding *view, const ashi_unfolding_box *box, const int64_t *chunk,
                               int64_t *out, ashlar_error *err);

#endif
