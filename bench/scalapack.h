/* What of ScaLAPACK and the BLACS is called here. They have no header; these are their interfaces with 32-bit integers. */
#ifndef ASHI_BENCH_SCALAPACK_H
#define ASHI_BENCH_SCALAPACK_H

#include <mpi.h>

int Csys2blacs_handle(MPI_Comm comm);
void Cfree_blacs_system_handle(int handle);
void Cblacs_gridinit(int *context, const char *order, int rows, int cols);
void Cblacs_gridexit(int context);
int numroc_(const int *n, const int *block, const int *process, const int *source, const int *processes);
void descinit_(int *desc, const int *m, const int *n, const int *mb, const int *nb, const int *row_source,
               const int *col_source, const int *context, const int *ld, int *info);
void pdgemm_(const char *transa, const char *transb, const int *m, const int *n, const int *k, const double *alpha,
             const double *a, const int *ia, const int *ja, const int *desca, const double *b, const int *ib,
             const int *jb, const int *descb, const double *beta, double *c, const int *ic, const int *jc,
             const int *descc);

enum { ASHI_DESC_LENGTH = 9 };

#endif
