/* All of a program of random cases that the BLACS are there for. PROGRAM names it. */
#ifndef ASHI_PBLAS_CASES_H
#define ASHI_PBLAS_CASES_H

#include "mpi/pblas_matrix.h"
#include "mpi/ranks.h"

/* `prepare`, where there is something to prepare, comes after MPI has begun. */
static inline int try_pblas(int argc, char **argv, uint64_t cases, void prepare(void), void one(rig *r, int handle))
{
    rig r;
    if (!ranks_begin(&r, &argc, &argv, cases))
        return 1;
    if (prepare)
        prepare();
    const int handle = Csys2blacs_handle(MPI_COMM_WORLD);
    for (uint64_t i = 0; i < r.cases; i++) {
        r.seed = r.first + i;
        one(&r, handle);
    }
    Cfree_blacs_system_handle(handle);
    return ranks_end(&r, PROGRAM);
}

#endif
