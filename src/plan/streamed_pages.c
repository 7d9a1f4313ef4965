/* Matrices that are seen in arrays: how they lie in their files, and the whole pages that a plan moves. */
#include "model/rates.h"
#include "plan/plan.h"
#include "plan/view_pages.h"

#include <stdio.h>
#include <string.h>

/* The view of an array that lies in its file element by element, if the matrix is one; else NULL. */
static const ashi_unfolding *view_of(const ashlar_file *file)
{
    if (!file || !file->store)
        return NULL;
    const ashi_store_plain plain = ashi_store_plain_of(file->store);
    return plain.fd >= 0 ? plain.view : NULL;
}

/* Whether the first element that the view has begins a page. */
static bool is_at_page(const ashlar_file *file, const ashi_unfolding *view)
{
    const int64_t bytes = (int64_t)ashlar_type_bytes(file->info.type);
    int64_t at = ashi_store_plain_of(file->store).start;
    for (int d = 0; d < view->order; d++)
        at += view->from[d] * view->stride[d] * bytes;
    return at % ASHI_DISK_PAGE == 0;
}

/* Whether a side runs along the file for at least a page before another index begins. */
static bool fills_pages(const ashi_file_levels *l, int side, int64_t bytes)
{
    const ashi_file_level *first = &l->level[side][0];
    return l->count[side] > 0 && first->stride == 1 && first->extent >= ASHI_DISK_PAGE / bytes;
}

void ashi_streamed_see(const ashlar_file *file, bool rows_are_minor, ashlar_operand x, ashi_tiling_request *q)
{
    const ashi_unfolding *view = view_of(file);
    q->seen[x] = view != NULL;
    if (!view)
        return;
    q->at_page[x] = is_at_page(file, view);
    for (int s = 0; s < 2; s++)
        ashi_unfolding_levels(view, s, rows_are_minor ? s : 1 - s, &q->levels[x]);
    const ashi_store_chunks pages = ashi_store_pages(file->store);
    int64_t *const side = x == ASHLAR_C ? q->pages : q->chunks[x].side;
    if (x == ASHLAR_C) {
        side[0] = rows_are_minor ? pages.rows : pages.cols;
        side[1] = rows_are_minor ? pages.cols : pages.rows;
    }
    for (int s = 0; s < 2; s++)
        if (fills_pages(&q->levels[x], s, q->bytes) && side[s] > 0)
            side[s] = ASHI_DISK_PAGE / q->bytes;
}

double ashi_streamed_say_pages(const ashi_stream_file file[3], const ashi_tiling_request *q, const ashi_nest *nest,
                               size_t room, char *text)
{
    const size_t used = strlen(text);
    ashi_tiling_bytes all = {0, 0};
    bool seen = q->seen[0] || q->seen[1] || q->seen[2];
    for (int x = 0; x < 3; x++) {
        if (ashi_store_is_made(file[x].store))
            continue; /* by a function, or taken by one */
        const ashi_plain_file *plain = &file[x].source.plain;
        ashi_tiling_bytes pages;
        const bool chunked = x != ASHLAR_C && ashi_view_chunk_bytes(q, nest, (ashlar_operand)x, file[x].store,
                                                                plain->turned, &pages);
        if (!chunked && (!plain->view || !ashi_view_pages(q, nest, (ashlar_operand)x, plain, &pages)))
            pages = ashi_tiling_pages_of(q, nest, (ashlar_operand)x);
        seen = seen || chunked;
        all.read += pages.read;
        all.written += pages.written;
    }
    if (seen)
        snprintf(text + used, room - used, "; in whole pages %.0f MB are read and %.0f MB written", all.read / 1e6,
                 all.written / 1e6);
    return all.read + all.written;
}
