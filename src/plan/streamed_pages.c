/* Matrices that are seen in arrays: how they lie in their files, and the whole pages that a plan moves. */
#include "plan/plan.h"

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

bool ashi_streamed_levels(const ashlar_file *file, bool rows_are_minor, ashi_file_levels *out)
{
    const ashi_unfolding *view = view_of(file);
    for (int s = 0; view && s < 2; s++)
        ashi_unfolding_levels(view, s, rows_are_minor ? s : 1 - s, out);
    return view != NULL;
}

void ashi_streamed_say_pages(const ashi_tiling_request *q, const ashi_nest *nest, size_t room, char *text)
{
    const size_t used = strlen(text);
    const ashi_tiling_bytes pages = ashi_tiling_pages(q, nest);
    if (q->seen[0] || q->seen[1] || q->seen[2])
        snprintf(text + used, room - used, "; in whole pages %.0f MB are read and %.0f MB written", pages.read / 1e6,
                 pages.written / 1e6);
}
