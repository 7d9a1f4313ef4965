/* Arrays between two pages that nobody may touch, and a word about what was being done when somebody did. */
#ifndef ASHI_PBLAS_PAGES_H
#define ASHI_PBLAS_PAGES_H

#include "mpi/pblas_matrix.h"

#include <signal.h>
#include <stdio.h>
#include <sys/mman.h>
#include <unistd.h>

/* What is being done, for the handler. */
static char doing[256];

static inline void tell_and_end(int number)
{
    (void)number;
    const ssize_t written = write(STDERR_FILENO, doing, strlen(doing));
    _exit(written < 0 ? 2 : 1);
}

static inline void tell_of_faults(void)
{
    signal(SIGSEGV, tell_and_end);
    signal(SIGBUS, tell_and_end);
}

typedef struct guarded {
    char *pages;         /* one that is closed, those of the array, one that is closed */
    size_t length, page; /* bytes of them all, and of one */
    char *array;
    size_t bytes;        /* from the first element to the last */
} guarded;

/* A copy of an array. at_end: it ends where the second closed page begins; else it begins where the first one ends. */
static inline guarded guard(const matrix *x, bool at_end)
{
    guarded g = {.page = (size_t)sysconf(_SC_PAGESIZE)};
    if (x->local[0] && x->local[1])
        g.bytes = ((size_t)x->ld * (size_t)(x->local[1] - 1) + (size_t)x->local[0]) * x->bytes;
    const size_t inside = (g.bytes + g.page - 1) / g.page * g.page;
    g.length = inside + 2 * g.page;
    g.pages = mmap(NULL, g.length, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (g.pages == MAP_FAILED || (inside && mprotect(g.pages + g.page, inside, PROT_READ | PROT_WRITE) != 0)) {
        fprintf(stderr, "no memory for %zu bytes\n", g.length);
        MPI_Abort(MPI_COMM_WORLD, 2);
    }
    g.array = g.pages + g.page + (at_end ? inside - g.bytes : 0);
    memcpy(g.array, x->data, g.bytes);
    return g;
}

static inline void allow(const guarded *g, int what)
{
    if (g->length > 2 * g->page && mprotect(g->pages + g->page, g->length - 2 * g->page, what) != 0)
        MPI_Abort(MPI_COMM_WORLD, 2);
}

static inline void unguard(const guarded *g)
{
    munmap(g->pages, g->length);
}

#endif
