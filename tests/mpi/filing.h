/* What the tests of products with matrices in files share: calls that must succeed, and files of random formats. */
#ifndef ASHI_FILING_H
#define ASHI_FILING_H

#include "folder.h"
#include "mpi/ranks.h"

#include <ashlar/ashlar.h>

/* `j` points to what has the rig; `call` takes &err. */
#define GOOD(j, call)                                                                                \
    do {                                                                                             \
        ashlar_error err = {0};                                                                      \
        const ashlar_status got = (call);                                                            \
        CHECK(&(j)->rig->test, got == ASHLAR_OK, CASE "%s: %s", CASE_OF((j)->rig), #call, err.text); \
    } while (0)

/* A folder that all ranks have. */
static inline folder folder_of_ranks(const rig *r)
{
    folder f = {""};
    if (r->rank == 0)
        f = folder_make();
    MPI_Bcast(&f, (int)sizeof f, MPI_BYTE, 0, MPI_COMM_WORLD);
    return f;
}

/* The place of matrix x, or of C0 as 3, in a file of a random format: Matrix Market, which is read as d and z only, if
 * `text` allows it. */
static inline void random_place(const folder *f, int x, bool text, uint64_t *state, char out[PATH_BYTES])
{
    static const char *const endings[3] = {"npy", "h5:/deep/x", "mtx"};
    char name[32];
    snprintf(name, sizeof name, "%c.%s", "abcd"[x], endings[ashi_random_in(state, 0, text ? 2 : 1)]);
    folder_name(f, name, out);
}

#endif
