/* One piece of memory that all plans of a process work in, one after the other. */
#include "pblas/workspace.h"

#include <stdlib.h>

enum { ALIGNMENT = 64 };

static struct {
    void *memory;
    int64_t bytes, users;
} arena;

bool ashi_workspace_reserve(int64_t bytes)
{
    void *memory = NULL;
    if (bytes <= arena.bytes)
        return true;
    if (posix_memalign(&memory, ALIGNMENT, (size_t)bytes) != 0)
        return false;
    free(arena.memory);
    arena.memory = memory;
    arena.bytes = bytes;
    return true;
}

void *ashi_workspace(void)
{
    return arena.memory;
}

void ashi_workspace_join(void)
{
    arena.users++;
}

void ashi_workspace_leave(void)
{
    if (--arena.users > 0)
        return;
    free(arena.memory);
    arena.memory = NULL;
    arena.bytes = 0;
}
