/* The whole pages of a file that a tiling moves of a matrix which is seen in an array. */
#ifndef ASHI_PLAN_VIEW_PAGES_H
#define ASHI_PLAN_VIEW_PAGES_H

#include "exec/file_source.h"
#include "search/tiling.h"
#include "store/store.h"

/* Count the pages that boxes of operand x meet in its file, box by box, with the runs by which they are moved: for all
 * ranks, every page once for each box. Of many boxes evenly chosen ones are counted, so that this takes some
 * milliseconds. `file` has a view. False if there is no memory for that: then `out` is not set. */
bool ashi_view_pages(const ashi_tiling_request *request, const ashi_nest *nest, ashlar_operand x,
                     const ashi_plain_file *file, ashi_tiling_bytes *out);

/* The same of an operand in `store`, a view of an array in chunks that are read whole: the bytes of each chunk for each
 * box that meets it. False also if the store is not such a view. */
bool ashi_view_chunk_bytes(const ashi_tiling_request *request, const ashi_nest *nest, ashlar_operand x,
                           const ashi_store *store, bool turned, ashi_tiling_bytes *out);

#endif
