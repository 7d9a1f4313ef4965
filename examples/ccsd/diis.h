/* Extrapolation of iterates: P. Pulay, Chem. Phys. Lett. 73, 393 (1980). */
#ifndef DIIS_H
#define DIIS_H

#include <mpi.h>
#include <stdint.h>

enum { DIIS_MOST = 8 };

/* The last iterates and their errors: this rank's part of each. */
typedef struct diis {
    int64_t words;
    int kept, next;
    double *iterate[DIIS_MOST], *error[DIIS_MOST];
} diis;

/* 0; -1: memory lacks. diis_free frees it in both cases. */
int diis_begin(diis *d, int64_t words);

void diis_free(diis *d);

/* Keep an iterate and its error, and replace it with the combination of all whose error is least. Collective. */
void diis_step(diis *d, MPI_Comm comm, double *iterate, const double *error);

#endif
