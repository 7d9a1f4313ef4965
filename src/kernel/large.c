/* Zeroed memory of any size that takes little time to touch: large pages if the system has them. */
#define _GNU_SOURCE
#include "kernel/large.h"

#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

/* PAGE: a large page, as most processors have them. LARGE_LEAST: what is smaller comes from malloc. LINE: all begins at
 * a line of the cache. */
enum { PAGE = 1 << 21, LARGE_LEAST = 4 * PAGE, LINE = 64 };

static size_t rounded(size_t bytes, size_t to)
{
    return (bytes + to - 1) / to * to;
}

/* Whole small pages: the end of a mapping does not take a large one. */
static size_t pages(size_t bytes)
{
    const long page = sysconf(_SC_PAGESIZE);
    return rounded(bytes, page > 0 && page < PAGE ? (size_t)page : PAGE);
}

/* A mapping that begins at a large page: what is before and behind it is given back. */
static void *map(size_t bytes)
{
    const size_t length = pages(bytes), all = length + PAGE;
    char *memory = mmap(NULL, all, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (memory == MAP_FAILED)
        return NULL;
    const size_t before = rounded((uintptr_t)memory, PAGE) - (uintptr_t)memory;
    if (before > 0)
        munmap(memory, before);
    if (PAGE - before > 0)
        munmap(memory + all - (PAGE - before), PAGE - before);
#ifdef MADV_HUGEPAGE
    madvise(memory + before, length, MADV_HUGEPAGE); /* if it is refused the pages are small */
#endif
    return memory + before;
}

void *ashi_large_make(size_t bytes)
{
    void *memory = NULL;
    if (bytes > SIZE_MAX / 2)
        return NULL;
    if (bytes >= LARGE_LEAST)
        return map(bytes);
    const size_t lines = rounded(bytes > 0 ? bytes : 1, LINE);
    if (posix_memalign(&memory, LINE, lines) != 0)
        return NULL;
    return memset(memory, 0, lines);
}

size_t ashi_large_shorten(void *memory, size_t from, size_t bytes)
{
    const size_t kept = pages(bytes > LARGE_LEAST ? bytes : LARGE_LEAST), all = pages(from);
    if (from < LARGE_LEAST || kept >= all)
        return from;
    munmap((char *)memory + kept, all - kept);
    return kept;
}

void ashi_large_free(void *memory, size_t bytes)
{
    if (memory && bytes >= LARGE_LEAST)
        munmap(memory, pages(bytes));
    else
        free(memory);
}
