/* The memory that all plans of one BLACS context work in, one after the other. */
#include "pblas/workspace.h"

#include <stdlib.h>

enum { ALIGNMENT = 64 };

bool ashi_workspace_reserve(ashi_workspace *w, int64_t bytes)
{
    void *memory = NULL;
    if (bytes <= w->bytes)
        return true;
    if (posix_memalign(&memory, ALIGNMENT, (size_t)bytes) != 0)
        return false;
    free(w->memory);
    *w = (ashi_workspace){memory, bytes};
    return true;
}

void ashi_workspace_free(ashi_workspace *w)
{
    free(w->memory);
    *w = (ashi_workspace){NULL, 0};
}
